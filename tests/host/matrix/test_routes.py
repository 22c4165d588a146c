"""The matrix: every route x every kind of visitor. No route is forgotten, and nothing leaks."""

import base64
import re

import pytest
from fastapi.routing import iter_route_contexts

from quintain_host.web.security.csrf import SAFE
from tests.host.matrix.personas import (
    ALLOWED,
    HIDDEN,
    PEOPLE,
    contents,
    secrets_before_the_end,
    staged,
)
from tests.host.matrix.request_bodies import Bodies
from tests.host.matrix.route_table import ROUTES

REFUSALS = (
    "sign in first",
    "only the organisers of this contest",
    "only the operators of this site",
    "only the captain of team",
    "you are in no team of this contest",
)
"""The sentences of ``access.py``; a refusal by the rules of a contest has others."""

CHANGES = sorted(route for route in ROUTES if route[0] not in SAFE)
LOOKS = sorted(route for route in ROUTES if route[0] in SAFE and route[1] != "/static")
TEAM_OF = {"other team": "blue", "member": "red", "captain": "red"}
LOOKERS = [person for person in PEOPLE if person not in {"organiser", "operator"}]


@pytest.fixture(scope="module")
def stage(new_site, tmp_path_factory):
    site = new_site(tmp_path_factory.mktemp("matrix"))
    yield staged(site)
    site.close()


@pytest.fixture(scope="module")
def bodies(stage):
    return Bodies(stage.app)


@pytest.fixture(scope="module")
def look(stage):
    """A function that sends each request that changes nothing once per person."""
    answers = {}

    def answer(person, path):
        if (person, path) not in answers:
            answers[person, path] = stage.send(person, "GET", filled(stage, path))
        return answers[person, path]

    return answer


def routes_of(app):
    for route in iter_route_contexts(app.routes):
        for method in set(route.methods or {"GET"}) - {"HEAD"}:
            yield method, route.path


def present(stage, routes):
    """Those of the table that the application has; a test below compares both."""
    here = set(routes_of(stage.app))
    return [route for route in routes if route in here]


def filled(stage, path, **values):
    """A path with the things of the team red in it."""
    known = {
        "uploads/{number}": "upload",
        "tokens/{number}": "token",
        "notices/{number}": "notice",
        "members/{account}": "member",
        "accounts/{number}": "member",
        "preview/{name}": "page",
    }
    for place, name in known.items():
        path = path.replace(place, place.partition("{")[0] + stage.values[name])
    values = {**stage.values, "name:path": "main/private.csv", "step": "columns", **values}
    return re.sub(r"{([a-z:]+)}", lambda match: values.get(match[1], "1"), path)


def is_refused(answer):
    return any(sentence in answer.text.lower() for sentence in REFUSALS)


@pytest.mark.slow
def test_every_route_is_in_the_table(stage):
    routes = list(routes_of(stage.app))
    assert len(routes) > 80
    assert sorted(set(routes) - set(ROUTES)) == []
    assert sorted(set(ROUTES) - set(routes)) == []


@pytest.mark.slow
@pytest.mark.parametrize("person", PEOPLE)
def test_others_are_refused(stage, bodies, look, person):
    wrong = []
    for method, path in present(stage, sorted(ROUTES)):
        kind = ROUTES[method, path]
        if person in ALLOWED[kind] or path == "/static":
            continue
        if method in SAFE:
            answer = look(person, path)
        else:
            body = bodies.of(method, path)
            answer = stage.send(person, method, filled(stage, path), **body)
        expected = {404} if kind == "local" else {401} if person == "anonymous" else {403, 404}
        if answer.status_code not in expected:
            wrong.append((method, path, answer.status_code, answer.text[:100]))
    assert wrong == [], "\n".join(map(str, wrong))


