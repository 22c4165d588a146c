"""Stores of contents: a folder and S3 do the same."""

import hashlib
import io

import pytest

from quintain.errors import QuintainError
from quintain_host.passing_faults import will_pass
from quintain_host.sharing.contents import (
    DamagedContent,
    StoreAway,
    StoreRefuses,
    fetch,
    open_contents,
)
from tests.host.sharing.bucket_server import BucketServer


@pytest.fixture(params=["folder", "bucket"])
def contents(request, tmp_path):
    if request.param == "folder":
        return open_contents(f"file://{tmp_path}/store")
    return open_contents(request.getfixturevalue("bucket"))


def test_a_content_is_there_under_its_name(contents, tmp_path):
    source = tmp_path / "source"
    source.write_bytes(b"content" * 1000)
    assert not contents.has("open/ab/abc")
    contents.put("open/ab/abc", source)
    contents.put("open/ab/abc", source)  # a second time does no harm
    assert contents.has("open/ab/abc")
    assert b"".join(contents.chunks("open/ab/abc")) == source.read_bytes()
    assert contents.names("open") == ["open/ab/abc"]
    assert contents.names("closed") == []


def test_a_content_from_memory_is_there_until_it_is_removed(contents):
    contents.write("calls/abc.input", b"sealed")
    assert b"".join(contents.chunks("calls/abc.input")) == b"sealed"
    for _ in range(2):  # a second time does no harm
        contents.remove("calls/abc.input")
        assert not contents.has("calls/abc.input")


def test_a_large_content_comes_back_whole(contents, tmp_path):
    source = tmp_path / "source"
    source.write_bytes(bytes(range(256)) * 50_000)  # more than one part of S3
    contents.put("large", source)
    file = io.BytesIO()
    fetch(contents, "large", hashlib.sha256(source.read_bytes()).hexdigest(), file)
    assert file.getvalue() == source.read_bytes()


def test_a_missing_content_is_no_passing_fault(contents):
    with pytest.raises(FileNotFoundError) as problem:
        list(contents.chunks("open/ab/none"))
    assert not will_pass(problem.value)


def test_a_damaged_or_missing_content_waits_for_its_repair(contents, tmp_path):
    source = tmp_path / "source"
    source.write_bytes(b"other")
    contents.put("open/ab/abc", source)
    for name in ("open/ab/abc", "open/ab/none"):
        with pytest.raises(DamagedContent) as problem:
            fetch(contents, name, hashlib.sha256(b"content").hexdigest(), io.BytesIO())
        assert will_pass(problem.value)


def test_a_store_that_is_away_will_come_back(bucket, monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    with pytest.raises(StoreAway) as problem:
        open_contents(bucket).has("anything")
    assert will_pass(problem.value)


def test_a_store_that_refuses_the_keys_says_so(monkeypatch):
    server = BucketServer()
    server.refuse()
    monkeypatch.setenv("AWS_ENDPOINT_URL", server.endpoint)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "expired")
    with pytest.raises(StoreRefuses, match="renew") as problem:
        open_contents("s3://bucket/place").write("anything", b"content")
    assert will_pass(problem.value)
    server.stop()


@pytest.mark.parametrize("url", ["ftp://place", "s3://", "file://host/folder", "folder"])
def test_other_places_are_no_stores(url):
    with pytest.raises(QuintainError, match="not a store"):
        open_contents(url)
