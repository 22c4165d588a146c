"""Recipes and a jury on a site: uploads, faults, pages without attacks, and the log at the end."""

import pytest
from starlette.testclient import TestClient

from quintain_host.intake.intake import take
from quintain_host.intake.uploads_shown import upload_for
from quintain_host.programs.workers import wants_programs
from quintain_host.web.app import make_app
from quintain_host.web.requests import cookie_name
from tests.host import contest_on_site as contest
from tests.recipes.recipe_contests import GOOD

DATES = "opens = 2026-05-01T00:00:00Z\ncloses = 2026-05-10T00:00:00Z"
RECIPES = f"""
include = "recipes"
id = "steps"
baseline = []
dataset = {{ rows = 300 }}
sample = {{ targets = 10, background = 40 }}
rule = []

[[phase]]
id = "protect"
submit = "release"
{DATES}
[phase.contract]
use = "recipe"
part = [
  {{ use = "rr", bounds = {{ keep = {{ at_most = 0.9 }} }} }},
  {{ use = "small-class-deletion", bounds = {{ k = {{}} }}, fixed = {{ columns = ["sex"] }} }},
]

[[phase]]
id = "attack"
submit = "guess"
opens = 2026-05-11T00:00:00Z
closes = 2026-05-20T00:00:00Z
"""
JURY = f"""
include = "jury"
id = "panel"
baseline = []
dataset = {{ rows = 200 }}
sample = {{ rows = 30 }}
rule = []

[[phase]]
id = "release"
submit = "release"
{DATES}
artefact = [{{ name = "report", file = "report-{{team}}.pdf", kind = "pdf" }}]
"""


@pytest.fixture(scope="module")
def visited(new_site, tmp_path_factory):
    """A site with both contests, played to the end, and the pages that a team saw on the way."""
    site, pages = new_site(tmp_path_factory.mktemp("site")), {}
    for text in (RECIPES, JURY):
        contest.prepared(site, text)
    with TestClient(make_app(site), "http://127.0.0.1:8000") as client:
        red = contest.team(site, "steps", "red")
        secret = contest.cookie(site, contest.account_of(site, "red"))
        client.cookies.set(cookie_name(site.settings), secret)
        pages["submit"] = client.get("/contests/steps/team/submit").text
        wrong = take(
            site, red, "steps", {"r.toml": b'[[step]]\nuse = "mst"\n[[step]]\nuse = "rr"\nk = 1'}
        )
        right = take(site, red, "steps", {"r.toml": GOOD})
        contest.team(site, "panel", "blue")
        files = contest.release(site, "panel", "blue")
        take(
            site, contest.visitor(site, "blue"), "panel", {**files, "report-blue.pdf": b"%PDF-1.7"}
        )
        contest.drain(site)
        pages["faults"] = upload_for(site, red, "steps", wrong.upload).faults
        pages["early"] = client.get("/contests/steps/files/recipes.json").status_code
        site.clock.set(contest.at(10))
        for edition in ("steps", "panel"):
            contest.request(site, edition, "scoring", "hand-over")
        contest.drain(site)
        pages["upload"] = client.get(f"/contests/steps/team/uploads/{right.upload}").text
        pages["history"] = client.get("/contests/steps/team/history").text
        site.clock.set(contest.at(21))
        for edition in ("steps", "panel"):
            contest.request(site, edition, "scoring", "reveal")
        contest.drain(site)
        yield site, client, pages
    site.close()


@pytest.mark.slow
def test_a_team_submits_a_recipe_and_reads_its_faults(visited):
    site, _, pages = visited
    assert "Your recipe" in pages["submit"] and "One TOML file" in pages["submit"]
    assert [(fault.line, fault.column) for fault in pages["faults"]] == [
        (2, "step.0.use"),
        (5, "step.1.k"),
    ]
    assert "What your recipe did" in pages["upload"]
    assert "release.parquet" in pages["upload"] and "made the same files" in pages["upload"]
    assert "a recipe" in pages["history"] and "made by the recipe of event" in pages["history"]
    assert not wants_programs(site), "recipes need no machine that contains programs"


def test_the_log_is_public_after_the_reveal(visited):
    _, client, pages = visited
    assert pages["early"] == 404
    log = client.get("/contests/steps/files/recipes.json")
    (run,) = log.json()["runs"]
    assert run["team"] == "red" and run["outcome"] == "made a release"
    assert [step["sanitizer"]["use"] for step in run["steps"]] == [
        "sanitizer/rr-v1",
        "sanitizer/small-class-deletion-v1",
    ]
    assert "recipes.json" in client.get("/contests/steps/trust").text
    assert "A step may be rr: keep (at most 0.9)." in client.get("/contests/steps/rules").text


@pytest.mark.parametrize("page", ["", "/rules", "/standings", "/teams", "/matrix"])
def test_pages_of_a_contest_without_attackers_show_no_attack(visited, page):
    _, client, _ = visited
    answer = client.get(f"/contests/panel{page}")
    assert answer.status_code == 200
    assert 'href="/contests/panel/matrix"' not in answer.text
    for word in ("attacker", "Submit a guess", "Attack the releases"):
        assert word not in answer.text, word


def test_the_jury_contest_has_standings_and_a_report(visited):
    _, client, _ = visited
    assert "blue" in client.get("/contests/panel/standings").text.lower()
    assert "Nobody attacked" in client.get("/contests/panel/files/report.html").text