@pytest.mark.slow
@pytest.mark.parametrize("person", ["organiser", "operator"])
def test_the_second_factor_is_asked_for_by_name(stage, bodies, person):
    """Whatever needs it leads to the page that sets it up, and from there back."""
    stage.sign_in_without_second_factor(person)
    hidden = filled(stage, "/contests/{edition}", edition=HIDDEN)
    asked = [("GET", hidden, hidden)] if person == "organiser" else []
    for method, path in present(stage, sorted(ROUTES)):
        kind = ROUTES[method, path]
        if kind in ("organiser", "manager", "operator") and person in ALLOWED[kind]:
            asked.append((method, path, filled(stage, path)))
    assert len(asked) > 10
    wrong = []
    for method, path, place in asked:
        body = bodies.of(method, path) if method not in SAFE else {}
        answer = stage.send(f"{person}!", method, place, **body)
        if path.startswith("/api/"):
            right = answer.status_code == 403 and "set up your second factor" in answer.text
        else:
            next_place = place if method in SAFE else ""
            page = f"/account/second-factor?next={next_place}"
            right = answer.status_code == 303 and answer.headers["location"] == page
        if not right:
            wrong.append((method, path, answer.status_code, answer.text[:100]))
    assert wrong == [], "\n".join(map(str, wrong))


@pytest.mark.slow
def test_no_error_page_says_that_something_went_well(stage):
    """A sentence about the form before waits for the next page that is no error."""
    sentence = "Your table is stored."
    wrong = []
    for person in ("stranger", "captain"):
        client = stage.clients[person]
        for _method, path in present(stage, LOOKS):
            if path.startswith(("/api/", "/metrics", "/healthz", "/readyz")):
                continue
            client.cookies["notice"] = base64.urlsafe_b64encode(sentence.encode()).decode()
            answer = stage.send(person, "GET", filled(stage, path))
            if answer.status_code >= 400 and sentence in answer.text:
                wrong.append((person, path, answer.status_code))
        client.cookies.delete("notice")
    assert wrong == [], "\n".join(map(str, wrong))


@pytest.mark.slow
@pytest.mark.parametrize("person", PEOPLE)
def test_those_who_may_look_can(stage, look, person):
    wrong = []
    for method, path in present(stage, LOOKS):
        if person not in ALLOWED[ROUTES[method, path]]:
            continue
        answer = look(person, path)
        if answer.status_code >= 500 or is_refused(answer):
            wrong.append((path, answer.status_code, answer.text[:200]))
    assert wrong == [], "\n".join(map(str, wrong))


@pytest.mark.slow
def test_nobody_is_let_through_by_a_form_of_another_site(stage, bodies):
    wrong = []
    for method, path in present(stage, CHANGES):
        allowed = ALLOWED[ROUTES[method, path]] - {"anonymous"}
        for person in sorted(allowed)[:1]:
            body = bodies.of(method, path)
            answer = stage.send(person, method, filled(stage, path), forged=True, **body)
            if answer.status_code != 403 or "form is too old" not in answer.text:
                wrong.append((method, path, person, answer.status_code))
    assert wrong == [], "\n".join(map(str, wrong))


@pytest.mark.parametrize("person", LOOKERS)
def test_no_answer_has_a_secret(stage, look, person):
    secrets = secrets_before_the_end(stage.site)
    assert all(len(texts) >= 3 for texts in secrets.values())
    own = TEAM_OF.get(person)
    hidden = set().union(*(texts for team, texts in secrets.items() if team != own))
    hidden -= {f"{PEOPLE[person]}@example.org".encode()}
    wrong, read = [], 0
    for _method, path in present(stage, LOOKS):
        answer = look(person, path)
        content = contents(answer)
        read += answer.status_code == 200
        wrong += [(path, text) for text in hidden if text in content]
    assert wrong == [], "\n".join(map(str, wrong))
    assert read >= 20


@pytest.mark.slow
@pytest.mark.parametrize("person", ["anonymous", "captain", "other organiser", "operator"])
def test_nobody_learns_of_a_contest_that_is_hidden(stage, person):
    wrong = []
    for method, path in present(stage, LOOKS):
        if "{edition}" not in path:
            continue
        answer = stage.send(person, method, filled(stage, path, edition=HIDDEN))
        manages = person == "operator" and ROUTES[method, path] == "manager"
        if answer.status_code not in {401, 403, 404} and not manages:
            wrong.append((path, answer.status_code))
    for path in ("/", "/api/editions"):
        answer = stage.send(person, "GET", path)
        if f"/{HIDDEN}" in answer.text or f'"{HIDDEN}"' in answer.text:
            wrong.append((path, HIDDEN))
    assert wrong == [], "\n".join(map(str, wrong))
