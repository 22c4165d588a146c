"""Checks of ranking rules: pure functions that rank only teams that compete."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from quintain.measures import Reading
from quintain.rankings import Board, Candidate, Contestant, Entry, RankingRule, Results, order


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
