"""Progress: the steps of a contest in their order, and how far it is with each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from quintain.contests import Edition
from quintain.journal.state import State
from quintain.wording.languages import in_context, to_say
from quintain_host.database.work import QueuedJob
from quintain_host.queue import UNFINISHED

Progress = Literal["done", "left out", "running", "next", "later"]

PROGRESS: Mapping[Progress, str] = {
    "done": in_context("a step of a contest", "done"),
    "left out": in_context("a step of a contest", "left out"),
    "running": in_context("a step of a contest", "going on"),
    "next": in_context("a step of a contest", "next"),
    "later": in_context("a step of a contest", "later"),
}
"""Each in words."""

STEPS: Mapping[str, str] = {
    "prepare": to_say("Prepare"),
    "hand-over": to_say("Hand over"),
    "freeze": to_say("Freeze"),
    "reveal": to_say("Reveal"),
}
"""The steps by the kind of the job that does them, each with its title."""


@dataclass(frozen=True, slots=True)
class ContestStep:
    """A step of a contest; ``kind`` is that of the job that does it."""

    kind: str
    title: str
    progress: Progress


def contest_steps(
    state: State,
    rules: Edition | None,
    jobs: Mapping[str, QueuedJob | None],
    *,
    teams_release: bool,
) -> list[ContestStep]:
    """The steps of a contest; that of handing over only where teams make releases.

    Parameters
    ----------
    rules : those in force; None as long as they are not fixed, and then no step is done.
    jobs : the newest job of each kind.
    """
    steps, present = [], True
    for kind, title in STEPS.items():
        if kind == "hand-over" and not teams_release:
            continue
        progress = _outcome(kind, state, rules)
        if progress is None:
            progress = _going_on(jobs.get(kind)) if present else "later"
            present = False
        steps.append(ContestStep(kind, title, progress))
    return steps


def _outcome(kind: str, state: State, rules: Edition | None) -> Progress | None:
    """How a step has ended; None as long as it has not."""
    tracks = () if rules is None else rules.track
    every = {
        "prepare": bool(tracks) and all(track.id in state.prepared for track in tracks),
        "hand-over": bool(tracks)
        and all(track.id in state.handed_over for track in tracks if track.teams_release),
        "freeze": state.frozen is not None,
        "reveal": state.revealed is not None,
    }
    if every[kind]:
        return "done"
    over = state.frozen is not None or state.revealed is not None
    return "left out" if over and kind != "reveal" else None


def _going_on(job: QueuedJob | None) -> Progress:
    return "running" if job is not None and job.state in UNFINISHED else "next"
