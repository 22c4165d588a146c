"""The podium shows the first three ranks of the board that decides most."""

from quintain.contests import load
from quintain.contests.edition import Award
from quintain_host.views.standings import (
    BoardView,
    PlaceView,
    Score,
    StandingsView,
    TrackBoards,
    podium,
)

RULES = load("tiny")


def place(name, rank):
    """A line of a board."""
    score = Score(value=1.0, low=0.5, high=1.5, level=0.95, n=9, better="higher")
    note = "" if rank else "built in"
    return PlaceView(
        rank=rank, team=name, name=name, score=score, p=None, note=note, disqualified=False
    )


def board(*places, id="b"):
    """A board."""
    lines = [place(name, rank) for name, rank in places]
    return BoardView(
        id=id, title=id, unit="", wins="higher", floor=None, floor_says="", places=lines
    )


def test_teams_with_equal_ranks_share_a_place_of_the_podium():
    boards = [board(("x", None)), board(("a", 1), ("b", 1), ("x", None), ("c", 3), ("d", 4))]
    view = StandingsView(final=True, tracks=[TrackBoards(id="t", title="", boards=boards)])
    stand = podium(view, RULES)
    assert [(step.rank, step.teams) for step in stand.steps] == [(1, ["a", "b"]), (3, ["c"])]
    assert podium(StandingsView(final=True, tracks=[]), RULES) is None


def test_the_podium_is_of_the_board_that_decides_most():
    track = TrackBoards(id="t", title="", boards=[board(("a", 1), id="b")])
    over_all = [board(("b", 1), id="first round"), board(("c", 1), id="both rounds")]
    view = StandingsView(final=True, overall=over_all, tracks=[track])
    assert podium(view, RULES).board == "both rounds", "a later board counts what is before it"
    assert podium(view.model_copy(update={"overall": []}), RULES).board == "b"
    jury = Award(title="Prize of the jury", winners=("a",))
    for named in ("first round", "t/b"):
        awards = (jury, Award(title="Prize", board=named))
        assert podium(view, RULES.model_copy(update={"award": awards})).board in named


def test_releases_of_the_organisers_leave_the_podium_to_teams():
    rules = load("tiny", overrides={"phase": [{"id": "anonymize", "submit": "release"}]})
    own, *_ = rules.track[0].entries
    lines = [(own, 1), ("a", 2), ("b", 2), ("c", 4)]
    for places, expected in ((lines, [(1, ["a", "b"]), (3, ["c"])]), (lines[:1], [(1, [own])])):
        track = TrackBoards(id="main", title="", boards=[board(*places)])
        stand = podium(StandingsView(final=True, tracks=[track]), rules)
        assert [(step.rank, step.teams) for step in stand.steps] == expected
