"""Prepare: fix the rules, draw the samples, run the organisers' sanitizers, commit.

It has two steps. First the organisers commit to the rules and to their secret keys. Then they mix a
public value into the keys, the *beacon*, which nobody could know before; only then is anything
drawn. So nobody can try many keys and keep the luckiest. Without a beacon both steps are one.

Only what nobody can compute again is synced to the disk before its event: keys, rules, commitments
and submissions. Everything else follows from them. If a power failure lost it, or if somebody
damaged it, it is made again, to the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from shutil import rmtree

from quintain.commitment import Commitment, nonce, sha256
from quintain.contests import Baseline, Edition, Team, Track
from quintain.errors import FolderError, PartError, Refused
from quintain.jobs.executor import SERIAL, Executor
from quintain.jobs.files import remove_drafts
from quintain.jobs.graph import nothing_more
from quintain.jobs.job import Job
from quintain.journal.events import Event, Prepared, Rules, read_event
from quintain.journal.state import State, begins, has_begun, require_running
from quintain.randomness.seeds import SeedTree
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder, TrackView, parse_file, read_refused
from quintain.runs.folder.organiser_data import copy_organiser_data
from quintain.runs.folder.paths import Task, write
from quintain.runs.folder.record import commit, publish, record, signing_key, stage_of, writing
from quintain.runs.folder.rules import committed_rules, write_public_key, write_rules
from quintain.runs.folder.secrets import Secrets
from quintain.runs.organising.amend import checked_beacon
from quintain.runs.organising.join import Joining, join
from quintain.runs.organising.stages import (
    base_jobs,
    jobs_of,
    release_made_by,
    sample_jobs,
    task_jobs,
)
from quintain.runs.submissions.admission import choose_track

Follow = Callable[[Task], Iterable[Job]]
"""The jobs that can start once a release is made."""


def prepare(
    folder: Folder,
    *,
    seed: int | None = None,
    beacon: str = "",
    tracks: Sequence[str] = (),
    rehearsal: bool = False,
    now: datetime | None = None,
    executor: Executor = SERIAL,
    follow: Follow = nothing_more,
) -> bool:
    """Make a folder ready for its next round; if it was interrupted, run it again.

    Running it again also makes committed files again that are missing or damaged.

    Returns False if only the first step is done, because the beacon is not known yet.

    Parameters
    ----------
    seed : draw the keys from a public seed, for a rehearsal.
    beacon : the public value that the rules announce.
    tracks : the rounds to prepare; by default those that have begun, or the first one.
    rehearsal : let the baselines take part as teams.
    follow : jobs that can start once a release of the organisers is made; they run beside those of
        other releases. The commitment does not cover what they make.
    """
    checked_beacon(beacon)
    remove_drafts(folder.root)
    moment = now or datetime.now(UTC)
    fix_rules(folder, seed=seed, beacon=beacon, now=moment)
    announced, state = folder.rules().commitment.beacon, folder.state()
    if announced and not beacon and not state.prepared:
        return False
    if state.prepared and beacon not in ("", state.beacon):
        raise FolderError(f"the beacon is {state.beacon!r}; it cannot change any more")
    if beacon and not state.prepared:  # before anything is drawn: every job reads it from there
        write(folder.root, paths.BEACON, beacon.encode(), durable=True)
    repair(folder)
    rounds = _rounds(folder, tracks, moment)
    if rehearsal:  # no organiser looks at one round before the next one is made
        _make_all(folder, rounds, executor, follow)
    for track in rounds:
        _prepare_track(folder, track.id, moment, executor, rehearsal=rehearsal)
    joining = [_joining(team) for team in _players(folder.rules(), rehearsal)]
    known = folder.state().roster.ids
    join(
        folder,
        [candidate for candidate in joining if candidate.team not in known],
        now=moment,
        executor=executor,
    )
    publish(folder)
    return True


def fix_rules(folder: Folder, *, seed: int | None, beacon: str, now: datetime) -> None:
    """Fix the rules and commit to them and to the keys, once."""
    if beacon and not folder.state().rules:
        raise _too_early(folder.edition())
    if not folder.prepared:
        folder.edition()  # faults are found before anything is written
    with writing(folder) as journal:  # two organisers at once must not draw two sets of keys
        _draw_keys(folder, seed)
        if folder.state().rules:
            return
        root = commit(folder, "rules-1", committed_rules(folder.rules(), 1))
        digest = sha256(folder.at(paths.rules(1)).read_bytes())
        fixed = Rules(version=1, rules=digest, commitment=root, key=signing_key(folder).public)
        record(folder, journal, fixed, now=now)


def _too_early(rules: Edition) -> Refused:
    """Why there can be no beacon before the commitment to the keys."""
    if not rules.commitment.beacon:
        return Refused(
            "the rules announce no beacon: say in [commitment] beacon = ... what it will be, "
            "before you commit to the rules"
        )
    return Refused(
        "first commit to the keys, without --beacon, and publish the root; a beacon that is "
        "known before proves nothing"
    )


def _draw_keys(folder: Folder, seed: int | None) -> None:
    """Write rules and keys; the keys last, because a folder with keys keeps its rules."""
    path = folder.at(paths.SEEDS)
    stored = folder.committed_secrets() if path.is_file() else None
    if stored is None and folder.state().rules:
        raise FolderError(f"{path} is missing; restore it: the organisers committed to these keys")
    wanted = Secrets.fresh() if seed is None else Secrets.from_seed(seed)
    if stored is not None and seed is not None and stored != wanted:
        raise FolderError(f"{folder.root} was prepared with other seeds; choose a new folder")
    if stored is None or not folder.prepared:
        own = copy_organiser_data(folder.edition())
        own.write(folder.root)
        write_rules(folder.root, own.edition)
    if stored is None:
        tree = SeedTree.fresh() if seed is None else SeedTree.from_int(seed)
        key = tree.key("signing").hex()
        write(folder.root, paths.SIGNING_KEY, f"{key}\n".encode(), durable=True)
        write_public_key(folder.root, signing_key(folder).public)
        write(folder.root, paths.SEEDS, wanted.to_bytes(), durable=True)


def _rounds(folder: Folder, wanted: Sequence[str], now: datetime) -> list[Track]:
    """The tracks to prepare now, without those that are prepared."""
    edition, done = folder.edition(), folder.state().prepared
    if wanted:
        chosen = [choose_track(edition, name) for name in wanted]
    else:
        chosen = [track for track in edition.track if has_begun(track, now)]
        if not chosen and not done:
            chosen = [min(edition.track, key=lambda t: begins(t) or now)]
    return [track for track in chosen if track.id not in done]


def _make_all(folder: Folder, rounds: Sequence[Track], executor: Executor, follow: Follow) -> None:
    """Make the populations and releases of several rounds, and what follows, without a pause."""
    state, by_base = folder.state(), {}
    for track in rounds:
        for job in base_jobs(folder, track):
            by_base[job] = track

    def then(job: Job) -> list[Job]:
        if job in by_base:
            return task_jobs(folder, by_base[job], state)
        task = release_made_by(job)
        return [] if task is None else list(follow(task))

    folder.run(list(by_base), executor=executor, label="samples and releases", then=then)


def _prepare_track(
    folder: Folder, track: str, now: datetime, executor: Executor, *, rehearsal: bool
) -> None:
    while not _try_to_prepare(folder, track, now, executor, rehearsal=rehearsal):
        pass  # a team joined meanwhile, which needs a sample, too, or the rules changed


def _try_to_prepare(
    folder: Folder, name: str, now: datetime, executor: Executor, *, rehearsal: bool
) -> bool:
    """Make everything of a track and record it; False if it depends on what happened meanwhile."""
    state, track = folder.state(), folder.edition().track_by_id(name)
    require_running(state)
    population = base_jobs(folder, track)
    folder.run(population, executor=executor, label="data")
    jobs = task_jobs(folder, track, state)
    jobs += [job for team in state.roster.ids for job in sample_jobs(folder, track, state, team)]
    folder.run(jobs, executor=executor, label="samples and releases")
    if not rehearsal:
        _require_every_entry(folder, track)
    with writing(folder) as journal:
        present = folder.state()
        if name in present.prepared:
            return True  # somebody else was faster
        if (present.roster.ids, present.rules) != (state.roster.ids, state.rules):
            return False
        # Inside the lock: a slower process must not replace the commitment of an event.
        root = commit(folder, f"prepare-{name}", folder.outputs([*population, *jobs]))
        event = Prepared(track=name, beacon=folder.beacon(), commitment=root)
        record(folder, journal, event, now=now)
    return True


def _require_every_entry(folder: Folder, track: Track) -> None:
    """Raise if a sanitizer of the organisers refused: they have to change the rules first."""
    place = folder.at(paths.refusals(track.id))
    refused = read_refused(place, TrackView.of(track, list(track.entries), {}).releases)
    if refused:
        rmtree(place)  # no event will commit to these files
        raise PartError("\n".join(f"{name}: refused: {why}" for name, why in refused.items()))


def _players(rules: Edition, rehearsal: bool) -> list[Team]:
    """The teams that the rules name; in a rehearsal, the baselines too."""
    baselines = {b.id: b for track in rules.track for b in track.baseline}
    return [*rules.team, *(baselines.values() if rehearsal else ())]


def _joining(team: Team) -> Joining:
    return Joining(team.id, team.name, team.competing, built_in=isinstance(team, Baseline))


# --- repair ---------------------------------------------------------------------------------------


def repair(folder: Folder) -> list[str]:
    """Make the damaged files of all events again; returns their names.

    Raises if a file would not become what the organisers committed to, and leaves it as it is.
    """
    state, key, repaired = State(), folder.committed_secrets().nonce_key(), []
    for event in map(read_event, folder.journal().public_lines()):
        before, state = state, state.after(event)
        stage = stage_of(event)
        if stage is not None and not isinstance(event, Rules):
            repaired += _repair(folder, event, before, _Promise(folder, stage[0], key))
    return repaired


class _Promise:
    """What the organisers committed to at one event."""

    def __init__(self, folder: Folder, stage: str, key: bytes) -> None:
        path = folder.at(paths.commitment(stage))
        self._commitment = parse_file(path, Commitment.model_validate_json)
        self._folder, self._key, self._path = folder, key, path

    def list_damaged(self) -> list[str]:
        """The files that are missing or not what they were."""
        return [name for name in self._commitment.leaves if not self._is_whole(name)]

    def _is_whole(self, name: str) -> bool:
        is_there = self._folder.at(name).is_file()
        return is_there and self._is_promised(name, self._folder.digest(name))

    def _is_promised(self, name: str, digest: str) -> bool:
        return self._commitment.check_digest(name, digest, nonce(self._key, name))

    def require(self, name: str, content: bytes) -> None:
        """Refuse a file that the organisers did not commit to."""
        if not self._is_promised(name, sha256(content)):
            raise FolderError(
                f"{self._folder.at(name)}: is damaged and cannot be made again: rules and keys "
                f"give another file than the one in {self._path}"
            )


def _repair(folder: Folder, event: Event, before: State, promise: _Promise) -> list[str]:
    damaged = promise.list_damaged()
    if not damaged:
        return []
    for job in _unfinished_jobs(folder, event, before):
        contents = job.run(folder.root)
        for name, content in contents.items():
            promise.require(name, content)
        folder.finish(job, contents)
    left = promise.list_damaged()
    if left:
        raise FolderError(f"{folder.at(left[0])}: is damaged, and nothing makes it again")
    return damaged


def _unfinished_jobs(folder: Folder, event: Event, before: State) -> Iterator[Job]:
    return (job for job in jobs_of(folder, event, before) if not folder.is_done(job))
