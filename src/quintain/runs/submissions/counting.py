"""Counting: the submissions of a folder with their files, and which of them count.

A file is stored under the hash of its content. Its name is a text in the journal and never a name
on this machine. A submission is accepted once its files and its event are on the disk; only then
does its team get a receipt.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, NamedTuple

from quintain.commitment import sha256
from quintain.contests import Edition, Phase, Track
from quintain.errors import FolderError, NoSuchPhase, NotVerified, Refused
from quintain.jobs.files import file_digest, make_folder, sync_folder, write_file
from quintain.journal.events import SUBMITTED, Chosen, Submitted, read_event
from quintain.journal.file_store import lines_with
from quintain.journal.growing import Blocks, Growing
from quintain.journal.state import State, require_running
from quintain.programs import Role
from quintain.programs.contract import Noun
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder, TrackView
from quintain.runs.folder.paths import CARD, Task
from quintain.runs.folder.record import record, writing
from quintain.runs.submissions.admission import choose_track, expect, why_closed
from quintain.runs.submissions.checking import guess_file, log_of
from quintain.wording.languages import tell, tell_count

_SYNCED_AT_ONCE = 16
"""How many files of one submission are on their way to the disk at a time."""

# Chosen: whether a submission counts after its team has chosen.


def is_chosen(state: State, submission: Submitted) -> bool:
    """Whether a team chose a submission, or the program that made it, or nothing at all."""
    chosen = state.chosen(submission.team, submission.track, submission.phase)
    return not chosen or submission.number in chosen or submission.made_by in chosen


def last_programs(
    state: State, submitted: Iterable[Submitted], role: Role, track: Track
) -> list[Submitted]:
    """The program of each team that counts: the one that it chose, or its last one."""
    phase = track.phase_for(role)
    latest: dict[str, Submitted] = {}
    for submission in submitted:
        about = (submission.track, submission.phase, submission.kind)
        if phase is not None and about == (track.id, phase.id, "program"):
            latest |= {submission.team: submission} if is_chosen(state, submission) else {}
    return [latest[team] for team in sorted(latest)]


def program_noun(files: Iterable[str]) -> Noun:
    """What teams call a submission that the judge runs, or what made it, by its files.

    >>> program_noun(["steps.toml"]), program_noun(["hider.zip"])
    ('recipe', 'program')
    """
    recipe = any(name.endswith(".toml") or name == paths.RECIPE_LOG for name in files)
    return "recipe" if recipe else "program"


def submissions(folder: Folder) -> list[Submitted]:
    """Every accepted submission, in order; none in a kit."""
    path = folder.at(paths.JOURNAL)
    try:
        return list(_submissions(path)) if path.is_file() else []
    except NotVerified as problem:
        raise FolderError(f"{path}: damaged: {problem}") from None


def file_of(submission: Submitted, name: str) -> str:
    """Where a file of a submission is, below the root."""
    return paths.submitted_file(submission.files[name], name)


def store(folder: Folder, files: Mapping[str, bytes]) -> dict[str, str]:
    """Store files by their content; returns the hash of each."""
    digests = {name: sha256(content) for name, content in sorted(files.items())}
    places = {name: folder.at(paths.submitted_file(digests[name], name)) for name in digests}

    def keep(name: str) -> None:
        path = places[name]
        if path.is_file() and file_digest(path) == digests[name]:
            # Somebody who made it before may have been killed before syncing its folder.
            sync_folder(path.parent)
        else:
            make_folder(path.parent)
            write_file(path, files[name], durable=True)

    # A disk that syncs several files at a time takes hardly longer than for one.
    with ThreadPoolExecutor(min(_SYNCED_AT_ONCE, len(files) or 1)) as threads:
        list(threads.map(keep, digests))
    above = {parent for path in places.values() for parent in _up_to(path.parent.parent, folder)}
    for parent in sorted(above):
        sync_folder(parent)
    return digests


def _up_to(path: Path, folder: Folder) -> Iterator[Path]:
    """A folder and those above it, up to the root of the edition: any of them may be new."""
    yield path
    if path != folder.root:
        yield from _up_to(path.parent, folder)


def record_made(
    folder: Folder,
    track: Track,
    kind: Literal["release", "guess", "answers"],
    files: Mapping[str, bytes],
    *,
    program: Submitted,
    now: datetime,
) -> Submitted:
    """Store what a team's program made, or what its queries gave, as a submission of the team."""
    made = Submitted(
        team=program.team,
        track=track.id,
        phase=program.phase,
        kind=kind,
        files=store(folder, files),
        made_by=program.number,
    )
    with writing(folder) as journal:
        return record(folder, journal, made, now=now).event


