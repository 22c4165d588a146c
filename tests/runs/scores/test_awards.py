"""Who gets an award."""

from quintain.contests import load
from quintain.measures import Reading
from quintain.rankings import Board, Place
from quintain.runs.scores.scores import awards

RELEASING = [{"id": "anonymize", "submit": "release"}]


def prizes(entries, places, phases):
    """The winners of the first places of a board with one line per rank and name."""
    board = load("tiny").track[0].board[0].id
    award = [{"title": "Best", "board": f"main/{board}", "places": places}]
    changes = {"award": award} | ({"phase": phases} if phases else {})
    edition = load("tiny", overrides=changes)
    score = Reading.exact(1.0, 1, "higher")
    lines = [Place(rank=rank, team=team, score=score) for rank, team in entries]
    (prize,) = awards(edition, {"main": [Board(id=board, unit="points", places=lines)]}, [])
    return prize.winners


def test_releases_of_the_organisers_get_no_award_where_teams_release():
    own = next(iter(load("tiny").track[0].entries))
    lines = [(1, own), (2, "red"), (2, "blue"), (4, "green"), (None, "white")]
    assert prizes(lines, 1, RELEASING) == ("red", "blue")
    assert prizes(lines, 2, RELEASING) == ("red", "blue")
    assert prizes(lines, 3, RELEASING) == ("red", "blue", "green")


def test_where_nobody_else_releases_they_do():
    own = next(iter(load("tiny").track[0].entries))
    assert prizes([(1, own), (2, "red")], 1, None) == (own,)


def test_a_team_that_a_jury_chose_keeps_the_award_while_it_competes():
    award = [{"title": "Best report", "winners": ["red", "blue"]}]
    team = [{"id": "red"}, {"id": "blue", "competing": False}]
    (prize,) = awards(load("tiny", overrides={"award": award, "team": team}), {}, [])
    assert prize.winners == ("red",)
