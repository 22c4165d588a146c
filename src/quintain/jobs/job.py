"""Job: one piece of long work. Pieces run in any order, on any number of workers, and can resume.

A job is a pure function from files to files. It is written as the name of the function with plain
arguments, so that it fits into a row of a table. Its *key* is a fingerprint of everything its
outputs depend on. Outputs are written under a temporary name and moved into place; only then does
the job get a stamp that says it is done. A crash loses at most the jobs that were running. A job
whose stamp has the same key, and whose outputs are unchanged, does not run again.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from quintain.commitment import canonical_json, sha256
from quintain.errors import JobFailed, QuintainError
from quintain.jobs.executor import Executor
from quintain.jobs.files import file_digest, write_file
from quintain.jobs.graph import nothing_more
from quintain.jobs.progress import report, track

Work = Callable[..., Mapping[str, bytes]]
"""A function of a folder's root and plain arguments; returns the content of files by path."""
Plain = str | int | float | bool | None | Sequence["Plain"]
"""A value that JSON can represent."""
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of work: a function, its arguments, and a key for its outputs.

    Parameters
    ----------
    name : unique in a folder.
    work : a module-level function as ``"module:function"``; see :data:`Work`.
    args : what it is called with, after the root of the folder.
    key : fingerprint of everything the outputs depend on.
    """

    name: str
    work: str
    args: tuple[Plain, ...]
    key: str

    @classmethod
    def of(cls, name: str, work: Work, args: tuple[Plain, ...], key: str) -> Job:
        """A job that calls a function.

        >>> Job.of("sum", fingerprint, (1, 2), "k").work
        'quintain.jobs.job:fingerprint'
        """
        function = cast(Any, work)
        return cls(name, f"{function.__module__}:{function.__qualname__}", args, key)

    def to_json(self) -> str:
        """The job as one line of JSON."""
        return json.dumps([self.name, self.work, self.args, self.key])

    @classmethod
    def from_json(cls, text: str) -> Job:
        """The job that :meth:`to_json` wrote.

        >>> job = Job("a", "m:f", ("x", (1, 2)), "k")
        >>> Job.from_json(job.to_json()).to_json() == job.to_json()
        True
        """
        name, work, args, key = json.loads(text)
        return cls(name, work, tuple(args), key)

    def run(self, root: Path) -> Mapping[str, bytes]:
        """Call the function: the contents of the output files, by path below the root."""
        module, _, function = self.work.partition(":")
        work = cast(Work, getattr(import_module(module), function))
        # Always one thread per job: sums in another order would give other bytes.
        with one_thread():
            return work(root, *self.args)


Then = Callable[[Job], Iterable[Job]]
"""The jobs that can start once a job is done."""


def fingerprint(*facts: object) -> str:
    """One digest of many facts and of the version; a path stands for the content of its file."""
    from quintain import __version__

    hasher = hashlib.sha256(__version__.encode())
    for fact in facts:
        text = file_digest(fact) if isinstance(fact, Path) else repr(fact)
        hasher.update(len(text).to_bytes(8, "big") + text.encode())
    return hasher.hexdigest()


def run_jobs(
    root: Path,
    jobs: Sequence[Job],
    *,
    stamps: str,
    executor: Executor,
    label: str,
    public: str | None = None,
    then: Then = nothing_more,
) -> int:
    """Run the jobs that are not done, and those that follow from them; returns how many ran.

    Parameters
    ----------
    stamps : the folder below the root with one file per finished job.
    public : the folder below the root whose files every user of this machine may read.
    then : the jobs that can start once a job is done; see :mod:`quintain.jobs.graph`.
    """
    root = root.absolute()  # workers elsewhere work in other folders
    started = 0

    def open_jobs(jobs: Iterable[Job]) -> Iterator[Job]:
        nonlocal started
        for job in jobs:
            if is_done(root, stamps, job):
                yield from open_jobs(then(job))
            else:
                started += 1
                yield job

    todo = list(open_jobs(jobs))
    finished = executor.run(
        partial(_run, root, stamps, public),
        todo,
        then=lambda job: list(open_jobs(then(job))),
        kind=_kind,
        shared=root,
    )
    if todo:
        report(label, 0, started)
        for done, _ in enumerate(finished, start=1):
            report(label, done, started)
    return started


def _kind(job: Job) -> str:
    """Jobs whose names differ only in numbers do the same with other draws."""
    return _NUMBER.sub("", job.name)


def run_live(
    root: Path,
    jobs: Sequence[Job],
    work: Callable[[Job], Mapping[str, bytes]],
    *,
    stamps: str,
    executor: Executor,
    label: str,
) -> int:
    """Run the jobs that are not done with a function that holds live objects; returns how many.

    A sanitizer of another maker cannot be written as plain arguments, so workers get the function
    itself. The jobs only name the pieces of work, and this process writes what they made.
    """
    todo = [job for job in jobs if not is_done(root, stamps, job)]
    with one_thread():  # once for all jobs: each time takes milliseconds
        for job, contents in track(executor.run(partial(_call, work), todo), label, len(todo)):
            finish(root, stamps, job, contents)
    return len(todo)


def _call(work: Callable[[Job], Mapping[str, bytes]], job: Job) -> tuple[Job, Mapping[str, bytes]]:
    with explain_crash(job.name), one_thread():
        return job, work(job)


def _run(root: Path, stamps: str, public: str | None, job: Job) -> Job:
    with explain_crash(job.name, _stamp(root, stamps, job, ".txt")):
        contents = job.run(root)
    finish(root, stamps, job, contents, public=public)
    return job


def finish(
    root: Path, stamps: str, job: Job, contents: Mapping[str, bytes], *, public: str | None = None
) -> None:
    """Write the outputs of a job, then its stamp; see :func:`run_jobs`.

    What an earlier run made and this one does not is removed: it would look like a result.
    """
    for path, content in contents.items():
        is_public = public is not None and path.startswith(f"{public}/")
        write_file(root / path, content, public=is_public)
    for path in _read_stamp(root, stamps, job)["outputs"]:
        if path not in contents:
            (root / path).unlink(missing_ok=True)
    stamp = {"key": job.key, "outputs": {path: sha256(c) for path, c in contents.items()}}
    write_file(_stamp(root, stamps, job), canonical_json(stamp))


def outputs(root: Path, stamps: str, job: Job) -> list[str]:
    """The files that a finished job wrote, below the root."""
    return list(json.loads(_stamp(root, stamps, job).read_bytes())["outputs"])


def is_done(root: Path, stamps: str, job: Job) -> bool:
    """Whether a job finished with this key, and its outputs are unchanged."""
    stamp = _read_stamp(root, stamps, job)
    try:
        return stamp["key"] == job.key and all(
            file_digest(f"{root}/{path}") == seen for path, seen in stamp["outputs"].items()
        )
    except OSError:
        return False


def _read_stamp(root: Path, stamps: str, job: Job) -> dict[str, Any]:
    """The key and the outputs of a finished job; none if its stamp is missing or damaged."""
    try:
        stamp = json.loads(_stamp(root, stamps, job).read_bytes())
        return {"key": stamp["key"], "outputs": dict(stamp["outputs"].items())}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {"key": None, "outputs": {}}


def _stamp(root: Path, stamps: str, job: Job, suffix: str = ".json") -> Path:
    return Path(f"{root}/{stamps}/{sha256(job.name.encode())[:32]}{suffix}")


@contextmanager
def explain_crash(name: str, kept_in: Path | None = None) -> Iterator[None]:
    """Turn a crash inside this block into an error that names the job and the place.

    Quintain's own errors pass unchanged. The traceback is written to ``kept_in``.
    """
    try:
        yield
    except (QuintainError, MemoryError):  # a limit, and not the job, is the reason
        raise
    except Exception as error:
        text = "".join(traceback.format_exception(error))
        last = traceback.extract_tb(error.__traceback__)[-1]
        reason = str(error).split("\n")[0]
        what = f"{type(error).__name__}: {reason}" if reason else type(error).__name__
        message = f"{name} failed: {what} ({Path(last.filename).name}, line {last.lineno})"
        if kept_in is not None:
            # On a full disk, the reason of the failure matters more than its traceback.
            with suppress(OSError):
                write_file(kept_in, text.encode())
                message += f"; the traceback is in {kept_in}"
        raise JobFailed(message, text) from error


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit the libraries to one thread until the last overlapping block ends.

    The limit is one of the process. If every block set and reset it, the first block to end would
    lift it for blocks that still run.
    """
    with _lock:
        if _state["blocks"] == 0:
            _state["limits"] = _threaded_libraries().limit(limits=1)
        _state["blocks"] += 1
    try:
        yield
    finally:
        with _lock:
            _state["blocks"] -= 1
            if _state["blocks"] == 0:
                _state["limits"].restore_original_limits()


def _threaded_libraries() -> Any:
    """The loaded libraries that use threads.

    Looking for them takes longer than many a job, and there are no others before something more
    is imported.
    """
    from threadpoolctl import ThreadpoolController

    if _state["modules"] != len(sys.modules):
        _state["libraries"] = ThreadpoolController()
        _state["modules"] = len(sys.modules)
    return _state["libraries"]


_lock = threading.Lock()
_state: dict[str, Any] = {"blocks": 0, "limits": None, "libraries": None, "modules": 0}
