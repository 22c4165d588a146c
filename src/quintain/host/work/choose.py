"""Choose: the intake worker records which of its submissions a team wants to count."""

from __future__ import annotations

from typing import Any

from quintain.host.work.handler import HandlerTask, handler
from quintain.runs.submissions.counting import choose as choose_in_folder


@handler("choose")
def choose(task: HandlerTask) -> dict[str, Any]:
    """Record a team's choice, at the time when it was made."""
    given, team = task.claim.arguments, str(task.claim.team)
    numbers = tuple(map(int, given["submissions"]))
    folder = task.folder()
    state = folder.state()
    if numbers == state.chosen(team, given["track"], given["phase"]):
        return {}  # an earlier attempt got this far
    rules = folder.edition().track_by_id(given["track"])
    kind = next(phase.submit for phase in rules.phase if phase.id == given["phase"])
    event = choose_in_folder(
        folder, team, numbers, track=given["track"], kind=kind, now=task.claim.requested
    )
    return {"event": event.number}
