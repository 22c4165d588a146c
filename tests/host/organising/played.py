"""A contest that organisers drive through the services of the site, from a draft to the reveal."""

from quintain.contests.roster import Quota
from quintain_host.intake.intake import take
from quintain_host.organising import drafts, registrations, steps
from quintain_host.organising.settings import change_settings
from quintain_host.teams.registration import register
from tests.host.contest_on_site import ROUNDS, account_of, at, drain, guess, release, visitor

EDITION = "rounds"


def olga(site):
    """The organiser, with all that she may do now."""
    return visitor(site, "olga")


def begun(site, text=ROUNDS, *, seed=3):
    """A contest whose rules are fixed and whose first round is prepared; anybody can see it."""
    from quintain_host.database.people import Account

    number = account_of(site, "olga")
    with site.database.writing("accounts") as session:
        session.get_one(Account, number).operator = True
    site.clock.set(at(1, 1))
    drafts.create(site, olga(site), text)
    steps.prepare(site, olga(site), EDITION, seed=seed)
    drain(site)
    change_settings(site, olga(site), EDITION, visible=True, registration="approval")


def registered(site, *teams):
    """Teams that registered and wait for the organisers."""
    for team in teams:
        register(site, visitor(site, team), EDITION, team.title())


def approved(site, *teams, **options):
    """Teams that take part."""
    registered(site, *teams)
    for team in teams:
        registrations.approve(site, olga(site), EDITION, team, **options)
    drain(site)


def released(site, *teams):
    """Every team submits a release."""
    for team in teams:
        take(site, visitor(site, team), EDITION, release(site, EDITION, team))
    drain(site)


def attacked(site, *teams):
    """The releases are handed over, and every team guesses."""
    site.clock.set(at(10, 13))
    steps.hand_over(site, olga(site), EDITION)
    drain(site)
    site.clock.set(at(11))
    for number, team in enumerate(teams):
        take(site, visitor(site, team), EDITION, guess(site, EDITION, team, number))
    drain(site)


def whole(site):
    """Three teams, an extension, limits, a disqualification that is taken back, and the reveal."""
    begun(site)
    approved(site, "red", limits=Quota(total=5))
    approved(site, "blue", competing=False)
    registered(site, "green")
    registrations.refuse(site, olga(site), EDITION, "green", "the name is taken elsewhere")
    released(site, "red", "blue")
    until = steps.utc_time("2026-05-10 12:00")
    steps.extend(site, olga(site), EDITION, "main", "anonymize", until, "the site was down")
    registrations.set_limits(site, olga(site), EDITION, "blue", Quota(total=9), "a late start")
    drain(site)
    attacked(site, "red", "blue")
    steps.decide(site, olga(site), EDITION, "disqualified", "red", "two teams are one")
    drain(site)
    steps.decide(site, olga(site), EDITION, "reinstated", "red", "they could explain it")
    drain(site)
    site.clock.set(at(21))
    steps.freeze(site, olga(site), EDITION)
    drain(site)
    steps.reveal(site, olga(site), EDITION, EDITION)
    drain(site)
