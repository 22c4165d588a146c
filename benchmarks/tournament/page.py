"""Page: the results of a tournament as one page that anybody can open and pass on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from markupsafe import Markup

from benchmarks.tournament.best import Best, best_attacks, leak_sign
from benchmarks.tournament.changes import Changes, changes
from benchmarks.tournament.claims import Claim, Refuted
from benchmarks.tournament.results import ArenaResults, Player, TournamentResults
from quintain.figures.heat_map import Colours, colours_of, heat_map, legend, sign
from quintain.figures.matrix import Chance, Matrix, names_of, short_labels
from quintain.figures.page import render
from quintain.figures.trade_off import TradeOff, Utility, trade_off
from quintain.measures import Reading
from quintain.rankings import Results

MOST_PLOTS = 2
_COLUMNS = 4
"""How many readings of releases the table of entries shows beside the strongest attack."""


@dataclass(frozen=True, slots=True)
class Line:
    """One entry in the table of the strongest attacks."""

    label: str
    entry: str
    player: Player
    best: Best | None
    useful: tuple[Reading | None, ...]
    faults: tuple[str, ...]


@dataclass(frozen=True)
class ArenaView:
    """One arena, ready for the template; ``number`` makes names unique on the page."""

    name: str
    number: int
    arena: ArenaResults
    changes: Changes | None
    report: str

    @cached_property
    def best(self) -> dict[str, Best]:
        """The strongest attack on each entry."""
        return best_attacks(self.arena)

    @cached_property
    def matrices(self) -> list[Matrix]:
        """One matrix per measure; entries that leak most first, strongest attacks first."""
        return [self._matrix(name) for name in self.arena.measures]

    @cached_property
    def colours(self) -> Colours:
        """The colours of the first measure."""
        return colours_of(self.matrices[0])

    @cached_property
    def lines(self) -> list[Line]:
        """The entries in the order of the heat map."""
        labels = short_labels(self.matrices[0].entries, self.matrices[0].names)
        names = list(self.arena.utilities)[:_COLUMNS]
        return [
            Line(
                labels[entry.id],
                entry.id,
                self.arena.entries[entry.id],
                self.best.get(entry.id),
                tuple(self.arena.utility(entry.id, name) for name in names),
                entry.faults,
            )
            for entry in self.matrices[0].entries
        ]

    @property
    def columns(self) -> list[str]:
        """The readings of releases in the table of entries."""
        return list(self.arena.utilities)[:_COLUMNS]

    @property
    def floors(self) -> list[float]:
        """The lowest and the highest noise floor of the entries."""
        known = sorted(one.floor for one in self.best.values() if one.floor == one.floor)
        return [known[0], known[-1]] if known else []

    def lucky(self) -> int:
        """On how many entries even the strongest attack could be luck."""
        return sum(one.luck for one in self.best.values())

    def wins(self) -> list[tuple[str, int]]:
        """On how many entries each attack is strongest, alone or with others, and not by luck."""
        counted: dict[str, int] = {}
        for one in self.best.values():
            for attack in () if one.luck else (one.attack, *one.equal):
                counted[attack] = counted.get(attack, 0) + 1
        return sorted(counted.items(), key=lambda one: (-one[1], one[0]))

    def heat(self) -> Markup:
        """The heat map of the first measure."""
        return heat_map(self.matrices[0], self.colours, spans=True)

    def legend(self) -> Markup:
        """The colours of the heat map."""
        return legend(self.colours)

    def plots(self) -> Iterator[TradeOff]:
        """Privacy against the first utilities."""
        for i, (name, one) in enumerate(self.arena.utilities.items()):
            if i < MOST_PLOTS:
                utility = Utility(name, one.better, one.summary, one.bounds)
                yield trade_off(self.matrices[0], utility, f"plot-{self.number}-{i}")

    def refused(self) -> list[tuple[str, list[str]]]:
        """Why there is no figure, each reason with the pairs."""
        reasons: dict[str, list[str]] = {}
        for entry, by_attack in self.arena.refused.items():
            for attack, why in by_attack.items():
                pair = f"{attack} on {entry}" if attack else f"the release of {entry}"
                reasons.setdefault(why, []).append(pair)
        return list(reasons.items())

    def unable(self) -> list[tuple[str, list[str]]]:
        """The parts that do not play here, by their reasons."""
        reasons: dict[str, list[str]] = {}
        for part, why in self.arena.unable.items():
            reasons.setdefault(why, []).append(part)
        return sorted(reasons.items(), key=lambda one: -len(one[1]))

    def _matrix(self, name: str) -> Matrix:
        one, results = self.arena.measures[name], self._ordered
        chance = Chance(one.chance) if one.chance is not None else self._blind(name, results)
        return Matrix(
            name=name,
            better=one.better,
            summary=one.summary,
            results=results,
            attackers=results.contestants,
            chance=chance,
            names=names_of(results),
        )

    @cached_property
    def _ordered(self) -> Results:
        results, name = self.arena.as_results(), self.arena.first
        strength = {one.id: _mean(results.row(one.id, name)) for one in results.contestants}
        worst = {
            entry: leak_sign(one.reading) * one.reading.value for entry, one in self.best.items()
        }
        return replace(
            results,
            entries=tuple(sorted(results.entries, key=lambda e: -worst.get(e.id, -1e9))),
            contestants=tuple(sorted(results.contestants, key=lambda c: -strength[c.id])),
        )

    def _blind(self, measure: str, results: Results) -> Chance:
        for name, player in self.arena.attacks.items():
            if player.blind and (row := results.row(name, measure)):
                return Chance(blind=row, blind_name=name)
        return Chance()


def _mean(row: Mapping[str, Reading]) -> float:
    leaks = [leak_sign(one) * one.value for one in row.values()]
    return sum(leaks) / len(leaks) if leaks else -1e9


def tournament_page(
    results: TournamentResults,
    *,
    earlier: TournamentResults | None = None,
    claims: Sequence[Claim] = (),
    refuted: Sequence[Refuted] = (),
    reports: Mapping[str, str] = {},
) -> bytes:
    """The page as the content of an HTML file; ``reports`` has the address of each arena's own."""
    views = [
        ArenaView(
            name,
            number,
            arena,
            None if earlier is None else changes(results, earlier, name),
            reports.get(name, ""),
        )
        for number, (name, arena) in enumerate(results.arenas.items(), start=1)
    ]
    page = render(
        __package__,
        "tournament.html.j2",
        results=results,
        views=views,
        earlier=earlier,
        claims=claims,
        refuted=refuted,
        sign=sign,
        cpu=sum(arena.sizes.cpu_seconds for arena in results.arenas.values()),
    )
    return page.encode()
