"""What organisers change: rules, beacons, invitations, organisers, news; all of it with care."""

import pyotp
import pytest

from quintain.contests.roster import Quota
from quintain.errors import PhaseClosed, QuintainError, Refused
from quintain_host.access import Conflict, NotAllowed, NotThere
from quintain_host.database.contests import News
from quintain_host.database.people import Account
from quintain_host.organising import registrations, settings, steps
from quintain_host.organising.drafts import draft
from quintain_host.organising.overview import overview_of
from quintain_host.organising.settings import change_settings
from quintain_host.teams.registration import join_team, register
from tests.host.contest_on_site import ROUNDS, account_of, at, drain, jobs, request, visitor
from tests.host.organising.played import EDITION, approved, begun, olga, registered

BEACON = ROUNDS + '\n[commitment]\nbeacon = "the lottery of 2 May"\n'
NAMED = ROUNDS + '\n[[team]]\nid = "white"\nname = "The white team"\n'


@pytest.fixture
def contest(one_site):
    begun(one_site)
    return one_site


def last(site, kind):
    job = jobs(site, kind)[-1]
    return job.state, job.reason


@pytest.mark.slow
def test_an_amendment_is_a_new_version_with_a_reason(contest):
    text = ROUNDS.replace("2026-05-20", "2026-05-25")
    steps.amend(contest, olga(contest), EDITION, text, "holidays")
    drain(contest)
    assert last(contest, "amend") == ("done", "")
    assert jobs(contest, "amend")[-1].result["changes"] == ["phase.attack.closes"]
    folder = contest.folder(EDITION)
    assert folder.state().rules[-1].reason == "holidays"
    assert folder.edition().track[0].phase[1].closes == at(25, 0)
    assert folder.at("edition.toml").read_text() == text
    assert draft(contest, olga(contest), EDITION).edition.toml == text
    steps.amend(contest, olga(contest), EDITION, text.replace("rows = 30", "rows = 31"), "more")
    drain(contest)
    state, reason = last(contest, "amend")
    assert state == "failed" and "the data were drawn with it" in reason
    assert "1 job failed" in overview_of(contest, olga(contest), EDITION).steps[0].sentence


@pytest.mark.slow
def test_a_beacon_needs_two_steps(one_site):
    site = one_site
    begun(site, BEACON, seed=None)
    assert site.folder(EDITION).state().rules and not site.folder(EDITION).state().prepared
    (step,) = [
        one for one in overview_of(site, olga(site), EDITION).steps if "beacon" in one.sentence
    ]
    assert "the lottery of 2 May" in step.sentence
    approved(site, "red")
    assert registrations.teams_of(site, olga(site), EDITION)[0].team.state == "joining"
    steps.prepare(site, olga(site), EDITION, beacon="8 15 23")
    drain(site)
    assert site.folder(EDITION).state().beacon == "8 15 23"
    assert registrations.teams_of(site, olga(site), EDITION)[0].team.state == "joined"
    with pytest.raises(Refused, match="spaces that nobody can see"):
        steps.prepare(site, olga(site), EDITION, beacon="8  15 23")


def test_a_draft_takes_no_beacon(one_site):
    from quintain_host.organising import drafts

    begun(one_site)
    drafts.create(one_site, olga(one_site), BEACON.replace('"rounds"', '"other"'))
    with pytest.raises(Refused, match="first prepare without the beacon"):
        steps.prepare(one_site, olga(one_site), "other", beacon="8 15 23")


def test_invited_teams_register_where_nobody_else_can(contest):
    change_settings(contest, olga(contest), EDITION, registration="invitation", max_teams=1)
    with pytest.raises(Refused, match="only invited teams"):
        register(contest, visitor(contest, "red"), EDITION, "Red")
    secret = registrations.invite(contest, olga(contest), EDITION, note="for Red", uses=2)
    (link,) = registrations.invitations(contest, olga(contest), EDITION)
    assert (link.note, link.left) == ("for Red", 2)
    register(contest, visitor(contest, "red"), EDITION, "Red", link=secret)
    with pytest.raises(Refused, match="all 1 places"):
        register(contest, visitor(contest, "blue"), EDITION, "Blue", link=secret)
    registrations.revoke_invitation(contest, olga(contest), EDITION, link.id)
    assert registrations.invitations(contest, olga(contest), EDITION) == []
    change_settings(contest, olga(contest), EDITION, max_teams=None)
    with pytest.raises(NotThere, match="used already"):
        register(contest, visitor(contest, "blue"), EDITION, "Blue", link=secret)


def test_teams_that_the_rules_name_get_their_members_by_a_link(one_site):
    begun(one_site, NAMED)
    secret = registrations.invite(one_site, olga(one_site), EDITION, team="white")
    assert join_team(one_site, visitor(one_site, "wanda"), EDITION, secret) == "white"
    (row,) = registrations.teams_of(one_site, olga(one_site), EDITION)
    assert (row.team.name, row.team.state, row.members) == ("The white team", "joined", 1)
    with pytest.raises(NotThere):
        registrations.invite(one_site, olga(one_site), EDITION, team="black")
    with pytest.raises(Refused, match="team white has a captain, who invites its members"):
        registrations.invite(one_site, olga(one_site), EDITION, team="white")


