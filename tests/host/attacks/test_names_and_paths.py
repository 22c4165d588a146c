"""Names and paths: what people type is shown as text, and leads nowhere on the machine."""

import html

import pytest

from quintain_host.accounts.administration import sign_up
from tests.host import contest_on_site as contest
from tests.host.attacks.sender import Sender, unlimited, working
from tests.host.security.people import PASSWORD

EVIL = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"


@pytest.fixture(scope="module")
def site(new_site, tmp_path_factory):
    site = new_site(tmp_path_factory.mktemp("names"))
    edition = contest.prepared(site, contest.ROUNDS.replace("Everybody", "<script>x</script>"))
    for team in ("red", "blue"):
        contest.team(site, edition, team)
    with working(site):
        yield site
    site.close()


@pytest.fixture(scope="module")
def red(site):
    return Sender(site, "rounds", "red", unlimited(site))


@pytest.mark.parametrize(
    "name",
    [
        "../../../public/news.html",
        "../../../secret/edition.json",
        "/etc/passwd",
        "..\\..\\evil.csv",
        "C:\\evil.csv",
        ".hidden.csv",
        "a/b.csv",
        "release.csv\x1b[31m",
        "\u202evsc.csv",
        EVIL + ".csv",
        "x" * 300 + ".csv",
    ],
)
def test_a_name_of_a_file_leads_nowhere(site, red, name):
    before = {path for path in site.root.rglob("*") if "uploads" not in path.parts}
    answer = red.send({name: b"x"})
    if answer.status_code == 202:
        facts = red.result({name: b"x"})
        assert facts["state"] == "refused"
        assert "\x1b" not in str(facts["faults"])
        shown = red.client.get(f"/contests/rounds/team/uploads/{facts['id']}").text
        assert "<script>alert" not in shown and "<img src=x" not in shown
    else:
        assert answer.status_code in {400, 403, 422}
    after = {path for path in site.root.rglob("*") if "uploads" not in path.parts}
    assert {path.name for path in after - before} <= {"site.db-wal", "site.db-shm"}


PATHS = [
    "../../secret/seeds.json",
    "..%2f..%2fsecret%2fseeds.json",
    "%2e%2e/%2e%2e/secret/seeds.json",
    "....//secret/seeds.json",
    "main/../../blue/main/private.csv",
    "main/..%2f..%2fblue/main/private.csv",
    "/etc/passwd",
    "%2fetc%2fpasswd",
    "main/private.csv%00.txt",
    "..\\..\\secret\\seeds.json",
    "~/x",
    "main",
]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "top",
    [
        "/api/editions/rounds/team/files/",
        "/contests/rounds/team/files/",
        "/contests/rounds/files/public/",
        "/contests/rounds/files/",
        "/static/",
    ],
)
def test_no_path_leads_out_of_its_folder(red, top, path):
    answer = red.client.get(top + path)
    assert answer.status_code in {303, 307, 400, 404, 405}, answer.text[:200]


@pytest.mark.parametrize("edition", ["..", "%2e%2e", "rounds%2f..", "rounds%00", "x" * 5000, "'--"])
def test_an_edition_is_a_name_and_no_path(red, edition):
    for path in (f"/api/editions/{edition}", f"/contests/{edition}/standings"):
        assert red.client.get(path).status_code in {303, 307, 400, 404}


def test_titles_are_text(red):
    for path in ("/", "/contests/rounds", "/contests/rounds/rules", "/contests/rounds/standings"):
        page = red.client.get(path)
        assert page.status_code == 200
        assert "<script>x" not in page.text


def test_descriptions_are_text(site, red):
    form = {"text": EVIL, "code": "javascript:alert(1)", "licence": EVIL}
    answer = red.client.put("/api/editions/rounds/team/description", json=form)
    if answer.status_code < 300:
        page = red.client.get("/contests/rounds/team/description").text
        assert "<script>alert" not in page and 'href="javascript:' not in page
    form = {"text": EVIL, "code": "https://example.org/x", "licence": "MIT"}
    answer = red.client.put("/api/editions/rounds/team/description", json=form)
    assert answer.status_code < 300, answer.text
    page = red.client.get("/contests/rounds/team/description").text
    assert "<script>alert" not in page and html.escape("<script>", quote=False) in page


def test_names_of_people_and_teams_are_text(site, red):
    sign_up(site, "eve@example.org", EVIL[:60], PASSWORD)
    eve = Sender(site, "rounds", "eve", unlimited(site))
    assert "<script>alert" not in eve.client.get("/account").text
    answer = eve.client.post("/api/editions/rounds/team", json={"id": "evil", "name": EVIL[:40]})
    assert answer.status_code < 500
    for path in ("/contests/rounds/teams", "/contests/rounds/standings", "/contests/rounds/team"):
        assert "<script>alert" not in eve.client.get(path).text


@pytest.mark.parametrize(
    "name", ["a\u202eb", "a\x1b[31m", "\u200b", "Red", "RED ", "R\u0435d", "", "x" * 500]
)
def test_a_team_cannot_look_like_another(site, name):
    mallory = Sender(site, "rounds", "mallory", unlimited(site))
    form = {"id": "mallory", "name": name}
    answer = mallory.client.post("/api/editions/rounds/team", json=form)
    assert 400 <= answer.status_code < 500, answer.text


def test_a_notice_is_text(red):
    red.client.cookies["notice"] = "PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg=="
    page = red.client.get("/").text
    assert "<script>alert" not in page


def test_errors_show_what_was_asked_as_text(red):
    page = red.client.get("/contests/%3Cscript%3Ealert(1)%3C%2Fscript%3E")
    assert page.status_code == 404
    assert "<script>alert" not in page.text


def test_a_plain_name_is_welcome(site):
    form = {"id": "marie", "name": "Marie & friends"}
    marie = Sender(site, "rounds", "marie", unlimited(site))  # Mallory must stay without a team
    assert marie.client.post("/api/editions/rounds/team", json=form).status_code < 300
