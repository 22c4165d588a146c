"""Examination: faults, readings, gates, and what a team may have forgotten."""

from quintain.runs.submissions.examination import examine
from quintain.runs.submissions.submit import expected, submit
from tests.runs.submissions.test_submissions import TASK, valid


def test_a_forgotten_task_is_a_warning_and_no_fault(live):
    files = {TASK: valid(live).encode()}
    examination = examine(live, expected(live, "red"), files)
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
    assert accepted.sentence() == "submission 2 of team red: 2 files"
