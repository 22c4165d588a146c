"""Uploads as teams see them: every fault, receipts, queue, trials, and what stays hidden."""

import io
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from sqlalchemy import event

from quintain.errors import PhaseClosed, QuotaUsed
from quintain.journal.receipt import Receipt
from quintain.measures import Reading
from quintain_host.access import Conflict, NotAllowed, NotThere
from quintain_host.database.work import Upload
from quintain_host.intake import intake
from quintain_host.intake.intake import UploadRequest, take, take_streams
from quintain_host.intake.submitting import can_submit_checked, submit_checked
from quintain_host.intake.uploads_shown import (
    receipt_for,
    shown_reading,
    stored_reading,
    upload_for,
    uploads_for,
    wait_for_worker,
)
from quintain_host.queue import claim, fail
from quintain_host.teams.history import history_for
from quintain_host.uploads import TooLarge
from tests.host import contest_on_site as contest
from tests.host.teams.browsers import browser as browser_of


def streams(files):
    return {name: io.BytesIO(content) for name, content in files.items()}


@pytest.fixture
def edition(one_site):
    return contest.prepared(one_site)


@pytest.mark.slow
def test_who_waits_for_the_worker_sees_what_it_did(one_site, edition):
    red = contest.team(one_site, edition, "red")
    number = take(one_site, red, edition, contest.release(one_site, edition, "red")).upload
    with ThreadPoolExecutor(1) as threads:
        shown = threads.submit(wait_for_worker, one_site, red, edition, number, 60.0)
        contest.drain(one_site)
    assert (shown.result().state, shown.result().receipt) == ("accepted", True)


@pytest.mark.slow
def test_who_waits_in_vain_asks_the_database_little(one_site, edition):
    red = contest.team(one_site, edition, "red")
    number = take(one_site, red, edition, contest.release(one_site, edition, "red")).upload
    questions = []
    event.listen(one_site.database.engine, "before_cursor_execute", lambda *_: questions.append(1))
    assert wait_for_worker(one_site, red, edition, number, 2.0).state == "waiting"
    assert 8 <= len(questions) <= 18  # three before, three after, and eleven short ones


@pytest.mark.slow
def test_an_accepted_upload_has_a_receipt_that_holds(site):
    edition = contest.prepared(site)
    red = contest.team(site, edition, "red")
    number = take(site, red, edition, contest.release(site, edition, "red")).upload
    waiting = upload_for(site, red, edition, number)
    assert (waiting.state, waiting.open, waiting.receipt) == ("waiting", True, False)
    contest.drain(site)
    done = upload_for(site, red, edition, number)
    assert (done.state, done.event) == ("accepted", site.folder(edition).journal().size())
    receipt = Receipt.from_bytes(receipt_for(site, red, edition, number))
    assert receipt.check(site.folder(edition).state().key).size == done.event
    assert [one.id for one in uploads_for(site, red, edition)] == [number]


def test_every_fault_has_its_place(one_site, edition):
    red = contest.team(one_site, edition, "red")
    good = contest.release(one_site, edition, "red")["release.csv"].decode().splitlines()
    bad = "\n".join([good[0], "x," + good[1].partition(",")[2], *good[2:5], "y,\x1b[2J"])
    number = take(one_site, red, edition, {"release.csv": bad.encode()}).upload
    contest.drain(one_site)
    refused = upload_for(one_site, red, edition, number)
    assert refused.state == "refused" and len(refused.faults) > 1
    first = refused.faults[0]
    assert (first.file, first.line, first.got) == ("release.csv", 2, "x") and first.column
    assert "\x1b" not in "".join(f"{one.text}{one.got}" for one in refused.faults)
    with pytest.raises(NotThere, match="no receipt"):
        receipt_for(one_site, red, edition, number)


def test_uploads_of_others_are_not_there(one_site, edition):
    red, blue = (contest.team(one_site, edition, name) for name in ("red", "blue"))
    number = take(one_site, red, edition, contest.release(one_site, edition, "red")).upload
    for act in (upload_for, receipt_for):
        with pytest.raises(NotThere, match="your team has no upload"):
            act(one_site, blue, edition, number)
    assert uploads_for(one_site, blue, edition) == []


@pytest.mark.slow
def test_the_place_in_the_queue_is_a_number(one_site, edition):
    red, blue = (contest.team(one_site, edition, name) for name in ("red", "blue"))
    take(one_site, red, edition, contest.release(one_site, edition, "red"))
    take(one_site, red, edition, contest.release(one_site, edition, "red"))
    last = take(one_site, blue, edition, contest.release(one_site, edition, "blue")).upload
    assert upload_for(one_site, blue, edition, last).before == 2


