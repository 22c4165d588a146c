"""Boards made from other boards: weighted sums of scores, and sums of ranks."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Self

from pydantic import Field

from quintain.measures import Reading
from quintain.rankings.board import Board, Candidate, order
from quintain.rankings.results import Results
from quintain.rankings.rule import Points, RankingRule
from quintain.registry import register
from quintain.wording.languages import to_say


@register("weighted-sum-v1")
class WeightedSum(RankingRule):
    """The weighted sum of a team's scores on several boards; a team not on a board has 0 there.

    A team that was disqualified on every board is disqualified here, and a team that was measured
    on no board has no rank.

    Parameters
    ----------
    boards : the weight of each board; all must agree on whether the highest or the lowest wins.
    points : {scale, whole}: how a score is shown.

    References
    ----------
    AMIC 2020: preliminary and final round count 1 to 9.

    Examples
    --------
    >>> from quintain.testing import example_board, example_results
    >>> first = example_board("first", {"ann": 850, "bob": 700})
    >>> second = example_board("second", {"ann": 880, "bob": 900})
    >>> rule = WeightedSum(boards={"first": 0.1, "second": 0.9})
    >>> board = rule.rank("total", example_results({}), {"first": first, "second": second})
    >>> [(place.rank, place.team, place.score.value) for place in board.places]
    [(1, 'bob', 880.0), (2, 'ann', 877.0)]
    """

    boards: Annotated[dict[str, float], Field(min_length=1)]
    points: Points = Points()

    @classmethod
    def examples(cls) -> list[Self]:
        """A sum over two rounds."""
        return [cls(boards={"first": 0.1, "second": 0.9})]

    @property
    def uses(self) -> tuple[str, ...]:
        """It uses no reading, only boards."""
        return ()

    @property
    def follows(self) -> tuple[str, ...]:
        """The boards that are added up."""
        return tuple(self.boards)

    def rank(self, board: str, results: Results, boards: Mapping[str, Board]) -> Board:
        """Add up the weighted scores of every team."""
        given = {name: boards[name] for name in self.boards}
        teams = dict.fromkeys(place.team for source in given.values() for place in source.places)
        highest = all(source.wins == "highest" for source in given.values())
        return Board(
            id=board,
            unit=to_say("weighted sum"),
            wins="highest" if highest else "lowest",
            places=order(
                {team: self._score(team, given) for team in teams},
                results.contestants,
                highest_first=highest,
            ),
        )

    def _score(self, team: str, boards: Mapping[str, Board]) -> Candidate:
        parts = {name: board.score_of(team) for name, board in boards.items()}
        absent = [name for name, score in parts.items() if score is None or not score.measured]
        if len(absent) == len(parts):
            missing = Reading.missing("higher", "measured on none of the boards")
            return Candidate(missing, note=missing.note)
        sums = {
            key: float(
                sum(
                    # Exact decimal arithmetic: 0.1 of 850 and 0.9 of 880 must give exactly 877.
                    Fraction(str(self.boards[name])) * Fraction(str(getattr(score, key)))
                    for name, score in parts.items()
                    if score is not None and score.measured
                )
            )
            for key in ("value", "low", "high")
        }
        n = sum(score.n for score in parts.values() if score is not None)
        reading = Reading(**sums, n=n, better="higher", method="weighted sum of the intervals")
        note = f"no score on {', '.join(absent)}" if absent else ""
        places = [board.place_of(team) for board in boards.values()]
        out = all(place.disqualified for place in places if place is not None)
        return Candidate(self.points.of_reading(reading), note=note, disqualified=out)


@register("inverse-rank-sum-v1")
class InverseRankSum(RankingRule):
    """One over the sum of a team's ranks; only teams with a rank on every board are listed.

    Parameters
    ----------
    boards : the boards whose ranks are added up.
    points : {scale, whole}: how a score is shown.

    References
    ----------
    AMIC 2020, "Overall award".

    Examples
    --------
    >>> from quintain.testing import example_board, example_results
    >>> attack = example_board("attack", {"ann": 0.4, "bob": 0.2, "eve": 0.1})
    >>> defence = example_board("defence", {"ann": 0.9, "bob": 0.7})
    >>> rule = InverseRankSum(boards=("attack", "defence"))
    >>> board = rule.rank("overall", example_results({}), {"attack": attack, "defence": defence})
    >>> [(place.rank, place.team, place.score.value) for place in board.places]
    [(1, 'ann', 0.5), (2, 'bob', 0.25)]
    """

    boards: Annotated[tuple[str, ...], Field(min_length=1)]
    points: Points = Points()

    @classmethod
    def examples(cls) -> list[Self]:
        """A sum over two roles."""
        return [cls(boards=("first", "second"))]

    @property
    def uses(self) -> tuple[str, ...]:
        """It uses no reading, only boards."""
        return ()

    @property
    def follows(self) -> tuple[str, ...]:
        """The boards whose ranks are added up."""
        return self.boards

    def rank(self, board: str, results: Results, boards: Mapping[str, Board]) -> Board:
        """Add up the ranks of every team that has one on each board."""
        scores = {}
        for team in dict.fromkeys(p.team for name in self.boards for p in boards[name].places):
            ranks = [boards[name].rank_of(team) for name in self.boards]
            known = [rank for rank in ranks if rank is not None]
            if len(known) == len(ranks):
                value = self.points.of(1 / sum(known))
                note = "ranks " + " + ".join(str(rank) for rank in known)
                scores[team] = Candidate(Reading.exact(value, len(known), "higher"), note=note)
        places = order(scores, results.contestants, highest_first=True)
        return Board(id=board, unit=to_say("one over the sum of ranks"), places=places)
