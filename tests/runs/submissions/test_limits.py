"""Limits of submissions: how many, how often, by when; and the ledger that counts them."""

import json
import threading
from datetime import UTC, datetime

import pytest
from quintain.runs.submissions.ledger import receipts
from quintain.runs.submissions.receipt import GENESIS

from quintain.commitment import sha256
from quintain.errors import FolderError, PhaseClosed, QuotaUsed
from quintain.runs.score import score
from quintain.runs.submissions.answers import submitted_guesses
from quintain.runs.submissions.submit import submit
from quintain.runs.verification.verify import verify
from tests.runs.submissions.submission_cases import TASK, valid


def test_the_last_answer_counts(live):
    first = valid(live)
    second = first.replace("0.25", "0.75")
    submit(live, "red", {TASK: first.encode()})
    submit(live, "red", {TASK: second.encode()})
    (last,) = submitted_guesses(live.edition().track[0], receipts(live))["red"].files()[TASK]
    assert live.at(last.path).read_text() == second


def limited(live, **phase):
    rules = json.loads((live.root / "public/rules/1.json").read_bytes())
    rules["track"][0]["phase"] = [{"id": "attack", "submit": "guess", **phase}]
    (live.root / "public/rules/1.json").write_text(json.dumps(rules))


def test_the_limit_holds_when_twenty_submit_at_once(live):
    limited(live, total=3)
    answer, refusals = valid(live).encode(), []

    def hand_in():
        try:
            submit(live, "red", {TASK: answer})
        except QuotaUsed as error:
            refusals.append(str(error))

    threads = [threading.Thread(target=hand_in) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(receipts(live)) == 3
    assert len(refusals) == 17
    assert "used its 3 submissions of phase" in refusals[0]


def test_the_daily_limit_counts_utc_days(live):
    limited(live, per_day=1)
    answer = {TASK: valid(live).encode()}
    late = datetime(2026, 5, 1, 23, 59, 59, tzinfo=UTC)
    submit(live, "red", answer, now=late)
    with pytest.raises(QuotaUsed, match="of today"):
        submit(live, "red", answer, now=late)
    submit(live, "red", answer, now=datetime(2026, 5, 2, tzinfo=UTC))


def test_deadlines_are_sharp(live):
    limited(live, opens="2026-05-01T00:00:00Z", closes="2026-05-02T00:00:00Z")
    answer = {TASK: valid(live).encode()}
    submit(live, "red", answer, now=datetime(2026, 5, 1, 23, 59, 59, 999999, tzinfo=UTC))
    with pytest.raises(PhaseClosed, match="no phase is open at 2026-05-02 00:00:00 UTC"):
        submit(live, "red", answer, now=datetime(2026, 5, 2, tzinfo=UTC))


def test_what_one_team_hands_in_uses_up_nobody_elses_submissions(live):
    limited(live, total=1, per_day=1)
    answer = {TASK: valid(live).encode()}
    submit(live, "red", answer)
    assert submit(live, "blue", answer).receipt.number == 2
    with pytest.raises(QuotaUsed, match="team red has used its 1 submission of phase"):
        submit(live, "red", answer)


def test_every_phase_has_submissions_of_its_own(live):
    limited(live, total=1, closes="2026-05-02T00:00:00Z")
    rules = json.loads((live.root / "public/rules/1.json").read_bytes())
    later = {"id": "second", "submit": "guess", "total": 1, "opens": "2026-05-02T00:00:00Z"}
    rules["track"][0]["phase"].append(later)
    (live.root / "public/rules/1.json").write_text(json.dumps(rules))
    answer = {TASK: valid(live).encode()}
    first, second = datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 5, 2, tzinfo=UTC)
    assert submit(live, "red", answer, now=first).receipt.phase == "attack"
    with pytest.raises(QuotaUsed, match="of phase attack"):
        submit(live, "red", answer, now=first)
    assert submit(live, "red", answer, now=second).receipt.phase == "second"
    with pytest.raises(QuotaUsed, match="of phase second"):
        submit(live, "red", answer, now=second)


