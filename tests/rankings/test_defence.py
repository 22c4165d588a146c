"""Boards of those who made releases, and boards made from boards."""

from dataclasses import replace

import pytest

from quintain.errors import PartError, Rejected
from quintain.measures import BlindLaw, Reading
from quintain.measures.intervals import lengthening
from quintain.rankings import Board, Candidate, Contestant, Entry, Results, break_ties, order
from quintain.rankings.combined import InverseRankSum, WeightedSum
from quintain.rankings.defence import Defence
from quintain.rankings.mean import Mean
from quintain.rankings.rule import Points
from quintain.rankings.ties import RankOn
from quintain.registry import build


def risk(value, low=None, high=None):
    low, high = value if low is None else low, value if high is None else high
    return {"hit_rate": Reading(value=value, low=low, high=high, n=100, better="lower")}


def results(cells, *, aside=(), blind=None, **entries):
    names = dict.fromkeys(name for key in cells for name in key)
    owned = tuple(
        Entry(name, name, **entries.get(name, {})) for name in dict.fromkeys(e for e, _ in cells)
    )
    contestants = tuple(Contestant(name, competing=name not in aside) for name in names)
    return Results(owned, contestants, cells, {"hit_rate": blind} if blind else {})


def scores(board):
    return {place.team: (place.rank, place.score.value) for place in board.places}


MATRIX = {
    ("a", "b"): risk(0.12, 0.06, 0.2),
    ("a", "c"): risk(0.3, 0.2, 0.4),
    ("b", "a"): risk(0.1),
    ("b", "c"): risk(0.05),
    ("c", "a"): risk(0.5),
    ("c", "c"): risk(1.0),
}


def test_the_worst_attacker_counts_and_the_own_attack_does_not():
    board = Defence().rank("d", results(MATRIX), {})
    assert scores(board) == {"b": (1, 0.9), "a": (2, 0.7), "c": (3, 0.5)}
    assert board.wins == "highest"


def test_intervals_turn_round_with_protection():
    (place,) = (p for p in Defence().rank("d", results(MATRIX), {}).places if p.team == "a")
    # Two attackers: the upper end is further away, because the worst of them was picked.
    assert place.score.low == pytest.approx(0.6)
    assert place.score.high == pytest.approx(0.7 + 0.1 * lengthening(2))


def test_risk_is_ranked_upwards_and_the_mean_attacker_can_count():
    board = Defence(shown="risk", attackers="mean").rank("d", results(MATRIX), {})
    ranked = scores(board)
    assert [ranked[team][0] for team in "bac"] == [1, 2, 3]
    assert ranked["a"][1] == pytest.approx(0.21)
    assert board.wins == "lowest"


def test_a_disqualified_release_scores_as_if_all_was_found_out():
    found = results(MATRIX, b={"faults": ("histogram is 0.9",)})
    board = Defence().rank("d", found, {})
    assert scores(board) == {"a": (1, 0.7), "c": (2, 0.5), "b": (None, 0.0)}
    assert board.places[-1].note == "disqualified: histogram is 0.9"
    assert scores(Defence(shown="risk").rank("d", found, {}))["b"] == (None, 1.0)


def test_a_release_nobody_attacked_is_not_measured():
    found = Results((Entry("a", "a"),), (Contestant("a"),), {})
    assert not Defence().rank("d", found, {}).places[0].score.measured


def test_utility_is_averaged_in():
    utility = {"utility": Reading.exact(0.8, 1, "higher")}
    found = results(MATRIX, a={"readings": utility}, b={"readings": utility})
    ranked = Defence(utility="utility").rank("d", found, {})
    assert scores(ranked)["b"] == (1, pytest.approx((0.9 + 0.8) / 2))
    assert not ranked.places[-1].score.measured  # c has no utility
    missing = {"utility": Reading.missing("higher", "the file was damaged")}
    found = results(MATRIX, a={"readings": utility}, b={"readings": missing})
    of_b = Defence(utility="utility").rank("d", found, {}).places[-1].score
    assert not of_b.measured and "utility was not measured" in of_b.note


def test_readings_of_the_release_count_like_attackers():
    found = results(MATRIX, b={"readings": {"reid": Reading.exact(0.6, 1, "lower")}})
    board = Defence(measure=("hit_rate", "reid")).rank("d", found, {})
    assert scores(board)["b"] == (3, pytest.approx(0.4))


def test_a_release_whose_own_reading_is_missing_has_no_score():
    missing = Reading.missing("lower", "nothing is published")
    found = results(MATRIX, b={"readings": {"reid": missing}})
    board = Defence(measure=("hit_rate", "reid")).rank("d", found, {})
    (place,) = (place for place in board.places if place.team == "b")
    assert (place.rank, place.score.note) == (None, "reid was not measured")


