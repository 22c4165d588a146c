"""Dashboard: organisers see how it goes, and every look at the standings is recorded."""

import pytest

from quintain_host.access import NotAllowed
from quintain_host.intake.intake import take
from quintain_host.organising.dashboard import (
    dashboard_of,
    look_at_standings,
    request_standings,
)
from quintain_host.organising.overview import actions_of
from tests.host.contest_on_site import drain, visitor
from tests.host.organising.organiser_browser import Browser
from tests.host.organising.played import EDITION, approved, attacked, begun, olga, released

PLACE = f"/organise/{EDITION}"


@pytest.fixture(scope="module")
def site(new_site, tmp_path_factory):
    """A contest in which two teams released, attacked, and made mistakes."""
    made = new_site(tmp_path_factory.mktemp("dashboard"))
    begun(made)
    approved(made, "red", "blue")
    for team in ("red", "red", "blue"):
        take(made, visitor(made, team), EDITION, {"release.csv": b"nonsense\n"})
        drain(made)
    released(made, "red", "blue")
    attacked(made, "red", "blue")
    return made


@pytest.mark.slow
def test_the_dashboard_counts_teams_days_and_faults(site):
    shown = dashboard_of(site, olga(site), EDITION)
    assert shown.teams == {"joined": 2} and shown.active == 2 and not shown.queue
    first, *_, last = shown.days
    assert (first.accepted, first.refused) == (2, 3) and last.accepted == 2
    assert len(shown.days) == (last.day - first.day).days + 1
    assert (shown.faults[0].times, shown.faults[0].teams) == (3, 2)


@pytest.mark.slow
def test_the_page_draws_them_without_a_script(site):
    page = Browser(site, "olga").page(f"{PLACE}/dashboard")
    assert '<rect class="day"' in page and "3" in page and "Faults that teams make most" in page
    assert "nothing waits, and nothing failed" in page


def test_organisers_read_the_standings_early_and_the_log_says_so(site):
    person, browser = olga(site), Browser(site, "olga")
    assert "Read the standings now" in browser.page(f"{PLACE}/standings")
    browser.sent(f"{PLACE}/standings")
    drain(site)
    page = browser.page(f"{PLACE}/standings")
    assert "Anonymizers" in page and "Red" in page
    assert look_at_standings(site, person, EDITION).boards
    actions = [line.action for line in actions_of(site, person, EDITION)]
    assert actions.count("standings.look") == 2 and actions.count("request.standings") == 1


def test_programs_leave_the_same_trace(site):
    person, browser = olga(site), Browser(site, "olga")
    place = f"/editions/{EDITION}/organise"
    listed = browser.api("GET", f"{place}/overview").json()["jobs"]
    (job,) = [one for one in listed if one["kind"] == "standings"]
    assert job["result"] == {}
    looks = [line.action for line in actions_of(site, person, EDITION)].count("standings.look")
    assert browser.api("GET", f"{place}/jobs/{job['id']}").json()["result"]["boards"]
    after = [line.action for line in actions_of(site, person, EDITION)].count("standings.look")
    assert after == looks + 1


def test_nobody_else_reads_them(site):
    red = visitor(site, "red")
    for door in (dashboard_of, look_at_standings, request_standings):
        with pytest.raises(NotAllowed):
            door(site, red, EDITION)
