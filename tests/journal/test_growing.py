"""Growing: a journal that has grown is read from where reading ended before."""

import os

import pytest

from quintain.journal import growing
from quintain.journal.growing import Growing


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b"one\ntwo\n")
    return path


@pytest.fixture
def read():
    """The lines of a file, and the bytes that were read of it at each call."""
    sizes = []

    def more(known, new):
        blocks = list(new)
        sizes.append(sum(len(block) for _, block in blocks))
        return known + [line for _, block in blocks for line in block.split(b"\n")[:-1]]

    lines = Growing([], more, 2)
    lines.sizes = sizes
    return lines


def append(path, content):
    with path.open("ab") as file:
        file.write(content)


def test_only_new_lines_are_read(path, read):
    assert read(path) == [b"one", b"two"]
    append(path, b"three\n")
    assert read(path) == [b"one", b"two", b"three"]
    assert read.sizes == [8, 6]


def test_a_file_that_did_not_change_is_not_read(path, read):
    read(path)
    assert read(path) == [b"one", b"two"]
    assert read.sizes == [8]


def test_a_line_without_an_end_is_read_when_it_has_one(path, read):
    read(path)
    append(path, b"thr")
    assert read(path) == [b"one", b"two"]
    append(path, b"ee\n")
    assert read(path) == [b"one", b"two", b"three"]


@pytest.mark.parametrize("content", [b"one\ntwX\nthree\n", b"one\n", b"", b"one\ntwo three\n"])
def test_a_file_that_was_replaced_is_read_from_the_start(path, read, content):
    read(path)
    path.write_bytes(content)
    assert read(path) == content.split(b"\n")[:-1]


def test_a_line_changed_in_place_is_read_again(path, read):
    read(path)
    path.write_bytes(b"ONE\ntwo\n")
    os.utime(path, ns=(1, 1))
    assert read(path) == [b"ONE", b"two"]


def test_an_empty_file_has_no_lines(tmp_path, read):
    path = tmp_path / "empty"
    path.write_bytes(b"")
    assert read(path) == []


CONTENTS = [
    b"", b"\n", b"a", b"a\n", b"\na", b"\n\n", b"ab\ncd\n", b"abcdefgh\n", b"abcdefghijklmnop",
    b"x\nabcdefghijklmnopq\nyz", b"\nabcdefghijklmnop", b"abcdefghijk\n\n\nq\n",
]  # fmt: skip


@pytest.mark.parametrize("content", CONTENTS)
def test_lines_are_found_however_they_lie_in_the_blocks(tmp_path, monkeypatch, content):
    monkeypatch.setattr(growing, "_LINE", 3)
    monkeypatch.setattr(growing, "_BLOCK", 4)
    path = tmp_path / "journal"
    path.write_bytes(content)
    whole = content.rfind(b"\n") + 1
    with growing.open_lines(path) as descriptor:
        for before in range(len(content) + 1):
            expected = content.rfind(b"\n", 0, before) + 1
            assert growing.end_of_lines(descriptor, before=before) == expected
        assert growing.end_of_lines(descriptor) == whole
    last = content[:whole].split(b"\n")[-2] if whole else b""
    place = growing.mark(path)
    assert place == growing.Mark(whole, last)
    assert growing.still_has(path, place)
    starts = [0, *(at + 1 for at, byte in enumerate(content[:whole]) if byte == 10)]
    for start in starts:
        offset = start
        for at, block in growing.blocks(path, start):
            assert (at, block) == (offset, content[at : at + len(block)])
            assert block.endswith(b"\n") and (len(block) <= 4 or b"\n" not in block[:4])
            offset += len(block)
        assert offset == whole
        for end in starts:
            read = b"".join(block for _, block in growing.blocks(path, start, end))
            assert read == content[start:end]


def test_a_mark_is_lost_when_its_line_is_another_one(tmp_path):
    path = tmp_path / "journal"
    path.write_bytes(b"one\ntwo\n")
    assert growing.still_has(path, growing.Mark(8, b"two"))
    assert growing.still_has(path, growing.Mark(4, b"one"))
    assert not growing.still_has(path, growing.Mark(8, b"too"))
    assert not growing.still_has(path, growing.Mark(7, b"tw"))
    missing = tmp_path / "missing"
    assert growing.still_has(missing, growing.Mark())
    assert not growing.still_has(missing, growing.Mark(4, b"one"))
    assert (growing.mark(missing), list(growing.blocks(missing))) == (growing.Mark(), [])
