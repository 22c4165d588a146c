"""Rounds: all files of a track under the names of its rules, and all submissions at once.

Teams need their samples before they release anything, attackers need the population and the
releases after the hand-over, and the answers stay with the organisers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from quintain.contests import Track
from quintain.contests.track_goal import split_targets
from quintain.data import Data, shape_of
from quintain.data.files.subprocess_reader import read_apart
from quintain.errors import Fault, Faults, Refused, Rejected, SubmissionError
from quintain.journal.events import Submitted
from quintain.randomness.noise import Noise
from quintain.randomness.seeds import SeedTree
from quintain.releases import publication
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder, csv_bytes
from quintain.runs.folder.paths import Task
from quintain.runs.submissions.checking import file_bytes, guess_file, release_file
from quintain.runs.submissions.counting import all_answers, counting_releases, submissions
from quintain.runs.submissions.submit import submit
from quintain.runs.tasks.experiments import generate_population
from quintain.sanitizers import Identity, Sanitizer, sanitize
from quintain.wording.languages import tell

TEST = "test.csv"
"""The file with the records that test utility."""
TRIAL_SEED = 0
"""The seed of every trial. Anybody may know it: a trial has nothing to do with a contest."""


def round_files(folder: Folder, track: Track) -> dict[str, bytes]:
    """Every file that a round has by now, secret files too."""
    if track.id not in folder.state().prepared:
        raise Refused(
            tell(
                "track %(track)s is not prepared yet: run quintain prepare --track %(track)s",
                track=track.id,
            )
        )
    names, header = track.files, track.files.header
    files = {names.base.format(track=track.id): csv_bytes(folder.base(track.id), header=header)}
    files |= _test_file(folder, track)
    for team in folder.state().roster.ids:
        files |= _samples(folder, track, team)
    for entry in counting_releases(folder, track, _count_releases(folder, track)):
        task = Task(track.id, entry.id)
        sample = sample_name(track, entry.team, entry.sample)
        if sample not in files:  # a team that submits programs gets none
            files[sample] = csv_bytes(folder.private(track, task), header=header)
        for question in (task.about(aim.id) for aim in track.aims):
            if folder.at(paths.truth(question)).is_file():
                answer = names.truth.format(track=track.id, team=entry.team)
                content = csv_bytes(folder.truth(track, question).table, header=header)
                files[_with_word(answer, question.goal)] = content
        schema, limits = folder.release_schema(track), folder.edition().limits
        release = read_apart(folder.at(entry.data), schema, header=header, limits=limits)
        files[release_file(track, entry.team, entry.sample)] = file_bytes(track, release)
    for answers in all_answers(folder, folder.read(track), submissions(folder)).values():
        files |= {name: folder.at(last.path).read_bytes() for name, (*_, last) in answers.items()}
    return files


def team_files(folder: Folder, track: Track, team: str | None) -> dict[str, bytes]:
    """What a team may see of a round by now; nothing if the rules name no files."""
    header = track.files.header
    if track.files.release is None:
        return {}
    files = {} if team is None else _samples(folder, track, team)
    if not track.tests_in_secret:
        files |= _test_file(folder, track)
    if folder.at(paths.base(track.id)).is_file():
        name = track.files.base.format(track=track.id)
        files[name] = csv_bytes(folder.base(track.id), header=header)
    for task in folder.read(track).releases:
        release = file_bytes(track, folder.release(track, task).data)
        files[release_file(track, task.entry)] = release
    return files


def sample_name(track: Track, team: str, number: int | None = None) -> str:
    """The name of a team's private sample; the number is that of one of several."""
    name = track.files.private.format(track=track.id, team=team)
    return _with_word(name, "" if number is None else str(number))


def _with_word(name: str, word: str) -> str:
    """The name of one of several files: a word, if there is one, stands before the ending."""
    stem, _, ending = name.rpartition(".")
    return f"{stem}.{word}.{ending}" if word else name


def _samples(folder: Folder, track: Track, team: str) -> dict[str, bytes]:
    at = {number: folder.at(paths.team_sample(team, track.id, number)) for number in track.choices}
    return {
        sample_name(track, team, number): path.read_bytes()
        for number, path in at.items()
        if path.is_file()
    }


def _test_file(folder: Folder, track: Track) -> dict[str, bytes]:
    test = folder.test_data(track.id)
    return {} if test is None else {TEST: csv_bytes(test, header=track.files.header)}


def _count_releases(folder: Folder, track: Track) -> int:
    """How many events decide which releases count: those before the hand-over, or all so far."""
    handed = folder.state().handed_over.get(track.id)
    return folder.journal().size() if handed is None else handed.size