def test_why_the_host_failed_is_not_for_teams(one_site, edition):
    red = contest.team(one_site, edition, "red")
    number = take(one_site, red, edition, contest.release(one_site, edition, "red")).upload
    claimed = claim(one_site.database, "w", ["intake"], one_site.clock.now())
    fail(one_site.database, claimed, "/srv/secret/seeds.json is damaged", one_site.clock.now())
    failed = upload_for(one_site, red, edition, number)
    assert failed.state == "failed" and "seeds" not in str(failed.faults)


def test_a_worker_that_stopped_before_the_receipt_is_made_up_for(one_site, edition):
    red = contest.team(one_site, edition, "red")
    number = take(one_site, red, edition, contest.release(one_site, edition, "red")).upload
    contest.drain(one_site)
    with one_site.database.writing(edition) as session:
        session.get_one(Upload, number).receipt = None
    contest.request(one_site, edition, "intake", "check", team="red", arguments={"upload": number})
    contest.drain(one_site)
    receipt = Receipt.from_bytes(receipt_for(one_site, red, edition, number))
    assert receipt.check(one_site.folder(edition).state().key)


def test_a_trial_finds_faults_and_costs_nothing(site):
    edition = contest.prepared(site)
    red = contest.team(site, edition, "red")
    size = site.folder(edition).journal().size()
    good = streams(contest.release(site, edition, "red"))
    fine = take_streams(site, red, edition, good, UploadRequest(trial=True)).upload
    wrong = take_streams(
        site, red, edition, streams({"release.csv": b"a\n1\n"}), UploadRequest(trial=True)
    ).upload
    with pytest.raises(QuotaUsed, match="trials of team red wait"):
        take_streams(site, red, edition, streams({"release.csv": b"a"}), UploadRequest(trial=True))
    contest.drain(site)
    assert upload_for(site, red, edition, fine).state == "valid"
    refused = upload_for(site, red, edition, wrong)
    assert refused.state == "invalid" and refused.faults and not refused.readings
    assert site.folder(edition).journal().size() == size


def test_trials_are_limited_per_hour_and_by_the_phase(one_site, monkeypatch):
    edition = contest.prepared(one_site)
    red = contest.team(one_site, edition, "red")
    monkeypatch.setattr(intake, "MOST_PER_HOUR", 2)
    content = {"release.csv": b"a\n1\n"}
    for _ in range(2):
        take_streams(one_site, red, edition, streams(content), UploadRequest(trial=True))
        contest.drain(one_site)
    with pytest.raises(QuotaUsed, match="in the last hour"):
        take_streams(one_site, red, edition, streams(content), UploadRequest(trial=True))
    one_site.clock.set(contest.at(10))
    with pytest.raises(PhaseClosed):
        take_streams(one_site, red, edition, streams(content), UploadRequest(trial=True))


def test_what_is_too_large_leaves_nothing_behind(new_site, tmp_path):
    site = new_site(tmp_path, upload_bytes=1000)
    edition = contest.prepared(site)
    red = contest.team(site, edition, "red")
    two = {"a.csv": b"x" * 600, "b.csv": b"y" * 600}
    with pytest.raises(TooLarge, match="at most"):
        take(site, red, edition, two)
    assert [path.name for path in site.uploads.root.glob(".part*")] == []
    site.clock.set(contest.at(10))
    before = list(site.uploads.root.rglob("*"))
    with pytest.raises(PhaseClosed):
        take(site, red, edition, {"c.csv": b"z"})
    assert list(site.uploads.root.rglob("*")) == before  # nothing is stored for a closed phase
    site.close()


def test_a_card_can_come_beside_a_zip(one_site, edition):
    red = contest.team(one_site, edition, "red")
    packed = contest.zipped(contest.release(one_site, edition, "red"))
    card = b'{"format": "quintain.release/1", "methods": [{"name": "none"}]}'
    number = take(one_site, red, edition, {**packed, "card.json": card}).upload
    twice = contest.zipped({**contest.release(one_site, edition, "red"), "card.json": card})
    second = take(one_site, red, edition, {**twice, "card.json": card}).upload
    contest.drain(one_site)
    assert upload_for(one_site, red, edition, number).state == "accepted"
    (event,) = one_site.folder(edition).journal().submissions("red")
    assert set(event.files) == {"release.csv", "card.json"}
    assert "so has the form" in str(upload_for(one_site, red, edition, second).faults)


def test_a_reading_that_is_no_number_survives_its_row():
    reading = Reading(value=float("nan"), low=float("-inf"), high=2.0, n=0, better="lower")
    again = shown_reading(stored_reading(reading))
    assert str(again.value) == "nan" and again.low == float("-inf") and again.high == 2.0


