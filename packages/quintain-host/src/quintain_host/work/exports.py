"""Exports: a worker packs a contest, or the kit of a team, into one file.

The web process sends these files and never reads the secret ones in them.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from quintain.jobs.files import write_file
from quintain.kit.archive import archive_bytes
from quintain.kit.codabench.bundle import bundle_bytes
from quintain.kit.kit import kit_bytes
from quintain_host.database.contests import RegisteredTeam
from quintain_host.teams.kits import enqueue_kits, is_fresh, keep_kit, kit_key
from quintain_host.work.handler import HandlerTask, handler


@handler("archive")
def archive(task: HandlerTask) -> dict[str, Any]:
    """Everything of a contest that was revealed, so that anybody can verify it."""
    return _write(task, archive_bytes(task.site.folder(task.claim.edition)))


@handler("codabench")
def codabench(task: HandlerTask) -> dict[str, Any]:
    """The current phase of a contest as a bundle for CodaBench."""
    track, goal = (task.claim.arguments.get(name) for name in ("track", "goal"))
    return _write(task, bundle_bytes(task.site.folder(task.claim.edition), track=track, goal=goal))


def _write(task: HandlerTask, content: bytes) -> dict[str, Any]:
    path = task.site.export_file(task.claim.edition, f"{task.claim.kind}.zip")
    write_file(path, content)
    return {"bytes": len(content)}


_AT_ONCE = 10
"""How many kits one job makes, so that scoring does not wait for all of them."""


@handler("kit")
def kit(task: HandlerTask) -> dict[str, Any]:
    """Make the kit of one team, unless it shows the contest as it is already."""
    return {"made": _make_kit(task, str(task.claim.team))}


@handler("kits")
def kits(task: HandlerTask) -> dict[str, Any]:
    """Make some of the kits that are too old; another job makes the rest."""
    edition = task.claim.edition
    with task.site.database.reading() as session:
        joined = select(RegisteredTeam.id).where(
            RegisteredTeam.edition == edition, RegisteredTeam.state == "joined"
        )
        teams = sorted(session.scalars(joined))
    old = [team for team in teams if not is_fresh(task.site, edition, team)]
    for team in old[:_AT_ONCE]:
        _make_kit(task, team)
    if len(old) > _AT_ONCE:
        with task.site.database.writing(edition) as session:
            enqueue_kits(session, task.site, edition)
    return {"made": len(old[:_AT_ONCE]), "left": len(old[_AT_ONCE:])}


def _make_kit(task: HandlerTask, team: str) -> bool:
    site, edition = task.site, task.claim.edition
    if is_fresh(site, edition, team):
        return False
    key = kit_key(site, edition, team)  # first: if something changes meanwhile, it is too old
    content = kit_bytes(task.folder(), team, now=site.clock.now(), site=site.settings.url)
    keep_kit(site, edition, team, key, content)
    return True
