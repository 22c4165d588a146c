"""Re-judging: a worker scores a copy of a contest from nothing, and says what would change."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

from sqlalchemy import update

from quintain.contests import load
from quintain.errors import QuintainError, Refused
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.organising.amend import amend as amend_folder
from quintain.runs.score import score as score_folder
from quintain_host.database.contests import Rejudging
from quintain_host.organising.drafts import temporary_folder
from quintain_host.organising.rejudging import difference
from quintain_host.queue import RetryLater
from quintain_host.work.decisions import amend_rules
from quintain_host.work.drafts import read_draft
from quintain_host.work.handler import HandlerTask, handler


@handler("rejudge")
def rejudge(task: HandlerTask) -> dict[str, Any]:
    """Judge a copy of the contest, and store the difference."""
    row = _row(task)
    if row.state != "waiting":
        return {"state": row.state}
    # What is compared has to be up to date.
    score_folder(
        task.folder(), now=task.time(), containment=task.containment(), executor=task.executor()
    )
    try:
        changes = _judge(task, row)
    except RetryLater:
        raise
    except QuintainError:
        _set(task, row.id, "waiting", state="failed")
        raise
    _set(task, row.id, "waiting", state="ready", difference=changes)
    return {"cells": changes["cells"]["changed"]}


@handler("apply-rejudging")
def apply(task: HandlerTask) -> dict[str, Any]:
    """Make the second judgement the one that counts: amend, forget all readings, score."""
    row = _row(task)
    if row.state == "applying" and task.site.folder(row.edition).state().revealed is not None:
        _set(task, row.id, "applying", state="failed")  # it was asked for beside the reveal
        raise Refused("the results are final: their hash was published with the reveal")
    if row.state == "applying":
        if row.toml:
            amend_rules(task, row.toml, row.reason)
        _forget_readings(task.site.edition_root(row.edition), row.id)
        score_folder(
            task.folder(), now=task.time(), containment=task.containment(), executor=task.executor()
        )
        _set(task, row.id, "applying", state="applied")
    shutil.rmtree(task.site.rejudged_folder(row.id), ignore_errors=True)
    return {}


@handler("drop-rejudging")
def drop(task: HandlerTask) -> dict[str, Any]:
    """Remove the copy of a second judgement that was dropped."""
    shutil.rmtree(task.site.rejudged_folder(_row(task).id), ignore_errors=True)
    return {}


def _judge(task: HandlerTask, row: Rejudging) -> dict[str, Any]:
    folder, copy = task.site.folder(row.edition), task.site.rejudged_folder(row.id)
    shutil.rmtree(copy, ignore_errors=True)
    with folder.journal().locked():
        _copy(folder.root, copy)
    second, now = Folder(copy), task.time()
    if row.toml:
        _, files = read_draft(task)
        with temporary_folder(task.site, row.toml, files) as place:
            amend_folder(second, load(place / paths.EDITION), row.reason, now=now)
    score_folder(second, now=now, containment=task.containment(), executor=task.executor())
    return difference(folder.root, copy, (folder.edition(), second.edition()))


def _copy(source: Path, target: Path) -> None:
    """Copy a folder without its results and its cache; files that are replaced whole are linked."""
    left_out = shutil.ignore_patterns(paths.CACHE, paths.RESULTS, "*.part")
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(source, target, ignore=left_out, copy_function=_link)


def _link(source: str, target: str) -> None:
    if Path(source).name == paths.JOURNAL:  # it grows; everything else is written anew
        shutil.copy2(source, target)
        return
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _forget_readings(root: Path, number: int) -> None:
    """Remove the cache in one step: other threads may write to it meanwhile."""
    cache, aside = root / paths.CACHE, root / f"{paths.CACHE}-{number}"
    shutil.rmtree(aside, ignore_errors=True)
    if cache.is_dir():
        cache.rename(aside)
    shutil.rmtree(aside, ignore_errors=True)


def _row(task: HandlerTask) -> Rejudging:
    with task.site.database.reading() as session:
        return session.get_one(Rejudging, int(task.claim.arguments["rejudging"]))


def _set(task: HandlerTask, number: int, before: str, **values: Any) -> None:
    """Change a second judgement, unless the organisers dropped it meanwhile."""
    with task.site.database.writing(task.claim.edition) as session:
        change = update(Rejudging).where(Rejudging.id == number, Rejudging.state == before)
        session.execute(change.values(**values))
