"""Growing: a journal that has grown is read from where reading ended before."""

import os

import pytest

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

    growing = Growing([], more, 2)
    growing.sizes = sizes
    return growing


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
