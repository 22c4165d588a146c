"""Checks of ranking rules and tie rules: pure functions that rank only teams that compete."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from quintain.measures import Reading
from quintain.rankings import (
    Board,
    Candidate,
    Contestant,
    Entry,
    RankingRule,
    Results,
    TieRule,
    break_ties,
    order,
)
from quintain.rankings.mean import Mean


def check_ranking(part: RankingRule) -> None:
    """A board is a pure function of the results and ignores the order of contestants."""
    rng = np.random.default_rng(8)
    teams = [Contestant(f"team{i}", competing=i != 3) for i in range(5)]
    scores = {t.id: Candidate(Reading.exact(float(rng.integers(9)), 1, "higher")) for t in teams}
    earlier = {
        name: Board(id=name, places=order(scores, teams, highest_first=True))
        for name in part.follows
    }
    entries = tuple(
        Entry(
            f"team{i}",
            f"team{i}",
            {name: Reading.exact(float(rng.integers(5)), 10, "lower") for name in part.uses},
        )
        for i in range(4)
    )
    cells = {
        (entry.id, team.id): {
            name: Reading.exact(float(rng.integers(5)), 10, "lower") for name in part.uses
        }
        for entry in entries
        for team in teams
        if entry.id != team.id
    }
    results = Results(entries, tuple(teams), cells)
    board = part.rank("board", results, earlier)
    turned = part.rank("board", replace(results, contestants=tuple(teams[::-1])), earlier)
    assert board == part.rank("board", results, earlier), f"{part.id} is not a pure function"
    assert board == turned, f"{part.id} depends on the order of contestants"
    assert board.rank_of("team3") is None, f"{part.id} ranks a team that does not compete"
    ranked = sorted(place.rank for place in board.places if place.rank is not None)
    assert not ranked or ranked[0] == 1, f"{part.id} has no first place"


def check_tie(part: TieRule) -> None:
    """A tie rule is a pure function, ignores the order of teams, and moves no unequal scores."""
    teams = [Contestant(f"team{i}") for i in range(5)]
    values = {"team0": 2, "team1": 1, "team2": 1, "team3": 1, "team4": 0}
    scores = {team: Candidate(Reading.exact(value, 1, "higher")) for team, value in values.items()}
    board = Board(id="board", places=order(scores, teams, highest_first=True))
    earlier = dict.fromkeys(part.follows, board)
    entries = tuple(Entry(f"r{i}", f"team{i}", submitted=float(i % 3)) for i in range(4))
    results = Results(entries, tuple(teams), {}, guessed={"team2": 1.0, "team3": 2.0})
    rule = Mean(measure="auc")
    keys = part.keys(board, rule, results, earlier)
    assert keys == part.keys(board, rule, results, earlier), f"{part.id} is not a pure function"
    turned = replace(results, entries=entries[::-1], contestants=tuple(teams[::-1]))
    assert keys == part.keys(board, rule, turned, earlier), f"{part.id} depends on the order"
    made = break_ties(board, [keys], teams)
    ends = [made.rank_of(team) for team in ("team0", "team4")]
    assert ends == [1, 5], f"{part.id} moves teams whose scores are not equal"
