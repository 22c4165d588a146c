"""Everything that organisers do on pages, programs do over the API."""

import base64

import pytest

from quintain_host.teams.registration import register
from quintain_host.web.app import make_app
from tests.host.contest_on_site import TINY, account, drain, prepared, team, visitor
from tests.host.organising.organiser_browser import Browser
from tests.host.organising.test_drafts import OWN, PEOPLE

PLACE = "/editions/small/organise"


@pytest.fixture(scope="module")
def site(new_site, tmp_path_factory):
    made = new_site(tmp_path_factory.mktemp("api"))
    account(made, "olga", operator=True)
    yield made
    made.close()


@pytest.fixture(scope="module")
def app(site):
    return make_app(site)


@pytest.fixture(scope="module")
def olga(site, app):
    return Browser(site, "olga", app)


@pytest.fixture(scope="module")
def ready(site):
    """Another contest of Olga, which is prepared; team red takes part."""
    name = prepared(site, TINY.replace('"small"', '"ready"'))
    team(site, name, "red")
    return name


def send(browser, method, path, status=200, **options):
    answer = browser.api(method, path, **options)
    assert answer.status_code == status, (path, answer.status_code, answer.text)
    return answer.json() if answer.headers["content-type"] == "application/json" else answer


@pytest.mark.slow
def test_faults_come_with_their_lines(olga):
    problem = send(olga, "POST", "/editions", 422, json={"toml": TINY + "repeets = 3\n"})
    assert problem["faults"] and problem["faults"][0].startswith(
        "edition.toml:6 repeets: unknown key"
    )
    problem = send(olga, "POST", "/editions", 422, json={"toml": TINY, "unknown": 1})
    assert "unknown" in problem["faults"][0]


def test_own_data_come_with_the_edition(olga):
    files = {"people.csv": base64.b64encode(PEOPLE).decode()}
    assert send(olga, "POST", "/editions", 201, json={"toml": OWN, "files": files}) == {"id": "own"}
    place = "/editions/own/organise/draft"
    large = b"a\n" + b"1\n" * 2_000_000  # more than a request without files may have
    send(olga, "PUT", f"{place}/files/more.csv", files={"file": ("x.csv", large)})
    two = [("file", ("x.csv", b"a\n")), ("file", ("y.csv", b"a\n"))]
    assert "exactly one" in send(olga, "PUT", f"{place}/files/x.csv", 422, files=two)["detail"]
    names = [file["name"] for file in send(olga, "GET", place)["files"]]
    assert names == ["more.csv", "people.csv"]
    send(olga, "DELETE", f"{place}/files/more.csv")


@pytest.mark.slow
def test_a_contest_is_organised_over_the_api(site, olga):
    send(olga, "POST", "/editions", 201, json={"toml": TINY})
    send(olga, "PUT", f"{PLACE}/draft", json={"toml": TINY + "\n"})
    send(olga, "POST", f"{PLACE}/lint", 202)
    send(olga, "POST", f"{PLACE}/preview", 202)
    drain(site)
    assert send(olga, "GET", f"{PLACE}/preview/kit").content.startswith(b"PK")
    job = send(olga, "POST", f"{PLACE}/prepare", 202, json={"seed": 3})["job"]
    send(olga, "POST", f"{PLACE}/prepare", 409, json={"seed": 3})
    drain(site)
    assert send(olga, "GET", f"{PLACE}/jobs/{job}")["state"] == "done"
    changed = {"visible": True, "registration": "approval", "team_size": 3}
    assert send(olga, "PATCH", f"{PLACE}/settings", json=changed)["team_size"] == 3
    register(site, visitor(site, "red"), "small", "Red")
    (row,) = send(olga, "GET", f"{PLACE}/registrations")
    assert row["state"] == "waiting"
    given = {"competing": False, "limits": {"total": 4}}
    send(olga, "POST", f"{PLACE}/registrations/red/approve", json=given)
    drain(site)
    given = {"total": 5, "reason": "more tasks"}
    send(olga, "PUT", f"{PLACE}/registrations/red/limits", json=given)
    given = {"decision": "disqualified", "team": "red", "reason": "two accounts"}
    send(olga, "POST", f"{PLACE}/decisions", 202, json=given)
    drain(site)
    (row,) = send(olga, "GET", f"{PLACE}/registrations")
    assert (row["limits"], row["disqualified"]) == ("5 in total", "two accounts")
    secret = send(olga, "POST", f"{PLACE}/invitations", 201, json={"note": "x"})["secret"]
    (link,) = send(olga, "GET", f"{PLACE}/invitations")
    assert secret not in str(link)
    send(olga, "DELETE", f"{PLACE}/invitations/{link['id']}")
    number = send(olga, "POST", f"{PLACE}/news", 201, json={"title": "Hello"})["news"]
    send(olga, "DELETE", f"{PLACE}/news/{number}")
    assert len(send(olga, "GET", f"{PLACE}/organisers")) == 1


@pytest.mark.slow
def test_the_rest_of_a_contest_over_the_api(site, olga, ready):
    place = f"/editions/{ready}/organise"
    send(olga, "POST", f"{place}/score", 202)
    number = send(olga, "POST", f"{place}/rejudgings", 202, json={"reason": "look"})["rejudging"]
    send(olga, "POST", f"{place}/codabench", 202, json={})
    drain(site)
    assert send(olga, "GET", f"{place}/rejudgings/{number}")["state"] == "ready"
    send(olga, "POST", f"{place}/rejudgings/{number}/drop")
    assert send(olga, "GET", f"{place}/codabench").content.startswith(b"PK")
    send(olga, "GET", f"/editions/{ready}/archive", 404)
    send(olga, "POST", f"{place}/archive", 403)
    send(olga, "POST", f"{place}/freeze", 202, json={"reason": "enough"})
    drain(site)
    send(olga, "POST", f"{place}/reveal", 403, json={"confirmed": ready[:-1]})
    send(olga, "POST", f"{place}/reveal", 202, json={"confirmed": ready})
    drain(site)
    assert send(olga, "GET", f"/editions/{ready}/archive").content.startswith(b"PK")
    seen = send(olga, "GET", f"{place}/overview")
    assert [job for job in seen["jobs"] if job["state"] == "failed"] == [] and seen["steps"] == []
    lines = send(olga, "GET", f"{place}/log")
    older = send(olga, "GET", f"{place}/log?before={lines[2]['number']}")
    assert lines[3:] == older and lines[0]["action"] == "request.reveal"


@pytest.mark.slow
def test_every_route_is_for_organisers_alone(site, app, ready):
    schema = app.openapi()
    red, nobody = Browser(site, "red", app), Browser(site, "", app)
    routes = [
        (path, method)
        for path, methods in schema["paths"].items()
        if "/organise" in path
        for method in methods
    ]
    assert len(routes) > 35
    for path, method in routes:
        filled = path.format(
            edition=ready,
            team="red",
            name="a.csv",
            number=1,
            link=1,
            account=1,
            page="a",
            picture="a",
        )
        answer = red.api(method.upper(), filled.removeprefix("/api"), json={})
        assert answer.status_code in (403, 422), (path, answer.status_code, answer.text)
        answer = nobody.client.request(method, filled)
        assert answer.status_code in (401, 422), (path, answer.status_code)
