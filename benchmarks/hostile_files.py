"""Hostile files: submit more than a hundred of them, and print what refusing each one costs.

    python -m benchmarks.hostile_files
    python -m benchmarks.hostile_files --small    without those that take seconds to make

Each upload is submitted by a process of its own. "seconds" is the time from the upload to the
refusal. "reader" is the largest process that read the file; "judge" is how much the process grew
that asked for it. Nothing in the folder of the contest may change.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import tempfile
import time
from pathlib import Path

from benchmarks.hostile.case import Hostile
from benchmarks.hostile.others import OTHERS
from benchmarks.hostile.parquets import PARQUETS
from benchmarks.hostile.texts import TEXTS
from benchmarks.hostile.zips import ZIPS
from quintain.commitment import sha256
from quintain.contests import load
from quintain.data.files import to_bytes
from quintain.data.files.subprocess_reader import json_apart
from quintain.errors import Faults, SubmissionError
from quintain.jobs.subprocess_reader import READERS, Usage
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.paths import Task
from quintain.runs.folder.rules import write_rules
from quintain.runs.organising.prepare import prepare
from quintain.runs.submissions.submit import submit
from quintain.runs.submissions.upload import read_upload

HOSTILE: list[Hostile] = [*TEXTS, *PARQUETS, *ZIPS, *OTHERS]
SMALL_CONTEST = {"baseline": [], "dataset": {"rows": 600}, "team": [{"id": "red"}]}
MB = 1e6


def contest(root: Path) -> Folder:
    """A small contest in which a team may choose names of files and pseudonyms."""
    write_rules(root, load("darc", overrides=SMALL_CONTEST))
    folder = Folder(root)
    prepare(folder, seed=3)
    return folder


def honest_release(folder: Folder) -> bytes:
    """A release that the judge accepts: the private data as they are."""
    track = folder.edition().track[0]
    return to_bytes(folder.private(track, Task(track.id, "red")), ".csv")


def digest(root: Path) -> str:
    """A digest of every file below a folder, except locks."""
    files = sorted(p for p in root.rglob("*") if p.is_file() and p.name != ".lock")
    return sha256(
        "".join(f"{p.relative_to(root)} {sha256(p.read_bytes())}\n" for p in files).encode()
    )


def refusal(folder: Folder, upload: Path) -> str:
    """The sentences with which an upload is refused; empty if it is accepted."""
    try:
        submit(folder, "red", read_upload(upload, folder.edition().limits), kind="release")
    except SubmissionError as error:
        return str(error)
    return ""


def measured(folder: Folder, upload: Path) -> dict[str, object]:
    """Submit an upload, and measure what that costs."""
    used: list[Usage] = []
    json_apart(b"1", Faults())  # so that the first upload does not wait for the server
    READERS.watch = used.append
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    words = refusal(folder, upload)
    seconds = time.perf_counter() - start
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    reader = max((one.memory for one in used), default=0)
    READERS.stop()
    return {"words": words, "seconds": seconds, "judge": grown, "reader": reader}


def in_a_process(folder: Folder, upload: Path) -> dict[str, object]:
    """What ``measured`` says, from a process that ends with the upload."""
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(send, json.dumps(measured(folder, upload)).encode()[:60_000])
        finally:
            os._exit(0)
    os.close(send)
    with os.fdopen(receive, "rb") as answer:
        content = answer.read()
    os.waitpid(child, 0)
    return dict(json.loads(content))


def main() -> None:
    """Print the table, and its largest figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true")
    cases = [case for case in HOSTILE if not (parser.parse_args().small and case.large)]
    rows = []
    with tempfile.TemporaryDirectory() as place:
        folder = contest(Path(place) / "contest")
        honest, before = honest_release(folder), digest(folder.root)
        print(f"{'seconds':>8} {'reader MB':>9} {'judge MB':>9}  upload: refusal")
        for case in cases:
            with tempfile.TemporaryDirectory() as uploads:
                result = in_a_process(folder, case.make(Path(uploads), honest))
            words = str(result["words"])
            good = case.words in words and digest(folder.root) == before
            row = (float(result["seconds"]), result["reader"] / MB, result["judge"] / MB, good)
            rows.append(row)
            shown = words.split("\n")[0][:90] or "ACCEPTED"
            mark = "" if good else f"  WRONG: expected {case.words!r}"
            print("{:8.2f} {:9.0f} {:9.0f}  ".format(*row[:3]) + f"{case.id}: {shown}{mark}")
    print(
        f"{len(rows)} files, {sum(row[3] for row in rows)} refused as expected, nothing stored "
        f"changed; at most {max(row[0] for row in rows):.1f} s, "
        f"{max(row[1] for row in rows):.0f} MB in a reader, "
        f"{max(row[2] for row in rows):.0f} MB more in the judge; "
        f"{sum(row[0] > 2 for row in rows)} took more than 2 s, "
        f"{sum(row[1] + row[2] > 300 for row in rows)} more than 300 MB"
    )


if __name__ == "__main__":
    main()
