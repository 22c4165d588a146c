"""The mean over all entries: what was not attacked counts as nothing, and equal sums are ties."""

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.measures import Reading
from quintain.rankings import Contestant, Entry, Results
from quintain.rankings.board import Board, Candidate, order
from quintain.rankings.mean import Mean
from quintain.testing.strategies import results

MEASURE = "membership_advantage"


def reading(value, low=None, high=None, n=10):
    if value is None:
        return Reading.missing("lower", "not there")
    low, high = value if low is None else low, value if high is None else high
    return Reading(value=value, low=low, high=high, n=n, better="lower")


def matrix(guests=(), **teams):
    """Results from one list of readings a team, entry after entry; "-" was not attacked."""
    entries = tuple(Entry(f"e{i}") for i in range(max(map(len, teams.values()))))
    cells = {
        (entry.id, team): {MEASURE: value if isinstance(value, Reading) else reading(value)}
        for team, row in teams.items()
        for entry, value in zip(entries, row, strict=True)
        if value != "-"
    }
    contestants = tuple(Contestant(team, competing=team not in guests) for team in teams)
    return Results(entries, contestants, cells)


def places(track_results, **parameters):
    return Mean(**parameters).rank("board", track_results, {}).places


def means(track_results):
    return {place.team: place.score.value for place in places(track_results)}


def test_a_score_is_the_mean_over_the_entries():
    assert means(matrix(a=[0.9, 0.1, 0.5], b=[0.2, 0.4, 0.0])) == pytest.approx(
        {"a": 0.5, "b": 0.2}
    )


def test_the_highest_mean_is_first():
    board = Mean().rank("attackers", matrix(a=[0.1], b=[0.3], c=[0.2]), {})
    assert [(place.team, place.rank) for place in board.places] == [("b", 1), ("c", 2), ("a", 3)]
    assert (board.id, board.unit) == ("attackers", f"mean {MEASURE}")


def test_an_entry_that_was_not_attacked_counts_as_nothing():
    assert means(matrix(a=[0.8, "-"], b=[0.3, 0.3])) == {"a": 0.4, "b": 0.3}


def test_a_reading_that_was_not_measured_counts_as_nothing():
    assert means(matrix(a=[0.8, None], b=[0.3, 0.3])) == {"a": 0.4, "b": 0.3}


def test_readings_worse_than_chance_count_against():
    assert means(matrix(a=[0.5, -0.5], b=[0.1, 0.0])) == {"a": 0, "b": 0.05}


def test_a_team_that_attacked_nothing_is_not_on_the_board():
    assert means(matrix(a=[0.5], b=["-"])) == {"a": 0.5}


@pytest.mark.parametrize(
    "row", [(0.1, 0.2, 0.3), (1e16, 1.0, -1e16), (0.1,) * 9 + (0.9,), (0.7, 0.1, 0.3)]
)
def test_equal_readings_in_another_order_share_a_rank(row):
    # Added up one after the other, 0.1 + 0.2 + 0.3 is not 0.3 + 0.2 + 0.1.
    first, second, last = places(matrix(a=row, b=row[::-1], c=[-1e17] * len(row)))
    assert first.score.value == second.score.value
    assert (first.rank, second.rank, last.rank) == (1, 1, 3)


def test_the_interval_is_the_mean_of_the_intervals():
    track_results = matrix(a=[reading(0.5, 0.25, 0.75), reading(0.25, 0.0, 1.0, n=30)])
    (place,) = places(track_results)
    score = place.score
    assert (score.low, score.value, score.high) == (0.125, 0.375, 0.875)
    assert (score.n, score.better) == (40, "higher")


def test_the_interval_shrinks_with_entries_that_were_not_attacked():
    (place,) = places(matrix(a=[reading(0.5, 0.25, 0.75), "-"]))
    assert (place.score.low, place.score.value, place.score.high) == (0.125, 0.25, 0.375)


def test_a_team_that_does_not_compete_has_a_mean_but_no_rank():
    track_results = matrix(guests=["baseline"], a=[0.5], baseline=[0.9])
    assert [(p.team, p.rank, p.score.value) for p in places(track_results)] == [
        ("baseline", None, 0.9),
        ("a", 1, 0.5),
    ]


def test_the_measure_that_is_averaged_can_be_chosen():
    cells = {
        ("e", "a"): {"auc": reading(0.9), MEASURE: reading(0.1)},
        ("e", "b"): {"auc": reading(0.8), MEASURE: reading(0.2)},
    }
    track_results = Results((Entry("e"),), (Contestant("a"), Contestant("b")), cells)
    assert Mean(measure="auc").uses == ("auc",)
    assert [place.team for place in places(track_results, measure="auc")] == ["a", "b"]
    assert [place.team for place in places(track_results)] == ["b", "a"]


@settings(deadline=None, max_examples=40)
@given(results(), st.randoms(use_true_random=False))
def test_the_order_of_entries_contestants_and_cells_does_not_matter(track_results, random):
    turned = [
        list(track_results.entries),
        list(track_results.contestants),
        list(track_results.cells.items()),
    ]
    for items in turned:
        random.shuffle(items)
    entries, contestants, cells = turned
    again = replace(
        track_results, entries=tuple(entries), contestants=tuple(contestants), cells=dict(cells)
    )
    assert places(again) == places(track_results)


@settings(deadline=None, max_examples=40)
@given(results())
def test_the_interval_holds_the_mean(track_results):
    for place in places(track_results):
        score = place.score
        assert math.isnan(score.value) or score.low <= score.value <= score.high


def test_who_leaves_the_first_entry_alone_has_no_score_for_attacks_on_it():
    contest = matrix(a=["-", 0.9], b=[0.2, "-"])
    first = Board(
        id="defence",
        unit="risk",
        places=order(
            {
                "red": Candidate(reading(0.1), entry="e0"),
                "blue": Candidate(reading(0.2), entry="e1"),
            },
            (Contestant("red"), Contestant("blue")),
            highest_first=False,
        ),
    )
    board = Mean(board="defence", top=1).rank("attackers", contest, {"defence": first})
    ranks = {place.team: (place.rank, place.score.note) for place in board.places}
    assert ranks == {"b": (1, ""), "a": (None, "attacked no entry that counts")}


@pytest.mark.parametrize(("trim", "word"), [(0.0, "mean"), (0.5, "median"), (0.25, "trimmed mean")])
def test_a_board_says_what_it_averages_how(trim, word):
    found = matrix(ann=[0.2, 0.4, 0.6, 0.9], bob=[0.1, 0.1, 0.1, 0.1])
    board = Mean(trim=trim).rank("board", found, {})
    assert board.unit == f"{word} {MEASURE}"
    assert board.places[0].score.method == f"{word} of the entries' intervals"
