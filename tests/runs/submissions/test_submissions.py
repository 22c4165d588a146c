"""Submissions from outside: faulty ones are refused with reasons, and change nothing."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from quintain.commitment import sha256
from quintain.errors import NoSuchTeam, SubmissionError
from quintain.jobs.files import write_file
from quintain.runs.folder.folder import Folder
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.organising.prepare import prepare
from quintain.runs.submissions.checking import check
from quintain.runs.submissions.counting import file_of, submissions
from quintain.runs.submissions.submit import submit
from quintain.runs.submissions.upload import read_upload
from tests.runs.submissions.submission_cases import TASK, assert_refused, everything, upload, valid


def test_a_valid_answer_is_kept_and_gets_a_receipt(live, tmp_path):
    files = read_upload(upload(tmp_path, valid(live)), live.edition().limits)
    submission = submit(live, "red", files).submission
    assert (submission.team, submission.kind) == ("red", "guess")
    kept = live.root / file_of(submission, TASK)
    assert sha256(kept.read_bytes()) == submission.files[TASK]
    assert submissions(live) == [submission]


def test_wrong_row_count(live, tmp_path):
    text = "".join(valid(live).splitlines(keepends=True)[:-1])
    assert_refused(live, upload(tmp_path, text), "has 19 rows; expected 20")


def test_unknown_target(live, tmp_path):
    assert_refused(
        live, upload(tmp_path, valid(live) + "99,0.5\n"), f"{TASK}:22 target='99': no such"
    )


def test_not_a_number(live, tmp_path):
    text = valid(live).replace("0.25", "nan", 1)
    assert_refused(
        live, upload(tmp_path, text), f"{TASK}:2 probability='nan': expected a number in 0..1"
    )


def test_a_probability_out_of_range(live, tmp_path):
    text = valid(live).replace("0.25", "1.5", 1)
    assert_refused(live, upload(tmp_path, text), "probability='1.5': expected a number in 0..1")


def test_duplicate_rows(live, tmp_path):
    text = valid(live) + valid(live).splitlines()[1] + "\n"
    assert_refused(live, upload(tmp_path, text), "answered before, on line 2")


def test_every_fault_is_named_at_once(live, tmp_path):
    lines = valid(live).splitlines()
    lines[1], lines[2], lines[3] = "0,nan", "1,-1", lines[3].split(",")[0]
    faults = assert_refused(live, upload(tmp_path, "\n".join(lines) + "\n"))
    assert [(fault.line, fault.column) for fault in faults] == [
        (4, None),
        (2, "probability"),
        (3, "probability"),
    ]


def test_a_bad_cell_does_not_hide_what_is_wrong_with_the_targets(live, tmp_path):
    lines = valid(live).splitlines()
    lines[2], lines[4], lines[5] = "1,nan", "99,0.5", "0,0.5"
    lines.insert(3, "")
    faults = assert_refused(live, upload(tmp_path, "\n".join(lines) + "\n"))
    assert [str(fault) for fault in faults] == [
        f"{TASK}:4: is a blank line; delete it",
        f"{TASK}:3 probability='nan': expected a number in 0..1",
        f"{TASK}:6 target='99': no such target was asked about",
        f"{TASK}:7 target='0': answered before, on line 2",
        f"{TASK}: has 20 rows; expected 20, one per target (2 not answered: 11, 12)",
    ]


def test_a_row_with_too_few_cells_still_answers_its_target(live, tmp_path):
    lines = valid(live).splitlines()
    lines[3] = lines[3].split(",")[0]
    (fault,) = assert_refused(live, upload(tmp_path, "\n".join(lines)))
    assert (fault.line, fault.message) == (4, "expected 2 cells, found 1")
    faults = assert_refused(live, upload(tmp_path, "\n".join(lines[:-1])), "not answered: ")
    assert len(faults) == 2


def test_a_cell_is_refused_once(live, tmp_path):
    lines = valid(live).splitlines()
    lines[1], lines[2] = ",0.5", ",nan"
    faults = assert_refused(live, upload(tmp_path, "\n".join(lines)))
    assert [(fault.line, fault.column) for fault in faults] == [
        (2, "target"),
        (3, "target"),
        (3, "probability"),
        (None, None),
    ]
    assert "(2 not answered: 0, 1)" in faults[-1].message


def test_the_columns_of_a_guess_with_a_bad_cell_may_stand_in_any_order(live, tmp_path):
    lines = [",".join(reversed(line.split(","))) for line in valid(live).splitlines()]
    lines[1], lines[2] = "x,0", "0.5,z"
    faults = assert_refused(live, upload(tmp_path, "\r\n".join(lines)))
    assert [fault.column for fault in faults] == ["probability", "target", None]


def test_a_bad_cell_does_not_hide_what_is_wrong_with_rows(tmp_path):
    from tests.kit.test_kit import TWO_ROLES

    write_file(tmp_path / "two/edition.toml", TWO_ROLES.replace("= 200", "= 300").encode())
    folder = Folder(tmp_path / "two")
    prepare(folder, seed=4)
    track = folder.edition().track[0]
    private = (folder.root / "teams/blue/main/private.csv").read_bytes()
    submit(folder, "blue", {"mine.csv": private})
    hand_over(folder)
    with pytest.raises(SubmissionError) as caught:
        check(folder, track, "guess", "red", {"blue.csv": b"row\n-1\n7\n7\n999\nx\n2\n"})
    assert str(caught.value).splitlines() == [
        "blue.csv:2 row='-1': expected an integer of at least 0",
        "blue.csv:6 row='x': expected an integer of at least 0",
        "blue.csv: has 6 rows; expected 5",
        "blue.csv:5 row='999': the population has rows 0..299",
        "blue.csv:4 row='7': named before, on line 3",
    ]


def test_a_bad_cell_of_a_parquet_file_hides_nothing_either(live):
    track = live.edition().track[0]
    files = track.files.model_copy(update={"guess": "{task}.parquet"})
    columns = {"target": ["0", "99"], "probability": [1.5, 0.5]}
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    with pytest.raises(SubmissionError) as caught:
        changed = track.model_copy(update={"files": files})
        check(live, changed, "guess", "red", {"rr-keep0.9.parquet": sink.getvalue()})
    first, second, third = str(caught.value).splitlines()
    assert first == "rr-keep0.9.parquet:1 probability='1.5': expected a number in 0..1"
    assert second == "rr-keep0.9.parquet:2 target='99': no such target was asked about"
    assert "(19 not answered: 1, 10, 11, 12, 13 ...)" in third


def test_an_unknown_team_is_refused(live):
    with pytest.raises(NoSuchTeam, match="unknown team 'green'; available: red, blue"):
        submit(live, "green", {TASK: valid(live).encode()})


def test_checking_hands_nothing_in(live):
    before = everything(live.root)
    check(live, live.edition().track[0], "guess", "red", {TASK: valid(live).encode()})
    assert everything(live.root) == before


def test_a_file_of_one_row_is_said_in_the_singular(live):
    one = "".join(valid(live).splitlines(keepends=True)[:2]).encode()
    with pytest.raises(SubmissionError, match="has 1 row; expected 20"):
        check(live, live.edition().track[0], "guess", "red", {TASK: one})
