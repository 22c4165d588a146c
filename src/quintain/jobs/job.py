"""Jobs: long work cut into pieces that run in any order, on any number of workers, and resume.

A job is a pure function from files to files. Its *key* is a fingerprint of all that its outputs
depend on. Outputs are written under a temporary name and moved into place, and only then is the
job stamped as done; so a kill at any moment loses at most the pieces that were running. A job
whose stamp has the same key, and whose outputs are unchanged, is not run again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from quintain.commitment import canonical_json, sha256
from quintain.jobs.executor import Executor
from quintain.progress import track

Work = Callable[..., Mapping[str, bytes]]


@dataclass(frozen=True, slots=True)
class Job:
    """A piece of work.

    Parameters
    ----------
    name : unique in a folder.
    work : a module-level function of the folder's root and ``args``; returns the content of its
        output files by path below the root.
    key : fingerprint of everything the outputs depend on.
    """

    name: str
    work: Work
    args: tuple[Any, ...]
    key: str


def fingerprint(*facts: object) -> str:
    """One digest of many facts; a path stands for the content of its file."""
    from quintain import __version__

    hasher = hashlib.sha256(__version__.encode())
    for fact in facts:
        text = file_digest(fact) if isinstance(fact, Path) else repr(fact)
        hasher.update(len(text).to_bytes(8, "big") + text.encode())
    return hasher.hexdigest()


def file_digest(path: Path) -> str:
    """SHA-256 of a file, remembered while the file stays as it is."""
    status = path.stat()
    return _file_digest(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=10_000)
def _file_digest(path: Path, changed: int, size: int) -> str:  # noqa: ARG001 -- part of the key
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_file(path: Path, content: bytes) -> None:
    """Write a file as a whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    part.write_bytes(content)
    part.replace(path)


def run_jobs(
    root: Path, jobs: Sequence[Job], *, stamps: str, executor: Executor, label: str
) -> int:
    """Run what is not done yet; returns how many jobs that were.

    ``stamps`` is the folder below the root in which done jobs are noted.
    """
    todo = [job for job in jobs if not _is_done(root, stamps, job)]
    if todo:
        for _ in track(executor.run(partial(_run, root, stamps), todo), label, len(todo)):
            pass
    return len(todo)


def _run(root: Path, stamps: str, job: Job) -> None:
    from threadpoolctl import threadpool_limits

    # One thread a job whatever the number of workers: sums in another order are other bytes.
    with threadpool_limits(1):
        outputs = job.work(root, *job.args)
    for path, content in outputs.items():
        write_file(root / path, content)
    stamp = {"key": job.key, "outputs": {path: sha256(c) for path, c in outputs.items()}}
    write_file(_stamp(root, stamps, job), canonical_json(stamp))


def _stamp(root: Path, stamps: str, job: Job) -> Path:
    return root / stamps / f"{sha256(job.name.encode())[:32]}.json"


def _is_done(root: Path, stamps: str, job: Job) -> bool:
    try:
        stamp = json.loads(_stamp(root, stamps, job).read_bytes())
        if stamp["key"] != job.key:
            return False
        return all(file_digest(root / path) == seen for path, seen in stamp["outputs"].items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False
