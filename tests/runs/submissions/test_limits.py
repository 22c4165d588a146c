"""Limits of submissions: how many, how often, by when; and the journal that counts them."""

import json
import threading
from datetime import UTC, datetime

import pytest

from quintain.errors import FolderError, PhaseClosed, QuotaUsed
from quintain.runs.submissions.counting import submissions, submitted_guesses
from quintain.runs.submissions.submit import submit
from tests.runs.submissions.submission_cases import TASK, valid


def test_the_last_answer_counts(live):
    first = valid(live)
    second = first.replace("0.25", "0.75")
    submit(live, "red", {TASK: first.encode()})
    submit(live, "red", {TASK: second.encode()})
    (last,) = submitted_guesses(live.edition().track[0], submissions(live), live.state())[
        "red"
    ].files()[TASK]
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
    assert len(submissions(live)) == 3
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
    with pytest.raises(PhaseClosed, match="is not open at 2026-05-02 00:00:00 UTC"):
        submit(live, "red", answer, now=datetime(2026, 5, 2, tzinfo=UTC))


def test_what_one_team_hands_in_uses_up_nobody_elses_submissions(live):
    limited(live, total=1, per_day=1)
    answer = {TASK: valid(live).encode()}
    submit(live, "red", answer)
    assert submit(live, "blue", answer).submission.number == 6
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
    assert submit(live, "red", answer, now=first).submission.phase == "attack"
    with pytest.raises(QuotaUsed, match="of phase attack"):
        submit(live, "red", answer, now=first)
    assert submit(live, "red", answer, now=second).submission.phase == "second"
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
    assert submit(live, "red", {other: answer}).submission.number == 7
    with pytest.raises(QuotaUsed, match=f"attempts at {other}"):
        submit(live, "red", {other: answer})


def test_a_phase_is_open_from_its_first_moment(live):
    limited(live, opens="2026-05-01T00:00:00Z")
    answer = {TASK: valid(live).encode()}
    with pytest.raises(PhaseClosed, match="is not open"):
        submit(live, "red", answer, now=datetime(2026, 4, 30, 23, 59, 59, 999999, tzinfo=UTC))
    assert submit(live, "red", answer, now=datetime(2026, 5, 1, tzinfo=UTC)).submission.number == 5


def test_every_event_names_the_one_before(live):
    answer = {TASK: valid(live).encode()}
    chain = [submit(live, team, answer).submission for team in ("red", "blue", "red")]
    assert [one.number for one in chain] == [5, 6, 7]
    assert [one.previous for one in chain[1:]] == [chain[0].hash, chain[1].hash]
    assert submissions(live) == chain


def test_a_journal_of_a_later_format_is_refused_in_words(live):
    submit(live, "red", {TASK: valid(live).encode()})
    path = live.root / "journal.jsonl"
    path.write_text(path.read_text().replace("journal/1", "journal/2"))
    with pytest.raises(FolderError, match=r"cannot be read: .*quintain\.journal/1"):
        submit(live, "red", {TASK: valid(live).encode()})


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
