"""The podium shows the first three ranks of the board that decides most."""

from quintain.contests.edition import Award
from quintain.host.views.standings import (
    BoardView,
    PlaceView,
    Score,
    StandingsView,
    TrackBoards,
    podium,
)


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
    stand = podium(view)
    assert [(step.rank, step.teams) for step in stand.steps] == [(1, ["a", "b"]), (3, ["c"])]
    assert podium(StandingsView(final=True, tracks=[])) is None


def test_the_podium_is_of_the_board_that_decides_most():
    track = TrackBoards(id="t", title="", boards=[board(("a", 1), id="b")])
    over_all = [board(("b", 1), id="first round"), board(("c", 1), id="both rounds")]
    view = StandingsView(final=True, overall=over_all, tracks=[track])
    assert podium(view).board == "both rounds", "a later board counts what is before it"
    assert podium(view.model_copy(update={"overall": []})).board == "b"
    jury = Award(title="Prize of the jury", winners=("a",))
    for named in ("first round", "t/b"):
        assert podium(view, [jury, Award(title="Prize", board=named)]).board in named
