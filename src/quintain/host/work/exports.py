"""Exports: the scoring worker packs a contest into one file."""

from __future__ import annotations

from typing import Any

from quintain.host.work.handler import HandlerTask, handler
from quintain.jobs.files import write_file
from quintain.kit.archive import archive_bytes
from quintain.kit.codabench.bundle import bundle_bytes


@handler("archive")
def archive(task: HandlerTask) -> dict[str, Any]:
    """Everything of a contest that was revealed, so that anybody can verify it."""
    return _write(task, archive_bytes(task.site.folder(task.claim.edition)))


@handler("codabench")
def codabench(task: HandlerTask) -> dict[str, Any]:
    """The current phase of a contest as a bundle for CodaBench."""
    track = task.claim.arguments.get("track")
    return _write(task, bundle_bytes(task.site.folder(task.claim.edition), track=track))


def _write(task: HandlerTask, content: bytes) -> dict[str, Any]:
    path = task.site.exported(task.claim.edition, f"{task.claim.kind}.zip")
    write_file(path, content)
    return {"bytes": len(content)}
