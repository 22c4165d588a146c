"""Count wins: on how many entries is an attacker better than all others?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Literal

from quintain.measures import Reading
from quintain.rankings.board import Board, Candidate, order
from quintain.rankings.results import Results
from quintain.rankings.rule import RankingRule
from quintain.registry import register


@register("count-wins-v1")
class CountWins(RankingRule):
    """The number of entries on which an attacker's reading is higher than everybody else's.

    Readings on different entries cannot be compared, but wins can. The interval shows how much is
    luck. Its low end counts the wins that remain if every reading lies at the end of its interval
    that is worst for the attacker; its high end counts the entries that the attacker could have
    won at best.

    Parameters
    ----------
    measure : the reading that decides; higher wins.
    ties : who gets a shared first place: "none" of the attackers, each a "share" of it, or "all" a
        full win.

    References
    ----------
    SNAKE 2023, section 3.2, "Success measure".

    Examples
    --------
    On the entry "mst" both attackers are equal, so nobody wins it:

    >>> from quintain.testing import example_results
    >>> results = example_results({"rr": {"ann": 0.3, "bob": 0.1}, "mst": {"ann": 0.2, "bob": 0.2}})
    >>> board = CountWins(measure="membership_advantage").rank("wins", results, {})
    >>> [(place.rank, place.team, str(place.score)) for place in board.places]
    [(1, 'ann', '1 [1, 2]'), (2, 'bob', '0 [0, 1]')]
    """

    measure: str = "membership_advantage"
    ties: Literal["none", "share", "all"] = "none"

    @property
    def uses(self) -> tuple[str, ...]:
        """The reading that decides."""
        return (self.measure,)

    @property
    def uses_guesses(self) -> tuple[str, ...]:
        """The reading that decides: only guesses say which attacker it belongs to."""
        return self.uses

    def rank(self, board: str, results: Results, boards: Mapping[str, Board]) -> Board:
        """Count the wins of every attacker over all entries."""
        teams = [c.id for c in results.attackers()]
        won = dict.fromkeys(teams, Fraction(0))
        sure, possible = dict.fromkeys(teams, 0), dict.fromkeys(teams, 0)
        measured = {team for team in teams if results.row(team, self.measure)}
        for entry in results.entries:
            column = results.column(entry.id, self.measure)
            for team, share in self._winners(column).items():
                won[team] += share
            highest = _highest_of_others({team: r.high for team, r in column.items()})
            lowest = _highest_of_others({team: r.low for team, r in column.items()})
            for team, reading in column.items():
                sure[team] += reading.low > highest[team]
                possible[team] += reading.high >= lowest[team]
        scores = {
            team: Candidate(
                Reading(
                    value=float(won[team]),
                    low=min(float(sure[team]), float(won[team])),
                    high=max(float(possible[team]), float(won[team])),
                    n=len(results.entries),
                    better="higher",
                    method="wins that no interval disputes, to entries it could have won",
                )
                if team in measured
                else Reading.missing("higher", "none of its guesses was measured")
            )
            for team in teams
        }
        places = order(scores, results.contestants, highest_first=True)
        return Board(id=board, unit="entries won", places=places)

    def _winners(self, column: Mapping[str, Reading]) -> dict[str, Fraction]:
        if not column:
            return {}
        best = max(reading.value for reading in column.values())
        first = [team for team, reading in column.items() if reading.value == best]
        if len(first) > 1 and self.ties == "none":
            return {}
        return dict.fromkeys(first, Fraction(1, len(first) if self.ties == "share" else 1))


def _highest_of_others(values: Mapping[str, float]) -> dict[str, float]:
    """For each team, the highest value of all others; an unknown value counts as infinite.

    >>> _highest_of_others({"a": 3.0, "b": 2.0, "c": 1.0})
    {'a': 2.0, 'b': 3.0, 'c': 3.0}
    """
    known = {team: math.inf if math.isnan(value) else value for team, value in values.items()}
    first, second = (*sorted(known.values(), reverse=True), -math.inf, -math.inf)[:2]
    return {team: second if value == first else first for team, value in known.items()}
