"""Play: a whole contest with the baselines as teams, by the same steps as a live contest.

Your own program may play against them. It is submitted, run and judged as in a live contest; only
the data and the other players are those of the rehearsal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from quintain.commitment import sha256
from quintain.contests import Edition, Team, Track
from quintain.errors import Faults, FolderError, Refused, SubmissionError
from quintain.jobs.executor import SERIAL, Executor
from quintain.jobs.job import Job
from quintain.programs import Role
from quintain.programs.choice import TRUSTED
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.organiser_data import copy_organiser_data
from quintain.runs.folder.paths import Task
from quintain.runs.folder.rules import are_those_of, write_rules
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.organising.prepare import prepare
from quintain.runs.organising.stages import hand_over_job
from quintain.runs.score import Following, attack_all, score
from quintain.runs.submissions.checking import guess_file, release_file, unpack_program
from quintain.runs.submissions.counting import first_release, submissions
from quintain.runs.submissions.submit import LONG_AGO, Examination, submit
from quintain.runs.submissions.upload import read_upload
from quintain.runs.tasks.baselines import attacked_tasks, makes_release, release_job
from quintain.runs.tasks.programs import contract_for

REHEARSAL_BEACON = "a rehearsal"
"""The public value of a rehearsal whose rules announce one; everything in it is public anyway."""
Programs = Mapping[str, bytes]
"""Zips, by the team that submits them."""
ROLES: tuple[Role, ...] = ("release", "guess")


def play(
    edition: Edition,
    out: Path,
    *,
    seed: int | None,
    programs: Programs = MappingProxyType({}),
    executor: Executor = SERIAL,
) -> Folder:
    """Play an edition into a folder; a second call continues a run that was stopped.

    ``programs`` take part, each as a separate team. They are those of the person who plays, so they
    also run where nothing contains them.
    """
    folder = _open(with_players(edition, programs), out)
    steps = schedule(edition)
    now = min(step.time for step in steps)
    _prepare(folder, seed, now, executor)
    _make_releases(folder, executor)
    for step in steps:
        track = folder.edition().track_by_id(step.track)
        if step.makes == "release":
            _hand_in_releases(folder, track, step.time)
            hand_in(folder, track, "release", programs, step.time)
            continue
        if track.teams_release:
            _hand_over_once(folder, track, step.time, executor)
        attack_all(folder, executor=executor)
        _hand_in_guesses(folder, track, step)
        hand_in(folder, track, "guess", programs, step.time)
    last = max(step.time for step in steps)
    score(folder, executor=executor, now=last, containment=TRUSTED)
    return folder


class Step(NamedTuple):
    """What the players of a rehearsal do in a track, and when; ``goal`` is that of the phase."""

    time: datetime
    makes: Role
    track: str
    goal: str = ""


def schedule(edition: Edition) -> list[Step]:
    """The steps of all tracks in the order of their dates; attacks follow the hand-over."""
    steps = []
    for track in edition.track:
        time = LONG_AGO
        release = track.phase_for("release")
        if release is not None:
            steps.append(Step(time := release.opens or LONG_AGO, "release", track.id))
            time = max(time, release.closes or time)
        first: dict[str, datetime | None] = {}
        for phase in track.phase:
            if phase.submit == "guess":
                first.setdefault(phase.goal, phase.opens)
        for goal, opens in (first or {"": None}).items():
            steps.append(Step(max(time, opens or time), "guess", track.id, goal))
    return sorted(steps, key=lambda step: step.time)


def _prepare(folder: Folder, seed: int | None, now: datetime, executor: Executor) -> None:
    tracks = [track.id for track in folder.rules().track]
    make = partial(prepare, folder, tracks=tracks, rehearsal=True, now=now, executor=executor)
    make = partial(make, follow=Following(folder))
    if not make(seed=seed):
        make(beacon=REHEARSAL_BEACON)


def _hand_over_once(folder: Folder, track: Track, now: datetime, executor: Executor) -> None:
    """Hand over, unless a run that was stopped has already done so, or nobody made a release."""
    made = any(s.track == track.id and s.kind != "guess" for s in submissions(folder))
    if made and track.id not in folder.state().handed_over:
        hand_over(folder, track.id, now=now, executor=executor, containment=TRUSTED)


def _open(edition: Edition, out: Path) -> Folder:
    own = copy_organiser_data(edition)
    if (out / paths.RULES).is_file():
        if not are_those_of(Folder(out).rules(), own.edition):
            raise FolderError(
                f"{out} holds a run of another edition; choose another folder with --out"
            )
        return Folder(out)
    if out.exists() and any(out.iterdir()):
        raise FolderError(f"{out} is not empty and holds no run; choose another folder with --out")
    own.write(out)
    write_rules(out, own.edition)
    return Folder(out)


def _make_releases(folder: Folder, executor: Executor) -> None:
    """Make the baselines' releases for all tracks: each needs nothing but a private sample.

    What follows from a release is made as soon as the release is there: no one else waits for the
    slowest. The later steps submit these files and hand them over, in the order of the dates.
    """
    jobs = {
        release_job(folder, track, team): (track, team)
        for track in folder.edition().track
        if track.id not in folder.state().handed_over
        for team in makes_release(track)
    }
    then = partial(_after_release, folder, jobs, {}, Following(folder))
    folder.run(list(jobs), executor=executor, label="releases and attacks", then=then)


def _after_release(
    folder: Folder,
    made: Mapping[Job, tuple[Track, str]],
    handed: dict[Job, tuple[Task, str]],
    follow: Following,
    job: Job,
) -> list[Job]:
    """The job that makes a task for attackers of a release; then those that work on the task."""
    if job in handed:
        return list(follow(*handed[job]))
    if job not in made:
        return []
    track, team = made[job]
    files = _made_release(folder, track, team)
    if not files:
        return []
    contents = {name: path.read_bytes() for name, path in files.items()}
    release = first_release(folder, track, team, contents)
    task_job = hand_over_job(folder, track, folder.state(), folder.matchup(), release)
    handed[task_job] = Task(track.id, release.id), team
    return [task_job]


def _made_release(folder: Folder, track: Track, team: str) -> dict[str, Path]:
    """The files of a baseline's release; none if it refused."""
    release, card = (folder.at(name) for name in paths.baseline_release(track.id, team))
    return {release_file(track, team): release, paths.CARD: card} if release.is_file() else {}