def _more_submissions(known: tuple[Submitted, ...], new: Blocks) -> tuple[Submitted, ...]:
    events = (read_event(line) for _, block in new for line in lines_with(block, SUBMITTED))
    return (*known, *(event for event in events if isinstance(event, Submitted)))


_submissions: Growing[tuple[Submitted, ...]] = Growing((), _more_submissions, 2)
"""The submissions that were read last: scoring looks at them several times."""


# Answers: which guess files count, and the digest of each, without reading the guesses.


class Answer(NamedTuple):
    """A guess file: its path below the root and the SHA-256 of its content."""

    path: str
    digest: str


Answers = dict[str, list[Answer]]
"""By file name, the guesses that count, the earliest first."""

Attempt = tuple[Answer, ...]
"""One answer to each task of an entry."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What one attacker submitted on a track.

    Parameters
    ----------
    submitted : its submissions of guesses, in order.
    every : whether all answers to a task count, or the last one.
    made : by file name, the answers of a baseline to tasks for which it submitted none.
    """

    submitted: Sequence[Submitted] = ()
    every: bool = False
    made: Mapping[str, Answer] = field(default_factory=dict)

    def digest(self) -> str:
        """A digest of all answers, much faster than a list of them; paths are no part of it."""
        texts = [str(self.every)]
        for submission in self.submitted:
            texts += ["", *submission.files, *submission.files.values()]
        texts += [text for name, answer in self.made.items() for text in (name, answer.digest)]
        return sha256("\n".join(texts).encode())

    def names(self) -> set[str]:
        """The names of the submitted files."""
        return {name for submission in self.submitted for name in submission.files}

    def files(self) -> Answers:
        """The guesses that count; the digests are those of the journal."""
        out: Answers = {}
        for submission in self.submitted:
            for name, digest in submission.files.items():
                answer = Answer(file_of(submission, name), digest)
                out[name] = [*out.get(name, ()), answer] if self.every else [answer]
        return out | {name: [answer] for name, answer in self.made.items()}


def submitted_guesses(
    track: Track, submitted: Sequence[Submitted], state: State
) -> dict[str, Answered]:
    """What every team submitted on a track, without what it did not choose."""
    every = any(phase.counts == "best" for phase in track.phase if phase.submit == "guess")
    teams: dict[str, list[Submitted]] = {}
    for submission in submitted:
        if (
            submission.track == track.id
            and submission.kind == "guess"
            and is_chosen(state, submission)
        ):
            teams.setdefault(submission.team, []).append(submission)
    return {team: Answered(several, every) for team, several in teams.items()}


def answers_by_attacker(
    folder: Folder, view: TrackView, submitted: Sequence[Submitted]
) -> dict[str, Answered]:
    """What every attacker answered; a baseline's own answer where it submitted none."""
    out = submitted_guesses(view.track, submitted, folder.state())
    for baseline in view.track.baseline:
        if baseline.attack is not None:
            known = out.get(baseline.id, Answered())
            names, made = known.names(), {}
            for task in view.tasks:
                path = paths.baseline_guess(baseline.id, task)
                name = guess_file(view.track, task, baseline.id)
                if name not in names and folder.at(path).is_file():
                    made[name] = Answer(path, folder.digest(path))
            out[baseline.id] = replace(known, made=made)
    return out


def all_answers(
    folder: Folder, view: TrackView, submitted: Sequence[Submitted]
) -> dict[str, Answers]:
    """Every answer that counts, by attacker."""
    return {
        name: answers.files()
        for name, answers in answers_by_attacker(folder, view, submitted).items()
    }


def attempts(
    track: Track, tasks: Sequence[Task], attacker: str, files: Mapping[str, Sequence[Answer]]
) -> list[Attempt]:
    """An attacker's complete answers to all tasks of an entry; none if a task has no answer."""
    if len(tasks) == 1:
        return [(answer,) for answer in files.get(guess_file(track, tasks[0], attacker), ())]
    by_task = [files.get(guess_file(track, task, attacker), ()) for task in tasks]
    if not all(by_task):
        return []
    most = max(len(answers) for answers in by_task)
    return [tuple(answers[min(i, len(answers) - 1)] for answers in by_task) for i in range(most)]


# Choose: a team says which of its own submissions count, as long as their phase is open.
#
# Without a choice the last submissions count. With one, exactly the chosen ones do: a later
# submission counts only after the team has chosen again.


