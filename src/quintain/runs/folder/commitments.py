"""Commitments of a folder: hashes that bind the organisers, one file per stage.

Each stage belongs to one event of the journal, which names the root. So nobody can add a stage or
replace one without changing the journal.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from quintain.commitment import Commitment, unsalted_sums
from quintain.journal.events import Event, HandedOver, Joined, Prepared, Rules
from quintain.journal.state import State
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.privacy import write

DERIVED = (paths.RULES, paths.EVENTS, paths.CHECKPOINT, paths.BEACON, paths.SIGNING_KEY)
"""Files beside committed ones that no commitment covers: copies and the signing key."""


def stage_of(event: Event) -> tuple[str, str] | None:
    """The stage that an event commits to, and the root; None if it commits to no files.

    >>> stage_of(Prepared(track="main", commitment="ab"))
    ('prepare-main', 'ab')
    """
    match event:
        case Rules():
            return f"rules-{event.version}", event.commitment
        case Prepared():
            return f"prepare-{event.track}", event.commitment
        case Joined() if event.commitment:
            return f"join-{event.team}", event.commitment
        case HandedOver():
            return f"handover-{event.track}", event.commitment
    return None


def roots(state: State) -> dict[str, str]:
    """The root of each commitment made so far, by stage."""
    events: list[Event] = [*state.rules, *state.prepared.values(), *state.joined.values()]
    stages = map(stage_of, [*events, *state.handed_over.values()])
    return dict(sorted(stage for stage in stages if stage is not None))


def commit(folder: Folder, stage: str, names: Iterable[str]) -> str:
    """Publish a commitment to some files; returns its root. The event that names it comes next."""
    files = {name: folder.at(name).read_bytes() for name in sorted(names)}
    if folder.rules().commitment.algorithm == "sha512-unsalted":
        sums = unsalted_sums(files)
        files[paths.checksums(stage)] = sums
        write(folder.root, paths.checksums(stage), sums, durable=True)
    commitment = Commitment.over(files, folder.committed_secrets().nonce_key())
    write(folder.root, paths.commitment(stage), commitment.to_bytes(), durable=True)
    return commitment.root


def committed_files(root: Path) -> list[str]:
    """Every file that commitments must cover: all of public/, secret/ and teams/ that is data."""
    files = paths.files_below(root, paths.PUBLIC, paths.SECRET, paths.TEAMS)
    data = (name for name in files if name not in DERIVED and not is_feedback(name))
    return sorted(name for name in data if not name.startswith(f"{paths.COMMITMENTS}/"))


def is_feedback(name: str) -> bool:
    """Whether a file says what was shown of the scores; every scoring may change it."""
    team = name.removeprefix(f"{paths.TEAMS}/").partition("/")[0]
    return name in (paths.BOARD, paths.FEEDBACK, paths.team_board(team))
