"""Ability: whether a worker may run programs of strangers, and whether a site has such a worker."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import select

from quintain.errors import QuintainError
from quintain.host.database.work import Worker
from quintain.host.site import Site
from quintain.programs.choice import sandbox_for_own, sandbox_for_strangers
from quintain.programs.failures import SandboxError
from quintain.programs.sandbox.provider import Sandbox

LATELY = timedelta(hours=1)
"""A machine that is started again within this time refuses nobody's program."""


class NoProgramWorker(QuintainError):
    """No machine of the site can run programs now."""

    status = 409


@dataclass(frozen=True, slots=True)
class Ability:
    """What a machine can do with programs of strangers.

    Parameters
    ----------
    why : why it cannot contain them; empty if it can.
    """

    sandbox: Sandbox | None
    why: str = ""

    @property
    def able(self) -> bool:
        """Whether it may run them."""
        return self.sandbox is not None


def ability(*, trust: bool) -> Ability:
    """Attack the sandbox of this machine, and say what follows from it; takes some seconds.

    Parameters
    ----------
    trust : run programs even if nothing contains them; the operators trust all teams.
    """
    try:
        return Ability(sandbox_for_strangers())
    except SandboxError as problem:
        why = str(problem)
    return Ability(sandbox_for_own(), why) if trust else Ability(None, why)


def require_program_worker(site: Site) -> None:
    """Refuse programs while no worker can run them."""
    since = site.clock.now() - LATELY
    seen = select(Worker).where(Worker.able, Worker.seen >= since)
    with site.database.reading() as session:
        workers = session.scalars(seen).all()
    if not any("program" in worker.lanes for worker in workers):
        raise NoProgramWorker(
            "this site cannot run programs now: no machine that can contain them is connected. Ask "
            "the organisers, and submit again later"
        )
