"""Examination: faults, readings, gates, and what a team may have forgotten."""

from datetime import UTC, datetime

from quintain.runs.submissions.submit import admission_for, examine, submit
from tests.contest_folders import small
from tests.runs.submissions.test_submissions import TASK, valid

NOON = datetime(2026, 5, 2, 12, tzinfo=UTC)


def test_a_forgotten_task_is_a_warning_and_no_fault(live):
    files = {TASK: valid(live).encode()}
    examination = examine(live, admission_for(live, "red"), files)
    assert not examination.faults
    (warning,) = examination.warnings()
    assert warning.startswith("4 of 5 tasks not answered: ")
    assert TASK.removesuffix(".csv") not in warning


def test_an_earlier_answer_to_a_task_is_not_missed(live):
    answer = valid(live).encode()
    accepted = submit(live, "red", {TASK: answer})
    assert len(accepted.examination.unanswered) == 4
    later = submit(live, "red", {"identity.csv": answer})
    assert later.warnings()[0].startswith("3 of 5 tasks not answered: ")
    assert submit(live, "blue", {"identity.csv": answer}).examination.tasks == 5


def test_the_receipt_is_a_sentence(live):
    answer = valid(live).encode()
    submit(live, "blue", {TASK: answer})
    accepted = submit(live, "red", {TASK: answer, "identity.csv": answer})
    assert accepted.sentence() == "event 6: team red submitted 2 files"


def test_the_receipt_says_what_is_left_of_the_quota(tmp_path):
    phases = [{"id": "attack", "submit": "guess", "per_day": 2, "total": 3}]
    folder = small(tmp_path / "live", repeats=1, team=[{"id": "red"}], phase=phases)
    answer = valid(folder).encode()
    first = submit(folder, "red", {TASK: answer}, now=NOON)
    assert first.sentence() == (
        "event 4: team red submitted 1 file, 1 submission left today, "
        "2 submissions left in phase attack"
    )
    second = submit(folder, "red", {TASK: answer}, now=NOON)
    assert second.sentence() == (
        "event 5: team red submitted 1 file, 0 submissions left today, "
        "1 submission left in phase attack"
    )
