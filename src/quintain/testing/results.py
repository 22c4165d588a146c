"""Small results and boards, to show what a ranking rule does."""

from __future__ import annotations

from collections.abc import Mapping

from quintain.measures import Reading
from quintain.rankings import Board, Candidate, Contestant, Entry, Results, order


def example_results(
    values: Mapping[str, Mapping[str, float]], measure: str = "membership_advantage"
) -> Results:
    """Results from plain values, by entry and attacker; an attacker's name marks its own entry.

    >>> results = example_results({"rr": {"ann": 0.3, "bob": 0.1}})
    >>> results.column("rr", "membership_advantage")["bob"].value
    0.1
    """
    teams = dict.fromkeys([*(team for row in values.values() for team in row), *values])
    attackers = {team for row in values.values() for team in row}
    return Results(
        entries=tuple(Entry(name, name if name in attackers else None) for name in values),
        contestants=tuple(Contestant(team) for team in teams if team in attackers),
        cells={
            (entry, team): {measure: Reading.exact(value, 10, "lower")}
            for entry, row in values.items()
            for team, value in row.items()
        },
    )


def example_board(name: str, scores: Mapping[str, float]) -> Board:
    """A board on which the highest score wins.

    >>> example_board("first", {"ann": 7, "bob": 9}).rank_of("bob")
    1
    """
    candidates = {
        team: Candidate(Reading.exact(score, 1, "higher")) for team, score in scores.items()
    }
    teams = tuple(Contestant(team) for team in scores)
    return Board(id=name, places=order(candidates, teams, highest_first=True))
