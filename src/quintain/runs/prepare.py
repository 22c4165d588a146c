"""Prepare: freeze the rules, draw the samples, run the organisers' sanitizers, commit.

``prepare`` does what can be done before a phase opens. When teams hand in releases of their own,
it is run again after that phase: then it hands the accepted releases over to the attackers.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha512
from pathlib import Path
from typing import Any

import numpy as np

from quintain.commitment import Commitment, canonical_json
from quintain.contests import Population, Track
from quintain.data import Data, as_table
from quintain.data.files import read, to_bytes
from quintain.errors import FolderError, PartError
from quintain.releases import Release, ReleaseCard, published
from quintain.runs.executor import SERIAL, Executor
from quintain.runs.folder import SEEDS, Folder, Task, csv_bytes
from quintain.runs.jobs import Job, Work, fingerprint, run_jobs, write_file
from quintain.runs.programs import REASON, run_programs
from quintain.runs.rules import freeze, frozen_files
from quintain.runs.secrets import Secrets
from quintain.runs.submissions import TeamRelease, counting_releases, receipts
from quintain.samples import Sample
from quintain.sanitizers import sanitize


def prepare(folder: Folder, *, seed: int | None = None, executor: Executor = SERIAL) -> None:
    """Make a folder ready for its first phase; safe to run again after a kill."""
    _freeze(folder, seed)
    edition = folder.edition()
    jobs = [_base_job(folder, track) for track in edition.track]
    run_jobs(folder.root, jobs, executor=executor, label="data")
    jobs = [
        _task_job(folder, track, Task(track.id, entry, repeat, track.repeats))
        for track in edition.track
        for entry in track.entries
        for repeat in range(track.repeats)
    ]
    jobs += [
        _team_job(folder, track, team.id)
        for track in edition.track
        if track.teams_release
        for team in (*edition.team, *(b for b in track.baseline if b.sanitizer))
    ]
    run_jobs(folder.root, jobs, executor=executor, label="samples and releases")
    commit(folder, "prepare")


def hand_over(folder: Folder, *, executor: Executor = SERIAL) -> None:
    """Give the teams' releases to the attackers: the last ones each team handed in.

    Refused while there is none: the commitment that goes with it can be published only once.
    """
    tracks = [track for track in folder.edition().track if track.teams_release]
    if not tracks:
        raise FolderError("there is nothing to hand over: in this contest teams make no releases")
    run_programs(folder, "release", executor=executor)
    releases = {track.id: counting_releases(folder, track) for track in tracks}
    if not any(releases.values()):
        raise FolderError(f"there is nothing to hand over: {_why_nothing(folder)}")
    for track in tracks:
        jobs = []
        for entry in releases[track.id]:
            key = fingerprint("handover", track.id, entry, *entry.paths(folder), folder.secrets())
            args = (track.id, entry)
            jobs.append(Job(f"handover/{track.id}/{entry.id}", make_handed_over, args, key))
        run_jobs(folder.root, jobs, executor=executor, label="hand-over")
        entries = canonical_json({"entries": {job.args[1].id: job.args[1].team for job in jobs}})
        write_file(folder.root / f"public/{track.id}/handover.json", entries)
        base = folder.base_path(track.id)
        if "base" in track.knowledge.gives:
            write_file(folder.root / f"public/{track.id}/base.parquet", base.read_bytes())
    commit(folder, "handover")


def _why_nothing(folder: Folder) -> str:
    programs = sum(receipt.kind == "program" for receipt in receipts(folder))
    if not programs:
        return "no team has handed in a release"
    return f"no program made a release that is valid; why, is in each {REASON} in submissions/"


def commit(folder: Folder, stage: str) -> None:
    """Publish a commitment to every file no earlier one covers."""
    at = folder.root / "public/commitments"
    done: set[str] = set()
    for path in sorted(at.glob("*.json")):
        if path.stem == stage:
            return
        done |= set(Commitment.model_validate_json(path.read_bytes()).leaves)
    files = {path: (folder.root / path).read_bytes() for path in committed_files(folder.root)}
    fresh = {path: content for path, content in files.items() if path not in done}
    if folder.edition().commitment.algorithm == "sha512-unsalted":
        sums = "".join(
            f"{sha512(content).hexdigest()}  {path}\n" for path, content in fresh.items()
        )
        fresh[f"public/{stage}.sha512"] = sums.encode()
        write_file(folder.root / f"public/{stage}.sha512", sums.encode())
    commitment = Commitment.over(fresh, folder.secrets().nonce_key())
    write_file(at / f"{stage}.json", commitment.to_bytes())


def committed_files(root: Path) -> list[str]:
    """Every file a commitment covers: all of secret/ and teams/, and the contest's public files."""
    found = []
    for top in ("public", "secret", "teams"):
        for path in (root / top).rglob("*"):
            name = path.relative_to(root).as_posix()
            hidden = any(step.startswith(".") for step in path.relative_to(root).parts)
            if path.is_file() and not hidden and not name.startswith("public/commitments/"):
                found.append(name)
    return sorted(name for name in found if name != "public/board.json")


