"""Processes that write to one journal at a time, and that are killed while they write.

    python -m tests.journal.writers together STORE WRITERS LINES
    python -m tests.journal.writers killed STORE KILLS

``STORE`` is the path of a file, or ``URL#JOURNAL`` for a journal in a database. The processes
are forked, because starting each of them anew would take longer than what they do.
"""

import json
import os
import random
import signal
import sys
import time
from pathlib import Path

import sqlalchemy  # noqa: F401 -- before the processes are forked, not in each of them

from quintain.journal.database_store import DatabaseStore
from quintain.journal.file_store import FileStore


def store_at(place):
    url, _, journal = place.partition("#")
    return DatabaseStore(url, journal) if journal else FileStore(Path(place))


def numbered(number, writer):
    # Long lines are cut off more often than short ones.
    fields = {"number": number, "event": "submitted", "team": f"{writer}", "salt": "0" * 5000}
    return json.dumps(fields, sort_keys=True).encode()


def append_next(store, writer):
    """Append a line with the next number, and return the number once it is on the disk."""
    with store.locked():
        last = store.last()
        number = 1 if last is None else json.loads(last)["number"] + 1
        store.append(numbered(number, writer))
    return number


def forked(work):
    """Do some work in a child process, and return its process id."""
    pid = os.fork()
    if pid == 0:
        work()
        os._exit(0)
    return pid


def together(place, writers, lines):
    def write(writer):
        store = store_at(place)
        for _ in range(lines):
            append_next(store, writer)

    pids = [forked(lambda name=name: write(name)) for name in range(writers)]
    return [os.waitpid(pid, 0)[1] for pid in pids]


def killed(place, kills):
    """Kill a writer again and again; return the numbers that they had reported."""
    moments, reported = random.Random(7), []
    for kill in range(kills):
        reader, writer = os.pipe()

        def write(kill=kill, writer=writer):
            store = store_at(place)
            while True:
                os.write(writer, b"%d\n" % append_next(store, kill))

        pid = forked(write)
        os.close(writer)
        begin = os.read(reader, 1)  # the first line is there; now the moment is random
        time.sleep(moments.uniform(0, 0.02))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        rest = b"".join(iter(lambda reader=reader: os.read(reader, 65536), b""))
        reported += [int(number) for number in (begin + rest).split()]
        os.close(reader)
    return reported


if __name__ == "__main__":
    task, place, *numbers = sys.argv[1:]
    print(json.dumps({"together": together, "killed": killed}[task](place, *map(int, numbers))))
