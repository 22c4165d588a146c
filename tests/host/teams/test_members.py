"""Members: links, places in a team, leaving, captains, and races."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from quintain.errors import Refused
from quintain_host.access import NotAllowed, NotThere
from quintain_host.database.contests import HostedEdition, RegisteredTeam
from quintain_host.teams.registration import (
    NoPlace,
    hand_over_captaincy,
    join_team,
    leave_team,
    make_team_link,
    members_of,
    register,
    remove_member,
    revoke_team_link,
    team_behind,
    team_links,
)
from tests.host import contest_on_site as contest


@pytest.fixture
def edition(one_site):
    return contest.edition(one_site)


def captain(site, edition, name="ann", team="red"):
    register(site, contest.visitor(site, name), edition, team)
    return contest.visitor(site, name)


def names(site, edition, team="red"):
    with site.database.reading() as session:
        return [(one.name, one.captain) for one in members_of(session, edition, team)]


def test_people_join_by_a_link_that_works_once(one_site, edition):
    ann = captain(one_site, edition)
    link = make_team_link(one_site, ann, edition).secret
    bob = contest.visitor(one_site, "bob")
    assert team_behind(one_site, bob, edition, link).name == "red"
    assert join_team(one_site, bob, edition, link) == "red"
    assert names(one_site, edition) == [("Ann", True), ("Bob", False)]
    with pytest.raises(NotThere, match="link"):
        join_team(one_site, contest.visitor(one_site, "eve"), edition, link)
    assert team_links(one_site, ann, edition) == []


def test_links_end_by_time_and_by_hand_and_fit_one_contest(one_site, edition):
    ann, eve = captain(one_site, edition), contest.visitor(one_site, "eve")
    other = contest.edition(one_site, contest.TINY)
    old, revoked, wrong = (make_team_link(one_site, ann, edition).secret for _ in range(3))
    revoke_team_link(one_site, ann, edition, team_links(one_site, ann, edition)[1].id)
    for where, link in ((edition, revoked), (other, wrong), (edition, "x" * 5000)):
        with pytest.raises(NotThere, match="link"):
            join_team(one_site, eve, where, link)
    one_site.clock.wait(days=one_site.settings.link_days)
    with pytest.raises(NotThere, match="link"):
        join_team(one_site, eve, edition, old)


def test_only_captains_manage_their_own_team(one_site, edition):
    ann = captain(one_site, edition)
    blue = captain(one_site, edition, "bea", "blue")
    link = make_team_link(one_site, ann, edition, uses=2).secret
    join_team(one_site, contest.visitor(one_site, "bob"), edition, link)
    bob = contest.visitor(one_site, "bob")
    number = team_links(one_site, ann, edition)[0].id
    for act in (
        lambda: make_team_link(one_site, bob, edition),
        lambda: team_links(one_site, bob, edition),
        lambda: remove_member(one_site, bob, edition, ann.account),
        lambda: hand_over_captaincy(one_site, bob, edition, bob.account),
    ):
        with pytest.raises(NotAllowed, match="only the captain"):
            act()
    for act in (
        lambda: revoke_team_link(one_site, blue, edition, number),
        lambda: remove_member(one_site, blue, edition, bob.account),
        lambda: hand_over_captaincy(one_site, blue, edition, bob.account),
    ):
        with pytest.raises(NotThere):
            act()


def test_captains_hand_over_before_they_leave(one_site, edition):
    ann = captain(one_site, edition)
    link = make_team_link(one_site, ann, edition).secret
    join_team(one_site, contest.visitor(one_site, "bob"), edition, link)
    bob = contest.visitor(one_site, "bob")
    with pytest.raises(Refused, match="hand over"):
        leave_team(one_site, ann, edition)
    hand_over_captaincy(one_site, ann, edition, bob.account)
    with pytest.raises(Refused, match="only the captain"):  # with what Ann could do before
        remove_member(one_site, ann, edition, bob.account)
    leave_team(one_site, contest.visitor(one_site, "ann"), edition)
    assert names(one_site, edition) == [("Bob", True)]
    with pytest.raises(Refused, match="only member"):
        leave_team(one_site, contest.visitor(one_site, "bob"), edition)


def test_the_last_member_withdraws_a_team_that_waits(one_site):
    edition = contest.edition(one_site, registration="approval")
    leave_team(one_site, captain(one_site, edition), edition)
    with one_site.database.reading() as session:
        assert session.get(RegisteredTeam, (edition, "red")) is None
    captain(one_site, edition)


def test_a_person_whose_team_was_refused_may_try_again(one_site, edition):
    captain(one_site, edition)
    with one_site.database.writing(edition) as session:
        session.get_one(RegisteredTeam, (edition, "red")).state = "refused"
    captain(one_site, edition, "ann", "scarlet")
    assert names(one_site, edition, "scarlet") == [("Ann", True)]


def test_of_ten_people_that_join_the_last_place_one_gets_it(site):
    edition = contest.edition(site)
    ann = captain(site, edition)
    with site.database.writing(edition) as session:
        session.get_one(HostedEdition, edition).team_size = 2
    link = make_team_link(site, ann, edition, uses=10).secret
    people = [contest.visitor(site, f"p{number}") for number in range(10)]

    def join(person):
        try:
            join_team(site, person, edition, link)
        except NoPlace:
            return 0
        return 1

    with ThreadPoolExecutor(10) as pool:
        assert sum(pool.map(join, people)) == 1
    assert team_links(site, ann, edition)[0].left == 9