def _freeze(folder: Folder, seed: int | None) -> None:
    """Fix rules and seeds; the seeds last, because the rules of a folder that has them stay."""
    path = folder.root / SEEDS
    held = folder.secrets() if path.is_file() else None
    wanted = Secrets.fresh() if seed is None else Secrets.from_seed(seed)
    if held is not None and seed is not None and held != wanted:
        raise FolderError(f"{folder.root} was prepared with other seeds; take a new folder")
    if held is None or not folder.prepared:
        freeze(folder.root, folder.edition())
    if held is None:
        write_file(path, wanted.to_bytes())


def _base_job(folder: Folder, track: Track) -> Job:
    made = track.population.model_dump() if track.population else None
    key = fingerprint("base", track.dataset.spec(), made, folder.secrets())
    return Job(f"base/{track.id}", make_base, (track.id,), key)


def make_base(root: Path, track_id: str) -> Mapping[str, bytes]:
    """The population of a track, its schema and its test records."""
    folder = Folder(root)
    track = folder.edition().track_by_id(track_id)
    seeds = folder.secrets().seeds(track_id, "dataset")
    base = track.dataset.data(seeds.rng("base"))
    if track.population is not None:
        base = _generated(track.population, base, folder, track_id)
    test = track.dataset.test_data(seeds.rng("test"))
    # Teams that make releases must not see who else is in the population before they have.
    place = "public" if "base" in track.knowledge.gives and not track.teams_release else "secret"
    out = {
        f"public/{track_id}/schema.json": base.schema.model_dump_json(indent=2).encode() + b"\n",
        f"{place}/{track_id}/base.parquet": to_bytes(base, ".parquet"),
    }
    if test is not None:
        out[f"public/{track_id}/test.parquet"] = to_bytes(test, ".parquet")
    return out


def _generated(rule: Population, data: Data, folder: Folder, track: str) -> Data:
    """A population made from the data set."""
    seeds = folder.secrets().seeds(track, "population")
    noise = folder.secrets().noise_for(track, "population")
    made = sanitize(rule.generator, data, rng=seeds.rng("generate"), noise=noise).data
    if rule.distinct:
        table = as_table(made)
        _, first = np.unique(table.row_keys(), return_index=True)
        made = table.take(np.sort(first))
    if rule.take is not None:
        if len(made) < rule.take:
            raise PartError(
                f"the generator made {len(made)} records; the population is to have {rule.take}"
            )
        made = made.take(np.sort(seeds.rng("take").choice(len(made), rule.take, replace=False)))
    return made


def _team_job(folder: Folder, track: Track, team: str) -> Job:
    key = fingerprint(
        "team",
        team,
        track.sample.spec(),
        track.shared_sample,
        folder.secrets(),
        folder.base_path(track.id),
    )
    return Job(f"team/{track.id}/{team}", make_team_sample, (track.id, team), key)


def make_team_sample(root: Path, track_id: str, team: str) -> Mapping[str, bytes]:
    """The private sample a team is to make a release of."""
    folder = Folder(root)
    track = folder.edition().track_by_id(track_id)
    private = draw_sample(folder, track, team, 0).private
    return {
        f"{Task(track_id, team).secret}/private.parquet": to_bytes(private, ".parquet"),
        f"teams/{team}/{track_id}/private.csv": csv_bytes(private, header=track.files.header),
    }


