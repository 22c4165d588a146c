"""Uploads: files, folders and zips from outside; every cap is checked before it costs anything."""

import io
import os
import time
import zipfile

import pytest

from quintain.data import Limits
from quintain.errors import SubmissionError
from quintain.runs.submissions.upload import read_upload, zip_bytes

FILES = {"a.csv": b"1\n", "b.csv": b"2\n"}


def reasons(path, **limits):
    with pytest.raises(SubmissionError) as caught:
        read_upload(path, Limits(**limits))
    return [str(fault) for fault in caught.value.faults]


@pytest.fixture
def packed(tmp_path):
    """Writes files into a zip."""

    def write(files=FILES):
        path = tmp_path / "up.zip"
        path.write_bytes(zip_bytes(files))
        return path

    return write


def test_file_folder_and_zip_are_the_same(tmp_path, packed):
    folder = tmp_path / "answers"
    folder.mkdir()
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    assert read_upload(folder, Limits()) == FILES
    assert read_upload(packed(), Limits()) == FILES
    assert read_upload(folder / "a.csv", Limits()) == {"a.csv": b"1\n"}


def test_a_folder_inside_a_folder_is_left_out(tmp_path):
    (tmp_path / "answers/deep").mkdir(parents=True)
    (tmp_path / "answers/a.csv").write_bytes(b"1\n")
    (tmp_path / "answers/deep/b.csv").write_bytes(b"2\n")
    assert read_upload(tmp_path / "answers", Limits()) == {"a.csv": b"1\n"}


def test_an_empty_folder_and_an_empty_zip_are_refused(tmp_path, packed):
    (tmp_path / "empty").mkdir()
    assert reasons(tmp_path / "empty") == ["empty: the folder is empty"]
    assert reasons(packed({})) == ["up.zip: the archive is empty"]


def test_a_zip_is_a_zip_only_if_it_is_called_so(tmp_path, packed):
    path = packed().rename(tmp_path / "up.csv")
    assert reasons(path) == ["up.csv 'up.csv': is a zip archive; its name must end in .zip"]


def test_a_zip_inside_a_zip_is_named(packed):
    path = packed({"inner.zip": packed().read_bytes()})
    expected = "is a zip archive; expected CSV or Parquet files, or a zip of them"
    assert reasons(path) == [f"up.zip 'inner.zip': {expected}"]


def test_what_desktops_add_by_themselves_is_left_out(tmp_path, packed):
    added = {"a.csv": b"1\n", ".DS_Store": b"x", "__MACOSX/._a.csv": b"x", "Thumbs.db": b"x"}
    assert read_upload(packed(added), Limits()) == {"a.csv": b"1\n"}
    (tmp_path / "answers").mkdir()
    for name in ("a.csv", ".DS_Store"):
        (tmp_path / "answers" / name).write_bytes(added[name])
    assert read_upload(tmp_path / "answers", Limits()) == {"a.csv": b"1\n"}


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("answers.rar", b"Rar!\x1a\x07\x01\x00", "a RAR archive"),
        ("answers.7z", b"7z\xbc\xaf\x27\x1c\x00\x04", "a 7z archive"),
        ("task.xls", b"\xd0\xcf\x11\xe0\xa1\xb1", "an old Excel workbook"),
        ("task.xlsx", b"PK\x03\x04...[Content_Types].xml", "an Excel workbook"),
        ("task.csv", "target,probability".encode("utf-16"), "UTF-16 text"),
        ("task.csv", "target,probability".encode("utf-16-le"), "UTF-16 text"),
        ("task.csv", b"PAR1\x15\x04", "a Parquet file"),
    ],
)
def test_a_file_of_another_kind_is_named(tmp_path, name, content, kind):
    (tmp_path / name).write_bytes(content)
    expected = f"is {kind}; expected CSV or Parquet files, or a zip of them"
    assert reasons(tmp_path / name) == [f"{name} {name!r}: {expected}"]


def test_a_file_at_the_limit_is_taken_and_one_byte_more_is_not(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"x" * 100)
    assert read_upload(path, Limits(file_bytes=100))
    assert reasons(path, file_bytes=99) == ["a.csv: a.csv has 100 bytes; the limit is 99"]
    assert reasons(tmp_path, file_bytes=99)[0].endswith("a.csv has 100 bytes; the limit is 99")


def test_members_at_the_limit_are_taken_and_one_more_is_not(packed):
    path = packed({f"{i}.csv": b"x" for i in range(5)})
    assert len(read_upload(path, Limits(archive_members=5))) == 5
    assert reasons(path, archive_members=4) == ["up.zip: 5 files; the limit is 4"]


def test_an_archive_that_unpacks_to_too_much_is_refused(packed):
    path = packed({"a.csv": b"x" * 60, "b.csv": b"y" * 60})
    assert read_upload(path, Limits(archive_bytes=120))
    assert reasons(path, archive_bytes=119) == ["up.zip: unpacks to 120 bytes; the limit is 119"]


def test_a_member_that_is_too_large_is_refused(packed):
    path = packed({"a.csv": b"x" * 60, "b.csv": b"y"})
    assert reasons(path, file_bytes=59) == ["up.zip 'a.csv': more than 59 bytes"]


