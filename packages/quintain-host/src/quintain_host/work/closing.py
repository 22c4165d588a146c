"""Closing: when a phase has closed, its checkpoint is signed for everybody to keep.

A clock outside may add its time. It is asked in another lane than uploads are checked in: a clock
that does not answer delays its own timestamp, and nothing else.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import httpx2

from quintain import __version__
from quintain.errors import MissingExtra, NotVerified
from quintain.journal.timestamp import LONGEST_TIMESTAMP, Timestamp, request_timestamp
from quintain.runs.folder import paths
from quintain.runs.folder.closings import closing_paths
from quintain.runs.folder.folder import Folder
from quintain.runs.organising.close import sign_closings
from quintain_host.editions.closings import CLOSE, GRACE, log_line
from quintain_host.editions.shown import round_name
from quintain_host.notices.inbox import everybody, notify
from quintain_host.notices.words import phase_closed
from quintain_host.queue import RetryLater, beat, enqueue_once
from quintain_host.site import Site
from quintain_host.teams.kits import enqueue_kits
from quintain_host.work.handler import HandlerTask, handler

STAMP = "timestamp"
"""The kind of the job that asks an outside clock."""

_SECONDS = 10.0
"""How long an outside clock may take to answer."""

_PAUSE = 60.0
"""How many seconds pass before an outside clock is asked again."""


@handler(CLOSE)
def close(task: HandlerTask) -> dict[str, Any]:
    """Sign a checkpoint for every phase that has closed, with all uploads that came before."""
    task.require_no_uploads()
    folder = task.folder()
    beat(task.site.database, task.claim)  # a worker that has lost the job signs nothing
    now, lines = task.site.clock.now(), (log_line(task.site),)
    signed = sign_closings(folder, now=now, grace=GRACE, further=lines)
    with task.site.database.writing(task.claim.edition) as session:
        if signed:
            enqueue_kits(session, task.site, task.claim.edition)
            people = everybody(session, task.claim.edition)
            for closing in signed:
                if closing.occasion.phase:  # the reveal has an event of its own
                    where = round_name(task.site, task.claim.edition, closing.occasion.track)
                    message = partial(phase_closed, where, closing.occasion.phase)
                    notify(session, task.site, task.claim.edition, people, message)
        if task.site.settings.timestamps and _without_timestamp(folder):
            enqueue_once(session, task.claim.edition, "scoring", STAMP, now=now)
    return {"signed": [closing.name for closing in signed]}


@handler(STAMP)
def stamp(task: HandlerTask) -> dict[str, Any]:
    """Ask the outside clock about every checkpoint that has no timestamp yet."""
    folder = task.site.folder(task.claim.edition)
    stamped = []
    for path in _without_timestamp(folder):
        content = ask_clock(task.site, folder.at(path).read_bytes())
        beat(task.site.database, task.claim)
        paths.write(folder.root, paths.timestamp(path), content, durable=True)
        stamped.append(path)
    return {"stamped": stamped}


def _without_timestamp(folder: Folder) -> list[str]:
    names = closing_paths(folder.root)
    return [name for name in names if not folder.at(paths.timestamp(name)).is_file()]


def ask_clock(site: Site, message: bytes) -> bytes:
    """The timestamp of some bytes; raises ``RetryLater`` as long as the clock gives no good one."""
    url, trusted = site.settings.timestamps, site.settings.timestamp_certificates
    request = request_timestamp(message)
    headers = {
        "Content-Type": "application/timestamp-query",
        "Accept": "application/timestamp-reply",
        "User-Agent": f"quintain/{__version__}",
    }
    try:
        content = _post(url, request.content, headers)
        timestamp = Timestamp.from_bytes(content)
        timestamp.require_answer(request, message)
        if trusted is not None:
            timestamp.check(message, trusted.read_bytes())
    except MissingExtra:
        raise
    except (httpx2.HTTPError, httpx2.InvalidURL, NotVerified, OSError) as problem:
        reason = (str(problem).splitlines() or [type(problem).__name__])[0]
        raise RetryLater(f"{url} gives no timestamp: {reason}", seconds=_PAUSE) from None
    return content


def _post(url: str, content: bytes, headers: dict[str, str]) -> bytes:
    """What a server answers, as far as it can be a timestamp."""
    answer = b""
    with httpx2.stream("POST", url, content=content, headers=headers, timeout=_SECONDS) as response:
        response.raise_for_status()
        for block in response.iter_bytes():
            answer += block
            if len(answer) > LONGEST_TIMESTAMP:
                raise NotVerified(f"the answer is longer than {LONGEST_TIMESTAMP} bytes")
    return answer