def choose(
    folder: Folder,
    team: str,
    numbers: Sequence[int],
    *,
    track: str | None = None,
    kind: str | None = None,
    now: datetime | None = None,
) -> Chosen:
    """Record which submissions of a team count, by the numbers of their events.

    Parameters
    ----------
    numbers : none means that the last submissions count again; ``track`` and ``kind`` then say of
        which phase, where several are open.
    """
    folder.require_secrets()
    with writing(folder) as journal:
        edition, state = folder.edition(), folder.state()
        own = list(journal.submissions(team))
        moment = journal.time_after(now or datetime.now(UTC))
        event = _choice(edition, state, own, team, numbers, moment, track, kind)
        for obstacle in choice_obstacles(edition, state, own, event, moment):
            raise obstacle
        return record(folder, journal, event, now=moment).event


def selectable(submitted: Sequence[Submitted], track: str, phase: str) -> list[Submitted]:
    """The submissions of a phase that their team can choose: those that it made itself."""
    return [
        submission
        for submission in submitted
        if (submission.track, submission.phase, submission.made_by) == (track, phase, None)
    ]


def most_chosen(phase: Phase) -> int | None:
    """How many submissions of a phase a team can choose; None sets no limit."""
    if phase.contract is not None:
        return 1
    return phase.keep if phase.submit == "release" else None


def choice_obstacles(
    edition: Edition, state: State, own: Sequence[Submitted], event: Chosen, now: datetime
) -> Iterator[Refused]:
    """Why a team cannot choose this now; ``own`` are its submissions so far."""
    require_running(state)
    state.roster.entrant(event.team)
    track = state.for_team(choose_track(edition, event.track), event.team)
    phase = next((phase for phase in track.phase if phase.id == event.phase), None)
    if phase is None:
        yield NoSuchPhase(
            tell("track %(track)s has no phase %(phase)s", track=track.id, phase=repr(event.phase))
        )
        return
    reason = state.excluded(event.team)
    if reason:
        yield Refused(
            tell("team %(team)s is disqualified: %(reason)s", team=event.team, reason=reason)
        )
    yield from why_closed(track, phase, state, now)
    yield from _not_offered(track, phase)
    yield from _not_selectable(event, own, phase)
    if event.submissions == state.chosen(event.team, track.id, phase.id):
        yield Refused(tell("exactly these submissions count already"))


def _not_offered(track: Track, phase: Phase) -> Iterator[Refused]:
    if phase.counts == "best":
        yield Refused(
            tell(
                "in phase %(phase)s the best guess counts, so nothing can be chosen", phase=phase.id
            )
        )
    if phase.submit == "guess" and track.feedback.show == "full":
        yield Refused(
            tell(
                "teams see every score here, and a choice would be one more question about the "
                "hidden answers; submit the guess again instead"
            )
        )


def _not_selectable(event: Chosen, own: Sequence[Submitted], phase: Phase) -> Iterator[Refused]:
    numbers, most = event.submissions, most_chosen(phase)
    if list(numbers) != sorted(set(numbers)):
        yield Refused(tell("name every submission once, the earliest first"))
    known = {submission.number for submission in selectable(own, event.track, event.phase)}
    for number in numbers:
        if number not in known:
            yield Refused(
                tell(
                    "event %(number)s is not a submission of team %(team)s to phase %(phase)s of "
                    "track %(track)s",
                    number=number,
                    team=event.team,
                    phase=event.phase,
                    track=event.track,
                )
            )
    if most is not None and len(numbers) > most:
        yield Refused(
            tell(
                "at most %(submissions)s of phase %(phase)s can count",
                submissions=tell_count("%(n)s submission", "%(n)s submissions", most),
                phase=event.phase,
            )
        )


def _choice(
    edition: Edition,
    state: State,
    own: Sequence[Submitted],
    team: str,
    numbers: Sequence[int],
    now: datetime,
    track: str | None,
    kind: str | None,
) -> Chosen:
    """The event for a choice: the phase of the first submission that is named, or the open one."""
    for submission in own:
        if submission.number in numbers and submission.made_by is None:
            wanted = tuple(sorted(set(numbers)))
            return Chosen(
                team=team, track=submission.track, phase=submission.phase, submissions=wanted
            )
    if numbers:
        state.roster.entrant(team)
        raise Refused(
            tell(
                "event %(number)s is not a submission of team %(team)s",
                number=numbers[0],
                team=team,
            )
        )
    expected = expect(edition, state, own, team, now, track, kind)
    return Chosen(team=team, track=expected.track.id, phase=expected.phase.id, submissions=())


# Releases: which of those that teams submitted count for the contest.
#
# The last ones count, unless the team chose others. A program that was replaced by a later one
# makes nothing that counts, also if it has run already.


