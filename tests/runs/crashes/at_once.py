"""Processes that submit for one team at the same time.

    python -m tests.runs.crashes.at_once FOLDER PROCESSES

Prints what became of each submission: ``accepted`` or the kind of refusal.
"""

import json
import os
import sys
from pathlib import Path

from quintain.errors import Refused
from quintain.runs.folder.folder import Folder
from quintain.runs.submissions.submit import submit
from tests.runs.submissions.submission_cases import TASK, valid


def outcome(folder, content):
    try:
        submit(folder, "red", {TASK: content})
    except Refused as refusal:
        return type(refusal).__name__
    return "accepted"


def main(root, processes):
    folder = Folder(root)
    content, (reader, writer) = valid(folder).encode(), os.pipe()
    for _ in range(processes):
        if os.fork() == 0:
            os.write(writer, outcome(folder, content).encode() + b"\n")
            os._exit(0)
    os.close(writer)
    reports = b"".join(iter(lambda: os.read(reader, 1 << 16), b""))
    print(json.dumps(sorted(reports.decode().split())))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
