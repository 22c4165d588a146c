"""The rules hold over HTTP: deadlines, quotas, clocks, receipts, and files of other teams."""

import json

import pytest

from quintain.errors import NotVerified
from quintain.journal.receipt import Receipt
from tests.host import contest_on_site as contest
from tests.host.attacks.sender import Sender, unlimited, working

ONCE = contest.ROUNDS.replace('submit = "release"', 'submit = "release"\nper_day = 1', 1)


@pytest.fixture(scope="module")
def site(new_site, tmp_path_factory):
    site = new_site(tmp_path_factory.mktemp("rules"))
    edition = contest.prepared(site, ONCE)
    for team in ("red", "blue", "green"):
        contest.team(site, edition, team)
    with working(site):
        yield site
    site.close()


@pytest.fixture
def red(site):
    return Sender(site, "rounds", "red", unlimited(site))


@pytest.fixture
def blue(site):
    return Sender(site, "rounds", "blue", unlimited(site))


@pytest.fixture(scope="module")
def receipt(site):
    """The receipt of red's first release, on day 3."""
    site.clock.set(contest.at(3))
    red = Sender(site, "rounds", "red", unlimited(site))
    facts = red.result(contest.release(site, "rounds", "red"))
    assert facts["state"] == "accepted", facts
    answer = red.client.get(red.api(f"uploads/{facts['id']}/receipt"))
    assert "attachment" in answer.headers["content-disposition"]
    return facts, answer.content


def public_key(site):
    return (site.edition_root("rounds") / "public/signing.pub").read_text().strip()


@pytest.mark.slow
def test_a_receipt_is_signed_and_cannot_be_invented(site, receipt):
    _facts, content = receipt
    key = public_key(site)
    Receipt.from_bytes(content).check(key)
    fields = json.loads(content)
    line = json.loads(fields["line"])
    for change in ({"team": "blue"}, {"number": line["number"] + 1}, {"kind": "guess"}):
        forged = fields | {"line": json.dumps(line | change)}
        with pytest.raises(NotVerified):
            Receipt.from_bytes(json.dumps(forged).encode()).check(key)
    fields["proof"] = ["00" * 32, *fields["proof"][1:]]
    with pytest.raises(NotVerified):
        Receipt.from_bytes(json.dumps(fields).encode()).check(key)


def test_the_receipt_of_another_team_does_not_exist(receipt, blue):
    facts, _content = receipt
    for path in (f"uploads/{facts['id']}", f"uploads/{facts['id']}/receipt"):
        assert blue.client.get(blue.api(path)).status_code == 404
    for number in (0, -1, 10**30, facts["id"] + 1):
        assert blue.client.get(blue.api(f"uploads/{number}")).status_code in {404, 422}


def test_a_clock_that_is_set_back_gives_no_more_attempts(site, receipt, red):
    site.clock.set(contest.at(6))
    assert red.result(contest.release(site, "rounds", "red", rows=18))["state"] == "accepted"
    for day in (6, 3, 2, 1):
        site.clock.set(contest.at(day))
        answer = red.send(contest.release(site, "rounds", "red", rows=15))
        assert answer.status_code == 429, answer.text
    site.clock.set(contest.at(7))
    assert red.result(contest.release(site, "rounds", "red", rows=15))["state"] == "accepted"


def test_an_upload_that_waits_counts(site, receipt):
    site.clock.set(contest.at(5))
    green = Sender(site, "rounds", "green", unlimited(site))
    files = contest.release(site, "rounds", "green")
    statuses = [green.send(files).status_code for _ in range(3)]
    assert statuses == [202, 429, 429]


def test_a_late_upload_is_refused_whatever_its_headers_say(site, receipt, blue):
    site.clock.set(contest.at(10, 0))
    files = [("file", ("release.csv", contest.release(site, "rounds", "blue")["release.csv"]))]
    early = {"Date": "Sat, 02 May 2026 00:00:00 GMT", "X-Forwarded-For": "127.0.0.1"}
    answer = blue.client.post(
        blue.api("uploads"), files=files, headers=early, data={"phase": "anonymize"}
    )
    assert answer.status_code == 403
    assert "closed" in answer.text or "open" in answer.text


def test_before_the_hand_over_nobody_has_anything_of_others(site, receipt, blue):
    listed = blue.client.get(blue.api("team/files")).json()
    assert [one["name"] for one in listed] == ["main/private.csv"]
    own = (site.edition_root("rounds") / "teams/blue/main/private.csv").read_bytes()
    assert blue.client.get(blue.api("team/files/main/private.csv")).content == own
    for path in ("red/main/private.csv", "../red/main/private.csv"):
        assert blue.client.get(blue.api(f"team/files/{path}")).status_code == 404


def test_a_team_cannot_act_for_another(receipt, blue):
    facts, _content = receipt
    choice = {"track": "main", "events": [facts["event"]]}
    answer = blue.client.put(blue.api("team/choice"), json=choice)
    assert 400 <= answer.status_code < 500
