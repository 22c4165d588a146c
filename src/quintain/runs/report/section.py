"""Section: everything that the page says about one track, ready for the templates."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Self, cast

import numpy as np
from markupsafe import Markup

from quintain.contests import Track
from quintain.contests.fields import Gate, MeasuredPrivacy
from quintain.contests.words import EntryWords, entry_words
from quintain.data.arrays import Mask
from quintain.data.shape import find_shape
from quintain.figures.axis import Axis, axis, drawable
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
from quintain.figures.matrix import Chance, Matrix, Worst, entry_name, names_of, short_labels
from quintain.figures.svg import Element, add, drawing, markup
from quintain.figures.trade_off import TradeOff, Utility, trade_off
from quintain.measures import GuessMeasure, Reading
from quintain.rankings import Board, Contestant, Entry, Results
from quintain.releases import ReleaseCard
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.report.maps import Maps
from quintain.runs.scores.scores import Prize, track_boards
from quintain.runs.tasks.recipe_runs import RecipeOutcome

_WIDTH, _HEIGHT, _EDGE = 130, 18, 6
MOST_PLACES = 30
"""A board with more places is folded, so that readers reach what follows it."""
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
class GoalSection:
    """One goal of a track: the matrix of its first measure, and the drawings of it.

    ``name`` makes names unique on the page.
    """

    matrix: Matrix
    measure: GuessMeasure
    name: str

    @cached_property
    def summary(self) -> Summary:
        """What the matrix shows, in short."""
        return Summary.of(self.matrix)

    def in_people(self, worst: Worst) -> str:
        """What the strongest attack means for a hundred people, if the measure can say it."""
        low, high = self.measure.within
        value = worst.reading.value
        return self.measure.in_people(value) if low <= value <= high else ""

    @cached_property
    def colours(self) -> Colours:
        """The scale of colours of the matrix."""
        return colours_of(self.matrix)

    @cached_property
    def overview(self) -> MatrixOverview | None:
        """The overview of a matrix that is too large to show in full."""
        name = f"overview-{self.name}"
        return overview(self.matrix, self.colours, name) if is_large(self.matrix) else None

    def heat(self) -> Markup:
        """The heat map of the matrix, or of its extremes."""
        shown = self.matrix if self.overview is None else self.overview.shown
        return heat_map(shown, self.colours)

    def legend(self) -> Markup:
        """The colours of the heat map."""
        return legend(self.colours)

    def worse_than_chance(self) -> bool:
        """Whether some colours mean "worse than chance"."""
        return self.colours.under > 0

    def plots(self, utilities: Sequence[Utility]) -> Iterator[TradeOff]:
        """The reading against each of some utility readings."""
        for i, utility in enumerate(utilities, start=1):
            yield trade_off(self.matrix, utility, f"plot-{self.name}-{i}")


def _goal_sections(track: Track, matrices: Sequence[Matrix], number: int) -> Iterator[GoalSection]:
    for aim in track.attack_aims:
        first = track.measures_for(aim.id)[0]
        matrix = next(matrix for matrix in matrices if matrix.name in first.reads)
        name = f"{number}-{aim.id}" if aim.id else str(number)
        yield GoalSection(matrix, cast(GuessMeasure, first.measure), name)


@dataclass(frozen=True)
class TrackSection:
    """One track: ``number`` counts from 1 and makes names unique on the page."""

    track: Track
    number: int
    title: str
    results: Results
    run: RunFacts
    names: Mapping[str, str]
    goals: tuple[GoalSection, ...]
    boards: tuple[BoardView, ...]
    matrices: tuple[Matrix, ...]
    utilities: tuple[Utility, ...]
    lines: tuple[ReportLine, ...]

    def name_of(self, entry: Entry) -> str:
        """The name of an entry on the page."""
        return entry_name(entry, self.names)

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
        return _gated_readings(self.track, stand_in)

    @property
    def plotted(self) -> tuple[Utility, ...]:
        """The utility readings that get a plot; privacy readings of a release are in the table."""
        return plotted_utilities(self.track)

    @property
    def gated(self) -> bool:
        """Whether any plot shows a gate."""
        return any(utility.bounds for utility in self.plotted)

    @property
    def unit(self) -> str:
        """The word for the rows of the data."""
        return find_shape(self.track.dataset.data_schema().shape).row_word

    def curves(self) -> Iterator[CurvePlot]:
        """The plots of readings that are drawn as lines."""
        entries = [(self.name_of(entry), entry) for entry in self.results.entries]
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
    labels = short_labels(results.entries, names)
    return TrackSection(
        track=track,
        number=number,
        title=title,
        results=results,
        run=run,
        names=names,
        goals=tuple(_goal_sections(track, matrices, number)),
        boards=tuple(board_view(board) for board in track_boards(track, results)),
        matrices=matrices,
        utilities=tuple(_columns(track)),
        lines=tuple(
            ReportLine(
                entry,
                labels[entry.id],
                entry_name(entry, names),
                entry_words(track, entry, run.cards.get(entry.id, ReleaseCard())),
                _gated_readings(track, entry),
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


def _columns(track: Track) -> Iterator[Utility]:
    """The readings of releases with their gates: measured ones, given ones, then computed ones."""
    summaries = {
        name: measured.caption(name)
        for measured in track.release_measures
        for name in measured.reads
    }
    summaries |= {
        given.name: "A reading from outside, which no measure computed." for given in track.given
    }
    for derived in track.derived:
        how = derived.formula or f"the {derived.by} of {', '.join(derived.of)}"
        summaries[derived.name] = f"Computed: {how}."
    gates = track.gates
    for name, better in track.directions().items():
        gate = gates.get(name, Gate())
        yield Utility(name, better, summaries[name], bounds(gate))


def plotted_utilities(track: Track) -> tuple[Utility, ...]:
    """The utility readings of a track that get a plot, with their gates."""
    useful = {name for measured in track.utility for name in measured.reads}
    return tuple(utility for utility in _columns(track) if utility.name in useful)[:MOST_PLOTS]


def _gated_readings(track: Track, entry: Entry) -> tuple[tuple[Reading | None, bool | None], ...]:
    """The readings of a release, each with whether it passes its gate; None where nobody asks."""
    asked = track.ask_gates(entry.readings)
    return tuple(
        (entry.readings.get(name), not asked[name] if name in asked else None)
        for name in track.directions()
    )


# --- the summary ----------------------------------------------------------------------------------


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

    most: tuple[Worst, ...] = ()
    least: tuple[Worst, ...] = ()
    apart: bool = False
    cells: int = 0
    attacked: int = 0
    measured: int = 0
    lucky: int = 0
    safe: tuple[str, ...] = ()
    observations: tuple[int, int] | None = None

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


# --- the sizes and cards of a run -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RunFacts:
    """The sizes of a track in this run, and the cards of its entries.

    Parameters
    ----------
    population : the number of rows of the population; None if it is not known.
    private : the smallest and the largest number of rows of a private sample.
    cards : the methods and the claim of each entry, in full.
    maps : where people are, if the data have places that may be shown.
    recipes : what the judge ran for every recipe, where teams submit recipes.
    """

    population: int | None = None
    private: tuple[int, int] | None = None
    cards: Mapping[str, ReleaseCard] = field(default_factory=dict)
    maps: Maps | None = None
    recipes: Sequence[RecipeOutcome] = ()


def run_facts(folder: Folder, track: Track) -> RunFacts:
    """Read the facts of a track from a folder, without reading the data themselves."""
    tasks = folder.read(track).releases
    sizes = [rows for task in tasks if (rows := _rows(folder.at(paths.private(task)))) is not None]
    return RunFacts(
        population=_rows(folder.base_path(track.id)),
        private=(min(sizes), max(sizes)) if sizes else None,
        cards={task.entry: folder.full_card(task) for task in reversed(tasks)},
    )


def _rows(path: Path) -> int | None:
    import pyarrow.parquet as pq

    return int(pq.read_metadata(path).num_rows) if path.is_file() else None


# --- matrices -------------------------------------------------------------------------------------


def matrix_of(track: Track, results: Results, measured: MeasuredPrivacy, name: str) -> Matrix:
    """The matrix of one reading of a track."""
    return Matrix(
        name=name,
        better=measured.reads[name],
        summary=measured.caption(name),
        results=results,
        attackers=_attackers(results),
        chance=chance_of(track, results, measured, name),
        names=names_of(results),
    )


def _attackers(results: Results) -> tuple[Contestant, ...]:
    """The contestants with a column: who attacked an entry, or refused to."""
    shown = {attacker.id for attacker in results.attackers()}
    shown |= {attacker for _, attacker in results.refused.attacks}
    return tuple(contestant for contestant in results.contestants if contestant.id in shown)


def chance_of(track: Track, results: Results, measured: MeasuredPrivacy, name: str) -> Chance:
    """What blind guessing gives for one reading of a track, as far as it is known.

    If neither the sizes of the track nor the measure define chance, readings are compared with a
    blind attacker, if the edition has one.
    """
    law = results.blind.get(name)
    if law is not None and track.repeats == 1:  # it is the law of a single experiment
        return Chance(law=law)
    chance = measured.chance
    if name in chance:
        return Chance(chance[name])
    for baseline in track.baseline:
        row = results.row(baseline.id, name)
        if baseline.attack is not None and baseline.attack.blind and row:
            return Chance(blind=row, blind_name=baseline.name or baseline.id)
    return Chance()


def bounds(gate: Gate) -> tuple[tuple[str, float], ...]:
    """The bounds of a gate: "at most 0.2", 0.2."""
    return tuple((f"{word} {bound:g}".replace("-", "−"), bound) for word, bound in gate.bounds)


# --- boards ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BoardView:
    """A board, with a drawing of the interval on each line and of the scale above them."""

    board: Board
    ticks: Markup
    bars: tuple[Markup, ...]

    @property
    def folded(self) -> bool:
        """Whether the page shows the title only until a reader opens the board."""
        return len(self.board.places) > MOST_PLACES

    @property
    def lucky(self) -> bool:
        """Whether any place has a probability that luck alone gives the score."""
        return any(place.p is not None for place in self.board.places)

    @property
    def methods(self) -> list[str]:
        """The names of the methods behind its intervals, each once."""
        return list(dict.fromkeys(p.score.method for p in self.board.places if p.score.method))


def board_view(board: Board) -> BoardView:
    """A board with its drawings; the score of a disqualified team is set by rule, so not drawn."""
    nothing = Reading.missing("lower", "disqualified")
    scores = [nothing if place.disqualified else place.score for place in board.places]
    floor = board.floor if board.floor is not None and drawable(board.floor) else None
    scale = bar_scale(scores, floor)
    bars = tuple(interval_bar(score, scale, floor) for score in scores)
    return BoardView(board, bar_ticks(scale), bars)


def bar_scale(readings: Sequence[Reading], floor: float | None = None) -> Axis:
    """The common scale of a board; it includes 0 unless that would waste half of it."""
    ends = [x for r in readings for x in (r.low, r.value, r.high)]
    ends += [] if floor is None else [floor]
    finite = [x for x in ends if drawable(x)]
    if finite and (0 <= min(finite) <= max(finite) / 2 or max(finite) <= 0):
        ends.append(0.0)
    return axis(ends, _EDGE, _WIDTH - _EDGE, ticks=4)


def interval_bar(reading: Reading, scale: Axis, floor: float | None = None) -> Markup:
    """Draw a dot for the value and a line for the interval; nothing if it was not measured.

    The drawing is as wide as its cell. A dotted line is the noise floor of the board.
    """
    root = _bar(_HEIGHT)
    middle = _HEIGHT / 2
    for x, _ in scale.ticks():
        add(root, "line", css="grid", x1=_percent(x), x2=_percent(x), y1=0, y2=_HEIGHT)
    if floor is not None:
        place = _percent(scale.at(floor))
        add(root, "line", css="floor", x1=place, x2=place, y1=0, y2=_HEIGHT)
    if reading.measured:
        value = scale.at(reading.value)
        low, high = (value if math.isnan(x) else scale.at(x) for x in (reading.low, reading.high))
        add(root, "line", css="span", x1=_percent(low), x2=_percent(high), y1=middle, y2=middle)
        add(root, "circle", css="dot", cx=_percent(value), cy=middle, r=4)
    return markup(root)


def bar_ticks(scale: Axis) -> Markup:
    """Draw the ends of the scale, for the head of the column."""
    root = _bar(14)
    ticks = scale.ticks()
    for (_, label), anchor in zip((ticks[0], ticks[-1]), ("start", "end"), strict=True):
        x = "0%" if anchor == "start" else "100%"
        add(root, "text", label, css="tick", x=x, y=11, text_anchor=anchor)
    return markup(root)


def _bar(height: float) -> Element:
    """An empty drawing without a scale of its own: places across are in percent."""
    root = drawing(_WIDTH, height, "bar")
    del root.attrib["viewBox"]
    return root


def _percent(place: float) -> str:
    return f"{100 * place / _WIDTH:.1f}%"


@dataclass(frozen=True, slots=True)
class Winner:
    """A team that gets an award, and its place; None if a jury decided."""

    team: str
    rank: int | None


def winners(prize: Prize, boards: Mapping[str, Board]) -> list[Winner]:
    """The teams that get an award, in order of their places."""
    board = boards.get(prize.board or "")
    ranks = {} if board is None else {place.team: place.rank for place in board.places}
    return [Winner(team, ranks.get(team)) for team in prize.winners]
