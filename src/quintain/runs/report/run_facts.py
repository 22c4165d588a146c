"""Run facts: the sizes of a run and the cards of its entries, for the text of the report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from quintain.contests import Track
from quintain.releases import ReleaseCard
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder


@dataclass(frozen=True, slots=True)
class RunFacts:
    """The sizes of a track in this run, and the cards of its entries.

    Parameters
    ----------
    population : the number of rows of the population; None if it is not known.
    private : the smallest and the largest number of rows of a private sample.
    cards : the methods and the claim of each entry, in full.
    """

    population: int | None = None
    private: tuple[int, int] | None = None
    cards: Mapping[str, ReleaseCard] = field(default_factory=dict)


def run_facts(folder: Folder, track: Track) -> RunFacts:
    """Read the facts of a track from a folder, without reading the data themselves."""
    tasks = folder.tasks(track)
    sizes = [rows for task in tasks if (rows := _rows(folder.at(paths.private(task)))) is not None]
    return RunFacts(
        population=_rows(folder.base_path(track.id)),
        private=(min(sizes), max(sizes)) if sizes else None,
        cards={task.entry: folder.full_card(task) for task in reversed(tasks)},
    )


def _rows(path: Path) -> int | None:
    import pyarrow.parquet as pq

    return int(pq.read_metadata(path).num_rows) if path.is_file() else None
