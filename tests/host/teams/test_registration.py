"""Registration: places, names that look alike, approval, invitations, and races."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from quintain.errors import PhaseClosed, Refused
from quintain_host.access import NotSignedIn, NotThere, Visitor
from quintain_host.accounts.passwords import hash_secret, new_secret
from quintain_host.database.contests import HostedEdition, RegisteredTeam
from quintain_host.database.people import Link
from quintain_host.editions.shown import edition_for, editions_for
from quintain_host.teams.registration import NoPlace, register, skeleton, team_id
from tests.host import contest_on_site as contest


def team_row(site, edition, team):
    with site.database.reading() as session:
        return session.get_one(RegisteredTeam, (edition, team))


def change(site, edition, **values):
    with site.database.writing(edition) as session:
        row = session.get_one(HostedEdition, edition)
        for name, value in values.items():
            setattr(row, name, value)


def test_an_open_contest_takes_a_team_and_draws_its_data(site):
    edition = contest.prepared(site)
    register(site, contest.visitor(site, "ann"), edition, "Équipe Rouge", affiliation="Uni")
    assert team_row(site, edition, "equipe-rouge").state == "joining"
    contest.drain(site)
    assert team_row(site, edition, "equipe-rouge").state == "joined"
    assert "equipe-rouge" in site.folder(edition).state().roster.ids
    again = contest.visitor(site, "ann")
    assert again.teams[edition].captain
    with pytest.raises(NoPlace, match="leave it first"):
        register(site, again, edition, "Second")


def test_a_team_that_registers_before_prepare_joins_after_it(one_site):
    edition = contest.edition(one_site)
    register(one_site, contest.visitor(one_site, "ann"), edition, "red")
    contest.drain(one_site)
    assert team_row(one_site, edition, "red").state == "joining"
    contest.request(one_site, edition, "scoring", "prepare", arguments={"seed": 3})
    contest.drain(one_site)
    assert team_row(one_site, edition, "red").state == "joined"


def test_approval_waits_for_the_organisers_and_invitation_needs_a_link(one_site):
    edition = contest.prepared(one_site, registration="approval")
    register(one_site, contest.visitor(one_site, "ann"), edition, "red")
    contest.drain(one_site)
    assert team_row(one_site, edition, "red").state == "waiting"
    change(one_site, edition, registration="invitation")
    bob = contest.visitor(one_site, "bob")
    with pytest.raises(Refused, match="only invited teams"):
        register(one_site, bob, edition, "blue")
    secret, now = new_secret(), one_site.clock.now()
    with one_site.database.writing(edition) as session:
        session.add(
            Link(
                hash=hash_secret(secret),
                purpose="edition",
                edition=edition,
                created=now,
                expires=now + timedelta(days=1),
            )
        )
    register(one_site, bob, edition, "blue", link=secret)
    assert team_row(one_site, edition, "blue").state == "joining"
    with pytest.raises(NotThere, match="link"):
        register(one_site, contest.visitor(one_site, "eve"), edition, "green", link=secret)
    change(one_site, edition, registration="closed")
    with pytest.raises(PhaseClosed, match="registration is closed"):
        register(one_site, contest.visitor(one_site, "eve"), edition, "green")


def test_names_that_look_alike_are_refused(one_site):
    edition = contest.prepared(one_site)
    register(one_site, contest.visitor(one_site, "ann"), edition, "red")
    eve = contest.visitor(one_site, "eve")
    for name in ("R\u0435d", "RED", "r e d", "Red!", "nearest", "Nearest"):
        with pytest.raises(Refused, match="looks like"):
            register(one_site, eve, edition, name, wished_id="other")


@pytest.mark.parametrize("name", ["", "  ", "a\u202eb", "x" * 201, "a\x00b", "red\u200b"])
def test_names_that_nobody_can_read_are_refused(one_site, name):
    edition = contest.edition(one_site)
    with pytest.raises(Refused):
        register(one_site, contest.visitor(one_site, "ann"), edition, name, wished_id="fine")


def test_ids_come_from_names_and_reserved_ones_are_refused():
    assert team_id("Team 42 (Kyoto)") == "team-42-kyoto"
    assert skeleton("Te\u0430m 0ne") == skeleton("team one") == skeleton("tearn-one")
    for wished in ("fresh", "Red", "../x", "red.2", "a/b"):
        with pytest.raises(Refused):
            team_id("x", wished)
    with pytest.raises(Refused, match="no id can be made"):
        team_id("\u8d64\u7d44")


def test_strangers_and_organisers_cannot_register(one_site):
    edition = contest.edition(one_site, visible=False)
    with pytest.raises(NotSignedIn):
        register(one_site, Visitor(), edition, "red")
    with pytest.raises(NotThere):
        register(one_site, contest.visitor(one_site, "ann"), edition, "red")
    with pytest.raises(Refused, match="organisers see secrets"):
        register(one_site, contest.visitor(one_site, "olga"), edition, "red")


def test_of_twelve_teams_that_want_the_last_place_one_gets_it(site):
    edition = contest.edition(site, max_teams=1)
    people = [contest.visitor(site, f"p{number}") for number in range(12)]

    def wish(number):
        try:
            register(site, people[number], edition, f"team {chr(97 + number) * 4}")
        except NoPlace:
            return 0
        return 1

    with ThreadPoolExecutor(12) as pool:
        assert sum(pool.map(wish, range(12))) == 1


def test_members_see_a_contest_that_others_cannot_see(site):
    edition = contest.edition(site)
    register(site, contest.visitor(site, "ann"), edition, "red")
    change(site, edition, visible=False)
    assert edition_for(site, contest.visitor(site, "ann"), edition).id == edition
    eve = contest.visitor(site, "eve")
    for name in (edition, "nowhere", "a\x00b"):
        with pytest.raises(NotThere):
            edition_for(site, eve, name)
    assert editions_for(site, eve) == []
