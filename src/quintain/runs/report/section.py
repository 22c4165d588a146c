"""Section: everything that the page says about one track, ready for the templates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from markupsafe import Markup

from quintain.contests import Track
from quintain.contests.fields import Gate
from quintain.contests.readings import directions
from quintain.contests.words import EntryWords, entry_words
from quintain.data.arrays import Mask
from quintain.figures.curves import CurvePlot, curve_plot
from quintain.figures.format import listed
from quintain.figures.heat_map import (
    Colours,
    MatrixOverview,
    colours_of,
    heat_map,
    is_large,
    legend,
    overview,
)
from quintain.figures.matrix import Matrix, Worst, entry_name, names_of, short_labels
from quintain.figures.trade_off import TradeOff, Utility, trade_off
from quintain.measures import GuessMeasure, Reading
from quintain.rankings import Entry, Results
from quintain.releases import ReleaseCard
from quintain.runs.report.board_view import BoardView, board_view
from quintain.runs.report.matrices import bounds, matrix_of
from quintain.runs.report.run_facts import RunFacts
from quintain.runs.scores.scores import track_boards


@dataclass(frozen=True, slots=True)
class Summary:
    """The entries that leaked most and least, and how many attacks could be luck.

    Parameters
    ----------
    most, least : the entries that leaked most and least, several if they are equal; only accepted
        entries, if there are any.
    apart : whether the intervals of the two do not overlap.
    cells, attacked, measured, lucky : how many cells there could be, how many were attacked, how
        many have a value, and how many could be luck.
    safe : names of the entries on which no attack was better than luck.
    observations : the smallest and the largest number of observations behind a cell.
    """

    most: tuple[Worst, ...]
    least: tuple[Worst, ...]
    apart: bool
    cells: int
    attacked: int
    measured: int
    lucky: int
    safe: tuple[str, ...]
    observations: tuple[int, int] | None

    @classmethod
    def of(cls, matrix: Matrix) -> Self:
        """The summary of a matrix."""
        worsts = matrix.worsts()
        ranked = [worst for worst in worsts if worst.entry.accepted] or worsts
        most, least = _all(max, ranked, matrix), _all(min, ranked, matrix)
        grid, measured = matrix.grid, matrix.grid.measured
        sizes = grid.n[measured]
        others = _others(matrix)
        return cls(
            most=most,
            least=least,
            apart=bool(ranked) and _apart(most[0], least[0], matrix),
            cells=int(others.sum()),
            attacked=int((grid.attacked & others).sum()),
            measured=len(sizes),
            lucky=int(matrix.lucky.sum()),
            safe=tuple(
                entry_name(entry, matrix.names)
                for entry, attacked, lucky in zip(
                    matrix.entries, measured, matrix.lucky, strict=True
                )
                # It was attacked, and every attack could be luck or was worse than luck.
                if attacked.any() and lucky[attacked].all()
            ),
            observations=(int(sizes.min()), int(sizes.max())) if len(sizes) else None,
        )


def _others(matrix: Matrix) -> Mask:
    """The cells of attackers on entries of others."""
    owners = np.array([entry.owner for entry in matrix.entries], np.object_)
    attackers = np.array([attacker.id for attacker in matrix.attackers], np.object_)
    others: Mask = owners[:, None] != attackers[None, :]
    return others


def _all(pick: Callable[..., float], worsts: list[Worst], matrix: Matrix) -> tuple[Worst, ...]:
    if not worsts:
        return ()
    extreme = pick(matrix.leak(worst.reading) for worst in worsts)
    return tuple(worst for worst in worsts if matrix.leak(worst.reading) == extreme)


def _apart(most: Worst, least: Worst, matrix: Matrix) -> bool:
    """Whether two intervals have no value in common."""
    first, last = most.reading, least.reading
    return first.low > last.high if matrix.better == "lower" else first.high < last.low


MOST_PLOTS = 4
_FEW = 3
"""How many entries a sentence names."""
_COLUMNS = 6
"""How many readings a table has side by side: as many as fit on a printed page."""


@dataclass(frozen=True, slots=True)
class ReportLine:
    """One entry in the tables of all entries; ``None`` is a missing reading."""

    entry: Entry
    label: str
    name: str
    words: EntryWords
    utility: tuple[tuple[Reading | None, bool | None], ...]
    worst: tuple[Worst | None, ...]


@dataclass(frozen=True)
class TrackSection:
    """One track: ``number`` counts from 1 and makes names unique on the page."""

    track: Track
    number: int
    title: str
    results: Results
    run: RunFacts
    names: Mapping[str, str]
    summary: Summary
    boards: tuple[BoardView, ...]
    matrices: tuple[Matrix, ...]
    utilities: tuple[Utility, ...]
    lines: tuple[ReportLine, ...]

    def called(self, entry: Entry) -> str:
        """The name of an entry on the page."""
        return entry_name(entry, self.names)

    def in_people(self, worst: Worst) -> str:
        """What the strongest attack means for a hundred people, if the measure can say it."""
        measure, value = self.track.guess_measures[0].measure, worst.reading.value
        if not isinstance(measure, GuessMeasure):
            return ""
        low, high = measure.within
        return measure.in_people(value) if low <= value <= high else ""

    @property
    def makers(self) -> dict[str, int]:
        """How many entries the organisers made, and how many the teams."""
        own = sum(entry.owner is None for entry in self.results.entries)
        return {"organisers": own, "teams": len(self.results.entries) - own}

    @property
    def disqualified(self) -> list[Entry]:
        """The disqualified entries."""
        return [entry for entry in self.results.entries if not entry.accepted]

    @property
    def refused(self) -> list[tuple[str, str]]:
        """Each release that was refused and each attacker that refused, with the reason."""
        refusals, total = self.results.refused, len(self.results.entries)
        releases = [
            (f"{self.names.get(name, name)}, whose release was refused", reason)
            for name, reason in refusals.releases.items()
        ]
        attacks = [
            (f"{self.names[attacker]}, on {_some(entries, total)}", reason)
            for (attacker, reason), entries in refusals.by_reason().items()
        ]
        return releases + attacks

    @property
    def has_own_entries(self) -> bool:
        """Whether any attacker also has an entry."""
        owners = {entry.owner for entry in self.results.entries}
        return any(attacker.id in owners for attacker in self.matrices[0].attackers)

    @property
    def fresh(self) -> tuple[tuple[Reading | None, bool | None], ...]:
        """The reading of a fresh sample in each utility, and whether it would pass the gate."""
        stand_in = Entry("a fresh sample", readings=self.results.fresh)
        columns = _columns(self.track)
        return tuple(_check_gate(stand_in, utility.name, gate) for utility, gate in columns)

    @property
    def plotted(self) -> tuple[Utility, ...]:
        """The utility readings that get a plot; privacy readings of a release are in the table."""
        useful = {name for measured in self.track.utility for name in measured.reads}
        return tuple(utility for utility in self.utilities if utility.name in useful)[:MOST_PLOTS]

    @property
    def gated(self) -> bool:
        """Whether any plot shows a gate."""
        return any(utility.bounds for utility in self.plotted)

    @property
    def unit(self) -> str:
        """The word for the rows of the data."""
        return "records" if self.track.dataset.data_schema().shape == "table" else "rows"

    @cached_property
    def colours(self) -> Colours:
        """The scale of colours of the first privacy reading."""
        return colours_of(self.matrices[0])

    @cached_property
    def overview(self) -> MatrixOverview | None:
        """The overview of a matrix that is too large to show in full."""
        matrix, name = self.matrices[0], f"overview-{self.number}"
        return overview(matrix, self.colours, name) if is_large(matrix) else None

    def heat(self) -> Markup:
        """The heat map of the first privacy reading, or of its extremes."""
        shown = self.matrices[0] if self.overview is None else self.overview.shown
        return heat_map(shown, self.colours)

    def legend(self) -> Markup:
        """The colours of the heat map."""
        return legend(self.colours)

    def worse_than_chance(self) -> bool:
        """Whether some colours mean "worse than chance"."""
        return self.colours.under > 0

    def plots(self) -> Iterator[TradeOff]:
        """The first privacy reading against each of the first utility readings."""
        for i, utility in enumerate(self.plotted, start=1):
            yield trade_off(self.matrices[0], utility, f"plot-{self.number}-{i}")

    def curves(self) -> Iterator[CurvePlot]:
        """The plots of readings that are drawn as lines."""
        entries = [(self.called(entry), entry) for entry in self.results.entries]
        for i, measured in enumerate(self.track.release_measures):
            for j, curve in enumerate(measured.measure.curves):
                drawn = curve_plot(curve, entries, f"curve-{self.number}-{i}-{j}")
                if drawn is not None:
                    yield drawn

    @property
    def labelled(self) -> bool:
        """Whether any point has a label that is not the beginning of its name."""
        return any(not line.name.startswith(line.label) for line in self.lines)

    def attack_columns(self) -> list[range]:
        """The numbers of the privacy readings, in groups that fit on a page."""
        return _groups(len(self.matrices))

    def utility_columns(self) -> list[range]:
        """The numbers of the utility readings, in groups that fit on a page."""
        return _groups(len(self.utilities))

    def attack_readings(self, columns: range) -> list[Reading]:
        """The strongest attacks in some columns of the table of entries."""
        attacks = [line.worst[i] for line in self.lines for i in columns]
        return [worst.reading for worst in attacks if worst is not None]

    def utility_readings(self, columns: range) -> list[Reading]:
        """The readings of releases in some columns of the table of entries."""
        readings = [line.utility[i][0] for line in self.lines for i in columns]
        return [reading for reading in readings if reading is not None]


def section(track: Track, results: Results, run: RunFacts, number: int, title: str) -> TrackSection:
    """Collect everything that the page says about a track."""
    matrices = tuple(
        matrix_of(track, results, measured, name)
        for measured in track.guess_measures
        for name in measured.reads
    )
    names = names_of(results)
    labels = short_labels(matrices[0])
    columns = list(_columns(track))
    return TrackSection(
        track=track,
        number=number,
        title=title,
        results=results,
        run=run,
        names=names,
        summary=Summary.of(matrices[0]),
        boards=tuple(board_view(board) for board in track_boards(track, results)),
        matrices=matrices,
        utilities=tuple(utility for utility, _ in columns),
        lines=tuple(
            ReportLine(
                entry,
                labels[entry.id],
                entry_name(entry, names),
                entry_words(track, entry, run.cards.get(entry.id, ReleaseCard())),
                tuple(_check_gate(entry, utility.name, gate) for utility, gate in columns),
                tuple(matrix.worst(entry) for matrix in matrices),
            )
            for entry in results.entries
        ),
    )


def _some(entries: list[str], total: int) -> str:
    """A few names, or how many of all."""
    if len(entries) == total:
        return "the only entry" if total == 1 else f"all {total} entries"
    return listed(entries) if len(entries) <= _FEW else f"{len(entries)} of {total} entries"


def _groups(columns: int) -> list[range]:
    return [range(i, min(i + _COLUMNS, columns)) for i in range(0, columns, _COLUMNS)]


def _columns(track: Track) -> Iterator[tuple[Utility, Gate]]:
    """The readings of releases with their gates: measured ones, given ones, then computed ones."""
    for measured in track.release_measures:
        for name, better in measured.reads.items():
            gate = measured.gate(name)
            yield Utility(name, better, measured.caption(name), bounds(gate)), gate
    for given in track.given:
        summary = "A reading from outside, which no measure computed."
        yield Utility(given.name, given.better, summary, bounds(given.gate)), given.gate
    known = directions(track)
    for derived in track.derived:
        how = derived.formula or f"the {derived.by} of {', '.join(derived.of)}"
        yield Utility(derived.name, known[derived.name], f"Computed: {how}.", ()), Gate()


def _check_gate(entry: Entry, name: str, gate: Gate) -> tuple[Reading | None, bool | None]:
    """A reading of a release, and whether it passes its gate; None where there is no gate."""
    reading = entry.readings.get(name)
    if not gate.bounds:
        return reading, None
    return reading, reading is not None and not list(gate.failures(name, reading))