def test_the_best_of_several_releases_counts_for_a_team():
    cells = {("a.1", "b"): risk(0.5), ("a.2", "b"): risk(0.2), ("a.3", "b"): risk(0.4)}
    entries = tuple(Entry(name, "a") for name in ("a.1", "a.2", "a.3"))
    board = Defence().rank("d", Results(entries, (Contestant("a"), Contestant("b")), cells), {})
    assert [(p.team, p.entry, p.score.value) for p in board.places] == [("a", "a.2", 0.8)]


def test_luck_is_told_where_the_law_of_blind_guessing_is_known():
    law = BlindLaw.of_hits(100_000, 10_000, 100)
    board = Defence(points=Points(scale=1000, whole="floor")).rank(
        "d", results(MATRIX, blind=law), {}
    )
    luck = {place.team: place.p for place in board.places}
    assert luck["c"] < 1e-12
    assert luck["b"] == pytest.approx(1 - (1 - law.at_least(0.1)) ** 2)
    assert board.floor == pytest.approx(1000 * (1 - law.best_of(2)))


def test_attackers_are_averaged_over_the_first_places_without_their_own():
    found = results(MATRIX | {("a", "a"): risk(1.0), ("d", "a"): risk(0.9), ("d", "c"): risk(0.8)})
    first = Defence().rank("defence", found, {})
    assert [place.team for place in first.places] == ["b", "a", "c", "d"]
    board = Mean(measure="hit_rate", board="defence", top=2).rank("m", found, {"defence": first})
    assert scores(board)["a"][1] == pytest.approx((0.1 + 0.5) / 2)  # b and c, not a itself
    assert scores(board)["c"][1] == pytest.approx((0.05 + 0.3) / 2)  # b and a
    assert scores(board)["b"][1] == pytest.approx((0.12 + 0) / 2)  # c was not attacked: 0


def test_a_team_that_does_not_compete_takes_no_place_among_the_first():
    found = results(MATRIX, aside=("b",))
    first = Defence().rank("defence", found, {})
    board = Mean(measure="hit_rate", board="defence", top=1).rank("m", found, {"defence": first})
    assert scores(board)["c"][1] == pytest.approx(0.3)  # a is first of those who compete


def test_places_of_a_board_of_sums_stand_for_the_releases_of_their_teams():
    found = results(MATRIX | {("d", "a"): risk(0.9), ("d", "c"): risk(0.8)})
    defence = Defence().rank("defence", found, {})
    total = WeightedSum(boards={"defence": 1.0}).rank("total", found, {"defence": defence})
    assert [place.entry for place in total.places] == [None] * 4
    direct, summed = (
        Mean(measure="hit_rate", board=name, top=2).rank("m", found, {name: first})
        for name, first in (("defence", defence), ("total", total))
    )
    assert scores(direct) == scores(summed)
    assert scores(summed)["a"][1] == pytest.approx((0.1 + 0.5) / 2)


def test_attackers_have_no_rank_where_every_release_is_disqualified():
    found = results(MATRIX)
    entries = tuple(replace(entry, faults=("changed too much",)) for entry in found.entries)
    found = replace(found, entries=entries)
    defence = Defence().rank("defence", found, {})
    total = WeightedSum(boards={"defence": 1.0}).rank("total", found, {"defence": defence})
    for name, board in (("defence", defence), ("total", total)):
        attackers = Mean(measure="hit_rate", board=name, top=2).rank("m", found, {name: board})
        assert attackers.places
        assert {place.rank for place in attackers.places} == {None}


def test_a_team_that_was_measured_on_no_board_has_no_rank_in_the_sum():
    unmeasured = Candidate(Reading.missing("higher", "not attacked"))
    first = Board(
        id="first",
        places=order(
            {"a": Candidate(Reading.exact(2, 1, "higher")), "b": unmeasured},
            [],
            highest_first=True,
        ),
    )
    total = WeightedSum(boards={"first": 1.0}).rank("total", NOBODY, {"first": first})
    assert [(place.team, place.rank) for place in total.places] == [("a", 1), ("b", None)]


def test_board_and_top_belong_together():
    with pytest.raises(Rejected, match="give board and top together"):
        build("ranking", {"use": "mean", "top": 3})


def board(name, values, aside=()):
    contestants = [Contestant(team, competing=team not in aside) for team in values]
    given = {team: Candidate(Reading.exact(value, 1, "higher")) for team, value in values.items()}
    return Board(id=name, places=order(given, contestants, highest_first=True))


NOBODY = Results((), (), {})


def test_decimal_weights_are_meant_decimally():
    boards = {"pre": board("pre", {"03": 850}), "main": board("main", {"03": 880, "16": 870})}
    rule = WeightedSum(boards={"pre": 0.1, "main": 0.9}, points=Points(whole="floor"))
    made = rule.rank("sum", NOBODY, boards)
    assert scores(made) == {"03": (1, 877.0), "16": (2, 783.0)}
    assert made.places[1].note == "no score on pre"


