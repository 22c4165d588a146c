"""Boards by formula: the same scores as the rules that they can replace, and what these cannot."""

import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain.errors import Rejected
from quintain.measures import Reading
from quintain.rankings import Contestant, Entry, Results
from quintain.rankings.combined import WeightedSum
from quintain.rankings.defence import Defence
from quintain.rankings.formula import Formula
from quintain.rankings.mean import Mean
from quintain.rankings.reading_table import ReadingTable, empty_table
from quintain.registry import build
from quintain.testing import example_board, example_results
from quintain.testing.strategies import results

MEASURE = "hit_rate"


def scores(board):
    return {place.team: (place.rank, place.score.value) for place in board.places}


def figures(board):
    return {
        place.team: (place.rank, place.score.value, place.score.low, place.score.high)
        for place in board.places
        if place.score.measured
    }


@given(results(measures=(MEASURE,)))
def test_one_minus_the_worst_is_the_rule_defence(drawn):
    expected = Defence(measure=MEASURE).rank("b", drawn, {})
    board = Formula(formula="1 - max(hit_rate)").rank("b", drawn, {})
    ours, rule = figures(board), figures(expected)
    assert ours.keys() == rule.keys()
    for team, numbers in ours.items():
        assert numbers[0] == rule[team][0]
        assert numbers[1:] == pytest.approx(rule[team][1:], abs=1e-12)
    assert board.places[-1].rank == expected.places[-1].rank


@pytest.mark.slow
@given(results(measures=(MEASURE,)), st.integers(0, 3))
def test_the_mean_is_the_rule_mean(drawn, owners):
    owned = [
        replace(entry, owner=f"team{i}" if i <= owners else None)
        for i, entry in enumerate(drawn.entries, start=1)
    ]
    drawn = replace(drawn, entries=tuple(owned))
    expected = Mean(measure=MEASURE, missing=0.5).rank("b", drawn, {})
    rule = Formula(formula="mean(hit_rate)", of="attackers", missing=0.5)
    got, wanted = figures(rule.rank("b", drawn, {})), figures(expected)
    assert got.keys() == wanted.keys()
    for team, numbers in wanted.items():
        assert got[team][0] == numbers[0]
        assert got[team][1:] == pytest.approx(numbers[1:], abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["max", "min", "sum", "mean", "count"])
@given(results(measures=(MEASURE,)))
def test_readings_as_they_are_and_computed_ones_give_the_same(name, drawn):
    for of in ("anonymizers", "attackers"):
        plain = Formula(formula=f"{name}(hit_rate) + sum(highest(2, hit_rate))", of=of)
        computed = f"{name}(0 + hit_rate) + sum(highest(2, 1 * hit_rate))"
        boards = [rule.rank("b", drawn, {}) for rule in (plain, Formula(formula=computed, of=of))]
        assert len({repr(board.places) for board in boards}) == 1  # NaN is not equal to itself


def test_the_first_places_of_a_board_are_those_of_the_rule_mean():
    matrix = {
        "ann": {"bob": 0.1, "eve": 0.4},
        "bob": {"ann": 0.2, "eve": 0.3},
        "eve": {"ann": 0.9, "bob": 0.8},
    }
    drawn = example_results(matrix, measure=MEASURE)
    boards = {"anonymizers": Defence(measure=MEASURE).rank("anonymizers", drawn, {})}
    expected = Mean(measure=MEASURE, board="anonymizers", top=1).rank("b", drawn, boards)
    rule = Formula(formula="mean(top(1, 'anonymizers', hit_rate))", of="attackers")
    assert rule.follows == ("anonymizers",)
    assert scores(rule.rank("b", drawn, boards)) == scores(expected)


def test_a_weighted_sum_of_two_rounds_is_the_rule_weighted_sum():
    first = example_board("first", {"ann": 850, "bob": 700, "eve": 10})
    second = example_board("second", {"ann": 880, "bob": 900})
    boards = {"first": first, "second": second}
    rule = Formula(formula="0.1 * score('first') + 0.9 * score('second')", of="teams")
    drawn = example_results({})
    board = rule.rank("total", drawn, boards)
    assert scores(board)["ann"] == (2, 877.0)
    assert scores(board)["bob"] == (1, 880.0)
    # Eve has no second score: a sum of weights counts 0 there, a formula says so or has no score.
    assert board.place_of("eve").rank is None
    assert board.place_of("eve").note == "no score on second"
    lenient = "0.1 * default(score('first'), 0) + 0.9 * default(score('second'), 0)"
    expected = WeightedSum(boards={"first": 0.1, "second": 0.9}).rank("total", drawn, boards)
    assert scores(Formula(formula=lenient, of="teams").rank("total", drawn, boards)) == scores(
        expected
    )


def released(**readings):
    return Results(
        tuple(
            Entry(team, team, {"utility": Reading.exact(value, 1, "higher")})
            for team, value in readings.items()
        ),
        tuple(Contestant(team) for team in readings),
        {},
    )


def test_a_board_of_a_plain_reading():
    board = Formula(formula="utility").rank("b", released(ann=0.3, bob=0.7), {})
    assert scores(board) == {"bob": (1, 0.7), "ann": (2, 0.3)}
    assert board.unit == "utility"


