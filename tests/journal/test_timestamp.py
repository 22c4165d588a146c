"""Timestamps: an outside clock signs when it saw some bytes, and nobody else can."""

import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain.errors import MissingExtra, NotVerified
from quintain.journal.timestamp import (
    LONGEST_TIMESTAMP,
    Timestamp,
    request_timestamp,
    require_client,
)
from tests.journal.timestamp_authority import Authority

pytest.importorskip("rfc3161_client", reason="pip install 'quintain[timestamps]'")

MESSAGE = b"quintain/snake1\n42\nroot\n\nsignature\n"


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def stamp(authority):
    return authority.stamp(MESSAGE)


def test_a_timestamp_has_a_time_and_a_name_and_is_about_its_message(authority, stamp):
    read = Timestamp.from_bytes(stamp)
    assert abs(read.time - datetime.now(UTC)) < timedelta(hours=1)
    assert read.authority == "CN=Test clock"
    assert read.is_about(MESSAGE) and not read.is_about(MESSAGE + b" ")
    read.check(MESSAGE, authority.certificate)


def test_openssl_agrees(authority, stamp, tmp_path):
    (tmp_path / "message").write_bytes(MESSAGE)
    (tmp_path / "stamp").write_bytes(stamp)
    command = ["openssl", "ts", "-verify", "-data", tmp_path / "message", "-in", tmp_path / "stamp"]
    command += ["-CAfile", authority.certificate_file]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_a_timestamp_of_another_message_or_authority_is_refused(authority, stamp, tmp_path):
    read = Timestamp.from_bytes(stamp)
    with pytest.raises(NotVerified, match="the timestamp is not valid: Mismatch between messages"):
        read.check(b"another", authority.certificate)
    with pytest.raises(NotVerified, match="no certificate that you gave leads to its signature"):
        read.check(MESSAGE, Authority(tmp_path).certificate)
    with pytest.raises(NotVerified, match="are not PEM"):
        read.check(MESSAGE, b"hello")


def test_an_answer_to_another_request_is_refused(authority):
    request = request_timestamp(MESSAGE)
    Timestamp.from_bytes(authority.answer(request.content)).require_answer(request, MESSAGE)
    replayed = Timestamp.from_bytes(authority.stamp(MESSAGE))
    with pytest.raises(NotVerified, match="not an answer to the request"):
        replayed.require_answer(request, MESSAGE)


def test_a_refusal_of_the_authority_is_named(authority):
    refusal = authority.answer(b"hello")
    with pytest.raises(NotVerified, match="this is not a timestamp: the authority refused"):
        Timestamp.from_bytes(refusal)


@pytest.mark.parametrize("content", [b"", b"{}", b"x" * (LONGEST_TIMESTAMP + 1)])
def test_other_bytes_are_refused_in_words(content):
    with pytest.raises(NotVerified, match="this is not a timestamp: "):
        Timestamp.from_bytes(content)


@given(place=st.integers(0), value=st.integers(0, 255))
def test_no_changed_byte_gives_another_time(authority, stamp, place, value):
    changed = bytearray(stamp)
    changed[place % len(stamp)] = value
    try:
        read = Timestamp.from_bytes(bytes(changed))
        read.check(MESSAGE, authority.certificate)
    except NotVerified:
        return
    assert read.time == Timestamp.from_bytes(stamp).time


def test_without_the_package_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "rfc3161_client", None)
    with pytest.raises(MissingExtra, match=r"pip install 'quintain\[timestamps\]'"):
        require_client()
