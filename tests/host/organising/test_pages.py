"""Organisers use pages: from a draft with faults to the reveal, and nothing else is needed."""

import pytest

from quintain_host.intake.intake import take
from quintain_host.teams.registration import register
from quintain_host.web.app import make_app
from tests.host.contest_on_site import (
    ROUNDS,
    account,
    at,
    drain,
    guess,
    jobs,
    release,
    visitor,
)
from tests.host.organising.organiser_browser import Browser
from tests.host.organising.played import approved, begun

PLACE = "/organise/rounds"
PAGES = (
    "",
    "/draft",
    "/steps",
    "/teams",
    "/teams/red",
    "/rules",
    "/rejudging",
    "/news",
    "/settings",
    "/jobs",
    "/log",
)


@pytest.fixture
def site(one_site):
    """A site without contests."""
    account(one_site, "olga", operator=True)
    one_site.clock.set(at(1, 1))
    return one_site


@pytest.fixture
def app(site):
    return make_app(site)


@pytest.fixture
def olga(site, app):
    return Browser(site, "olga", app)


@pytest.fixture(scope="module")
def running(new_site, tmp_path_factory):
    """A site with a contest of Olga, in which team red takes part, and its application."""
    made = new_site(tmp_path_factory.mktemp("pages"))
    begun(made)
    approved(made, "red")
    yield made, make_app(made)
    made.close()


def require_for_organisers_alone(site, app, page):
    Browser(site, "olga", app).page(PLACE + page)
    assert Browser(site, "red", app).get(PLACE + page).status_code == 403
    assert Browser(site, "", app).get(PLACE + page).status_code in (401, 303)


def test_a_draft_with_faults_is_shown_again_with_every_line(olga):
    answer = olga.post("/organise/new", toml=ROUNDS.replace("hit-rate", "hit-rote"))
    assert answer.status_code == 422
    assert "edition.toml:7" in answer.text and "hit-rote" in answer.text
    assert "Everybody sanitizes" in answer.text  # the text is still in the form
    assert 'href="/organise/rounds"' not in olga.page("/organise")


@pytest.mark.slow
def test_a_contest_is_played_with_forms(site, app, olga):
    text = ROUNDS.replace("\n", "\r\n")  # browsers send lines this way
    olga.sent("/organise/new", toml=text)
    assert "Rounds" not in olga.page("/")  # and the draft is nobody else's business
    assert Browser(site, "", app).get("/contests/rounds").status_code == 404
    olga.sent(f"{PLACE}/draft/lint")
    olga.sent(f"{PLACE}/draft/preview")
    drain(site)
    draft = olga.page(f"{PLACE}/draft")
    assert "nobody can submit anything until a team joins" in draft
    preview = olga.page(f"{PLACE}/preview")
    assert "Preview." in preview and f"{PLACE}/preview/rules" in preview
    for name in ("rules", "teams", "news", "standings", "matrix", "trust"):
        olga.page(f"{PLACE}/preview/{name}")
    assert olga.get(f"{PLACE}/preview/nothing").status_code == 404
    assert olga.get(f"{PLACE}/preview/kit").content.startswith(b"PK")

    olga.sent(f"{PLACE}/steps/prepare", seed="3")
    assert "is being prepared" in olga.post(f"{PLACE}/draft", toml=text).text
    drain(site)
    settings = {"registration": "approval", "visible": "yes", "team_size": "3", "max_teams": ""}
    olga.sent(f"{PLACE}/settings", **settings, call="Come and play.\n\nIt is fun.")
    assert "Come and play." in Browser(site, "", app).page("/contests/rounds")
    olga.sent(f"{PLACE}/news", title="It begins", text="Today.")

    for team in ("red", "blue", "green"):
        register(site, visitor(site, team), "rounds", team.title())
    assert "3 teams wait for your answer" in olga.page(PLACE)
    olga.page(f"{PLACE}/teams/red")
    olga.sent(f"{PLACE}/teams/red/approve", competing="yes", total="4")
    olga.sent(f"{PLACE}/teams/blue/approve", competing="no")
    olga.sent(f"{PLACE}/teams/green/refuse", reason="it is no team")
    drain(site)
    assert "4 in total" in olga.page(f"{PLACE}/teams")
    olga.sent(f"{PLACE}/teams/blue/limits", total="7", reason="a late start")
    drain(site)
    assert "7 in total" in olga.page(f"{PLACE}/teams/blue")
    for team in ("red", "blue"):
        take(site, visitor(site, team), "rounds", release(site, "rounds", team))
    extension = {"track": "main", "phase": "anonymize", "reason": "the site was down"}
    refused = olga.post(f"{PLACE}/rules/extend", until="2026-05-09 00:00", **extension)
    assert refused.status_code == 403 and "never shorter" in refused.text
    olga.sent(f"{PLACE}/rules/extend", until="2026-05-10 06:00", **extension)
    drain(site)
    assert "2026-05-10 06:00" in olga.page(f"{PLACE}/rules")

    site.clock.set(at(10, 7))
    assert "hand its releases over" in olga.page(PLACE)
    olga.sent(f"{PLACE}/steps/hand-over", track="main")
    drain(site)
    site.clock.set(at(11))
    for team in ("red", "blue"):
        take(site, visitor(site, team), "rounds", guess(site, "rounds", team))
    drain(site)
    olga.sent(f"{PLACE}/teams/blue/decide", decision="disqualified", reason="two accounts")
    drain(site)
    assert "two accounts" in olga.page(f"{PLACE}/teams/blue")
    olga.sent(f"{PLACE}/rejudging", reason="a measure was wrong")
    drain(site)
    shown = olga.page(f"{PLACE}/rejudging/1")
    assert "0 of " in shown and "Apply: this judgement counts" in shown
    olga.sent(f"{PLACE}/rejudging/1/drop")

    site.clock.set(at(21))
    assert "freeze the contest" in olga.page(PLACE)
    olga.sent(f"{PLACE}/steps/freeze")
    drain(site)
    wrong = olga.post(f"{PLACE}/steps/reveal", confirmed="round")
    assert wrong.status_code == 403 and "ype the id of the contest" in wrong.text
    olga.sent(f"{PLACE}/steps/reveal", confirmed="rounds")
    drain(site)
    assert "revealed" in olga.page(f"{PLACE}/steps")
    assert "request.reveal" in olga.page(f"{PLACE}/log")
    archive = Browser(site, "", app).get("/contests/rounds/files/archive.zip")
    assert archive.status_code == 200 and archive.content.startswith(b"PK")
    assert [job.reason for job in jobs(site) if job.state == "failed"] == []
    for page in PAGES:
        require_for_organisers_alone(site, app, page)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_every_page_is_for_organisers_alone(running, page):
    require_for_organisers_alone(*running, page)


def test_operators_name_organisers_of_contests_of_others(running):
    site, app = running
    account(site, "ivan", operator=True)
    account(site, "ada")
    ivan = Browser(site, "ivan", app)
    assert f"{PLACE}/organisers" in ivan.page("/organise")
    assert ivan.get(f"{PLACE}/settings").status_code == 403
    shown = ivan.sent(f"{PLACE}/organisers", email=" ＡＤＡ@example.org")  # as accounts compare it
    assert "Ada organises this contest." in shown
    assert 'href="/organise/rounds"' in Browser(site, "ada", app).page("/organise")
    assert Browser(site, "red", app).get(f"{PLACE}/organisers").status_code == 403
