"""What friends give an attacker: releases without a rank do not count, and a median holds."""

from dataclasses import replace

import pytest

from quintain.contests.fields import RankedBoard
from quintain.measures import Reading
from quintain.rankings import Contestant, Entry, Results
from quintain.rankings.count_wins import CountWins
from quintain.rankings.formula import Formula
from quintain.rankings.mean import Mean
from quintain.rankings.results import pack_finds

TOLD = {"ann": {"red": 0.1, "blue": 0.2}, "bob": {"red": 0.1, "blue": 0.2}, "pal": {"red": 1.0}}
RULES = (
    Mean(measure="hit"),
    CountWins(measure="hit", shared_win="share"),
    Formula(formula="sum(hit)", of="attackers"),
    Formula(formula="sum(found_by)", of="attackers"),
)


def contest(**pal):
    """Two honest releases and that of "pal", which told red everything."""
    teams = ("red", "blue", "ann", "bob", "pal")
    cells = {
        (entry, team): {"hit": Reading.exact(value, 10, "lower")}
        for entry, row in TOLD.items()
        for team, value in row.items()
    }
    finds = {
        pair: pack_finds([i < 10 * cell["hit"].value for i in range(10)])
        for pair, cell in cells.items()
    }
    entries = tuple(Entry(name, name, **(pal if name == "pal" else {})) for name in TOLD)
    return Results(entries, tuple(map(Contestant, teams)), cells, finds=finds)


def first(rule, results):
    return rule.rank("attackers", results, {}).places[0].team


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.summary()[:40])
@pytest.mark.parametrize(
    "pal", [{"faults": ("disqualified by the organisers: two accounts",)}, {"competing": False}]
)
def test_a_release_without_a_rank_gives_attackers_nothing(rule, pal):
    assert first(rule, contest(**pal)) == "blue"
    assert first(rule, replace(contest(**pal), count_unranked=True)) == first(rule, contest())


def test_what_a_board_says_of_releases_without_a_rank_is_read():
    table = {"id": "seekers", "use": "mean", "measure": "hit"}
    assert RankedBoard(**table).unranked == "left-out"
    assert RankedBoard(**table, unranked="count").unranked == "count"
    with pytest.raises(ValueError, match="unranked"):
        RankedBoard(**table, unranked="maybe")


@pytest.mark.parametrize(("trim", "score"), [(0, 0.4), (0.25, 0.4), (1 / 3, 0.1), (0.5, 0.1)])
def test_a_trimmed_mean_leaves_out_what_is_told(trim, score):
    places = Mean(measure="hit", trim=trim).rank("attackers", contest(), {}).places
    assert {p.team: p.score.value for p in places}["red"] == pytest.approx(score)
    formula = Formula(formula=f"trimmed({trim:.10f}, hit)", of="attackers")
    places = formula.rank("attackers", contest(), {}).places
    assert {p.team: p.score.value for p in places}["red"] == pytest.approx(score)


def test_a_trimmed_mean_of_readings_has_the_mean_of_their_ends():
    cells = {
        (f"e{i}", "red"): {"hit": Reading(value=v, low=v - 0.1, high=v + 0.2, n=9, better="lower")}
        for i, v in enumerate((0.1, 0.2, 0.3, 0.4, 0.9))
    }
    entries = tuple(Entry(f"e{i}") for i in range(5))
    results = Results(entries, (Contestant("red"),), cells)
    (place,) = Mean(measure="hit", trim=0.2).rank("", results, {}).places
    score = place.score
    assert (score.value, score.low, score.high) == pytest.approx((0.3, 0.2, 0.5))
    assert score.method == "trimmed mean of the entries' intervals"