def test_a_team_disqualified_everywhere_has_no_rank_in_the_sum():
    gone = {"faults": ("too coarse",)}
    once = Defence().rank("once", results(MATRIX, a=gone, b=gone), {})
    again = Defence().rank("again", results(MATRIX, a=gone), {})
    made = WeightedSum(boards={"once": 1, "again": 1}).rank(
        "sum", NOBODY, {"once": once, "again": again}
    )
    assert scores(made) == {"c": (1, 1.0), "b": (2, 0.9), "a": (None, 0.0)}


def test_ranks_add_up():
    boards = {
        "x": board("x", {"a": 3, "b": 2, "c": 1, "guest": 9}, aside=("guest",)),
        "y": board("y", {"b": 9, "c": 8, "guest": 9}, aside=("guest",)),
    }
    rule = InverseRankSum(boards=("x", "y"), points=Points(scale=1000, whole="nearest"))
    made = rule.rank("overall", NOBODY, boards)
    assert scores(made) == {"b": (1, 333.0), "c": (2, 200.0)}
    assert made.places[0].note == "ranks 2 + 1"


def test_ties_are_broken_by_other_boards_in_turn():
    teams = [Contestant(team) for team in "abcd"]
    tied = board("t", {"a": 5, "b": 5, "c": 5, "d": 9})
    boards = {"x": board("x", {"c": 2, "a": 1, "b": 1}), "y": board("y", {"b": 2, "a": 1})}
    keys = {name: RankOn(board=name).keys(tied, None, None, boards) for name in boards}
    once = break_ties(tied, [keys["x"]], teams)
    assert [(p.team, p.rank) for p in once.places] == [("d", 1), ("c", 2), ("a", 3), ("b", 3)]
    twice = break_ties(once, [keys["y"]], teams)
    assert [(p.team, p.rank) for p in twice.places] == [("d", 1), ("c", 2), ("b", 3), ("a", 4)]
    assert break_ties(tied, [keys["x"], keys["y"]], teams) == twice


@pytest.mark.parametrize(
    ("value", "whole", "points"),
    [(0.29, "floor", 290.0), (0.1267, "floor", 126.0), (1 / 7, "nearest", 143.0), (0.5, "no", 500)],
)
def test_points_are_rounded_as_people_would(value, whole, points):
    assert Points(scale=1000, whole=whole).of(value) == points


def test_a_weight_for_no_board_is_refused():
    with pytest.raises((Rejected, PartError)):
        build("ranking", {"use": "weighted-sum", "boards": {}})


@pytest.mark.parametrize(("shown", "better"), [("protection", "higher"), ("risk", "lower")])
def test_what_is_missing_or_disqualified_says_which_way_is_better(shown, better):
    found = results(MATRIX | {("d", "d"): risk(0.1)}, b={"faults": ("histogram is 0.9",)})
    board = Defence(shown=shown).rank("d", found, {})
    assert {place.team: place.score.better for place in board.places} == dict.fromkeys(
        "abcd", better
    )
    assert not next(place for place in board.places if place.team == "d").score.measured


@pytest.mark.parametrize(("shown", "floor"), [("protection", 700.0), ("risk", 300.0)])
def test_the_floor_is_what_blind_attackers_leave(shown, floor):
    class Law:
        expected = 0.2

        def best_of(self, count):
            return 0.1 + 0.1 * count

        def at_least(self, value, count):
            return 1.0

    given = results(MATRIX, blind=Law())
    part = Defence(shown=shown, points=Points(scale=1000))
    assert part.rank("d", given, {}).floor == pytest.approx(floor)
    assert Defence(attackers="mean").rank("d", given, {}).floor is None
    assert Defence(measure=("hit_rate", "reid")).rank("d", given, {}).floor is None
    assert Defence(utility="utility").rank("d", given, {}).floor is None
    empty = Results((), given.contestants, {}, given.blind)
    assert Defence().rank("d", empty, {}).floor is None
    silent = Results(given.entries, given.contestants, {}, given.blind)
    assert Defence().rank("d", silent, {}).floor == pytest.approx(0.8)


def test_of_two_releases_the_safer_counts_whichever_way_it_is_shown():
    cells = {("a.1", "b"): risk(0.5), ("a.2", "b"): risk(0.2), ("a.3", "b"): risk(0.4)}
    entries = tuple(Entry(name, "a") for name in ("a.1", "a.2", "a.3"))
    given = Results(entries, (Contestant("a"), Contestant("b")), cells)
    (place,) = Defence(shown="risk").rank("d", given, {}).places
    assert (place.entry, place.score.value) == ("a.2", 0.2)
