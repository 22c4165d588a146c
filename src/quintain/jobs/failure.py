"""A job that crashed: one sentence for the terminal, the whole traceback in a file."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from quintain.errors import JobFailed, QuintainError
from quintain.jobs.files import write_file


@contextmanager
def explain_crash(name: str, kept_in: Path | None = None) -> Iterator[None]:
    """Turn a crash inside this block into an error that names the job and the place.

    Quintain's own errors pass unchanged. The traceback is written to ``kept_in``.
    """
    try:
        yield
    except QuintainError:
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
