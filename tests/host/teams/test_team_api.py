"""The API of teams, from registration to receipt, and what strangers get."""

import json

import pytest

from quintain.journal.receipt import Receipt
from tests.host import contest_on_site as contest
from tests.host.teams.browsers import browser, parts


@pytest.fixture
def edition(one_site):
    return contest.prepared(one_site)


@pytest.mark.slow
def test_a_team_plays_through_the_api(site):
    edition = contest.prepared(site)
    api, root = browser(site, "ann"), f"/api/editions/{edition}"
    made = api.post(f"{root}/team", json={"name": "Red Ones", "affiliation": "Uni"})
    assert (made.status_code, made.json()) == (201, {"id": "red-ones", "state": "joining"})
    contest.drain(site)
    team = api.get(f"{root}/team").json()
    assert (team["state"], team["next_step"]) == ("joined", "anonymize closes")
    assert [one["name"] for one in team["members"]] == ["Ann"]
    assert "example.org" not in json.dumps(team)

    kit = api.get(f"{root}/team/kit")
    assert kit.status_code == 200 and kit.content[:2] == b"PK"
    files = api.get(f"{root}/team/files").json()
    assert [one["name"] for one in files][-1] == "main/private.csv"
    sample = api.get(f"{root}/team/files/main/private.csv")
    assert sample.headers["content-disposition"].startswith("attachment")

    release = contest.release(site, edition, "red-ones")
    sent = api.post(f"{root}/uploads", files=parts(release), data={"track": "main"})
    assert sent.status_code == 202 and sent.json()["state"] == "waiting"
    number = sent.json()["id"]
    contest.drain(site)
    shown = api.get(f"{root}/uploads/{number}").json()
    assert shown["state"] == "accepted" and shown["receipt"]
    receipt = api.get(f"{root}/uploads/{number}/receipt").content
    assert Receipt.from_bytes(receipt).check(site.folder(edition).state().key)
    (submission,) = api.get(f"{root}/team/history").json()["submissions"]
    assert submission["counts"] and submission["upload"] == number


def test_faults_come_with_their_places(one_site, edition):
    contest.team(one_site, edition, "red")
    api, root = browser(one_site, "red"), f"/api/editions/{edition}/uploads"
    number = api.post(root, files=parts({"release.csv": b"a,b\n1,2\n"})).json()["id"]
    contest.drain(one_site)
    shown = api.get(f"{root}/{number}").json()
    assert shown["state"] == "refused" and shown["faults"][0]["file"] == "release.csv"
    assert api.get(f"{root}/{number}/receipt").status_code == 404
    trial = api.post(root, files=parts({"release.csv": b"a\n"}), data={"trial": "true"})
    assert trial.json()["state"] == "trying"


@pytest.mark.slow
def test_a_team_chooses_what_counts(one_site, edition):
    contest.team(one_site, edition, "red")
    api, root = browser(one_site, "red"), f"/api/editions/{edition}"
    for rows in (20, 21):
        files = contest.release(one_site, edition, "red", rows)
        api.post(f"{root}/uploads", files=parts(files))
        contest.drain(one_site)
    first, last = (one["event"] for one in api.get(f"{root}/team/history").json()["submissions"])

    def counting():
        listed = api.get(f"{root}/team/history").json()["submissions"]
        return [one["event"] for one in listed if one["counts"]]

    assert counting() == [last]
    wish = {"track": "main", "phase": "anonymize", "submissions": [first]}
    assert api.put(f"{root}/team/choice", json=wish).status_code == 202
    contest.drain(one_site)
    assert counting() == [first]
    assert api.put(f"{root}/team/choice", json=wish).status_code == 403
    assert api.put(f"{root}/team/choice", json={**wish, "submissions": [1]}).status_code == 403
    assert api.put(f"{root}/team/choice", json={**wish, "submissions": []}).status_code == 202
    contest.drain(one_site)
    assert counting() == [last]


def test_descriptions_are_plain_text_with_limits(one_site, edition):
    contest.team(one_site, edition, "red")
    api, place = browser(one_site, "red"), f"/api/editions/{edition}/team/description"
    wish = {"text": "We <b>swap</b>\r\nvalues.", "code": "https://example.org/x", "licence": "MIT"}
    assert api.put(place, json=wish).json()["text"] == "We <b>swap</b>\nvalues."
    assert api.get(place).json()["licence"] == "MIT"
    for bad in (
        {"text": "x" * 10_001},
        {"text": "", "code": "javascript:alert(1)"},
        {"text": "", "code": "https://a b"},
        {"text": "", "code": "https://user@example.org"},
        {"text": "a\u202eb"},
        {"text": "", "licence": "x" * 101},
    ):
        assert api.put(place, json=bad).status_code == 422, bad


def test_the_questionnaire_becomes_a_card(one_site, edition):
    contest.team(one_site, edition, "red")
    api, root = browser(one_site, "red"), f"/api/editions/{edition}"
    card = api.post(
        f"{root}/team/card",
        json={"methods": [{"name": "noise addition", "columns": ["age"], "rows": 5}]},
    )
    assert card.json()["methods"][0]["rows"] == 5
    wrong = api.post(f"{root}/team/card", json={"methods": [{"rows": "many"}]})
    assert wrong.status_code == 422 and len(wrong.json()["faults"]) == 2
    files = contest.zipped(contest.release(one_site, edition, "red"))
    fields = {"method-1-name": "noise addition", "method-1-columns": "age, sex", "claim-unit": ""}
    fields |= {"model-k-anonymity": "5", "model-name": "m-invariance", "model-value": "3"}
    api.post(f"{root}/uploads", files=parts(files), data=fields)
    contest.drain(one_site)
    (event,) = one_site.folder(edition).journal().submissions("red")
    stored = one_site.edition_root(edition) / "submissions" / "files"
    digest = event.files["card.json"]
    content = json.loads((stored / digest[:2] / f"{digest}.json").read_bytes())
    assert content["methods"][0]["columns"] == ["age", "sex"]
    assert [(one["name"], one["value"]) for one in content["models"]] == [
        ("k-anonymity", 5),
        ("m-invariance", 3),
    ]


PATHS = [
    "team",
    "team/kit",
    "team/kit/state",
    "team/files",
    "team/files/main/private.csv",
    "team/history",
    "team/description",
    "team/links",
    "uploads",
    "uploads/1",
    "uploads/1/receipt",
]


def test_strangers_get_nothing(one_site):
    edition = contest.prepared(one_site)
    contest.team(one_site, edition, "red")
    for name, status in ((None, 401), ("eve", 403), ("olga", 403)):
        api = browser(one_site, name)
        for path in PATHS:
            assert api.get(f"/api/editions/{edition}/{path}").status_code == status, (name, path)


def test_bad_uploads_are_answered_in_words(one_site):
    edition = contest.prepared(one_site)
    contest.team(one_site, edition, "red")
    api, place = browser(one_site, "red"), f"/api/editions/{edition}/uploads"
    good = contest.release(one_site, edition, "red")
    for files, data, status in (
        ([], {"track": "main"}, 422),
        (parts(good), {"track": "nowhere"}, 404),
        (parts(good), {"kind": "nonsense"}, 422),
        (parts(good), {"sample": "-1"}, 422),
        (parts({"x" * 300: b"1"}), {}, 422),
        ([*parts(good), *parts(good)], {}, 422),
    ):
        answer = api.post(place, files=files or None, data=data)
        assert answer.status_code == status and answer.json()["detail"], (data, answer.text)
    assert api.get(f"{place}/99999999999999999999").status_code == 404
