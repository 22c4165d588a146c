"""Zips: the same bytes whenever they are made, and nothing in them that does not belong there."""

import io
import os
import time
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.kit.archive import archive_bytes
from quintain.runs.folder.folder import Folder
from quintain.runs.submissions.upload import zip_bytes
from quintain.runs.verification.verify import verify
from tests.contest_folders import small
from tests.kit.conftest import unpacked

paths = st.sampled_from(["a.csv", "b.csv", "a/b.csv", "a/c.csv", "z/y/x", "Zürich.txt", "a b"])
folders = st.dictionaries(paths, st.binary(max_size=60), max_size=6)


def infos(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return archive.infolist()


@settings(deadline=None)
@given(folders)
def test_what_is_packed_is_unpacked(files):
    assert unpacked(zip_bytes(files)) == files


@settings(deadline=None)
@given(folders, st.randoms(use_true_random=False))
def test_the_order_of_the_files_does_not_change_the_bytes(files, random):
    items = list(files.items())
    random.shuffle(items)
    assert zip_bytes(dict(items)) == zip_bytes(files)


def test_neither_clock_nor_zone_change_the_bytes(monkeypatch):
    files = {"b.txt": b"two", "a/c.txt": b"one"}
    once = zip_bytes(files)
    monkeypatch.setattr(time, "time", lambda: 2_000_000_000.0)
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        assert zip_bytes(files) == once
    finally:
        monkeypatch.undo()
        time.tzset()


def test_files_stand_in_order_of_path_without_dates_and_readable_for_all():
    members = infos(zip_bytes({"b": b"", "a/z": b"x" * 500, "a": b"1"}))
    assert [info.filename for info in members] == ["a", "a/z", "b"]
    assert {info.date_time for info in members} == {(1980, 1, 1, 0, 0, 0)}
    assert {info.external_attr >> 16 for info in members} == {0o644}


def test_content_is_compressed():
    assert len(zip_bytes({"zeros": bytes(100_000)})) < 1000


@pytest.fixture
def contest(tmp_path):
    """A prepared folder of its own, to be changed."""
    return small(tmp_path / "contest", team=[{"id": "red"}], repeats=1)


def test_the_archive_is_the_folder_with_its_secrets_and_without_hidden_files(contest):
    (contest.root / "public/.note").write_text("to be forgotten")
    files = unpacked(archive_bytes(contest))
    assert "secret/seeds.json" in files
    assert "public/commitments/prepare-main.json" in files
    assert not [name for name in files if name.startswith(".") or "/." in name]
    warning = files.pop("REHEARSAL.md").decode()
    assert warning.startswith("# REHEARSAL: anybody can compute the truth from the seed\n")
    for name, content in files.items():
        assert (contest.root / name).read_bytes() == content
    expected = [p.relative_to(contest.root) for p in contest.root.rglob("*") if p.is_file()]
    shown = {p.as_posix() for p in expected if not any(step.startswith(".") for step in p.parts)}
    assert set(files) == shown - {"secret/signing.key"}


def test_the_same_folder_gives_the_same_archive_wherever_it_is(contest, tmp_path):
    once = archive_bytes(contest)
    for path in contest.root.rglob("*"):
        os.utime(path, (1, 1))
    moved = contest.root.rename(tmp_path / "elsewhere")
    assert archive_bytes(Folder(moved)) == once


@pytest.mark.slow
def test_an_unpacked_archive_can_be_verified(contest, tmp_path):
    from quintain.runs.score import score

    score(contest)
    for name, content in unpacked(archive_bytes(contest)).items():
        path = tmp_path / "revealed" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    assert verify(Folder(tmp_path / "revealed")).problems == ()
