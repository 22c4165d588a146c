"""Submissions from outside: hostile or clumsy ones are refused with reasons, and change nothing."""

import io
import json
import threading
import time
import zipfile
from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from quintain.commitment import sha256
from quintain.errors import FolderError, NoSuchTeam, PhaseClosed, QuotaUsed, SubmissionError
from quintain.jobs.files import write_file
from quintain.runs.folder.folder import Folder
from quintain.runs.hand_over import hand_over
from quintain.runs.prepare import prepare
from quintain.runs.score import score
from quintain.runs.submissions.answers import handed_in
from quintain.runs.submissions.checking import check
from quintain.runs.submissions.ledger import receipts
from quintain.runs.submissions.packing import zip_bytes
from quintain.runs.submissions.receipt import GENESIS
from quintain.runs.submissions.submit import submit
from quintain.runs.submissions.upload import read_upload
from quintain.runs.verify import verify

TASK = "rr-keep0.9.csv"


def valid(folder):
    """One complete answer to one task."""
    track = folder.edition().track[0]
    task = next(t for t in folder.tasks(track) if f"{t.name}.csv" == TASK)
    targets = folder.question(track, task).targets().tolist()
    return "target,probability\n" + "".join(f"{target},0.25\n" for target in targets)


def everything(root):
    return {
        path.relative_to(root).as_posix(): sha256(path.read_bytes())
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.name != ".lock"
    }


def assert_refused(folder, path, *words):
    """Hand in an upload that must be refused: quickly, with these words, changing nothing."""
    before, start = everything(folder.root), time.process_time()
    with pytest.raises(SubmissionError) as caught:
        submit(folder, "red", read_upload(path, folder.edition().limits))
    assert time.process_time() - start < 2.0
    assert everything(folder.root) == before
    for word in words:
        assert word in str(caught.value), str(caught.value)
    return caught.value.faults


def upload(tmp_path, content, name=TASK):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_a_valid_answer_is_kept_and_gets_a_receipt(live, tmp_path):
    files = read_upload(upload(tmp_path, valid(live)), live.edition().limits)
    receipt = submit(live, "red", files).receipt
    assert receipt.number == 1
    kept = live.root / receipt.path(TASK)
    assert sha256(kept.read_bytes()) == receipt.files[TASK]
    assert receipts(live) == [receipt]


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


def test_a_file_that_answers_no_task(live, tmp_path):
    assert_refused(live, upload(tmp_path, valid(live), "mst.csv"), "answers no task of track main")


def test_two_hundred_thousand_columns(live, tmp_path):
    text = ",".join(f"c{i}" for i in range(200_000)) + "\n" + "1," * 199_999 + "1\n"
    assert_refused(live, upload(tmp_path, text))


def test_a_zip_that_leads_out_of_its_folder(live, tmp_path):
    content = zip_bytes({"../../secret/seeds.json": b"{}", TASK: valid(live).encode()})
    assert_refused(live, upload(tmp_path, content, "a.zip"), "a path that leads out of the archive")


def test_a_zip_bomb(live, tmp_path):
    content = zip_bytes({TASK: b"0" * 100_000_000})
    assert len(content) < 200_000
    assert_refused(live, upload(tmp_path, content, "a.zip"), "looks like a zip bomb")


def test_a_zip_that_lies_about_its_sizes(live, tmp_path):
    content = bytearray(zip_bytes({TASK: b"0" * 2_000_000}))
    at = content.index(b"PK\x01\x02") + 24
    content[at : at + 4] = (1000).to_bytes(4, "little")
    assert_refused(live, upload(tmp_path, bytes(content), "a.zip"), "cannot be read as a zip file")


@pytest.mark.parametrize(
    ("name", "mode", "words"),
    [
        ("/etc/passwd", 0o644, "leads out of the archive"),
        ("sub/" + TASK, 0o644, "must be in the root"),
        (TASK, 0o120777, "a symbolic link"),
        ("C:\\x.csv", 0o644, "leads out of the archive"),
    ],
)
def test_odd_members_of_a_zip(live, tmp_path, name, mode, words):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        info = zipfile.ZipInfo(name)
        info.external_attr = mode << 16
        archive.writestr(info, b"x")
    assert_refused(live, upload(tmp_path, out.getvalue(), "a.zip"), words)


def test_a_zip_with_a_file_twice(live, tmp_path):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(TASK, "x")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr(TASK, "y")
    assert_refused(live, upload(tmp_path, out.getvalue(), "a.zip"), "appears twice")


def test_a_broken_zip(live, tmp_path):
    content = zip_bytes({TASK: valid(live).encode() * 50})
    broken = content[:80] + bytes(40) + content[120:]
    assert_refused(live, upload(tmp_path, broken, "a.zip"), "cannot be read as a zip file")


def test_an_empty_upload(live, tmp_path):
    assert_refused(live, upload(tmp_path, b""), "the file is empty")


def test_a_missing_upload(live, tmp_path):
    assert_refused(live, tmp_path / "nothing.csv", "the file does not exist")


def test_an_unknown_team_is_refused(live):
    with pytest.raises(NoSuchTeam, match="unknown team 'green'; available: red, blue"):
        submit(live, "green", {TASK: valid(live).encode()})


def test_the_last_answer_counts(live):
    first = valid(live)
    second = first.replace("0.25", "0.75")
    submit(live, "red", {TASK: first.encode()})
    submit(live, "red", {TASK: second.encode()})
    (last,) = handed_in(live.edition().track[0], receipts(live))["red"].files()[TASK]
    assert live.at(last.path).read_text() == second


def limited(live, **phase):
    rules = json.loads((live.root / "public/edition.json").read_bytes())
    rules["track"][0]["phase"] = [{"id": "attack", "submit": "guess", **phase}]
    (live.root / "public/edition.json").write_text(json.dumps(rules))


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
    rules = json.loads((live.root / "public/edition.json").read_bytes())
    later = {"id": "second", "submit": "guess", "total": 1, "opens": "2026-05-02T00:00:00Z"}
    rules["track"][0]["phase"].append(later)
    (live.root / "public/edition.json").write_text(json.dumps(rules))
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


def test_checking_hands_nothing_in(live):
    before = everything(live.root)
    check(live, live.edition().track[0], "guess", "red", {TASK: valid(live).encode()})
    assert everything(live.root) == before


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


def test_a_file_of_one_row_is_said_in_the_singular(live):
    one = "".join(valid(live).splitlines(keepends=True)[:2]).encode()
    with pytest.raises(SubmissionError, match="has 1 row; expected 20"):
        check(live, live.edition().track[0], "guess", "red", {TASK: one})
