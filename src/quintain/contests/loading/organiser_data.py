"""Data of organisers: what an edition only refers to is read when the edition is loaded.

An edition file names data files and schemas that lie beside it. The rules that are fixed later must
not depend on files that anybody could change. So the schema becomes part of the rules, and the
rules get the checksum of every data file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quintain.contests.edition import Edition
from quintain.data.files.toml_lines import KeyPath
from quintain.data.sources.source import Source
from quintain.errors import Fault, PartError, Rejected
from quintain.registry import find


@dataclass(slots=True)
class Settled:
    """The tables of an edition in which every data set is complete.

    Parameters
    ----------
    table : the edition, with its tracks.
    files : for each track, by its position, where its data files are.
    faults : what is wrong with these files, with the key that names the file.
    spoiled : the keys that these faults are about; nothing else needs to be said of them.
    """

    table: dict[str, Any]
    files: dict[int, Mapping[str, Path]] = field(default_factory=dict)
    faults: list[tuple[KeyPath, Fault]] = field(default_factory=list)
    spoiled: set[KeyPath] = field(default_factory=set)

    def locate_files(self, edition: Edition) -> Edition:
        """The edition, whose data sets know where their files are."""
        if not any(self.files.values()):
            return edition
        return edition.model_copy(
            update={
                "track": tuple(
                    track.model_copy(
                        update={"dataset": track.dataset.with_files(self.files[number])}
                    )
                    if self.files.get(number)
                    else track
                    for number, track in enumerate(edition.track)
                )
            }
        )


def settle(table: Mapping[str, Any], folders: Sequence[Path]) -> Settled:
    """Read what the data sets of an edition refer to; ``folders`` says where to look."""
    settled = Settled(dict(table))
    tracks = table.get("track")
    if not isinstance(tracks, list | tuple):
        return settled
    complete = []
    for number, track in enumerate(tracks):
        dataset = track.get("dataset") if isinstance(track, Mapping) else None
        part = _source(dataset)
        if part is None or not isinstance(dataset, Mapping):
            complete.append(track)
            continue
        try:
            whole, settled.files[number] = part.settle(dataset, folders)
            complete.append({**track, "dataset": whole})
        except Rejected as error:
            at: KeyPath = ("track", number, "dataset")
            settled.faults += [((*at, *_steps(fault)), fault) for fault in error.faults]
            settled.spoiled |= {(*at, key) for key in part.settles}
            complete.append(track)
    settled.table["track"] = complete
    return settled


def _source(dataset: object) -> type[Source] | None:
    """The class of the source that a table names, if there is one."""
    use = dataset.get("use") if isinstance(dataset, Mapping) else None
    try:
        part = find("source", use) if isinstance(use, str) else None
    except PartError:
        return None  # another check reports it
    return part if part is not None and issubclass(part, Source) else None


def _steps(fault: Fault) -> tuple[str, ...]:
    """The key of the table that a fault is about; a fault inside another file names that file."""
    return (fault.column,) if fault.column and not fault.file else ()
