"""The built-in attackers: every baseline answers every task, rehearsed or live."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from quintain.attacks import Knowledge, attack
from quintain.contests import Track
from quintain.guesses import Question
from quintain.jobs.executor import Executor
from quintain.jobs.job import Job, fingerprint
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder, csv_bytes
from quintain.runs.folder.task import Task
from quintain.runs.submissions.checking import guess_file
from quintain.runs.submissions.counting import counting_guesses
from quintain.sanitizers.shadow import Shadow


def attack_all(folder: Folder, *, executor: Executor) -> None:
    """Let every baseline answer every task it has not handed in."""
    jobs = []
    for track in folder.edition().track:
        handed_in = counting_guesses(folder, track)
        jobs += [
            _job(folder, track, baseline.id, task)
            for baseline in track.baseline
            if baseline.attack is not None
            for task in folder.tasks(track)
            if guess_file(track, task, baseline.id) not in handed_in.get(baseline.id, {})
            and folder.owners(track).get(task.entry) != baseline.id
        ]
    folder.run(jobs, executor=executor, label="attacks")


def _job(folder: Folder, track: Track, attacker: str, task: Task) -> Job:
    spec = next(b.attack for b in track.baseline if b.id == attacker)
    assert spec is not None  # only baselines with an attack come here
    key = fingerprint(
        "attack",
        spec.spec(),
        track.knowledge,
        folder.secrets().draws,
        folder.base_path(track.id),
        *folder.given(track, task),
    )
    name = f"attack/{track.id}/{attacker}/{task.name}"
    return Job(name, make_guess, (track.id, attacker, task), key)


def make_guess(root: Path, track_id: str, attacker: str, task: Task) -> Mapping[str, bytes]:
    """One baseline's answer to one task."""
    folder = Folder(root)
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
    """What an attacker on one task is handed under the track's threat model."""
    threat, sanitizer = track.threat, track.entries.get(task.entry)
    return threat.knowledge(
        question,
        base=folder.base(track.id) if threat.data.base else None,
        parameters=sanitizer.spec() if sanitizer else None,
        code=Shadow(sanitizer) if sanitizer else None,
    )
