"""Live counts tell how many teams have senders, and of no single team whether it has."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain_host.access import Visitor
from quintain_host.views.contest import contest_for
from quintain_host.views.live_counts import GROUP, count_to_tell, live_counts, rule
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


@pytest.mark.slow
def test_the_counts_of_a_contest(one_site):
    edition = played.running(one_site)
    (count,) = live_counts(one_site, contest_for(one_site, Visitor(), edition))
    assert (count.phase, count.teams, count.of, count.exact) == ("anonymize", None, 3, False)
    played.attacking(one_site, edition)
    first, second = live_counts(one_site, contest_for(one_site, Visitor(), edition))
    assert (first.teams, first.exact) == (2, True)
    assert (second.phase, second.teams, second.exact) == ("attack", None, False)


@pytest.mark.slow
def test_what_came_today_is_not_told(one_site, monkeypatch):
    monkeypatch.setattr(
        "quintain_host.views.live_counts.count_to_tell", lambda senders, teams: senders
    )
    edition = played.running(one_site)
    (count,) = live_counts(one_site, contest_for(one_site, Visitor(), edition))
    assert count.teams == 0
    one_site.clock.set(contest.at(2, 0.1))
    (count,) = live_counts(one_site, contest_for(one_site, Visitor(), edition))
    assert count.teams == 2
    assert str(GROUP) in rule()