@dataclass(frozen=True, slots=True)
class RoundSubmitted:
    """The submissions of a round, and why other teams were refused."""

    submitted: list[Submitted]
    refused: Faults


def submit_round(
    folder: Folder, track: Track, kind: str, files: Mapping[str, bytes]
) -> RoundSubmitted:
    """Submit all teams' releases or guesses, by file name; each team's files are one submission.

    A team with a faulty file is refused and changes nothing; the others are accepted.
    """
    owner = round_names(folder, track, kind)
    by_team: dict[str, dict[str, bytes]] = {}
    for name, content in sorted(files.items()):
        if name in owner:
            by_team.setdefault(owner[name], {})[name] = content
    if not by_team:
        names = ", ".join(list(owner)[:3])
        raise Rejected(
            [
                Fault(
                    tell(
                        "no file is a %(kind)s of this round; expected %(names)s ...",
                        kind=tell(kind),
                        names=names,
                    )
                )
            ]
        )
    accepted: list[Submitted] = []
    refused = Faults()
    for team, given in by_team.items():
        try:
            accepted.append(submit(folder, team, given, track=track.id, kind=kind).submission)
        except SubmissionError as error:
            refused.extend(error.faults)
            refused.count(error.total - len(error.faults))
        except Refused as error:
            refused.add(str(error))
    return RoundSubmitted(accepted, refused)


def round_names(folder: Folder, track: Track, kind: str) -> dict[str, str]:
    """The team that each file name of the rules belongs to."""
    teams = folder.state().roster.ids
    if kind == "release":
        pairs = sorted({(release_file(track, t, i), t) for t in teams for i in track.choices})
    else:
        pairs = [
            (guess_file(track, task, team), team) for task in folder.tasks(track) for team in teams
        ]
    phases = [phase for phase in track.phase if phase.submit == kind]
    pairs += [(name, t) for phase in phases for t in teams for name in phase.artefacts(track.id, t)]
    if len(dict(pairs)) < len(pairs):
        raise Rejected(
            [
                Fault(
                    tell(
                        "in this edition, the file name of a %(kind)s does not name its team",
                        kind=tell(kind),
                    )
                )
            ]
        )
    return dict(pairs)


# --- a trial: files of the kinds that a round has, from a public seed -----------------------------


def trial_files(track: Track) -> dict[str, bytes]:
    """A data set, a population, one sample with its answer, one release, and test records.

    The names are those of the rules, with "trial" in place of the track and without a team. The
    first baseline that makes releases makes this one.
    """
    if track.dataset.own_files():
        raise Refused(tell("a trial shows the data set, and this one is the organisers' own"))
    seeds, noise = (
        SeedTree.from_int(TRIAL_SEED).child("trial", track.id),
        Noise.for_test(TRIAL_SEED),
    )
    data = track.dataset.data(seeds.rng("base"))
    data = shape_of(data).with_schema(data, track.files.spell_deleted(data.schema))
    population = data
    if track.population is not None:
        population = generate_population(track.population, data, seeds.child("population"), noise)
    sample = track.sample.draw(population, rng=seeds.rng("sample"))
    made = sanitize(_sanitizer(track), sample.private, rng=seeds.rng("sanitize"), noise=noise)
    rng = seeds.rng("publish")
    published = publication(made.release.data, made.trace.origins, rng=rng)
    truths = {}
    names = track.files
    for aim, part in split_targets(track.aims, sample, rng=rng):
        _, truth = aim.goal.ask_published(part, made.release, published, rng=rng)
        truths[_with_word(_file_name(names.truth), aim.id)] = truth.table
    files: dict[str, Data | None] = {
        names.dataset: data,
        _file_name(names.base): population,
        _file_name(names.private): sample.private,
        **truths,
        _file_name(names.release or "{track}_" + release_file(track, "")): made.release.data,
        TEST: track.dataset.test_data(seeds.rng("test")),
    }
    header = names.header
    return {name: csv_bytes(d, header=header) for name, d in files.items() if d is not None}


def _sanitizer(track: Track) -> Sanitizer:
    made = (baseline.sanitizer for baseline in track.baseline if baseline.sanitizer is not None)
    return next(iter(track.entries.values()), None) or next(made, None) or Identity()


def _file_name(template: str) -> str:
    """The name of a file without the number of a team or of a sample.

    >>> _file_name("{track}_samplingdata_{team}.csv")
    'trial_samplingdata.csv'
    """
    for part in ("{team}", "{sample}"):
        template = template.replace(f"_{part}", "").replace(part, "")
    return template.format(track="trial")
