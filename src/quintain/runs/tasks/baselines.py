"""The built-in attackers: every baseline answers every task, in rehearsals and live contests."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from quintain.attacks import Knowledge, attack
from quintain.contests import Track
from quintain.guesses import Question
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder, csv_bytes
from quintain.runs.folder.task import Task
from quintain.sanitizers.shadow import Shadow


def make_guess(
    root: Path, attacker: str, track_id: str, entry: str, repeat: int, repeats: int
) -> Mapping[str, bytes]:
    """One baseline's answer to one task."""
    folder, task = Folder(root), Task(track_id, entry, repeat, repeats)
    track = folder.edition().track_by_id(track_id)
    part = next(b.attack for b in track.baseline if b.id == attacker)
    assert part is not None  # only baselines with an attack come here
    rng = folder.secrets().seeds(track_id, "attack", attacker, task.entry).rng(task.repeat)
    release = folder.release(track, task)
    knowledge = knowledge_for(folder, track, task, folder.question(track, task))
    guess = attack(part, knowledge, release, rng=rng)
    content = csv_bytes(guess.table, header=track.files.header)
    return {paths.baseline_guess(attacker, task): content}


def knowledge_for(folder: Folder, track: Track, task: Task, question: Question) -> Knowledge:
    """What an attacker on one task knows under the track's threat model."""
    threat, sanitizer = track.threat, track.entries.get(task.entry)
    return threat.knowledge(
        question,
        base=folder.base(track.id) if threat.data.base else None,
        parameters=sanitizer.spec() if sanitizer else None,
        code=Shadow(sanitizer) if sanitizer else None,
    )
