"""Experiments: the files of a population, of a private sample, and of a release under attack.

Every function here computes the contents of some files of a folder from its rules and keys only, so
anybody who has the rules and keys can make the same files again.

A lasting refusal (see ``quintain.plays``) is the result of a job like any other: it is a
function of the rules, the keys and the data, so it is stored, it stays while these stay, and a
verifier comes to the same one. The rest of the run goes on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from quintain.contests import Population, Track
from quintain.contests.redaction import withheld
from quintain.contests.track_goal import split_targets
from quintain.data import Data, as_table, shape_of
from quintain.data.files import to_bytes
from quintain.data.files.subprocess_reader import read_apart
from quintain.errors import Faults, PartError, SubmissionError
from quintain.figures.format import printable
from quintain.guesses import Question
from quintain.plays import LASTING
from quintain.randomness.noise import Noise
from quintain.randomness.seeds import SeedTree
from quintain.releases import ReleaseCard, Sanitized, Trace, publication
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder, csv_bytes, entries_bytes, handover_bytes
from quintain.runs.folder.paths import Task
from quintain.runs.submissions.checking import split_numbers, with_numbers
from quintain.runs.submissions.counting import counting_releases
from quintain.runs.tasks.queries import shown_to_attackers
from quintain.runs.tasks.questions import own_questions
from quintain.samples import Sample
from quintain.sanitizers import sanitize

_MOST_LINES = 3
_LONGEST = 400


def make_base(root: Path, track_id: str) -> Mapping[str, bytes]:
    """The population of a track, its schema, its test records and the names of its entries."""
    folder = Folder(root)
    track = folder.edition().track_by_id(track_id)
    seeds = folder.secrets().seeds(track_id, "dataset")
    base = track.dataset.data(seeds.rng("base"))
    base = shape_of(base).with_schema(base, track.files.spell_deleted(base.schema))
    if track.population is not None:
        noise = folder.secrets().noise_for(track_id, "population")
        key = folder.secrets().seeds(track_id, "population")
        base = generate_population(track.population, base, key, noise)
    test = track.dataset.test_data(seeds.rng("test"))
    # Teams must not see the population before they have submitted their releases.
    public = "base" in track.gives and not track.teams_release
    place = paths.PUBLIC if public else paths.SECRET
    out = {
        paths.schema(track_id): base.schema.model_dump_json(indent=2).encode() + b"\n",
        paths.base(track_id, place): to_bytes(base, ".parquet"),
    }
    if test is not None:
        out[paths.test_records(track_id, track.test_records)] = to_bytes(test, ".parquet")
    if withheld(track):
        out[paths.entries(track_id)] = entries_bytes(track.entries)
    return out


def generate_population(rule: Population, data: Data, seeds: SeedTree, noise: Noise) -> Data:
    """A population that the generator makes from the data set."""
    made = sanitize(rule.generator, data, rng=seeds.rng("generate"), noise=noise).release.data
    if rule.distinct:
        table = as_table(made)
        _, first = np.unique(table.row_keys(), return_index=True)
        made = table.take(np.sort(first))
    if rule.take is not None:
        if len(made) < rule.take:
            raise PartError(
                f"the generator made {len(made)} records; the population needs {rule.take}"
            )
        made = made.take(np.sort(seeds.rng("take").choice(len(made), rule.take, replace=False)))
    return made


def make_team_sample(
    root: Path, track_id: str, team: str, owner: str, seat: int | None
) -> Mapping[str, bytes]:
    """The private samples for a team's release; a team whose program makes it may see none."""
    folder = Folder(root)
    track = folder.edition().track_by_id(track_id)
    out: dict[str, bytes] = {}
    for number in track.choices:
        private = draw_team_sample(folder, track, owner, seat, number).private
        out[paths.private(Task(track_id, team), number)] = to_bytes(private, ".parquet")
        if track.shows_sample(team):
            content = csv_bytes(private, header=track.files.header)
            out[paths.team_sample(team, track_id, number)] = content
    return out