@dataclass(frozen=True, slots=True)
class TeamRelease:
    """A team's release that counts: its entry, and its files below the root.

    Parameters
    ----------
    sample : the private sample that it is made from, where the team had a choice.
    artefacts : the names and the places of further files that attackers get.
    """

    id: str
    team: str
    data: str
    card: str | None = None
    sample: int | None = None
    artefacts: tuple[tuple[str, str], ...] = ()

    def paths(self, folder: Folder) -> list[Path]:
        """The files of the release, on this machine."""
        places = [place for _, place in self.artefacts]
        return [folder.at(name) for name in (self.data, self.card, *places) if name is not None]


def counting_releases(folder: Folder, track: Track, size: int) -> list[TeamRelease]:
    """The releases that count after ``size`` events, without those that are disqualified."""
    state = folder.journal().state(size)
    return [
        release
        for release in last_releases(folder, track, size)
        if not state.excluded(release.team, track.id, release.id)
    ]


def last_releases(folder: Folder, track: Track, size: int) -> list[TeamRelease]:
    """The releases that each team chose, or its last ones, whatever was decided on them."""
    last = _last_submissions(folder, track, size)
    return [_release(track, entry, event) for entry, event in last.items()]


def _last_submissions(folder: Folder, track: Track, size: int) -> dict[str, Submitted]:
    """The submissions of the last releases, by the names of their entries."""
    phase = track.phase_for("release")
    keep = 1 if phase is None else phase.keep
    state = folder.journal().state(size)
    submitted = [
        submission
        for submission in submissions(folder)
        if submission.number <= size and submission.track == track.id
    ]
    makers = [program.number for program in last_programs(state, submitted, "release", track)]
    by_team: dict[str, list[Submitted]] = {}
    for submission in submitted:
        if submission.kind == "release":
            by_team.setdefault(submission.team, []).append(submission)
    out = {}
    for team, counted in sorted(by_team.items()):
        counting = [
            (number, release)
            for number, release in enumerate(counted, start=1)
            if is_chosen(state, release) and release.made_by in (None, *makers)
        ]
        for number, release in counting[-keep:]:
            out[_entry_of(team, number, keep)] = release
    return out


def release_times(folder: Folder, track: Track, submitted: Sequence[Submitted]) -> dict[str, float]:
    """When each release of a team that was handed over was submitted, in seconds, by its entry."""
    handed_over = folder.state().handed_over.get(track.id)
    if handed_over is None:
        return {}
    events = {event.number: event for event in submitted}
    last = _last_submissions(folder, track, handed_over.size)
    return {entry: _seconds(event, events) for entry, event in last.items()}


def guess_times(track: Track, submitted: Sequence[Submitted], state: State) -> dict[str, float]:
    """When the last guess of each team that counts was submitted, in seconds."""
    events = {event.number: event for event in submitted}
    return {
        team: max(_seconds(event, events) for event in answered.submitted)
        for team, answered in submitted_guesses(track, submitted, state).items()
    }


def _seconds(event: Submitted, events: Mapping[int, Submitted]) -> float:
    """When a submission was made; what a program made is as old as the program."""
    maker = event if event.made_by is None else events[event.made_by]
    return maker.moment.timestamp()


def first_release(
    folder: Folder, track: Track, team: str, files: Mapping[str, bytes]
) -> TeamRelease:
    """The release that a team is about to submit, as its first one; its files are stored now."""
    phase = track.phase_for("release")
    assert phase is not None  # nobody makes a release where none can be submitted
    event = Submitted(
        team=team,
        track=track.id,
        phase=phase.id,
        kind="release",
        files=store(folder, files),
        sample=track.choices[0],
    )
    return _release(track, _entry_of(team, 1, phase.keep), event)


def _entry_of(team: str, number: int, keep: int) -> str:
    """The name of a team's release, by its number among those that the team submitted."""
    return team if keep == 1 else f"{team}.{number}"


def _release(track: Track, entry: str, event: Submitted) -> TeamRelease:
    """A submission as an entry: its data, its card, and what attackers get beside them."""
    phase = next(phase for phase in track.phase if phase.id == event.phase)
    artefacts = phase.artefacts(track.id, event.team)
    beside = {CARD, *log_of(track), *artefacts}
    (name,) = (name for name in event.files if name not in beside)
    card = file_of(event, CARD) if CARD in event.files else None
    handed = tuple(
        (file, file_of(event, file))
        for file, artefact in artefacts.items()
        if artefact.published == "with-release" and file in event.files
    )
    return TeamRelease(entry, event.team, file_of(event, name), card, event.sample, handed)
