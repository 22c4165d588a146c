"""Run facts: what the folder of a run knows beside its results, for the words of the report."""

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
    """The sizes of a track in this run, and what is known about its entries.

    Parameters
    ----------
    population : how many rows the population has; None if that is not known.
    private : the least and the most rows of a private sample.
    cards : what was done for each entry and what is claimed, in full.
    """

    population: int | None = None
    private: tuple[int, int] | None = None
    cards: Mapping[str, ReleaseCard] = field(default_factory=dict)


def run_facts(folder: Folder, track: Track) -> RunFacts:
    """Look into a folder; the data themselves are not read."""
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