def make_handed_over(root: Path, track_id: str, entry: TeamRelease) -> Mapping[str, bytes]:
    """A team's release as a task for attackers."""
    folder = Folder(root)
    track = folder.edition().track_by_id(track_id)
    data = read(folder.root / entry.data, folder.private_schema(track), header=track.files.header)
    card = ReleaseCard()
    if entry.card is not None:
        card = ReleaseCard.model_validate_json((folder.root / entry.card).read_bytes())
    sample = draw_sample(folder, track, entry.team, 0)
    return {
        f"{Task(track_id, entry.id).secret}/private.parquet": to_bytes(sample.private, ".parquet"),
        **task_files(folder, track, Task(track_id, entry.id), sample, card.release(data)),
    }


def _task_job(folder: Folder, track: Track, task: Task) -> Job:
    key = fingerprint(
        "task",
        task,
        track.sample.spec(),
        track.entries[task.entry].spec(),
        track.goal.spec(),
        track.shared_sample,
        folder.secrets(),
        folder.base_path(track.id),
    )
    return Job(f"task/{track.id}/{task.name}", make_task, (track.id, task), key)


def make_task(root: Path, track_id: str, task: Task) -> Mapping[str, bytes]:
    """One experiment: private sample, release, question and truth."""
    folder = Folder(root)
    track = folder.edition().track_by_id(track_id)
    sample = draw_sample(folder, track, task.entry, task.repeat)
    release = sanitize(
        track.entries[task.entry],
        sample.private,
        rng=folder.secrets().seeds(track_id, "sanitize", task.entry).rng(task.repeat),
        noise=folder.secrets().noise_for(track_id, task.entry, task.repeat),
    )
    return {
        f"{task.secret}/private.parquet": to_bytes(sample.private, ".parquet"),
        **task_files(folder, track, task, sample, release),
    }


def task_files(
    folder: Folder, track: Track, task: Task, sample: Sample, release: Release
) -> dict[str, bytes]:
    """A release, what is published of it, and the truth about it."""
    question, truth = track.goal.ask(sample, release)
    rng = folder.secrets().seeds(track.id, "publish", task.entry).rng(task.repeat)
    shown, data = published(release.data, rng=rng), track.files.data
    return {
        f"{task.secret}/release.parquet": to_bytes(release.data, ".parquet"),
        f"{task.secret}/truth.csv": csv_bytes(truth.table),
        f"{task.public}/release.{data}": to_bytes(shown, f".{data}", header=track.files.header),
        f"{task.public}/card.json": _card(track, release).to_bytes(),
        f"{task.public}/question.{data}": to_bytes(question.table, f".{data}"),
    }


def _card(track: Track, release: Release) -> ReleaseCard:
    """What is published about a release: nothing that attackers are not given."""
    gives = track.knowledge.gives
    return ReleaseCard(
        claim=release.claim if "claim" in gives else None,
        methods=release.methods if "methods" in gives else (),
        test=release.test,
    )


def draw_sample(folder: Folder, track: Track, entry: str, repeat: int) -> Sample:
    """The private sample of an entry; the same for all entries if the track shares it."""
    whose = "shared" if track.shared_sample else entry
    rng = folder.secrets().seeds(track.id, "sample", whose).rng(repeat)
    return track.sample.draw(folder.base(track.id), rng=rng)


def replay(folder: Folder, name: str) -> bytes | None:
    """The content a committed file must have, made again from the revealed keys.

    None if it cannot be made again, like what a team handed in.
    """
    rules = frozen_files(folder)
    if name in rules:
        return rules[name]
    if name == SEEDS:
        return folder.secrets().to_bytes()
    for track in folder.edition().track:
        if Path(name).parent.as_posix() in (f"public/{track.id}", f"secret/{track.id}"):
            return _made_again(folder.root, make_base, (track.id,)).get(name)
        for task in folder.tasks(track):
            if task.entry in track.entries and Path(name).parent.as_posix() in (
                task.public,
                task.secret,
            ):
                return _made_again(folder.root, make_task, (track.id, task)).get(name)
    return None


@lru_cache(maxsize=2)
def _made_again(root: Path, work: Work, args: tuple[Any, ...]) -> Mapping[str, bytes]:
    return work(root, *args)
