"""Matrix: every attacker on every entry, once the contest is revealed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from markupsafe import Markup
from pydantic import BaseModel

from quintain.contests import Edition, Track
from quintain.figures.heat_map import (
    Colours,
    MatrixOverview,
    colours_of,
    is_large,
    legend,
    light_heat_map,
    overview,
)
from quintain.figures.matrix import Matrix, entry_name, short_labels
from quintain.figures.trade_off import TradeOff, trade_off
from quintain.jobs.files import FileCache
from quintain.measures import Reading
from quintain.rankings import Entry, Refusals, Results
from quintain.runs.report.section import matrix_of, plotted_utilities
from quintain.runs.scores.cells import blind_laws, contestants
from quintain.wording.languages import say, say_words, spoken
from quintain_host.access import NotThere
from quintain_host.site import Site
from quintain_host.views.contest import Contest
from quintain_host.views.published import CELLS, published_path, published_standings, read_reading


class MatrixView(BaseModel):
    """One reading of every attacker on every entry of a track.

    Parameters
    ----------
    cells : [attacker, entry, value, low, high] for every measured cell; both are places in lists.
    luck : the places in ``cells`` that could be luck.
    """

    track: str
    title: str
    measure: str
    better: str
    summary: str
    chance: float | None
    attackers: list[str]
    entries: list[str]
    cells: list[tuple[int, int, float, float | None, float | None]]
    luck: list[int]


@dataclass(frozen=True)
class TrackMatrix:
    """The matrix of a goal of a track, ready to be drawn; a single goal has no id."""

    track: Track
    goal: str
    title: str
    matrix: Matrix
    _tables: dict[str, Markup] = field(default_factory=dict, repr=False, compare=False)
    _plots: dict[str, list[TradeOff]] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def colours(self) -> Colours:
        """The scale of colours."""
        return colours_of(self.matrix)

    @cached_property
    def overview(self) -> MatrixOverview | None:
        """A picture of a matrix that is too large to be read cell by cell."""
        if not is_large(self.matrix):
            return None
        return overview(self.matrix, self.colours, f"overview-{self.track.id}{self.goal}")

    @property
    def table(self) -> Markup:
        """The matrix as a table of coloured cells; of a large one, the most important part.

        It is in the language of the reader, and kept for the next one.
        """
        if spoken() not in self._tables:
            shown = self.matrix if self.overview is None else self.overview.shown
            self._tables[spoken()] = light_heat_map(shown, self.colours)
        return self._tables[spoken()]

    @property
    def plots(self) -> list[TradeOff]:
        """What the strongest attacker learned of each release against each of its uses."""
        if spoken() not in self._plots:
            name = f"plot-{self.track.id}{self.goal}"
            useful = enumerate(plotted_utilities(self.track))
            self._plots[spoken()] = [
                trade_off(self.matrix, utility, f"{name}-{i}") for i, utility in useful
            ]
        return self._plots[spoken()]

    @property
    def numbers(self) -> list[tuple[str, str]]:
        """The numbers that stand for the names of entries in the plots; empty if none do."""
        labels = short_labels(self.matrix.entries, self.matrix.names)
        pairs = [(labels[e.id], entry_name(e, self.matrix.names)) for e in self.matrix.entries]
        return [pair for pair in pairs if pair[0].isdecimal() and not pair[1].startswith(pair[0])]

    @property
    def summary(self) -> str:
        """What a cell is, in the language of the reader; drawings are kept for all readers."""
        return say_words(self.matrix.summary)

    @cached_property
    def legend(self) -> Markup:
        """The scale of colours as a strip."""
        return legend(self.colours)


def matrices(site: Site, contest: Contest) -> list[TrackMatrix]:
    """The matrices of every goal of every track; raises ``NotThere`` before the reveal."""
    path = published_path(site, contest, CELLS)
    return _matrices(path, _Source(contest.fixed, contest, published_standings(site, contest)))


def matrix_view(site: Site, contest: Contest, track: str, goal: str | None = None) -> MatrixView:
    """The matrix of a track as numbers; of several goals, that of the first one or a named one."""
    fitting = (m for m in matrices(site, contest) if m.track.id == track and goal in (None, m.goal))
    one = next(fitting, None)
    if one is None:
        of = f"a track {track!r}" if goal is None else f"a goal {goal!r} of a track {track!r}"
        raise NotThere(say("there is no matrix of %(of)s", of=of))
    matrix, grid = one.matrix, one.matrix.grid
    rows, columns = np.nonzero(grid.measured)
    return MatrixView(
        track=track,
        title=one.title,
        measure=matrix.name,
        better=matrix.better,
        summary=matrix.summary,
        chance=matrix.chance.value,
        attackers=[matrix.names[attacker.id] for attacker in matrix.attackers],
        entries=[entry_name(entry, matrix.names) for entry in matrix.entries],
        cells=[
            (
                int(j),
                int(i),
                float(grid.value[i, j]),
                _finite(grid.low[i, j]),
                _finite(grid.high[i, j]),
            )
            for i, j in zip(rows, columns, strict=True)
        ],
        luck=np.flatnonzero(matrix.lucky[rows, columns]).tolist(),
    )


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


@dataclass(frozen=True, slots=True)
class _Source:
    """What a matrix is made of beside its cells; two of one contest are alike after the reveal."""

    rules: Edition
    contest: Contest
    standings: Mapping[str, Any]

    def __hash__(self) -> int:
        return hash(self.contest.id)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Source) and other.contest.id == self.contest.id


def _make(path: Path, source: _Source) -> list[TrackMatrix]:
    cells = _cells(path)
    rules = source.rules
    made = []
    for track in rules.track:
        results = _results(source, track, cells.get(track.id, {}))
        title = track.title or (track.id if len(rules.track) > 1 else "")
        for aim in track.attack_aims if results.entries and results.cells else ():
            measured = track.measures_for(aim.id)[0]
            matrix = matrix_of(track, results, measured, next(iter(measured.reads)))
            made.append(TrackMatrix(track, aim.id, title, matrix))
    return made


_matrices: FileCache[list[TrackMatrix]] = FileCache(_make, 8)


def _results(
    source: _Source, track: Track, cells: Mapping[tuple[str, str], dict[str, Reading]]
) -> Results:
    table = source.standings["tracks"][track.id]
    entries = tuple(
        Entry(entry["id"], entry["owner"], _readings(entry), tuple(entry["faults"]))
        for entry in table["entries"]
    )
    refused = table.get("refused", {"releases": [], "attacks": []})
    return Results(
        entries,
        contestants(source.rules, track, source.contest.state.roster),
        cells,
        blind_laws(track, track.population_size),
        {},
        Refusals(
            {release["id"]: release["reason"] for release in refused["releases"]},
            {
                (attack["entry"], attack["attacker"]): attack["reason"]
                for attack in refused["attacks"]
            },
        ),
    )


def _readings(entry: Mapping[str, Any]) -> dict[str, Reading]:
    """The readings of a release in the published standings."""
    return {name: read_reading(figures) for name, figures in entry["readings"].items()}


def _cells(path: Path) -> dict[str, dict[tuple[str, str], dict[str, Reading]]]:
    tracks: dict[str, dict[tuple[str, str], dict[str, Reading]]] = {}
    for row in pq.read_table(path).to_pylist():
        cell = tracks.setdefault(row["track"], {}).setdefault((row["entry"], row["attacker"]), {})
        cell[row["measure"]] = Reading(
            **{key: row[key] for key in ("value", "low", "high", "n", "better")}
        )
    return tracks