def _hand_in_releases(folder: Folder, track: Track, now: datetime) -> None:
    """Submit the baselines' releases; one that refuses submits nothing."""
    if track.id in folder.state().handed_over:
        return
    for team in makes_release(track):
        files = _made_release(folder, track, team)
        if files:
            _submit_once(folder, track, team, "release", files, now)


def _hand_in_guesses(folder: Folder, track: Track, step: Step) -> None:
    view = folder.read(track)
    for baseline in track.baseline:
        made = {
            guess_file(track, task, baseline.id): folder.at(paths.baseline_guess(baseline.id, task))
            for task in attacked_tasks(view, baseline)
            if step.goal in ("", task.goal)
        }
        files = {name: path for name, path in made.items() if path.is_file()}
        if files:
            _submit_once(folder, track, baseline.id, "guess", files, step.time)


def _submit_once(
    folder: Folder,
    track: Track,
    team: str,
    kind: Role,
    files: Mapping[str, Path],
    now: datetime,
) -> None:
    """Submit files, unless a run that was stopped has already done so.

    The jobs that made them have checked them by the rules of the contest.
    """
    done = any(
        (s.team, s.track, s.kind) == (team, track.id, kind) and not s.files.keys().isdisjoint(files)
        for s in submissions(folder)
    )
    if not done and track.phase_for(kind) is not None:
        contents = {name: path.read_bytes() for name, path in files.items()}
        known = Examination()
        submit(folder, team, contents, track=track.id, kind=kind, now=now, examination=known)


# --- programs that play ---------------------------------------------------------------------------