def test_attempts_at_one_task_are_counted_apart_from_those_at_another(live):
    limited(live, per_file=2)
    other = "identity.csv"
    answer = valid(live).encode()
    submit(live, "red", {TASK: answer})
    submit(live, "red", {TASK: answer, other: answer})
    with pytest.raises(QuotaUsed, match=f"team red has used its 2 attempts at {TASK}"):
        submit(live, "red", {TASK: answer})
    with pytest.raises(QuotaUsed, match=f"attempts at {TASK}"):
        submit(live, "red", {TASK: answer, other: answer})
    assert submit(live, "red", {other: answer}).receipt.number == 3
    with pytest.raises(QuotaUsed, match=f"attempts at {other}"):
        submit(live, "red", {other: answer})


def test_a_phase_is_open_from_its_first_moment(live):
    limited(live, opens="2026-05-01T00:00:00Z")
    answer = {TASK: valid(live).encode()}
    with pytest.raises(PhaseClosed, match="no phase is open"):
        submit(live, "red", answer, now=datetime(2026, 4, 30, 23, 59, 59, 999999, tzinfo=UTC))
    assert submit(live, "red", answer, now=datetime(2026, 5, 1, tzinfo=UTC)).receipt.number == 1


def test_every_line_of_the_ledger_names_the_one_before(live):
    answer = {TASK: valid(live).encode()}
    chain = [submit(live, team, answer).receipt for team in ("red", "blue", "red")]
    assert [receipt.number for receipt in chain] == [1, 2, 3]
    assert [receipt.previous for receipt in chain] == [GENESIS, chain[0].hash, chain[1].hash]
    assert receipts(live) == chain


def test_every_line_of_the_ledger_has_its_format(live):
    receipt = submit(live, "red", {TASK: valid(live).encode()}).receipt
    (line,) = (live.root / "submissions/ledger.jsonl").read_text().splitlines()
    assert json.loads(line)["format"] == "quintain.ledger/1"
    assert receipt.line() == line
    assert receipt.model_copy(update={"format": None}).sealed().hash != receipt.hash


def test_lines_from_before_the_ledger_had_a_format_are_still_read(live):
    answer = {TASK: valid(live).encode()}
    first = submit(live, "red", answer).receipt
    path = live.root / "submissions/ledger.jsonl"
    content = {k: v for k, v in json.loads(first.line()).items() if k not in ("format", "hash")}
    digest = sha256(json.dumps(content, sort_keys=True).encode())
    before = json.dumps({**content, "hash": digest}, sort_keys=True)
    path.write_text(before + "\n")
    (old,) = receipts(live)
    assert (old.line(), old.sealed()) == (before, old)
    later = submit(live, "blue", answer).receipt
    assert later.previous == digest
    assert path.read_text() == f"{before}\n{later.line()}\n"
    score(live)
    assert verify(live).problems == ()


def test_a_ledger_of_a_later_format_is_refused_in_words(live):
    submit(live, "red", {TASK: valid(live).encode()})
    path = live.root / "submissions/ledger.jsonl"
    path.write_text(path.read_text().replace("ledger/1", "ledger/2"))
    message = (
        "submissions/ledger.jsonl: line 1 has the format 'quintain.ledger/2'; this version of "
        "quintain reads 'quintain.ledger/1'"
    )
    with pytest.raises(FolderError) as caught:
        submit(live, "red", {TASK: valid(live).encode()})
    assert str(caught.value) == message
    assert message in verify(live).problems


@pytest.mark.parametrize(
    ("quota", "sentence"),
    [
        ({"total": 1}, "team red has used its 1 submission of phase attack"),
        ({"per_day": 1}, r"team red has used its 1 submission of today \(UTC\)"),
        ({"per_file": 1}, f"team red has used its 1 attempt at {TASK}"),
    ],
)
def test_a_quota_of_one_is_said_in_the_singular(live, quota, sentence):
    limited(live, **quota)
    answer = {TASK: valid(live).encode()}
    submit(live, "red", answer)
    with pytest.raises(QuotaUsed, match=f"^{sentence}$"):
        submit(live, "red", answer)
