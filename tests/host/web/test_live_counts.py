"""Live counts tell how many teams have senders, and of no single team whether it has."""

from hypothesis import given
from hypothesis import strategies as st

from quintain.host.access import Visitor
from quintain.host.views.contest import contest_for
from quintain.host.views.live_counts import GROUP, count_to_tell, live_counts, rule
from quintain.host.views.standings import (
    BoardView,
    PlaceView,
    Score,
    StandingsView,
    TrackBoards,
    podium,
)
from tests.host import contest_on_site as contest
from tests.host import played


@given(st.integers(0, 300), st.integers(0, 300))
def test_a_count_leaves_a_group_of_teams_open_on_both_sides(senders, teams):
    count = count_to_tell(min(senders, teams), teams)
    if count is None:
        assert min(senders, teams - GROUP) < GROUP
    else:
        assert GROUP <= count <= min(senders, teams - GROUP)
        assert count % GROUP == 0


@given(st.integers(1, 300), st.integers(0, 300))
def test_one_team_that_comes_last_changes_nothing(teams, senders):
    before = min(senders, teams - 1)
    if before + 1 == teams:
        assert count_to_tell(before, teams) == count_to_tell(before + 1, teams)


def test_the_counts_of_a_contest(one_site):
    edition = played.running(one_site)
    (count,) = live_counts(one_site, contest_for(one_site, Visitor(), edition))
    assert (count.phase, count.teams, count.of, count.exact) == ("anonymize", None, 3, False)
    played.attacking(one_site, edition)
    first, second = live_counts(one_site, contest_for(one_site, Visitor(), edition))
    assert (first.teams, first.exact) == (2, True)
    assert (second.phase, second.teams, second.exact) == ("attack", None, False)


def test_what_came_today_is_not_told(one_site, monkeypatch):
    monkeypatch.setattr(
        "quintain.host.views.live_counts.count_to_tell", lambda senders, teams: senders
    )
    edition = played.running(one_site)
    (count,) = live_counts(one_site, contest_for(one_site, Visitor(), edition))
    assert count.teams == 0
    one_site.clock.set(contest.at(2, 0.1))
    (count,) = live_counts(one_site, contest_for(one_site, Visitor(), edition))
    assert count.teams == 2
    assert str(GROUP) in rule()


def place(name, rank):
    """A line of a board."""
    score = Score(value=1.0, low=0.5, high=1.5, level=0.95, n=9, better="higher")
    note = "" if rank else "built in"
    return PlaceView(
        rank=rank, team=name, name=name, score=score, p=None, note=note, disqualified=False
    )


def board(*places):
    """A board of the last track."""
    lines = [place(name, rank) for name, rank in places]
    return BoardView(
        id="b", title="Board", unit="", wins="higher", floor=None, floor_says="", places=lines
    )


def test_teams_with_equal_ranks_share_a_place_of_the_podium():
    boards = [board(("x", None)), board(("a", 1), ("b", 1), ("x", None), ("c", 3), ("d", 4))]
    view = StandingsView(final=True, tracks=[TrackBoards(id="t", title="", boards=boards)])
    stand = podium(view)
    assert [(step.rank, step.teams) for step in stand.steps] == [(1, ["a", "b"]), (3, ["c"])]
    assert podium(StandingsView(final=True, tracks=[])) is None