def read_programs(edition: Edition, files: Sequence[Path]) -> dict[str, bytes]:
    """Programs from files or folders, each under the name of its team; raises with every fault."""
    if files and not any(contract_for(track, role) for track in edition.track for role in ROLES):
        raise Refused(f"{edition.id} accepts no programs; its edition file names its players")
    baselines = {baseline.id for track in edition.track for baseline in track.baseline}
    programs: dict[str, bytes] = {}
    faults = Faults()
    for path, team in zip(files, _teams(files), strict=True):
        if team in baselines or team in programs:
            raise Refused(
                f"{path}: another player has the name {team!r}; rename the file or its folder"
            )
        code = path.suffix != ".toml"
        (programs[team],) = read_upload(path, edition.limits, program=code).values()
        if not list(_places(edition, programs[team], refusals := Faults(path.name))):
            faults.extend(refusals)
    faults.raise_if_any(SubmissionError)
    return programs


def _teams(paths: Sequence[Path]) -> list[str]:
    """The name of a team for each program: that of its file, with its folder if two are equal.

    A contract may prescribe the name of the file, so the folder has to tell programs apart.

    >>> _teams([Path("/red/hider.py"), Path("/blue/hider.py"), Path("/blue/seeker.py")])
    ['red-hider', 'blue-hider', 'seeker']
    """
    files = [path.resolve() for path in paths]
    stems = [path.stem for path in files]
    names = [
        path.stem if stems.count(path.stem) == 1 else f"{path.parent.name}-{path.stem}"
        for path in files
    ]
    return [re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "program" for name in names]


def with_players(edition: Edition, programs: Programs) -> Edition:
    """The edition of a rehearsal: its teams are the programs, beside the baselines."""
    teams = tuple(Team(id=team, competing=False) for team in programs)
    return edition.model_copy(update={"team": teams})


def hand_in(folder: Folder, track: Track, role: Role, programs: Programs, now: datetime) -> bool:
    """Submit the programs for a track that are not in yet; returns whether there are any."""
    edition, has_programs = folder.edition(), False
    for team, content in programs.items():
        for place, made in _places(edition, content, Faults()):
            if made == role and place.id == track.id:
                has_programs = True
                _hand_in_program(folder, track, role, team, content, now)
    return has_programs


def reasons(folder: Folder, *, public_data: bool = False) -> dict[str, str]:
    """For each team, why its program made nothing, or not everything; or models, for its queries.

    With ``public_data``, as in a rehearsal, the sentences name errors, files and lines.
    """
    submitted = submissions(folder)
    last = {(s.team, s.track, s.phase): s for s in submitted if s.kind == "program"}
    out: dict[str, list[str]] = {}
    place = paths.CACHE if public_data else paths.SUBMISSIONS
    for event in (*last.values(), *(s for s in submitted if s.kind == "guess")):
        path = folder.at(paths.reason(event.number, place))
        if path.is_file():
            out.setdefault(event.team, []).append(path.read_text().strip())
    return {team: "\n".join(texts) for team, texts in out.items()}


def _places(edition: Edition, content: bytes, faults: Faults) -> Iterator[tuple[Track, Role]]:
    """The tracks in which a program can take part, and what it makes there."""
    for track in edition.track:
        for role in ROLES:
            contract, role_faults = contract_for(track, role), Faults(faults.file)
            if contract is None:
                continue
            program = unpack_program(contract, content, edition.limits, role_faults)
            if not role_faults:
                contract.check(role, program, role_faults)
            faults.extend(role_faults)
            if not role_faults:
                yield track, role


def _hand_in_program(
    folder: Folder, track: Track, role: Role, team: str, content: bytes, now: datetime
) -> None:
    phase = track.phase_for(role)
    assert phase is not None and phase.contract is not None  # it takes programs
    name = f"{team}{phase.contract.ending}"
    for submission in submissions(folder):
        if (submission.team, submission.track, submission.phase) == (team, track.id, phase.id):
            if submission.made_by is None and submission.files[name] != sha256(content):
                raise FolderError(
                    f"{folder.root} holds a run of an earlier version of {team}; choose another "
                    "folder with --out"
                )
            return
    submit(folder, team, {name: content}, track=track.id, kind=role, now=now)
