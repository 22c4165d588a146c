"""Counting wins: strictly better than everybody else, and how sure that is."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.measures import Reading
from quintain.rankings import Contestant, Entry, Results
from quintain.rankings.count_wins import CountWins
from quintain.testing.strategies import results

MEASURE = "membership_advantage"


def reading(value, low=None, high=None):
    if value is None:
        return Reading.missing("lower", "not there")
    low, high = value if low is None else low, value if high is None else high
    return Reading(value=value, low=low, high=high, n=10, better="lower")


def matrix(guests=(), **teams):
    """Results from one list of readings a team, entry after entry; "-" was not attacked."""
    count = max(len(row) for row in teams.values())
    entries = tuple(Entry(f"e{i}") for i in range(count))
    cells = {}
    for team, row in teams.items():
        for entry, value in zip(entries, row, strict=True):
            if value != "-":
                cell = value if isinstance(value, Reading) else reading(value)
                cells[entry.id, team] = {MEASURE: cell}
    contestants = tuple(Contestant(team, competing=team not in guests) for team in teams)
    return Results(entries, contestants, cells)


def wins(track_results, ties="none"):
    board = CountWins(shared_win=ties).rank("board", track_results, {})
    return {place.team: place.score.value for place in board.places if place.score.measured}


def span(track_results, team, ties="none"):
    board = CountWins(shared_win=ties).rank("board", track_results, {})
    (score,) = (place.score for place in board.places if place.team == team)
    return score.low, score.value, score.high


def test_a_win_is_being_higher_than_everybody_else():
    track_results = matrix(a=[0.9, 0.1, 0.6], b=[0.2, 0.8, 0.5], c=[0.3, 0.3, 0.3])
    assert wins(track_results) == {"a": 2, "b": 1, "c": 0}


def test_the_board_ranks_by_wins():
    track_results = matrix(a=[0.9, 0.1, 0.6], b=[0.2, 0.8, 0.5], c=[0.3, 0.3, 0.3])
    board = CountWins().rank("attackers", track_results, {})
    assert [(place.team, place.rank) for place in board.places] == [("a", 1), ("b", 2), ("c", 3)]
    assert (board.id, board.unit) == ("attackers", "entries won")
    assert board.places[0].score.n == 3


@pytest.mark.parametrize(
    ("ties", "expected"),
    [
        ("none", {"a": 0, "b": 1, "c": 0}),
        ("share", {"a": 0.5, "b": 1.5, "c": 0}),
        ("all", {"a": 1, "b": 2, "c": 0}),
    ],
)
def test_a_shared_first_place_counts_as_the_rule_says(ties, expected):
    track_results = matrix(a=[0.5, 0.1], b=[0.5, 0.2], c=[0.4, 0.1])
    assert wins(track_results, ties) == expected


def test_three_teams_that_share_get_a_third_each():
    track_results = matrix(a=[0.5], b=[0.5], c=[0.5], d=[0.1])
    assert wins(track_results, "share") == pytest.approx(
        {"a": 1 / 3, "b": 1 / 3, "c": 1 / 3, "d": 0}
    )


def test_shares_that_add_up_to_a_win_are_a_win():
    # 1/2 + 1/3 + 1/6 is 1, also where floating-point numbers say 0.9999999999999999.
    winners = ["ac", "ade", "acdefg", "b"]
    rows = {team: [float(team in first) for first in winners] for team in "abcdefg"}
    board = CountWins(shared_win="share").rank("board", matrix(**rows), {})
    assert board.rank_of("a") == board.rank_of("b") == 1


def test_a_tie_behind_the_first_does_not_matter():
    track_results = matrix(a=[0.9], b=[0.5], c=[0.5])
    for ties in ("none", "share", "all"):
        assert wins(track_results, ties) == {"a": 1, "b": 0, "c": 0}


def test_negative_readings_can_win():
    assert wins(matrix(a=[-0.5], b=[-0.2])) == {"a": 0, "b": 1}


def test_an_entry_nobody_else_attacked_is_won():
    assert wins(matrix(a=[0.1, 0.1], b=["-", 0.2])) == {"a": 1, "b": 1}


def test_a_reading_that_was_not_measured_wins_nothing_and_stops_nobody():
    assert wins(matrix(a=[None, 0.3], b=[0.1, 0.2])) == {"a": 1, "b": 1}
    assert wins(matrix(a=[None, None], b=[0.1, 0.2]))["b"] == 2


def test_a_team_without_any_measured_reading_has_no_rank():
    track_results = matrix(a=[None], b=[None], c=[0.1])
    ranks = {
        place.team: place.rank for place in CountWins().rank("board", track_results, {}).places
    }
    assert ranks == {"c": 1, "a": None, "b": None}


def test_a_team_that_attacked_nothing_is_not_on_the_board():
    track_results = matrix(a=[0.5], b=["-"])
    assert wins(track_results) == {"a": 1}


def test_a_team_that_does_not_compete_has_wins_but_no_rank():
    track_results = matrix(guests=["baseline"], a=[0.5, 0.6], baseline=[0.9, 0.1])
    board = CountWins().rank("board", track_results, {})
    assert [(place.team, place.rank, place.score.value) for place in board.places] == [
        ("a", 1, 1),
        ("baseline", None, 1),
    ]


def test_the_measure_that_decides_can_be_chosen():
    cells = {
        ("e", "a"): {"auc": reading(0.9), MEASURE: reading(0.1)},
        ("e", "b"): {"auc": reading(0.8), MEASURE: reading(0.2)},
    }
    track_results = Results((Entry("e"),), (Contestant("a"), Contestant("b")), cells)
    assert wins(track_results) == {"a": 0, "b": 1}
    rule = CountWins(measure="auc")
    assert rule.uses == ("auc",)
    assert rule.rank("board", track_results, {}).places[0].team == "a"


# --- intervals ------------------------------------------------------------------------------------


def test_wins_with_intervals_apart_are_certain():
    track_results = matrix(a=[reading(0.9, 0.8, 1.0)], b=[reading(0.5, 0.4, 0.7)])
    assert span(track_results, "a") == (1, 1, 1)
    assert span(track_results, "b") == (0, 0, 0)


def test_overlapping_intervals_make_a_win_unsure():
    track_results = matrix(a=[reading(0.6, 0.4, 0.8)], b=[reading(0.5, 0.3, 0.7)])
    assert span(track_results, "a") == (0, 1, 1)
    assert span(track_results, "b") == (0, 0, 1)


def test_intervals_that_only_touch_leave_a_tie_possible():
    track_results = matrix(a=[reading(0.9, 0.7, 1.0)], b=[reading(0.5, 0.4, 0.7)])
    assert span(track_results, "a") == (0, 1, 1)
    assert span(track_results, "b") == (0, 0, 1)


def test_a_rival_out_of_reach_rules_a_win_out():
    # b could beat c, but never a.
    track_results = matrix(
        a=[reading(0.9, 0.85, 0.95)], b=[reading(0.5, 0.3, 0.8)], c=[reading(0.6, 0.5, 0.7)]
    )
    assert span(track_results, "b") == (0, 0, 0)


def test_intervals_add_up_over_the_entries():
    sure, close = reading(0.9, 0.8, 1.0), reading(0.5, 0.3, 0.6)
    track_results = matrix(a=[sure, sure, close], b=[close, close, reading(0.4, 0.2, 0.7)])
    assert span(track_results, "a") == (2, 3, 3)
    assert span(track_results, "b") == (0, 0, 1)


def test_a_tie_nobody_gets_could_have_been_won():
    assert span(matrix(a=[0.5], b=[0.5]), "a") == (0, 0, 1)


@pytest.mark.parametrize("ties", ["none", "share", "all"])
@settings(deadline=None, max_examples=40)
@given(track_results=results())
def test_the_interval_holds_the_wins(ties, track_results):
    for place in CountWins(shared_win=ties).rank("board", track_results, {}).places:
        score = place.score
        if track_results.row(place.team, MEASURE):
            assert 0 <= score.low <= score.value <= score.high <= len(track_results.entries)
        else:
            assert (place.rank, score.measured) == (None, False)


@settings(deadline=None, max_examples=40)
@given(results())
def test_wins_never_outnumber_the_entries(track_results):
    attacked = sum(bool(track_results.column(entry.id, MEASURE)) for entry in track_results.entries)
    assert sum(wins(track_results, "none").values()) <= attacked
    assert sum(wins(track_results, "share").values()) == pytest.approx(attacked)
    assert sum(wins(track_results, "all").values()) >= attacked


@pytest.mark.parametrize("ties", ["none", "share", "all"])
@settings(deadline=None, max_examples=40)
@given(track_results=results(), random=st.randoms(use_true_random=False))
def test_the_order_of_contestants_and_cells_does_not_matter(ties, track_results, random):
    contestants, cells = list(track_results.contestants), list(track_results.cells.items())
    random.shuffle(contestants)
    random.shuffle(cells)
    turned = replace(track_results, contestants=tuple(contestants), cells=dict(cells))
    rule = CountWins(shared_win=ties)
    assert rule.rank("board", turned, {}) == rule.rank("board", track_results, {})


@pytest.mark.parametrize("ties", ["none", "all"])
@settings(deadline=None, max_examples=40)
@given(track_results=results(), random=st.randoms(use_true_random=False))
def test_the_order_of_the_entries_does_not_matter(ties, track_results, random):
    entries = list(track_results.entries)
    random.shuffle(entries)
    rule = CountWins(shared_win=ties)
    assert rule.rank("board", replace(track_results, entries=tuple(entries)), {}) == rule.rank(
        "board", track_results, {}
    )


@settings(deadline=None, max_examples=40)
@given(results())
def test_other_names_give_the_same_wins(track_results):
    renamed = {c.id: f"x{c.id}" for c in track_results.contestants}
    other = Results(
        track_results.entries,
        tuple(replace(c, id=renamed[c.id]) for c in track_results.contestants),
        {(entry, renamed[team]): cell for (entry, team), cell in track_results.cells.items()},
    )
    assert wins(other) == {renamed[team]: count for team, count in wins(track_results).items()}