@pytest.mark.parametrize("names", [("A.csv", "a.csv"), ("a.csv", "A.csv")])
def test_names_that_differ_in_case_alone_are_the_same_name(tmp_path, names):
    with zipfile.ZipFile(tmp_path / "up.zip", "w") as archive:
        for name in names:
            archive.writestr(name, "1")
    assert reasons(tmp_path / "up.zip") == [f"up.zip {names[1]!r}: appears twice"]


def test_an_archive_that_unpacks_to_many_times_its_size_is_refused(packed):
    path = packed({"a.csv": b"0" * 3_000_000})
    (reason,) = reasons(path)
    assert reason.endswith("times its size; it looks like a zip bomb")
    assert read_upload(path, Limits(archive_ratio=10_000))


def test_a_small_archive_may_be_packed_tightly(packed):
    assert read_upload(packed({"a.csv": b"0" * 1_000_000}), Limits(archive_ratio=2))


def test_a_symbolic_link_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "up.zip", "w") as archive:
        info = zipfile.ZipInfo("a.csv")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    assert reasons(tmp_path / "up.zip") == ["up.zip 'a.csv': a symbolic link"]


def flagged(content, at, value):
    """Sets the flags of the first member, in its header and in the directory."""
    out = bytearray(content)
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        start = out.index(signature) + offset
        out[start + at] |= value
    return bytes(out)


def test_an_encrypted_member_is_refused(tmp_path):
    path = tmp_path / "up.zip"
    path.write_bytes(flagged(zip_bytes({"a.csv": b"1\n"}), 0, 1))
    assert reasons(path) == ["up.zip 'a.csv': is encrypted"]


@pytest.mark.parametrize("name", ["../a.csv", "x/../../a.csv", "/a.csv", "..\\a.csv", "c:a.csv"])
def test_a_path_that_leads_out_is_refused(tmp_path, name):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(zipfile.ZipInfo(name), b"x")
    (tmp_path / "up.zip").write_bytes(out.getvalue())
    assert any("a path that leads out of the archive" in r for r in reasons(tmp_path / "up.zip"))


def test_every_reason_is_given_at_once(packed):
    path = packed({"../a": b"x" * 80, "deep/b": b"y", "B": b"", "b": b""})
    messages = reasons(path, file_bytes=70, archive_bytes=75)
    assert len(messages) == 5
    expected = ("unpacks to 81", "leads out", "must be in the root", "appears twice", "more than")
    for words in expected:
        assert any(words in reason for reason in messages)


def test_a_member_longer_than_the_archive_says_is_refused(tmp_path):
    content = bytearray(zip_bytes({"a.csv": b"x" * 1000}))
    at = content.index(b"PK\x01\x02") + 24
    content[at : at + 4] = (10).to_bytes(4, "little")
    (tmp_path / "up.zip").write_bytes(content)
    (reason,) = reasons(tmp_path / "up.zip")
    assert "cannot be read as a zip file" in reason


def test_links_pipes_and_hard_links_are_refused(tmp_path):
    secret, folder = tmp_path / "secret.csv", tmp_path / "answers"
    secret.write_bytes(b"1\n")
    folder.mkdir()
    (folder / "link.csv").symlink_to(secret)
    (folder / "hard.csv").hardlink_to(secret)
    (folder / "zero.csv").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe.csv")
    several = "has several names (hard links); submit a copy of it"
    assert reasons(folder) == [
        f"answers 'hard.csv': {several}",
        "answers 'link.csv': is a link; submit the file itself",
        "answers 'pipe.csv': is not a plain file",
        "answers 'zero.csv': is a link; submit the file itself",
    ]
    assert reasons(folder / "link.csv") == [
        "link.csv 'link.csv': is a link; submit the file itself"
    ]


def test_a_zip_that_is_too_large_is_not_opened(tmp_path):
    path = tmp_path / "up.zip"
    with path.open("wb") as file:
        file.truncate(600_000_000)
    assert reasons(path) == ["up.zip: up.zip has 600000000 bytes; the limit is 502000000"]


def renamed(name, other):
    """A zip in which a name is replaced by another one of the same length."""
    return zip_bytes({name: b"1\n"}).replace(name.encode(), other)


def test_a_name_that_two_readers_would_cut_differently_is_refused(tmp_path):
    (tmp_path / "up.zip").write_bytes(renamed("a.csv.exe", b"a.csv\x00exe"))
    (reason,) = reasons(tmp_path / "up.zip")
    assert reason == r"up.zip 'a.csv\x00exe': a name with characters that cannot be shown"


def test_two_million_entries_are_counted_and_not_read(tmp_path):
    entry = b"PK\x01\x02" + bytes(42)
    end = b"PK\x05\x06" + bytes(8) + (46 * 2_000_000).to_bytes(4, "little") + bytes(6)
    (tmp_path / "up.zip").write_bytes(entry * 2_000_000 + end)
    start = time.process_time()
    (reason,) = reasons(tmp_path / "up.zip")
    assert reason == "up.zip: 2000000 files and folders; the limit is 2000 files"
    assert time.process_time() - start < 2
