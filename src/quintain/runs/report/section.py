"""Section: everything the page says about one track, ready to be put into words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from markupsafe import Markup

from quintain.contests import Track
from quintain.contests.fields import Measured
from quintain.figures.colours import colours_of
from quintain.figures.curves import curve_plot
from quintain.figures.heat_map import heat_map, legend
from quintain.figures.interval_bar import bar_scale, bar_ticks, interval_bar
from quintain.figures.matrix import Matrix, Worst, entry_name, names_of
from quintain.figures.trade_off import TradeOff, Utility, numbered, trade_off
from quintain.measures import Reading
from quintain.rankings import Board, Entry, Results
from quintain.runs.report.matrices import bounds, matrix_of
from quintain.runs.report.summary import Summary
from quintain.runs.scores.boards import track_boards

MOST_PLOTS = 4


@dataclass(frozen=True, slots=True)
class BoardView:
    """A board with its intervals drawn."""

    board: Board
    ticks: Markup
    bars: tuple[Markup, ...]

    @property
    def noted(self) -> bool:
        """Whether any line has something to add."""
        return any(place.note or place.score.note for place in self.board.places)

    @property
    def lucky(self) -> bool:
        """Whether it is known how likely luck alone gives the scores."""
        return any(place.p is not None for place in self.board.places)

    @property
    def methods(self) -> list[str]:
        """How its intervals were made."""
        return list(dict.fromkeys(p.score.method for p in self.board.places if p.score.method))


@dataclass(frozen=True, slots=True)
class Line:
    """One entry in the table of all entries: ``None`` is a reading that is not there."""

    entry: Entry
    name: str
    utility: tuple[tuple[Reading | None, bool | None], ...]
    worst: tuple[Worst | None, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """One track: ``number`` counts from 1 and makes names unique on the page."""

    track: Track
    number: int
    title: str
    results: Results
    names: Mapping[str, str]
    summary: Summary
    boards: tuple[BoardView, ...]
    matrices: tuple[Matrix, ...]
    utilities: tuple[Utility, ...]
    lines: tuple[Line, ...]

    def called(self, entry: Entry) -> str:
        """What an entry is called."""
        return entry_name(entry, self.names)

    @property
    def made(self) -> dict[str, int]:
        """How many entries the organisers made, and how many the teams."""
        mine = sum(entry.owner is None for entry in self.results.entries)
        return {"organisers": mine, "teams": len(self.results.entries) - mine}

    @property
    def out(self) -> list[Entry]:
        """The disqualified entries."""
        return [entry for entry in self.results.entries if not entry.accepted]

    @property
    def own(self) -> bool:
        """Whether any attacker has an entry of its own."""
        owners = {entry.owner for entry in self.results.entries}
        return any(attacker.id in owners for attacker in self.matrices[0].attackers)

    @property
    def fresh(self) -> tuple[tuple[Reading | None, bool | None], ...]:
        """What a fresh sample reads in each utility, and whether it would pass."""
        stand_in = Entry("a fresh sample", readings=self.results.fresh)
        return tuple(_gated(stand_in, measured) for measured in _each(self.track))

    @property
    def plotted(self) -> tuple[Utility, ...]:
        """The utility readings that are drawn; what a release gives away is in the table alone."""
        useful = {name for measured in self.track.utility for name in measured.reads}
        return tuple(one for one in self.utilities if one.name in useful)[:MOST_PLOTS]

    @property
    def gated(self) -> bool:
        """Whether any gate is drawn."""
        return any(utility.bounds for utility in self.plotted)

    def heat(self) -> Markup:
        """The heat map of the first privacy reading."""
        return heat_map(self.matrices[0], f"heat-{self.number}")

    def legend(self) -> Markup:
        """The colours of the heat map."""
        return legend(self.matrices[0])

    def under(self) -> bool:
        """Whether some colours mean "worse than chance"."""
        return colours_of(self.matrices[0]).under > 0

    def plots(self) -> Iterator[TradeOff]:
        """The first privacy reading against each of the first utility readings."""
        for i, utility in enumerate(self.plotted, start=1):
            yield trade_off(self.matrices[0], utility, f"plot-{self.number}-{i}")

    def curves(self) -> Iterator[tuple[str, Markup]]:
        """Readings that are drawn as lines, with their titles."""
        entries = [(self.called(entry), entry) for entry in self.results.entries]
        for i, measured in enumerate(self.track.release_measures):
            for j, curve in enumerate(measured.measure.curves):
                drawn = curve_plot(curve, entries, f"curve-{self.number}-{i}-{j}")
                if drawn is not None:
                    yield curve.title, drawn

    @property
    def numbered(self) -> bool:
        """Whether entries have numbers in the plots."""
        return bool(self.plotted) and numbered(self.matrices[0])


def section(track: Track, results: Results, number: int, title: str) -> Section:
    """What there is to say about a track."""
    matrices = tuple(
        matrix_of(track, results, measured, name)
        for measured in track.guess_measures
        for name in measured.reads
    )
    names = names_of(results)
    return Section(
        track=track,
        number=number,
        title=title,
        results=results,
        names=names,
        summary=Summary.of(matrices[0]),
        boards=tuple(board_view(board) for board in track_boards(track, results)),
        matrices=matrices,
        utilities=tuple(_utilities(track)),
        lines=tuple(
            Line(
                entry,
                entry_name(entry, names),
                tuple(_gated(entry, measured) for measured in _each(track)),
                tuple(matrix.worst(entry) for matrix in matrices),
            )
            for entry in results.entries
        ),
    )


def board_view(board: Board) -> BoardView:
    """A board, drawn."""
    scores = [place.score for place in board.places]
    scale = bar_scale(scores)
    return BoardView(board, bar_ticks(scale), tuple(interval_bar(one, scale) for one in scores))


def _each(track: Track) -> Iterator[tuple[Measured, str]]:
    return ((measured, name) for measured in track.release_measures for name in measured.reads)


def _utilities(track: Track) -> Iterator[Utility]:
    for measured, name in _each(track):
        yield Utility(name, measured.reads[name], measured.caption(name), bounds(measured, name))


def _gated(entry: Entry, utility: tuple[Measured, str]) -> tuple[Reading | None, bool | None]:
    """A utility reading, and whether it passes its gate; None where there is no gate."""
    measured, name = utility
    reading = entry.readings.get(name)
    if not bounds(measured, name):
        return reading, None
    return reading, reading is not None and not measured.failures({name: reading})
