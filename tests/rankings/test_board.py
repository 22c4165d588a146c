"""Boards: places by score, ties, and who has no rank."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.measures import Reading
from quintain.rankings import Board, Candidate, Contestant, Entry, Place, Results, order
from quintain.testing.strategies import readings, results


def score(value):
    if value is None:
        return Reading.missing("higher", "not there")
    return Reading.exact(value, 1, "higher")


def places(values, *, highest_first=True, guests=()):
    contestants = [Contestant(team, competing=team not in guests) for team in values]
    scores = {team: Candidate(score(value)) for team, value in values.items()}
    return order(scores, contestants, highest_first=highest_first)


def ranks(values, **options):
    return [(place.team, place.rank) for place in places(values, **options)]


def test_the_highest_score_is_first():
    assert ranks({"a": 1, "b": 3, "c": 2}) == [("b", 1), ("c", 2), ("a", 3)]


def test_the_lowest_score_can_be_first():
    assert ranks({"a": 1, "b": 3, "c": 2}, highest_first=False) == [("a", 1), ("c", 2), ("b", 3)]


def test_equal_scores_share_a_rank_and_the_next_is_skipped():
    values = {"a": 5, "b": 7, "c": 5, "d": 1, "e": 9}
    assert ranks(values) == [("e", 1), ("b", 2), ("a", 3), ("c", 3), ("d", 5)]


def test_everybody_tied_is_first():
    assert ranks({"b": 0, "a": 0, "c": 0}) == [("a", 1), ("b", 1), ("c", 1)]


def test_zero_has_no_sign():
    assert ranks({"a": 0.0, "b": -0.0}) == [("a", 1), ("b", 1)]


@pytest.mark.parametrize("highest_first", [True, False])
def test_a_team_that_was_not_measured_comes_last_and_has_no_rank(highest_first):
    values = {"a": None, "b": -5.0, "c": None, "d": 5.0}
    last = ranks(values, highest_first=highest_first)[2:]
    assert last == [("a", None), ("c", None)]


def test_nobody_is_first_where_nobody_was_measured():
    assert ranks({"a": None, "b": None}) == [("a", None), ("b", None)]


@pytest.mark.parametrize("highest_first", [True, False])
def test_even_the_worst_score_is_before_none(highest_first):
    worst = -math.inf if highest_first else math.inf
    assert ranks({"a": None, "b": worst}, highest_first=highest_first) == [("b", 1), ("a", None)]


def test_not_measured_is_not_tied_with_zero():
    assert ranks({"a": None, "b": 0.0}) == [("b", 1), ("a", None)]


def test_a_team_that_does_not_compete_is_shown_in_place_without_a_rank():
    values = {"a": 9, "guest": 8, "b": 7, "c": 7}
    assert ranks(values, guests=["guest"]) == [("a", 1), ("guest", None), ("b", 2), ("c", 2)]


def test_a_guest_between_two_equals_does_not_part_them():
    values = {"a": 5, "b-guest": 5, "c": 5}
    assert ranks(values, guests=["b-guest"]) == [("a", 1), ("b-guest", None), ("c", 1)]


def test_only_guests_give_a_board_without_ranks():
    assert ranks({"a": 2, "b": 1}, guests=["a", "b"]) == [("a", None), ("b", None)]


def test_nobody_gives_an_empty_board():
    assert places({}) == ()


def test_notes_stand_beside_their_team():
    scores = {"a": Candidate(score(1), note="late"), "b": Candidate(score(2))}
    made = order(scores, [], highest_first=True)
    assert [(place.team, place.note) for place in made] == [("b", ""), ("a", "late")]


candidates = st.builds(Candidate, readings(missing=True))
boards = st.dictionaries(st.sampled_from("abcdefgh"), candidates, max_size=8)


@pytest.mark.slow
@settings(deadline=None)
@given(boards, st.randoms(use_true_random=False), st.booleans())
def test_the_order_of_the_contestants_does_not_matter(scores, random, highest_first):
    contestants = [Contestant(team, competing=team not in "cf") for team in scores]
    turned, shuffled = list(scores.items()), list(contestants)
    random.shuffle(turned)
    random.shuffle(shuffled)
    once = order(scores, contestants, highest_first=highest_first)
    assert once == order(dict(turned), shuffled, highest_first=highest_first)


@settings(deadline=None)
@given(boards)
def test_a_rank_is_one_more_than_the_number_of_better_competitors(scores):
    made = order(scores, [], highest_first=True)
    for place in made:
        if not place.score.measured:
            assert place.rank is None
            continue
        others = (candidate.score for candidate in scores.values())
        better = [other for other in others if other.measured and other.value > place.score.value]
        assert place.rank == len(better) + 1


def test_a_board_tells_the_rank_of_a_team():
    board = Board(id="b", places=places({"a": 1, "b": 2, "g": 3}, guests=["g"]))
    assert [board.rank_of(team) for team in ("a", "b", "g", "nobody")] == [2, 1, None, None]


def test_a_board_survives_its_file():
    board = Board(id="b", unit="points", places=(Place(team="a", rank=1, score=score(2)),))
    assert Board.model_validate_json(board.model_dump_json()) == board


# --- results --------------------------------------------------------------------------------------


def test_columns_and_rows_have_only_what_was_measured():
    track_results = Results(
        (Entry("e1"), Entry("e2")),
        (Contestant("a"), Contestant("b"), Contestant("idle")),
        {
            ("e1", "a"): {"auc": score(1)},
            ("e1", "b"): {"auc": score(None), "tpr": score(3)},
            ("e2", "b"): {"auc": score(4)},
        },
    )
    assert track_results.column("e1", "auc") == {"a": score(1)}
    assert track_results.column("e1", "tpr") == {"b": score(3)}
    assert track_results.row("b", "auc") == {"e2": score(4)}
    assert [contestant.id for contestant in track_results.attackers()] == ["a", "b"]


@pytest.mark.slow
@settings(deadline=None)
@given(results(measures=("auc",)))
def test_columns_and_rows_hold_the_same_readings(track_results):
    teams = [contestant.id for contestant in track_results.contestants]
    by_column = {
        (entry.id, team): repr(reading)
        for entry in track_results.entries
        for team, reading in track_results.column(entry.id, "auc").items()
    }
    by_row = {
        (entry, team): repr(reading)
        for team in teams
        for entry, reading in track_results.row(team, "auc").items()
    }
    assert by_column == by_row


def test_an_entry_with_faults_is_not_accepted():
    assert Entry("e").accepted
    assert not Entry("e", faults=("too few records",)).accepted