def test_limits_wait_for_a_team_that_has_not_joined(one_site):
    begun(one_site, BEACON, seed=None)
    approved(one_site, "red")
    person = olga(one_site)
    assert registrations.set_limits(one_site, person, EDITION, "red", Quota(total=3), "new") is None
    registrations.set_competing(one_site, person, EDITION, "red", False)
    steps.prepare(one_site, person, EDITION, beacon="8 15 23")
    drain(one_site)
    entrant = one_site.folder(EDITION).state().roster.entrant("red")
    assert entrant.limits == Quota(total=3) and not entrant.competing
    with pytest.raises(Conflict, match="cannot change any more"):
        registrations.set_competing(one_site, person, EDITION, "red", True)
    with pytest.raises(Refused, match="these limits already"):
        registrations.set_limits(one_site, person, EDITION, "red", Quota(total=3), "new")
    with pytest.raises(Conflict, match="does not wait"):
        registrations.approve(one_site, person, EDITION, "red")


def test_what_cannot_be_is_refused_at_once(contest):
    person = olga(contest)
    later, earlier = at(12, 0), at(9, 0)
    extend = steps.extend
    with pytest.raises(QuintainError, match="unknown track 'x'"):
        extend(contest, person, EDITION, "x", "attack", later, "why")
    with pytest.raises(QuintainError, match="unknown phase 'x'"):
        extend(contest, person, EDITION, "main", "x", later, "why")
    with pytest.raises(Refused, match="never shorter"):
        extend(contest, person, EDITION, "main", "anonymize", earlier, "why")
    with pytest.raises(Refused, match="say why"):
        extend(contest, person, EDITION, "main", "anonymize", later, "")
    with pytest.raises(Refused, match="is not a time"):
        steps.utc_time("tomorrow")
    with pytest.raises(QuintainError, match="no team has joined yet"):
        steps.decide(contest, person, EDITION, "disqualified", "red", "why")
    with pytest.raises(Refused, match="1 to 10000"):
        change_settings(contest, person, EDITION, team_size=0)
    with pytest.raises(Refused, match="cannot be printed"):
        change_settings(contest, person, EDITION, call="a\x00b")
    registered(contest, "red")
    with pytest.raises(Refused, match="say why"):
        registrations.refuse(contest, person, EDITION, "red", "")
    assert jobs(contest, "extend") == jobs(contest, "decide") == []


def test_a_hand_over_that_comes_too_early_fails_with_its_reason(contest):
    with pytest.raises(PhaseClosed, match="is open until 2026-05-10 00:00 UTC; wait for it"):
        steps.hand_over(contest, olga(contest), EDITION)
    request(contest, EDITION, "scoring", "hand-over")  # a job asks again
    drain(contest)
    state, reason = last(contest, "hand-over")
    assert state == "failed" and "hand over after that" in reason


@pytest.mark.slow
def test_freezing_early_needs_a_reason(contest):
    with pytest.raises(PhaseClosed, match="phases are not over yet: anonymize until"):
        steps.freeze(contest, olga(contest), EDITION)
    with pytest.raises(PhaseClosed, match="freeze it first"):
        steps.reveal(contest, olga(contest), EDITION, EDITION)
    request(contest, EDITION, "scoring", "freeze")  # a job asks again
    drain(contest)
    assert "phases are not over yet" in last(contest, "freeze")[1]
    steps.freeze(contest, olga(contest), EDITION, "nobody came")
    drain(contest)
    assert contest.folder(EDITION).state().frozen.reason == "nobody came"
    with pytest.raises(PhaseClosed):
        steps.amend(contest, olga(contest), EDITION, ROUNDS, "too late")


@pytest.mark.slow
def test_a_reveal_needs_the_second_factor_of_an_account_that_has_one(contest):
    secret = pyotp.random_base32()
    with contest.database.writing("accounts") as session:
        session.get_one(Account, account_of(contest, "olga")).totp = secret
    steps.freeze(contest, olga(contest), EDITION, "nobody came")
    drain(contest)
    with pytest.raises(QuintainError, match="code is not valid"):
        steps.reveal(contest, olga(contest), EDITION, EDITION, "000000")
    assert jobs(contest, "reveal") == []
    code = pyotp.TOTP(secret).at(contest.clock.now())
    steps.reveal(contest, olga(contest), EDITION, EDITION, code)
    drain(contest)
    assert contest.folder(EDITION).state().revealed is not None


@pytest.mark.slow
def test_operators_name_organisers_and_one_has_to_stay(contest):
    account_of(contest, "ada")
    settings.name_organiser(contest, olga(contest), EDITION, " Ada@Example.org ")
    assert visitor(contest, "ada").organises == {EDITION}
    with pytest.raises(NotAllowed, match="operators"):
        settings.name_organiser(contest, visitor(contest, "ada"), EDITION, "bob@example.org")
    with pytest.raises(NotThere):
        settings.name_organiser(contest, olga(contest), EDITION, "nobody@example.org")
    approved(contest, "red")
    with pytest.raises(Refused, match="is in team red"):
        settings.name_organiser(contest, olga(contest), EDITION, "red@example.org")
    people = settings.organisers_of(contest, olga(contest), EDITION)
    assert [one.name for one in people] == ["Olga", "Ada"]
    settings.remove_organiser(contest, olga(contest), EDITION, people[1].account)
    with pytest.raises(Refused, match="needs an organiser"):
        settings.remove_organiser(contest, olga(contest), EDITION, people[0].account)


def test_news_are_published_and_withdrawn(contest):
    number = settings.publish_news(
        contest, olga(contest), EDITION, " The  site was down ", "A\r\nB\n"
    )
    with contest.database.reading() as session:
        row = session.get_one(News, number)
    assert (row.title, row.text, row.time) == ("The site was down", "A\nB", at(1, 1))
    settings.withdraw_news(contest, olga(contest), EDITION, number)
    with pytest.raises(NotThere):
        settings.withdraw_news(contest, olga(contest), EDITION, number)
    with pytest.raises(Refused, match="need a title"):
        settings.publish_news(contest, olga(contest), EDITION, " ", "text")
