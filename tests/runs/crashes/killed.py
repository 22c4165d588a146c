"""Contests whose process is killed at random moments, again and again, until they end.

    python -m tests.runs.crashes.killed FOLDER KILLS

Prints how many contests were played, the kills in each step, and every problem. The processes are
forked, because starting each of them anew would take longer than what they do.
"""

import json
import os
import random
import signal
import sys
import time
from collections import Counter
from pathlib import Path

from quintain.jobs.files import file_digest
from quintain.journal.events import GENESIS, Submitted, read_event
from quintain.journal.file_store import FileStore
from quintain.journal.receipt import Receipt
from quintain.journal.tree import leaf_hash
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.submissions.counting import file_of
from quintain.runs.verification.verify import verify
from tests.runs.crashes.scripted_contest import contents, go_on, new

MOST_REPORTS, MOST_SECONDS = 16, (0.003, 0.03, 0.3)
"""The latest kill is so many seconds after so many reports; some steps take long, others do not."""


class Process:
    """A process that goes on with a contest, and what it has reported."""

    def __init__(self, root):
        self.steps, self.receipts = ["start"], []
        self._reader, writer = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            os.close(self._reader)
            try:
                _work(root, writer)
            finally:
                os._exit(1)
        os.close(writer)

    def kill(self, reports, seconds):
        """Wait for some reports, then some seconds; then kill the process."""
        content = b""
        while content.count(b"\n") < reports and (more := os.read(self._reader, 1 << 16)):
            content += more
        time.sleep(seconds)
        os.kill(self._pid, signal.SIGKILL)
        return self.end(content)

    def end(self, content=b""):
        """Wait for the end of the process; returns its exit status."""
        content += b"".join(iter(lambda: os.read(self._reader, 1 << 16), b""))
        os.close(self._reader)
        for line in content.split(b"\n")[:-1]:
            report = json.loads(line)
            if "receipt" in report:
                self.receipts.append(report["receipt"].encode())
            else:
                self.steps.append(report["step"])
        return os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])


def _work(root, writer):
    def report(**fields):
        os.write(writer, json.dumps(fields).encode() + b"\n")

    folder = Folder(root) if root.exists() else new(root)
    for step in go_on(folder, lambda receipt: report(receipt=receipt.decode())):
        report(step=step)
    report(step="end")
    os._exit(0)


def problems_of(root, receipts):
    """What is wrong after a kill: with the journal, or with what was acknowledged."""
    lines = list(FileStore(root / paths.JOURNAL).lines())
    events = [read_event(line) for line in lines]
    previous = [GENESIS, *(leaf_hash(line).hex() for line in lines)]
    for number, event in enumerate(events, start=1):
        if (event.number, event.previous) != (number, previous[number - 1]):
            yield f"event {number} does not continue the journal"
    for event in events:
        if isinstance(event, Submitted):
            for name, digest in event.files.items():
                path = root / file_of(event, name)
                if not path.is_file() or file_digest(path) != digest:
                    yield f"file {name} of submission {event.number} is lost"
    for content in receipts:
        receipt = Receipt.from_bytes(content)
        receipt.check(events[0].key)
        if receipt.line not in lines:
            yield "a submission with a receipt is lost"


def play_and_kill(root, moments, kills, expected):
    """Play a contest to its end, with at most so many kills; returns kills by step and problems."""
    where, problems, receipts = Counter(), [], []
    for kill in range(kills + 1):
        process = Process(root)
        if kill == kills:
            status = process.end()
        else:
            reports = moments.randint(0, MOST_REPORTS)
            status = process.kill(reports, moments.uniform(0, moments.choice(MOST_SECONDS)))
        receipts += process.receipts
        problems += problems_of(root, receipts)
        if status == -signal.SIGKILL:
            where[process.steps[-1]] += 1
        elif status != 0:
            problems.append(f"a process ended with {status} in step {process.steps[-1]}")
        if status != -signal.SIGKILL:
            break
    return where, problems + differences(dict(contents(Folder(root))), expected)


def differences(made, expected):
    """The files of a contest that are not those of a contest that was never killed."""
    names = sorted({*made, *expected})
    return [f"{name} differs" for name in names if made.get(name) != expected.get(name)]


def main(place, kills):
    moments, where, problems, contests = random.Random(7), Counter(), [], 0
    never_killed = new(place / "never-killed")
    list(go_on(never_killed, bytes))  # here, so that processes find everything imported
    expected = dict(contents(never_killed))
    while sum(where.values()) < kills and not problems:
        contests += 1
        root = place / f"contest-{contests}"
        more, problems = play_and_kill(root, moments, kills - sum(where.values()), expected)
        where += more
    problems += verify(Folder(root)).problems
    print(json.dumps({"contests": contests, "kills": where, "problems": problems}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
