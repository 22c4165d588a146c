"""Count wins: on how many entries is an attacker better than all others?"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Literal

import numpy as np

from quintain.data.arrays import Floats, Mask
from quintain.measures import Reading
from quintain.rankings.board import Board, Candidate, order
from quintain.rankings.results import Results
from quintain.rankings.rule import RankingRule
from quintain.registry import register
from quintain.wording.languages import to_say


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
    shared_win : who gets a first place that several share: "none" of the attackers, each a "share"
        of it, or "all" a full win.

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
    shared_win: Literal["none", "share", "all"] = "none"

    @property
    def uses(self) -> tuple[str, ...]:
        """The reading that decides."""
        return (self.measure,)

    @property
    def ranks_attackers(self) -> bool:
        """It ranks attackers."""
        return True

    @property
    def uses_guesses(self) -> tuple[str, ...]:
        """The reading that decides: only guesses say which attacker it belongs to."""
        return self.uses

    def rank(self, board: str, results: Results, boards: Mapping[str, Board]) -> Board:
        """Count the wins of every attacker over all entries."""
        grid = results.grid(self.measure)
        counts = np.array([results.counts(entry) for entry in results.entries], np.bool_)
        measured = grid.measured & counts[:, None]
        won = self._wins(np.where(measured, grid.value, -np.inf), measured)
        sure = measured & (grid.low > _highest_of_others(grid.high, measured))
        possible = measured & (grid.high >= _highest_of_others(grid.low, measured))
        places = {contestant.id: i for i, contestant in enumerate(results.contestants)}
        scores = {}
        for attacker in results.attackers():
            i = places[attacker.id]
            value, low, high = won[i], float(sure[:, i].sum()), float(possible[:, i].sum())
            reading = Reading(
                value=value,
                low=min(low, value),
                high=max(high, value),
                n=int(counts.sum()),
                better="higher",
                method="from the wins that are certain to the wins that are possible",
            )
            if not measured[:, i].any():
                reading = Reading.missing("higher", "none of its guesses was measured")
            scores[attacker.id] = Candidate(reading)
        ranked = order(scores, results.contestants, highest_first=True)
        return Board(id=board, unit=to_say("entries won"), places=ranked)

    def _wins(self, values: Floats, measured: Mask) -> list[float]:
        """The wins of every contestant."""
        first = measured & (values == values.max(axis=1, initial=-np.inf, keepdims=True))
        several = first.sum(axis=1)
        if self.shared_win == "none":
            first &= (several == 1)[:, None]
        if self.shared_win != "share":
            return [float(wins) for wins in first.sum(axis=0)]
        wins = [Fraction(0)] * first.shape[1]
        for sharers in np.unique(several[several > 0]).tolist():
            firsts = first[several == sharers].sum(axis=0).tolist()
            wins = [won + Fraction(n, sharers) for won, n in zip(wins, firsts, strict=True)]
        return [float(won) for won in wins]


def _highest_of_others(values: Floats, measured: Mask) -> Floats:
    """For each team, the highest value of all others in its row; an unknown one counts as infinite.

    >>> _highest_of_others(np.array([[3.0, 2.0, 1.0]]), np.ones((1, 3), bool))
    array([[2., 3., 3.]])
    """
    known = np.where(measured, np.where(np.isnan(values), np.inf, values), -np.inf)
    padded = np.pad(known, ((0, 0), (2, 0)), constant_values=-np.inf)
    second, first = np.partition(padded, (-2, -1), axis=1)[:, -2:].T
    others: Floats = np.where(known == first[:, None], second[:, None], first[:, None])
    return others
