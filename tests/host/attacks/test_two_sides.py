"""Nobody plays on two sides: with the data of two teams, or as a team and an organiser."""

import pytest

from quintain.errors import Refused
from quintain_host.access import Visitor
from quintain_host.accounts.sessions import visitor_with_cookie
from quintain_host.organising.settings import name_organiser, remove_organiser
from quintain_host.teams.registration import (
    join_team,
    leave_team,
    make_team_link,
    register,
    remove_member,
)
from tests.host import contest_on_site as contest


@pytest.fixture
def edition(one_site):
    return contest.prepared(one_site)


def test_who_saw_the_data_of_a_team_joins_no_other(one_site, edition):
    red = contest.team(one_site, edition, "red", members=("bob", "eve"))
    blue = contest.team(one_site, edition, "blue")
    leave_team(one_site, contest.visitor(one_site, "bob"), edition)
    remove_member(one_site, red, edition, contest.account_of(one_site, "eve"))
    link = make_team_link(one_site, blue, edition, uses=5).secret
    own = make_team_link(one_site, red, edition, uses=5).secret
    for name in ("bob", "eve"):
        person = contest.visitor(one_site, name)
        with pytest.raises(Refused, match="you were in team red and know its data"):
            join_team(one_site, person, edition, link)
        with pytest.raises(Refused, match="you were in team red and know its data"):
            register(one_site, person, edition, "Green")
        assert join_team(one_site, person, edition, own) == "red"
    assert join_team(one_site, contest.visitor(one_site, "new"), edition, link) == "blue"


def test_who_left_before_there_were_data_is_free(one_site):
    edition = contest.edition(one_site, registration="approval")
    register(one_site, contest.visitor(one_site, "bob"), edition, "Red")
    leave_team(one_site, contest.visitor(one_site, "bob"), edition)
    assert register(one_site, contest.visitor(one_site, "bob"), edition, "Green").id == "green"


def test_an_organiser_without_the_second_factor_is_still_one(one_site, edition):
    secret = contest.cookie(one_site, contest.account_of(one_site, "olga"), second_factor=False)
    olga = visitor_with_cookie(one_site, secret)
    assert not olga.organises
    red = contest.team(one_site, edition, "red")
    link = make_team_link(one_site, red, edition).secret
    with pytest.raises(Refused, match="you organise this contest"):
        register(one_site, olga, edition, "Green")
    with pytest.raises(Refused, match="you organise this contest"):
        join_team(one_site, olga, edition, link)


def test_who_organised_a_contest_plays_no_part_in_it(one_site, edition):
    operator = Visitor(account=contest.account(one_site, "pat", operator=True), operator=True)
    kim = contest.account_of(one_site, "kim")
    name_organiser(one_site, operator, edition, "kim@example.org")
    remove_organiser(one_site, operator, edition, kim)
    with pytest.raises(Refused, match="you organised this contest"):
        register(one_site, contest.visitor(one_site, "kim"), edition, "Green")
