"""Play: a whole contest with the baselines as teams, by the same steps as a live contest."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from quintain.contests import Edition, Track
from quintain.data.files import read
from quintain.errors import FolderError
from quintain.jobs.executor import SERIAL, Executor
from quintain.jobs.job import Job, fingerprint
from quintain.releases import ReleaseCard
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder, csv_bytes
from quintain.runs.folder.rules import are_those_of, freeze
from quintain.runs.hand_over import hand_over
from quintain.runs.prepare import prepare
from quintain.runs.rehearsal import Programs, hand_in, with_players
from quintain.runs.score import attack_all, score
from quintain.runs.submissions.checking import guess_file, release_file
from quintain.runs.submissions.ledger import receipts
from quintain.runs.submissions.submit import LONG_AGO, submit
from quintain.sanitizers import sanitize


def play(
    edition: Edition,
    out: Path,
    *,
    seed: int | None,
    programs: Programs = MappingProxyType({}),
    executor: Executor = SERIAL,
) -> Folder:
    """Play an edition into a folder; a second call continues a run that was stopped.

    ``programs`` take part, each as a separate team.
    """
    folder = _open(with_players(edition, programs), out)
    prepare(folder, seed=seed, executor=executor)
    made = _make_releases(folder, executor=executor)
    if hand_in(folder, "release", programs) or made:
        hand_over(folder, executor=executor)
    attack_all(folder, executor=executor)
    _hand_in_guesses(folder)
    hand_in(folder, "guess", programs)
    score(folder, executor=executor)
    return folder


def _open(edition: Edition, out: Path) -> Folder:
    if (out / paths.RULES).is_file():
        if not are_those_of(Folder(out), edition):
            raise FolderError(
                f"{out} holds a run of another edition; choose another folder with --out"
            )
        return Folder(out)
    if out.exists() and any(out.iterdir()):
        raise FolderError(f"{out} is not empty and holds no run; choose another folder with --out")
    freeze(out, edition)
    return Folder(out)


def _make_releases(folder: Folder, *, executor: Executor) -> bool:
    """Make and hand in the baselines' releases; returns whether any baseline makes one."""
    edition = folder.edition()
    players = [
        (track, b.id)
        for track in edition.track
        if track.teams_release
        for b in track.baseline
        if b.sanitizer is not None
    ]
    jobs = [_release_job(folder, track, team) for track, team in players]
    folder.run(jobs, executor=executor, label="releases")
    for track, team in players:
        release, card = (folder.at(name) for name in paths.baseline_release(track.id, team))
        files = {release_file(track, team): release, paths.CARD: card}
        _submit_once(folder, track, team, "release", files)
    return bool(players)


def _release_job(folder: Folder, track: Track, team: str) -> Job:
    part = next(b.sanitizer for b in track.baseline if b.id == team)
    assert part is not None  # only baselines with a sanitizer come here
    private = folder.at(paths.team_sample(team, track.id))
    key = fingerprint("release", part.spec(), private, folder.secrets())
    return Job.of(f"release/{track.id}/{team}", make_release, (track.id, team), key)


def make_release(root: Path, track_id: str, team: str) -> Mapping[str, bytes]:
    """A baseline's release of its private sample, and the card of the release."""
    folder = Folder(root)
    track = folder.edition().track_by_id(track_id)
    part = next(b.sanitizer for b in track.baseline if b.id == team)
    assert part is not None  # only baselines with a sanitizer come here
    header = track.files.header
    path = folder.at(paths.team_sample(team, track_id))
    private = read(path, folder.private_schema(track), header=header)
    rng = folder.secrets().seeds(track_id, "sanitize").rng(team)
    noise = folder.secrets().noise_for(track_id, team)
    release = sanitize(part, private, rng=rng, noise=noise).release
    release_path, card_path = paths.baseline_release(track_id, team)
    return {
        release_path: csv_bytes(release.data, header=header),
        card_path: ReleaseCard.of(release).to_bytes(),
    }


def _hand_in_guesses(folder: Folder) -> None:
    for track in folder.edition().track:
        for baseline in track.baseline:
            if baseline.attack is not None:
                owners = folder.owners(track)
                files = {
                    guess_file(track, task, baseline.id): folder.at(
                        paths.baseline_guess(baseline.id, task)
                    )
                    for task in folder.tasks(track)
                    if owners.get(task.entry) != baseline.id
                }
                _submit_once(folder, track, baseline.id, "guess", files)


def _submit_once(
    folder: Folder, track: Track, team: str, kind: str, files: Mapping[str, Path]
) -> None:
    """Hand in files, unless a run that was stopped has already done so."""
    done = any((r.team, r.track, r.kind) == (team, track.id, kind) for r in receipts(folder))
    phase = track.phase_for(kind)
    if not done and phase is not None:
        contents = {name: path.read_bytes() for name, path in files.items()}
        now = phase.opens or LONG_AGO
        submit(folder, team, contents, track=track.id, kind=kind, now=now, rehearsal=True)
