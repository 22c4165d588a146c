"""A contest that was played on a site, in its stages, for tests of what people see of it.

The dates are those of ``contest_on_site.ROUNDS``; a contest that was played some days earlier has
other dates in its text, and ``earlier`` says how many days.
"""

from datetime import timedelta

from quintain_host.database.contests import Description, News
from quintain_host.editions.closings import enqueue_closings
from quintain_host.intake.intake import take
from quintain_host.site import Site
from tests.host import contest_on_site as contest

TEAMS = ("red", "blue", "green")


def running(site: Site, **fields) -> str:
    """A contest in its first phase: three teams, a release of two of them, a piece of news."""
    edition = contest.prepared(site, call="Come and play.\nBring friends.", **fields)
    for name in TEAMS:
        captain = contest.team(site, edition, name)
        if name != "green":
            take(site, captain, edition, contest.release(site, edition, name))
    with site.database.writing(edition) as session:
        session.add(
            News(edition=edition, time=site.clock.now(), title="Welcome", text="It <begins>.")
        )
        described = {"text": "We dropped rows.", "code": "https://example.org/x", "licence": "MIT"}
        session.add(Description(edition=edition, team="red", changed=site.clock.now(), **described))
    contest.drain(site)
    return edition


def attacking(site: Site, edition: str, *, earlier: int = 0) -> None:
    """The releases are handed over, and two teams have attacked."""
    site.clock.set(contest.at(10) - timedelta(days=earlier))
    contest.request(site, edition, "scoring", "hand-over")
    contest.drain(site)
    site.clock.set(contest.at(11) - timedelta(days=earlier))
    for first, name in enumerate(("red", "green")):
        files = contest.zipped(contest.guess(site, edition, name, first))
        take(site, contest.visitor(site, name), edition, files)
    contest.drain(site)


def closed(site: Site) -> list[str]:
    """A minute later, the workers sign what has closed; returns the editions."""
    now = site.clock.now()
    site.clock.set(now + timedelta(minutes=1))
    due = enqueue_closings(site)
    contest.drain(site)
    site.clock.set(now)
    return due


def revealed(site: Site, edition: str, *, earlier: int = 0) -> None:
    """The contest is over, and everything is public."""
    site.clock.set(contest.at(21) - timedelta(days=earlier))
    contest.request(site, edition, "scoring", "reveal")
    contest.drain(site)
