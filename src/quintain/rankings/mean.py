"""Mean: an attacker's average over all entries."""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum

from quintain.measures import Reading
from quintain.rankings.board import Board, order
from quintain.rankings.results import Results
from quintain.rankings.rule import RankingRule
from quintain.registry import register


@register("mean-v1")
class Mean(RankingRule):
    """The mean reading of an attacker over all entries; one that was not attacked counts as 0.

    The interval is the mean of the entries' intervals: conservative, because luck on different
    entries partly cancels.

    Parameters
    ----------
    measure : the reading that is averaged; higher wins.
    """

    measure: str = "membership_advantage"

    @property
    def uses(self) -> tuple[str, ...]:
        """The averaged measure."""
        return (self.measure,)

    def rank(self, board: str, results: Results, boards: Mapping[str, Board]) -> Board:
        """Average each attacker's row."""
        count = len(results.entries)
        scores = {}
        for attacker in results.attackers():
            row = results.row(attacker.id, self.measure).values()
            scores[attacker.id] = Reading(
                # fsum, because equal sums in another order must be equal scores.
                value=fsum(r.value for r in row) / count,
                low=fsum(r.low for r in row) / count,
                high=fsum(r.high for r in row) / count,
                n=sum(r.n for r in row),
                better="higher",
                method="mean of the entries' intervals",
            )
        places = order(scores, results.contestants, highest_first=True)
        return Board(id=board, unit=f"mean {self.measure}", places=places)
