"""Earlier submission: of teams with equal scores, the one that was done first is first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from quintain.errors import Fault
from quintain.rankings.board import Board, Place
from quintain.rankings.results import Results
from quintain.rankings.rule import KnownNames, RankingRule
from quintain.rankings.ties import Keys, TieRule
from quintain.registry import register


@register("earlier-submission-v1")
class EarlierSubmission(TieRule):
    """The team that submitted earlier is first.

    The submission is the last one on which the score rests: on a board of attackers, the last of
    the team's guesses that count; else the release that is on the board, or the last that counts.
    What a program made is as old as the program. A team without a submission is last.

    Examples
    --------
    Bob's last guess came before ann's:

    >>> from dataclasses import replace
    >>> from quintain.rankings.count_wins import CountWins
    >>> from quintain.rankings.ties import break_ties
    >>> from quintain.testing import example_results
    >>> results = example_results({"rr": {"ann": 0.3, "bob": 0.3}})
    >>> results = replace(results, guessed={"ann": 20.0, "bob": 10.0})
    >>> rule = CountWins()
    >>> board = rule.rank("wins", results, {})
    >>> keys = EarlierSubmission().keys(board, rule, results, {})
    >>> [(place.rank, place.team) for place in break_ties(board, [keys], []).places]
    [(1, 'bob'), (2, 'ann')]
    """

    def faults(self, known: KnownNames) -> Iterator[Fault]:
        """A board over all tracks has no submissions of its own."""
        if known.over_tracks:
            yield Fault(
                "a board over all tracks rests on no submission of its own; name a board of a "
                "track instead"
            )

    def keys(
        self, board: Board, rule: RankingRule, results: Results, boards: Mapping[str, Board]
    ) -> Keys:
        """When each team submitted, in seconds."""
        if rule.ranks_attackers:
            return results.guessed
        times = {place.team: _release_time(place, results) for place in board.places}
        return {team: time for team, time in times.items() if time is not None}


def _release_time(place: Place, results: Results) -> float | None:
    times = [
        entry.submitted
        for entry in results.entries
        if entry.submitted is not None
        and (entry.id == place.entry or (place.entry is None and entry.owner == place.team))
    ]
    return max(times, default=None)
