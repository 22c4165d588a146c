"""Power failures: whatever has not reached the disk is gone, and no acknowledged line is among it.

The disk is simulated. Every change of a file and every sync is noted; then each state is built in
which a power failure can leave the folder.
"""

import json
import os
from functools import reduce
from itertools import compress, product

import pytest

from quintain.jobs import files
from quintain.journal import file_store
from quintain.journal.file_store import FileStore

LINES = [
    json.dumps({"number": number, "salt": "x" * 40 * number}, sort_keys=True).encode()
    for number in range(1, 7)
]
HALF = b'{"cut off": "by a crash' + b"." * 400


class Recorder:
    """Stands for the module ``os``: does what it does, in small pieces, and notes every change."""

    def __init__(self):
        self.log = []
        self.paths = {}

    def __getattr__(self, name):
        return getattr(os, name)

    def open(self, path, flags, mode=0o777):
        is_new = not path.exists()
        descriptor = os.open(path, flags, mode)
        self.paths[descriptor] = path
        if is_new:
            self.log.append(("create", path))
        return descriptor

    def write(self, descriptor, content):
        piece = bytes(content[: len(content) // 2 + 1])
        self.log.append(
            ("write", self.paths[descriptor], os.fstat(descriptor).st_size, piece),
        )
        return os.write(descriptor, piece)

    def ftruncate(self, descriptor, size):
        self.log.append(("truncate", self.paths[descriptor], size))
        os.ftruncate(descriptor, size)

    def fsync(self, descriptor):
        self.log.append(("sync", self.paths[descriptor]))


def changed(content, change):
    action, _, position, *piece = change
    if action == "truncate":
        return content[:position]
    return content[:position] + piece[0] + content[position + len(piece[0]) :]


def possible_contents(log, path):
    """What a file can contain after a power failure.

    The disk has everything up to the last sync. Of what was appended later, it has the beginning.
    But if the file was made shorter, that may come last, and then anything may be written over the
    old end before it.
    """
    changes = [entry for entry in log if entry[1] == path and entry[0] != "create"]
    syncs = [number for number, entry in enumerate(changes) if entry[0] == "sync"]
    last_sync = syncs[-1] if syncs else -1
    content = b""
    for entry in changes[: last_sync + 1]:
        content = content if entry[0] == "sync" else changed(content, entry)
    pending = changes[last_sync + 1 :]
    for length in range(len(pending) + 1):
        yield reduce(changed, pending[:length], content)
    if any(entry[0] == "truncate" for entry in pending):
        writes = [entry for entry in pending if entry[0] == "write"]
        for is_written in product((False, True), repeat=len(writes)):
            yield reduce(changed, compress(writes, is_written), content)


def after_power_failure(log):
    """Every state of the folder that a power failure can leave: file names with contents."""
    folder_syncs = [n for n, e in enumerate(log) if e[0] == "sync" and e[1].is_dir()]
    synced = folder_syncs[-1] if folder_syncs else -1
    options = []
    for path in dict.fromkeys(entry[1] for entry in log if entry[0] == "create"):
        contents = set(possible_contents(log, path))
        if ("create", path) not in log[: synced + 1]:
            contents.add(None)  # the name was never synced
        options.append([(path.name, content) for content in contents])
    for state in product(*options):
        yield {name: content for name, content in state if content is not None}


@pytest.fixture
def store(tmp_path):
    return FileStore(tmp_path / "journal.jsonl")


@pytest.fixture
def recorder(monkeypatch):
    recorder = Recorder()
    for module in (file_store, files):
        monkeypatch.setattr(module, "os", recorder)
    return recorder


def append(store, line):
    with store.locked():
        store.append(line)


def leave_half_a_line(store, recorder):
    """A process crashed while it wrote; what it wrote reached the disk."""
    descriptor = recorder.open(store.path, os.O_WRONLY | os.O_APPEND)
    rest = HALF
    while rest:
        rest = rest[recorder.write(descriptor, rest) :]
    recorder.fsync(descriptor)
    os.close(descriptor)


def test_a_power_failure_loses_nothing_that_was_acknowledged(store, recorder, monkeypatch):
    safe = [(0, 0)]  # after each noted change: how many lines and half lines cannot get lost
    for number, line in enumerate(LINES):
        if number in (2, 4):
            leave_half_a_line(store, recorder)
            safe += [safe[-1]] * (len(recorder.log) - len(safe)) + [(number, safe[-1][1] + 1)]
        append(store, line)
        safe += [safe[-1]] * (len(recorder.log) - len(safe)) + [(number + 1, safe[-1][1])]
    monkeypatch.undo()
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # only one power failure at a time

    states = 0
    for moment, (lines, halves) in enumerate(safe):
        for contents in after_power_failure(recorder.log[:moment]):
            states += 1
            check_folder(store.path.parent / f"state-{states}", contents, lines, halves)
    assert states > 100


def check_folder(folder, contents, safe_lines, safe_halves):
    """Whole lines, in order, at least those that were acknowledged; and the journal goes on."""
    folder.mkdir()
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    store = FileStore(folder / "journal.jsonl")
    lines = list(store.lines())
    assert lines == LINES[: len(lines)] and len(lines) >= safe_lines
    append(store, b'{"number": 99}')
    assert list(store.lines()) == [*lines, b'{"number": 99}']
    aside = store.cut_off.read_bytes() if store.cut_off.is_file() else b""
    assert aside.count(HALF) >= safe_halves


def test_a_file_gets_its_first_line_after_its_folder_was_synced(store, recorder):
    # Otherwise a crash between the two would leave a file that nobody syncs the folder for.
    append(store, b"{}")
    name, folder = store.path.name, store.path.parent.name
    actions = [(entry[0], entry[1].name) for entry in recorder.log if "lock" not in entry[1].name]
    assert actions == [
        ("create", name),
        ("sync", folder),
        ("write", name),
        ("write", name),
        ("sync", name),
    ]
