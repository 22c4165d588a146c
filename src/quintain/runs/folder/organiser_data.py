"""Data of organisers: a folder keeps a copy of what a contest uses of their files.

The copies lie among the secret files, and the reveal publishes them: so they have the columns of
the schema and nothing else. Their paths do not contain a checksum, because commitments name them
in public. A run depends on nothing outside of its folder: workers, a run that goes on later and a
verifier read the copies.

What becomes public of such a file, and when, is told in sentences. Organisers read them before they
fix the rules, and again before they reveal the secrets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from quintain.contests import Edition, Track
from quintain.data.sources.source import FileUse, Source
from quintain.errors import DataError, Faults
from quintain.runs.folder import paths
from quintain.runs.folder.paths import make_root, write

_MOMENTS = ("when the round begins", "when the releases are handed over", "with the reveal")
"""When the rows of a file can become public, the earliest first."""


@dataclass(frozen=True, slots=True)
class OwnData:
    """An edition whose data sets read copies, and the copies.

    Parameters
    ----------
    edition : the rules to fix; the checksums in them are those of the copies.
    copies : the content of each copy, by the id of a track and by name.
    """

    edition: Edition
    copies: Mapping[str, Mapping[str, bytes]]

    def write(self, root: Path, version: int = 1) -> None:
        """Write the copies into a folder, before the rules are written."""
        make_root(root)
        for track, contents in self.copies.items():
            for name, content in contents.items():
                write(root, paths.data_file(version, track, name), content, durable=True)


def copy_organiser_data(edition: Edition) -> OwnData:
    """Read the data files of an edition and take from them what the contest uses.

    Raises with every fault in the files: rules that nobody can play must not be fixed.
    """
    faults, made = Faults(), dict[Source, tuple[Source, dict[str, bytes]]]()
    for source in dict.fromkeys(t.dataset for t in edition.track if t.dataset.own_files()):
        try:
            made[source] = source.make_copies()
        except DataError as error:
            faults.extend(error.faults)
    faults.raise_if_any(DataError)
    if not made:
        return OwnData(edition, {})
    copies = {t.id: made[t.dataset][1] for t in edition.track if t.dataset in made}
    tracks = tuple(
        track.model_copy(update={"dataset": made[track.dataset][0]})
        if track.id in copies
        else track
        for track in edition.track
    )
    return OwnData(edition.model_copy(update={"track": tracks}), copies)


def organiser_data_files(edition: Edition, version: int) -> dict[str, str]:
    """The paths of the copies, each with the SHA-256 that a version of the rules gives."""
    return {
        paths.data_file(version, track.id, name): digest
        for track in edition.track
        for name, digest in track.dataset.own_files().items()
    }


def with_organiser_data(root: Path, edition: Edition, version: int) -> Edition:
    """The edition, whose data sets read the copies of a folder."""
    if not organiser_data_files(edition, version):
        return edition
    tracks = []
    for track in edition.track:
        names = track.dataset.own_files()
        places = {name: root / paths.data_file(version, track.id, name) for name in names}
        source = track.dataset.reading_copies(places) if places else track.dataset
        tracks.append(track.model_copy(update={"dataset": source}))
    return edition.model_copy(update={"track": tuple(tracks)})


def disclosures(edition: Edition) -> list[str]:
    """A sentence or more for each data file of the organisers' own; empty if there is none."""
    uses: dict[str, FileUse] = {}
    moments: dict[str, list[str]] = {}
    shown_to_teams: set[str] = set()
    for track in edition.track:
        for number, use in enumerate(track.dataset.file_uses()):
            uses[use.name] = use
            moments.setdefault(use.name, []).append(_moment(track, is_test=number > 0))
            if number == 0 and track.teams_release and track.population is None:
                shown_to_teams.add(use.name)
    secret = edition.reveal == "without-data"
    return [
        " ".join(_tell(use, min(moments[name], key=_MOMENTS.index), name in shown_to_teams, secret))
        for name, use in uses.items()
    ]


def _moment(track: Track, *, is_test: bool) -> str:
    """When everybody can see the rows of a file of a track."""
    if is_test:
        return _MOMENTS[0] if track.test_records == "public" else _MOMENTS[2]
    if "base" not in track.gives or track.population is not None:
        return _MOMENTS[2]
    return _MOMENTS[1] if track.teams_release else _MOMENTS[0]


def _tell(use: FileUse, moment: str, to_teams: bool, secret: bool) -> Iterator[str]:
    columns = ", ".join(use.columns)
    if secret and moment == _MOMENTS[-1]:
        yield (
            f"{use.name}: its rows never become public, nor do the keys; the contest uses these "
            f"columns: {columns}. Questions to attackers and their answers become public with the "
            "reveal, with the values that they ask for."
        )
    else:
        yield f"{use.name}: all rows become public {moment}, with these columns: {columns}."
    if use.numbered and not (secret and moment == _MOMENTS[-1]):
        ids = ", ".join(use.numbered)
        yield f"Of the ids in {ids}, only numbers become public, which say what belongs together."
    if use.left_out:
        yield f"These columns stay out of the contest: {', '.join(use.left_out)}."
    if to_teams:
        yield "Each team sees its private sample of the rows as soon as its round begins."