def test_the_lowest_score_may_win():
    board = Formula(formula="utility", wins="lowest").rank("b", released(ann=0.3, bob=0.7), {})
    assert scores(board) == {"ann": (1, 0.3), "bob": (2, 0.7)}
    assert board.places[0].score.better == "lower"


def test_what_cannot_be_computed_has_no_rank():
    board = Formula(formula="1 / (utility - 0.3)").rank("b", released(ann=0.3, bob=0.7), {})
    assert scores(board)["bob"] == (1, 2.5)
    place = board.place_of("ann")
    assert (place.rank, place.note) == (None, "division by zero")


def test_a_release_that_failed_a_gate_has_no_score():
    drawn = released(ann=0.3, bob=0.7)
    failed = replace(drawn.entries[1], faults=("utility is too high",))
    board = Formula(formula="utility").rank(
        "b", replace(drawn, entries=(drawn.entries[0], failed)), {}
    )
    place = board.place_of("bob")
    assert (place.rank, place.disqualified) == (None, True)
    assert place.note == "disqualified: utility is too high"


def test_a_team_counts_with_its_best_release():
    entries = tuple(
        Entry(f"ann.{i}", "ann", {"utility": Reading.exact(value, 1, "higher")})
        for i, value in enumerate((0.2, 0.6, 0.4))
    )
    drawn = Results(entries, (Contestant("ann"),), {})
    (place,) = Formula(formula="utility").rank("b", drawn, {}).places
    assert (place.entry, place.score.value) == ("ann.1", 0.6)


def test_the_own_attack_does_not_count_unless_it_is_replaced():
    matrix = {"ann": {"ann": 1.0, "bob": 0.2, "eve": 0.4}, "bob": {"ann": 0.8, "eve": 0.6}}
    drawn = example_results(matrix, measure=MEASURE)
    board = Formula(formula="mean(hit_rate)").rank("b", drawn, {})
    assert scores(board)["ann"][1] == pytest.approx(0.3)
    formula = "mean(with_own(hit_rate, max(hit_rate)))"
    attackers = Formula(formula=formula, of="attackers").rank("b", drawn, {})
    # Ann attacked bob's release alone, bob ann's alone, and eve made no release.
    assert scores(attackers) == {"ann": (1, 0.8), "eve": (2, 0.5), "bob": (3, 0.2)}


def test_counts_are_numbers_in_formulas():
    drawn = example_results({"ann": {"bob": 0.2}, "bob": {"ann": 0.5}}, measure=MEASURE)
    board = Formula(formula="100 * teams + 10 * attackers + entries").rank("b", drawn, {})
    assert scores(board) == {"ann": (1, 222.0), "bob": (1, 222.0)}


def test_readings_of_releases_are_lists_for_attackers():
    matrix = {"ann": {"bob": 0.2, "eve": 0.5}, "bob": {"ann": 0.4, "eve": 0.5}}
    drawn = example_results(matrix, measure=MEASURE)
    utility = {"ann": 0.5, "bob": 1.0}
    entries = tuple(
        replace(e, readings={"utility": Reading.exact(utility[e.id], 1, "higher")})
        for e in drawn.entries
    )
    rule = Formula(formula="sum(hit_rate * utility)", of="attackers")
    board = rule.rank("b", replace(drawn, entries=entries), {})
    assert scores(board) == {"eve": (1, 0.75), "ann": (2, 0.4), "bob": (3, 0.1)}


def test_a_formula_with_faults_is_no_rule():
    with pytest.raises(Rejected) as caught:
        build("ranking", {"use": "formula", "formula": "maxx(1) + clamp(2)"})
    assert [(fault.column, fault.character) for fault in caught.value.faults] == [
        ("formula", 1),
        ("formula", 11),
    ]


def many(teams):
    names = tuple(f"team{i:03}" for i in range(teams))
    rng = np.random.default_rng(4)
    value = rng.integers(0, 101, (teams, teams, 1)) / 100  # hits of 100
    table = empty_table(names, names, (MEASURE,)).change(
        names, names, {(names[0], names[0]): {MEASURE: Reading.exact(0.5, 9, "lower")}}
    )
    ends = np.stack([value, value * 0.9, value * 1.1, np.full_like(value, 0.95)])
    full = ReadingTable(
        names,
        names,
        (MEASURE,),
        table.words,
        np.ones((teams, teams), bool),
        np.zeros((teams, teams, 1), np.int32),
        ends,
        np.full((teams, teams, 1), 100),
    )
    entries = tuple(Entry(name, name) for name in names)
    return Results(entries, tuple(Contestant(name) for name in names), full)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("formula", "of"),
    [
        ("max(0, 100 * (1 - max(hit_rate)) - mean(hit_rate))", "anonymizers"),
        ("mean(highest(10, hit_rate)) + sum(hit_rate > 0.5)", "attackers"),
    ],
)
def test_a_contest_of_two_hundred_teams_is_ranked_in_a_moment(formula, of):
    drawn = many(200)
    start = time.process_time()
    board = Formula(formula=formula, of=of).rank("b", drawn, {})
    assert time.process_time() - start < 40  # about 0.2 s on a quiet machine
    assert board.places[0].rank == 1 and len(board.places) == 200