def test_a_team_sees_what_its_program_made_and_why_no_more(one_site, edition):
    red = contest.team(one_site, edition, "red")
    number = take(one_site, red, edition, contest.release(one_site, edition, "red")).upload
    contest.drain(one_site)
    assert upload_for(one_site, red, edition, number).made == ()
    with one_site.database.writing(edition) as session:
        row = session.get_one(Upload, number)
        row.shown = {**row.shown, "program": {"made": ["a.csv"], "reasons": ["it ran too long"]}}
    shown = upload_for(one_site, red, edition, number)
    assert (shown.made, shown.reasons) == (("a.csv",), ("it ran too long",))
    (submission,) = history_for(one_site, red, edition).submissions
    assert submission.reason == "it ran too long"


GATED = contest.ROUNDS.replace(
    'utility = ["marginals"]', 'utility = [{ use = "marginals", at_most = -1.0 }]'
)


@pytest.mark.slow
def test_a_clean_check_is_submitted_with_one_button(one_site, edition):
    site, red = one_site, contest.team(one_site, edition, "red")
    files = contest.release(site, edition, "red")
    trial = take_streams(site, red, edition, streams(files), UploadRequest(trial=True)).upload
    with pytest.raises(Conflict, match="not a check without faults"):
        submit_checked(site, red, edition, trial)
    contest.drain(site)
    other = replace(red, account=red.account + 1)
    with pytest.raises(NotAllowed, match="somebody else"):
        submit_checked(site, other, edition, trial)
    blue = contest.team(site, edition, "blue")
    with pytest.raises(NotThere):
        submit_checked(site, blue, edition, trial)
    browser = browser_of(site, "red")
    place = f"/contests/{edition}/team/uploads/{trial}"
    assert "Submit these files" in browser.get(place).text
    sent = browser.post(f"{place}/submit")
    assert sent.status_code == 303
    contest.drain(site)
    number = int(sent.headers["location"].rpartition("/")[2])
    done = upload_for(site, red, edition, number)
    assert done.state == "accepted" and done.files == upload_for(site, red, edition, trial).files
    again = browser.post(f"{place}/submit")  # a second press shows the result of the first
    assert again.headers["location"] == sent.headers["location"]
    page = browser.get(place).text
    assert "Submit these files" not in page and f"submitted as upload {number}" in page
    assert len(history_for(site, red, edition).submissions) == 1


def test_two_presses_at_once_submit_once(one_site, edition):
    site, red = one_site, contest.team(one_site, edition, "red")
    files = contest.release(site, edition, "red")
    trial = take_streams(site, red, edition, streams(files), UploadRequest(trial=True)).upload
    contest.drain(site)
    wanted = UploadRequest(checked=trial)
    with ThreadPoolExecutor(4) as pool:
        presses = [
            pool.submit(take_streams, site, red, edition, streams(files), wanted) for _ in range(4)
        ]
    assert len({press.result().upload for press in presses}) == 1


def test_files_that_the_host_failed_with_are_submitted_again(one_site, edition):
    site, red = one_site, contest.team(one_site, edition, "red")
    files = contest.release(site, edition, "red")
    trial = take_streams(site, red, edition, streams(files), UploadRequest(trial=True)).upload
    contest.drain(site)
    first = submit_checked(site, red, edition, trial).id
    with site.database.writing(edition) as session:
        session.get_one(Upload, first).state = "failed"
    assert can_submit_checked(site, red, edition, trial)
    assert submit_checked(site, red, edition, trial).id != first


def test_a_check_is_submitted_within_an_hour_and_byte_by_byte(one_site, edition):
    site, red = one_site, contest.team(one_site, edition, "red")
    files = contest.release(site, edition, "red")
    trial = take_streams(site, red, edition, streams(files), UploadRequest(trial=True)).upload
    contest.drain(site)
    (digest,) = upload_for(site, red, edition, trial).files.values()
    site.uploads.path(digest).write_bytes(b"other")
    with pytest.raises(NotThere, match="damaged"):
        submit_checked(site, red, edition, trial)
    site.uploads.path(digest).unlink()
    with pytest.raises(NotThere, match="not on the server"):
        submit_checked(site, red, edition, trial)
    site.clock.set(contest.at(2))
    assert not can_submit_checked(site, red, edition, trial)


@pytest.mark.parametrize("secret", [False, True])
def test_gates_of_the_own_sample_are_shown_at_once(one_site, secret):
    text = GATED.replace("utility =", 'test_records = "secret"\nutility =') if secret else GATED
    edition = contest.prepared(one_site, text)
    red = contest.team(one_site, edition, "red")
    files = streams(contest.release(one_site, edition, "red"))
    trial = take_streams(one_site, red, edition, files, UploadRequest(trial=True)).upload
    contest.drain(one_site)
    shown = upload_for(one_site, red, edition, trial)
    assert shown.state == "valid"
    assert bool(shown.gate_failures) is not secret
    assert set(shown.readings) == (set() if secret else {"tv1"})