def _place(sample: int | None) -> int:
    """The place of a team's sample among those drawn for it; the first is the only one of old."""
    return 0 if sample is None else sample - 1


def make_task(root: Path, attackers: Sequence[str], *of_task: Any) -> Mapping[str, bytes]:
    """One experiment: private sample, release, question and truth; or why there is none.

    ``attackers`` are those who have questions of their own.
    """
    folder, task = Folder(root), Task(*of_task)
    track_id = task.track
    track = folder.edition().track_by_id(track_id)
    sample = draw_sample(folder, track, task.entry, task.repeat)
    rng = folder.secrets().seeds(track_id, "sanitize", task.entry).rng(task.repeat)
    noise = folder.secrets().noise_for(track_id, task.entry, task.repeat)
    try:
        made = sanitize(track.entries[task.entry], sample.private, rng=rng, noise=noise)
        made = _with_published_domain(track, made)
        _require_allowed(track, sample.private, made.release.data)
        files = task_files(folder, track, task, sample, made, attackers)
    except LASTING as error:
        return {paths.refusal(task): reason_bytes(error)}
    return {paths.private(task): to_bytes(sample.private, ".parquet"), **files}


def _with_published_domain(track: Track, made: Sanitized) -> Sanitized:
    """The release with a claim that does not cover domains which the rules took from the data."""
    claim = made.release.claim
    if claim is None or not track.dataset.learned_domains():
        return made
    claim = claim.model_copy(update={"domain": "published", "kinds": "as in the data"})
    return replace(made, release=replace(made.release, claim=claim))


def _require_allowed(track: Track, original: Data, release: Data) -> None:
    """Refuse a release that breaks the rules which the releases of teams must keep."""
    faults = Faults()
    for rule in track.rule:
        rule.check(original, release, faults)
    faults.raise_if_any(SubmissionError)


def task_files(
    folder: Folder,
    track: Track,
    task: Task,
    sample: Sample,
    made: Sanitized,
    attackers: Sequence[str] = (),
) -> dict[str, bytes]:
    """The files of a release: in full, as published, and the truth about it.

    ``attackers`` are those who have questions of their own.
    """
    release, secrets = made.release, folder.secrets()
    shown, questions = track.formats
    rng = secrets.seeds(track.id, "publish", task.entry).rng(task.repeat)
    published = publication(release.data, made.trace.origins, rng=rng)
    release_path, card_path, _ = paths.attacker_files(task, shown, questions)
    full, seen = with_numbers(track, release.data, made.trace.origins), track.show(release)
    files = {
        paths.full_release(task): to_bytes(full, ".parquet"),
        paths.full_card(task): ReleaseCard.of(release).to_bytes(),
        card_path: ReleaseCard.of(seen).to_bytes(),
    }
    if seen.weights:
        files[paths.weights(task)] = seen.weights
    owner = "shared" if track.shared_sample else task.entry
    rng = secrets.seeds(track.id, "targets", owner).rng(task.repeat)
    every_question: list[Question] = []
    for aim, part in split_targets(track.aims, sample, rng=rng):
        about_goal = task.about(aim.id)
        rng = secrets.seeds(track.id, "ask", *about_goal.stream).rng(task.repeat)
        question, truth = aim.goal.ask_published(part, release, published, rng=rng)
        files[paths.truth(about_goal)] = csv_bytes(truth.table)
        shared = paths.attacker_files(about_goal, shown, questions)[2]
        place = paths.whole_question(about_goal, questions) if track.asks_each else shared
        files[place] = to_bytes(question.table, f".{questions}")
        files |= own_questions(folder, track, about_goal, question.table, truth.table, attackers)
        every_question.append(question)
    rows = len(sample.private)
    data = shown_to_attackers(folder, track, task, published.data, every_question, trained_on=rows)
    files[release_path] = to_bytes(data, f".{shown}", header=track.files.header)
    return files


