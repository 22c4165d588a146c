"""Queue sandbox: a sandbox that is somewhere else; a call of a program becomes a job.

The scoring job waits for it and shows signs of life meanwhile. If a program worker is lost,
its lease ends and another one makes the call again; the scoring worker does not notice.
"""

from __future__ import annotations

import logging
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar

from sqlalchemy import select
from sqlalchemy.orm import Session

from quintain.programs.choice import Containment, Ticket
from quintain.programs.failures import SandboxError
from quintain.programs.limits import CallLimits
from quintain.programs.remote import RemoteCall
from quintain.programs.sandbox.exchange import Ask
from quintain.programs.sandbox.provider import Ending, Sandbox
from quintain_host.database.database import Database
from quintain_host.database.work import QueuedJob
from quintain_host.programs.call_files import CallFiles, calls_of, site_seal
from quintain_host.queue import UNFINISHED, RetryLater, enqueue
from quintain_host.site import Site

LOG = logging.getLogger("quintain_host.programs")

KIND = "program"

_SHORTEST, _LONGEST = 0.05, 1.0
"""The first and the longest pause between two looks at the job, in seconds."""

_PATIENCE = 20.0
"""How many seconds the scoring worker waits for a worker that takes the job."""

_LOOK_AT = 100


@dataclass(frozen=True, slots=True)
class ThroughQueue(Containment):
    """Programs run on the program workers of a site."""

    site: Site
    edition: str

    def ticket(self) -> Ticket:
        """A ticket for any process that sees the folder and the database of the site."""
        now = self.site.clock.now().isoformat()
        place = f"{__name__}:{queue_sandbox.__name__}"
        return place, str(self.site.root), self.site.database.url, self.edition, now


def queue_sandbox(team: str, root: str, database: str, edition: str, now: str) -> Sandbox:
    """The sandbox for a call of a team's program."""
    return QueueSandbox(Path(root), database, edition, team, datetime.fromisoformat(now))


@dataclass(frozen=True, slots=True)
class QueueSandbox(Sandbox):
    """Puts a call into the queue, and waits for its result."""

    root: Path
    database: str
    edition: str
    team: str
    now: datetime

    name: ClassVar[str] = "queue"

    def settings(self, limits: CallLimits) -> Mapping[str, int]:
        """Nothing: the worker adds what fits its machine."""
        return {}

    def started(self, limits: CallLimits) -> AbstractContextManager[subprocess.Popen[bytes]]:
        """No process runs on this machine."""
        raise SandboxError("a call goes through the queue; no process runs here")

    def run(
        self, message: Sequence[bytes], limits: CallLimits, most: int, ask: Ask | None = None
    ) -> Ending:
        """Let a program worker make the call."""
        if ask is not None:
            raise SandboxError("a program in the queue cannot ask anything")
        with closing(Site(self.root, database=self.database)) as site:
            seal, files = site_seal(site), calls_of(site)
            name = files.keep_input(seal, RemoteCall(b"".join(message), limits, most))
            with site.database.writing(self.edition) as session:
                job = self._job(session, files, name)
            attempt = int(_wait(site.database, job)["attempt"])
            ending = files.read_result(seal, name, attempt)
            try:
                files.remove(name, attempt)
            except OSError as problem:  # leftovers cost room, and nothing else
                LOG.warning("the files of a call stay where they are: %s", problem)
            return ending

    def _job(self, session: Session, files: CallFiles, name: str) -> int:
        """The job of the call; an earlier attempt may have asked for it already."""
        own = select(QueuedJob).where(
            QueuedJob.edition == self.edition,
            QueuedJob.kind == KIND,
            QueuedJob.team == self.team,
            QueuedJob.state.in_((*UNFINISHED, "done")),
        )
        before = ""
        for job in session.scalars(own.order_by(QueuedJob.id.desc()).limit(_LOOK_AT)):
            if job.arguments.get("call") == name:
                if _is_useful(files, name, job):
                    return job.id
                before = before or job.worker or ""  # a second run is for somebody else
        given = {"call": name, "before": before} if before else {"call": name}
        new = enqueue(
            session, self.edition, "program", KIND, now=self.now, team=self.team, arguments=given
        )
        return new.id


def _is_useful(files: CallFiles, name: str, job: QueuedJob) -> bool:
    if job.state != "done":
        return True
    return files.has_result(name, int(job.result["attempt"]))


def _wait(database: Database, number: int) -> dict[str, Any]:
    """Wait until a job is done; returns its result. Raises if the host could not do it."""
    pause, idle = _SHORTEST, 0.0
    while True:
        with database.reading() as session:
            job = session.get_one(QueuedJob, number)
        if job.state == "done":
            return dict(job.result)
        idle = idle + pause if job.state == "waiting" else 0.0
        if idle > _PATIENCE:  # the scoring worker has other contests to care for
            raise RetryLater(f"waits for a worker that runs the program of team {job.team}")
        if job.state in ("failed", "cancelled"):
            raise SandboxError(f"no worker could run a program of team {job.team}: {job.reason}")
        time.sleep(pause)
        pause = min(1.5 * pause, _LONGEST)
