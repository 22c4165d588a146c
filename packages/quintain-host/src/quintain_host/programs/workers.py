"""Program workers: whether a site needs and has one, their tokens, and what they may ask for.

A token of a worker on another machine has two halves. The first says who asks; the site has only
its hash. The second is the key with which inputs and results are sealed; it is never sent, so the
web process does not learn it. With its token, a worker gets the number of one job that it claimed,
and the sealed input of this job. It learns nothing about contests, teams or other jobs. All that it
can change is its own attempt at this one job.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from quintain_host.access import BadInput, Conflict, NotAllowed, NotSignedIn
from quintain_host.accounts.passwords import hash_secret, new_secret
from quintain_host.audit_log import log
from quintain_host.database.contests import HostedEdition
from quintain_host.database.people import ACCOUNTS, Token
from quintain_host.database.work import QueuedJob
from quintain_host.editions.shown import contest_state, shown_rules
from quintain_host.programs.call_files import calls_of, site_key
from quintain_host.queue import (
    QUEUE,
    JobClaim,
    Stale,
    claim,
    present,
    put_back,
    require_held,
    show_presence,
)
from quintain_host.site import Site

SCOPE = "work"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")


def make_worker_token(site: Site, name: str) -> str:
    """A token for the worker of this name; earlier tokens of the name end. It is shown once."""
    if not _NAME.fullmatch(name):
        raise BadInput("the name of a worker has letters, digits, '.', '_' and '-' only")
    secret, now = new_secret(), site.clock.now()
    with site.database.writing(ACCOUNTS) as session:
        for earlier in session.scalars(select(Token).where(Token.worker == name)):
            earlier.revoked = earlier.revoked or now
        session.add(
            Token(
                hash=hash_secret(secret),
                worker=name,
                label=f"worker {name}",
                scopes=[SCOPE],
                created=now,
                expires=now + timedelta(days=site.settings.token_days),
            )
        )
        log(session, site, None, "worker.token", worker=name)
    return f"{secret}.{site_key(site)}"


def revoke_worker_token(site: Site, name: str) -> int:
    """End every token of a worker; returns how many there were."""
    with site.database.writing(ACCOUNTS) as session:
        valid = select(Token).where(Token.worker == name, Token.revoked.is_(None))
        tokens = session.scalars(valid).all()
        for token in tokens:
            token.revoked = site.clock.now()
        log(session, site, None, "worker.revoke", worker=name)
    return len(tokens)


def worker_with_token(site: Site, secret: str | None) -> str:
    """The name of the worker with a token; raises if it is not a valid token of a worker."""
    if not secret:
        raise NotSignedIn("a worker needs a token: quintain host worker-token")
    with site.database.reading() as session:
        token = session.scalars(select(Token).where(Token.hash == hash_secret(secret))).first()
    if token is None or token.revoked is not None or token.expires <= site.clock.now():
        raise NotSignedIn("the token is unknown, revoked or too old")
    if token.worker is None or SCOPE not in token.scopes:
        raise NotAllowed("this is not a token of a worker")
    return token.worker


_PATIENCE = timedelta(hours=1)
"""A machine that is started again within this time refuses nobody's program."""


class NoProgramWorker(Conflict):
    """No machine of the site can run programs now."""


def require_program_worker(site: Site) -> None:
    """Refuse programs while no worker can run them."""
    workers = present(site.database, site.clock.now(), _PATIENCE)
    if not any(worker.able and "program" in worker.lanes for worker in workers):
        raise NoProgramWorker(
            "this site cannot run programs now: no machine that can contain them is connected. Ask "
            "the organisers, and submit again later"
        )


def wants_programs(site: Site) -> bool:
    """Whether some contest that is not over takes programs; testing a sandbox costs seconds."""
    with site.database.reading() as session:
        live = session.scalars(select(HostedEdition.id).where(HostedEdition.state == "live")).all()
    return any(
        phase.contract is not None and phase.contract.is_code
        for edition in live
        if contest_state(site, edition).revealed is None
        for track in shown_rules(site, edition).track
        for phase in track.phase
    )


LANE = "program"


def announce(site: Site, worker: str, *, able: bool, why: str = "") -> None:
    """Say that a worker is here, and whether it can contain programs."""
    now = site.clock.now()
    show_presence(site.database, worker, [LANE], now, able=able, why=why[:500])


def claim_call(site: Site, worker: str) -> JobClaim | None:
    """Take the next call of a program; None if there is none, or if another worker should."""
    claimed = claim(site.database, worker, [LANE], site.clock.now())
    if claimed is not None and is_for_another(site, claimed, worker):
        put_back(site.database, claimed, FOR_ANOTHER, site.clock.now())
        return None
    return claimed


FOR_ANOTHER = "another worker should run the program for the second time"
_LONGEST_CHOICE = timedelta(minutes=5)
"""After this time it may be the same worker: the others have enough to do."""


def is_for_another(site: Site, claim: JobClaim, worker: str) -> bool:
    """Whether this worker made the same call before, and another one is there to repeat it."""
    now = site.clock.now()
    if claim.arguments.get("before") != worker or now - claim.requested > _LONGEST_CHOICE:
        return False
    others = [other for other in present(site.database, now) if other.name != worker]
    return any(other.able and LANE in other.lanes for other in others)


def show_life(site: Site, worker: str, job: int, attempt: int) -> None:
    """A sign of life for a job; raises ``Stale`` if it is in other hands."""
    with site.database.writing(QUEUE) as session:
        require_held(session, _own_claim(session, worker, job, attempt))


def sealed_input(site: Site, worker: str, job: int, attempt: int) -> Iterator[bytes]:
    """The sealed input of a claimed job, part by part."""
    with site.database.reading() as session:
        own = _own_claim(session, worker, job, attempt)
    return calls_of(site).input(str(own.arguments["call"]))


def take_result(site: Site, worker: str, job: int, attempt: int, sealed: bytes) -> None:
    """Store the sealed result of a job, and finish the job; a late result is refused."""
    with site.database.reading() as session:
        own = _own_claim(session, worker, job, attempt)
    calls_of(site).keep_result(str(own.arguments["call"]), attempt, sealed)
    with site.database.writing(QUEUE) as session:
        ended, result = site.clock.now(), {"attempt": attempt}
        require_held(session, own, state="done", result=result, reason="", ended=ended)


def _own_claim(session: Session, worker: str, number: int, attempt: int) -> JobClaim:
    """The claim of a worker; the same answer for a job of others and for none."""
    job = session.get(QueuedJob, number)
    if job is None or (job.worker, job.lane, job.attempt) != (worker, LANE, attempt):
        raise Stale(f"job {number} is not in your hands")
    if job.state != "running":
        raise Stale(f"job {number} is not in your hands")
    return JobClaim.of(job)