def draw_sample(folder: Folder, track: Track, entry: str, repeat: int) -> Sample:
    """The private sample of an entry; the same for all entries if the track shares it."""
    owner = "shared" if track.shared_sample else entry
    rng = folder.secrets().seeds(track.id, "sample", owner).rng(repeat)
    return track.sample.draw(folder.base(track.id), rng=rng)


def draw_team_sample(
    folder: Folder, track: Track, owner: str, seat: int | None, number: int | None
) -> Sample:
    """A private sample of a team; ``number`` is that of one of several.

    Parameters
    ----------
    owner : the team, or its cohort, where the teams of a cohort share a sample.
    seat : the place of the team among those that make releases; None where the rules say nothing
        about the rows that samples have in common.
    """
    if seat is None:
        return draw_sample(folder, track, owner, _place(number))
    seeds = folder.secrets().seeds(track.id, "sample")
    place = seat * track.samples + _place(number)
    rng = seeds.child(owner).rng(_place(number))
    base = folder.base(track.id)
    return track.sample.draw_seat(base, place, shared=seeds.rng("overlap"), rng=rng)


def make_handover_list(root: Path, track_id: str, size: int) -> Mapping[str, bytes]:
    """The teams behind the releases, and the population if attackers get it."""
    folder = Folder(root)
    track = folder.edition().track_by_id(track_id)
    releases = counting_releases(folder, track, size)
    out = {
        paths.handover(track_id): handover_bytes({release.id: release.team for release in releases})
    }
    if "base" in track.gives:
        out[paths.base(track_id)] = folder.at(paths.base(track_id, paths.SECRET)).read_bytes()
    return out


def make_handed_over(
    root: Path,
    track_id: str,
    entry: str,
    owner: str,
    release: str,
    card_file: str | None,
    number: int | None,
    artefacts: Sequence[tuple[str, str]],
    attackers: Sequence[str],
    seat: int | None,
) -> Mapping[str, bytes]:
    """A team's release as a task for attackers; the first arguments are a ``TeamRelease``.

    Parameters
    ----------
    owner, seat : for whom its private sample was drawn; see :func:`draw_team_sample`.
    attackers : those who have questions of their own about it.
    """
    folder, task = Folder(root), Task(track_id, entry)
    track = folder.edition().track_by_id(track_id)
    limits = folder.edition().limits
    schema, header = folder.release_schema(track), track.files.header
    submitted = read_apart(folder.at(release), schema, header=header, limits=limits)
    sample = draw_team_sample(folder, track, owner, seat, number)
    data, origins = split_numbers(track, submitted, sample.private)
    card = ReleaseCard()
    if card_file is not None:
        card = ReleaseCard.model_validate_json(folder.at(card_file).read_bytes())
    try:
        made = Sanitized(card.release(data), Trace(origins=origins))
        files = task_files(folder, track, task, sample, made, attackers)
    except LASTING as error:  # the goal cannot ask about this release
        return {paths.refusal(task): reason_bytes(error)}
    files |= {paths.artefact(task, name): folder.at(at).read_bytes() for name, at in artefacts}
    return {paths.private(task): to_bytes(sample.private, ".parquet"), **files}


def describe_refusal(error: Exception) -> str:
    """A refusal as one line for tables and reports.

    >>> from quintain.errors import PartError
    >>> describe_refusal(PartError("needs bounds for age\\nneeds bounds for pay"))
    'needs bounds for age; needs bounds for pay'
    """
    lines = [line for line in map(str.strip, str(error).splitlines()) if line]
    shown = "; ".join(lines[:_MOST_LINES]) + (" ..." if len(lines) > _MOST_LINES else "")
    text = printable(shown) or type(error).__name__
    return text if len(text) <= _LONGEST else text[: _LONGEST - 4] + " ..."


def reason_bytes(error: Exception) -> bytes:
    """A refusal as the content of a file."""
    return describe_refusal(error).encode() + b"\n"
