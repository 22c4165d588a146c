"""Hostile and broken uploads: refused with reasons, and nothing changes."""

import io
import zipfile

import pytest

from quintain.runs.submissions.upload import zip_bytes
from tests.runs.submissions.submission_cases import TASK, assert_refused, upload, valid


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
