"""Lint: find what would go wrong with a contest before it is launched.

Each check looks for a fault that a real contest had, and says what it would cost.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import combinations, permutations

import numpy as np

from quintain.commitment import canonical_json
from quintain.contests import Edition, Phase, Track, load
from quintain.contests.feedback import EXACT_BITS
from quintain.contests.redaction import redact_names, withheld
from quintain.data import Data, Schema, Table, as_table, shape_of
from quintain.data.models import blank_model
from quintain.errors import Faults, MissingExtra, QuintainError, Refused, Rejected
from quintain.figures.format import count, listed, minute
from quintain.guesses.goal import TARGET
from quintain.jobs.job import explain_crash
from quintain.jobs.progress import track as tracked
from quintain.kernels.classifiers import train_forest
from quintain.measures import Reading, Readings, RecordMeasure
from quintain.randomness.noise import Noise
from quintain.randomness.seeds import SeedTree
from quintain.registry import parts
from quintain.releases import NumberedRelease, RowsRule
from quintain.runs.accomplices import decided_by_friends
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.organiser_data import copy_organiser_data
from quintain.runs.folder.paths import list_exposed
from quintain.runs.folder.rules import changed_keys
from quintain.runs.leaks import (
    LintFinding,
    extractable_scores,
    hidden_bits,
    phase_submissions,
    teams_of_one_person,
)
from quintain.runs.luck import few_targets, known_rows, small_cohorts
from quintain.runs.scores.cells import measure_release, read_release
from quintain.runs.submissions.checking import with_numbers
from quintain.samples import Sample
from quintain.samples.sample import private_part
from quintain.sanitizers import Sanitizer, sanitize

# Schedule: find phases that are over, have no dates, or are in an order that cannot work.


_FIRST = datetime.min.replace(tzinfo=UTC)
_LAST = datetime.max.replace(tzinfo=UTC)


def missing_phases(edition: Edition) -> Iterator[LintFinding]:
    """Find tracks in which nobody can submit anything."""
    for track in edition.track:
        if not track.phase:
            yield LintFinding(
                "stop",
                "no-phase",
                f"track {track.id} has no [[phase]]",
                "nobody can submit anything",
            )


def phases_over(edition: Edition, now: datetime) -> Iterator[LintFinding]:
    """Find phases that closed before the contest was launched."""
    for track in edition.track:
        for phase in track.phase:
            if phase.closes is not None and phase.closes <= now:
                yield LintFinding(
                    "stop",
                    "phase-over",
                    f"track {track.id}: phase {phase.id} closed on {phase.closes:%Y-%m-%d}",
                    f"every {phase.submit} would be refused as too late; change the dates",
                )


def phases_without_dates(edition: Edition) -> Iterator[LintFinding]:
    """Find phases that never open or close by themselves although others come after them."""
    if sum(len(track.phase) for track in edition.track) < 2:
        return
    for track in edition.track:
        undated = [p.id for p in track.phase if p.opens is None or p.closes is None]
        if undated:
            yield LintFinding(
                "warning",
                "no-dates",
                f"track {track.id}: {_phases(undated)} no dates, but the contest has several "
                "phases",
                "teams may submit to all of them at any time, also after they have seen what "
                "others submitted; set opens and closes",
            )


def phases_out_of_order(edition: Edition) -> Iterator[LintFinding]:
    """Find phases of a track that overlap although one needs the other to be over."""
    for track in edition.track:
        for first, other in combinations(track.phase, 2):
            if first.submit != other.submit:
                release, guess = sorted((first, other), key=lambda phase: phase.submit != "release")
                yield from _late_releases(track, release, guess)
            elif _overlap(_span([first]), _span([other])):
                yield LintFinding(
                    "warning",
                    "overlapping-phases",
                    f"track {track.id}: phases {first.id} and {other.id} are open at the same time "
                    f"for a {first.submit}",
                    f"every {first.submit} would count in {first.id} alone; change the dates",
                )


def _late_releases(track: Track, release: Phase, guess: Phase) -> Iterator[LintFinding]:
    if release.closes is not None and guess.opens is not None and release.closes > guess.opens:
        yield LintFinding(
            "stop",
            "late-releases",
            f"track {track.id}: releases are accepted in {release.id} until "
            f"{minute(release.closes)}, but {guess.id} opens before, at {minute(guess.opens)}",
            "attackers can guess only when the releases are handed over, and that is refused while "
            "releases are accepted; let one phase close before the other opens",
        )


def overlapping_rounds(edition: Edition) -> Iterator[LintFinding]:
    """Find rounds that begin before an earlier one is over; tracks of equal dates are no rounds."""
    spans = [(track.id, _span(track.phase)) for track in edition.track if _is_dated(track)]
    for (name, first), (other, second) in combinations(sorted(spans, key=lambda s: s[1]), 2):
        if first != second and _overlap(first, second):
            yield LintFinding(
                "warning",
                "overlapping-rounds",
                f"round {other} opens on {second[0]:%Y-%m-%d}, before round {name} closes on "
                f"{first[1]:%Y-%m-%d}",
                f"teams see the data of {other} while they still answer {name}; change the dates, "
                "unless the tracks are meant to run side by side",
            )


def _is_dated(track: Track) -> bool:
    return bool(track.phase) and all(p.opens and p.closes for p in track.phase)


def _span(phases: tuple[Phase, ...] | list[Phase]) -> tuple[datetime, datetime]:
    """From the first opening to the last closing; without dates, all the time there is."""
    return min(p.opens or _FIRST for p in phases), max(p.closes or _LAST for p in phases)


def _overlap(first: tuple[datetime, datetime], other: tuple[datetime, datetime]) -> bool:
    return first[0] < other[1] and other[0] < first[1]


def _phases(names: list[str]) -> str:
    return f"phase {names[0]} has" if len(names) == 1 else f"phases {' and '.join(names)} have"


# Launch: checks for the day a contest opens.


REHEARSAL = "REHEARSAL: anybody can compute the truth from the seed"
"""What every export of a folder says if its seed is public."""


def rehearsal_note(folder: Folder) -> str:
    """A heading in Markdown for what is handed out; empty unless the seeds are public."""
    if not folder.secrets().test:
        return ""
    return (
        f"# {REHEARSAL}\n\nThis folder was prepared with `--seed`: samples, truths and noise are "
        "public. Use it to practise, never for a live contest or for real data.\n\n"
    )


def refuse_rehearsal(folder: Folder) -> None:
    """Refuse to give participants a contest whose answers anybody can compute."""
    if folder.secrets().test:
        raise Refused(
            f"{folder.root} was prepared with --seed: anybody can compute its answers, so it is a "
            "rehearsal. Prepare the real contest without --seed, or export this one with "
            "--rehearsal"
        )


def public_seeds(folder: Folder) -> Iterator[LintFinding]:
    """Find randomness that anybody can repeat."""
    if folder.secrets().test:
        yield LintFinding(
            "stop",
            "public-seeds",
            "the folder was prepared with --seed: samples, truths and privacy noise can be "
            "computed by anybody",
            "the noise can be subtracted (in 2023 that raised an attack's AUC from .586 to .710), "
            "and every label can be drawn again; prepare without --seed",
        )


def nobody_can_submit(folder: Folder, now: datetime) -> Iterator[LintFinding]:
    """Find what keeps teams out: no team, no phase, phases that are over or out of order.

    Once a team has submitted, the contest is launched, and these checks come too late.
    """
    if next(folder.journal().submissions(), None) is not None:
        return
    edition = folder.edition()
    if not edition.team:
        yield LintFinding(
            "warning",
            "no-team",
            "the edition has no [[team]]",
            "nobody can submit anything until a team joins",
        )
    yield from missing_phases(edition)
    yield from phases_over(edition, now)
    yield from phases_without_dates(edition)
    yield from phases_out_of_order(edition)
    yield from overlapping_rounds(edition)


def world_readable_secrets(folder: Folder) -> Iterator[LintFinding]:
    """Find private files that other users of this machine can read."""
    hides_rules = any(withheld(track) for track in folder.edition().track)
    names = [name for name in list_exposed(folder.root) if name != paths.EDITION or hides_rules]
    if names:
        places = " ".join(shlex.quote(str(folder.at(name))) for name in names)
        yield LintFinding(
            "stop",
            "world-readable-secrets",
            f"other users of this machine can read {', '.join(names)}",
            f"anyone with an account here needs no attack; close them: chmod -R go= {places}",
        )


def ignored_changes(folder: Folder) -> Iterator[LintFinding]:
    """Find changes of the edition file that came after the rules were frozen."""
    written = folder.at(paths.EDITION)
    if not folder.prepared or not written.is_file():
        return
    joined = {f"team.{team.id}" for team in folder.edition().team}
    try:
        keys = changed_keys(
            folder.rules(), redact_names(copy_organiser_data(load(written)).edition)
        )
        changed = [key for key in keys if key not in joined]
    except Rejected as error:
        changed = [f"line {fault.line}" for fault in error.faults if fault.line] or ["the file"]
    if changed:
        yield LintFinding(
            "stop",
            "ignored-changes",
            f"the rules are fixed: your change of {', '.join(changed)} in {paths.EDITION} has no "
            "effect",
            "teams are judged by the fixed rules; use quintain amend (for a team, quintain team "
            "add), or undo the change",
        )


# Shown releases: what a contest gives away with its releases, beside the releases themselves.


def shown_utility(track: Track, tests: int) -> Iterator[LintFinding]:
    """Find utility that is shown with every release and rests on secret test records.

    A team has its own sample, so utility on public records tells it nothing new. ``tests`` is the
    number of test records.
    """
    if track.feedback.releases == "none" or not track.tests_in_secret or not tests:
        return
    tries = sum(phase_submissions(phase) for phase in track.phase if phase.submit == "release")
    bits = tries * utility_bits(track)
    limited = math.isfinite(bits)
    much = f"at most {bits:.0f} bits" if limited else "any number of bits"
    yield LintFinding(
        "warning" if limited else "stop",
        "shown-utility",
        f"track {track.id} shows the utility of every release on {count(tests, 'secret record')}: "
        f"a team can gain {much} about them",
        "a team can fit its release to the test records. Limit the submissions of the phase, show "
        "fewer digits, measure within bounds, or make the test records public",
    )


def utility_bits(track: Track) -> float:
    """The most bits that the readings of one release tell: their rounded values and their gates."""
    bits, digits = 0.0, track.feedback.digits
    for measured in track.release_measures:
        low, high = measured.measure.within
        levels = (high - low) * 10.0**digits + 2  # one more if nothing is measured
        value = min(math.log2(levels), EXACT_BITS)
        bits += value * len(measured.reads)
    return bits + len(track.measured_gates)


def unread_artefacts(track: Track) -> Iterator[LintFinding]:
    """Find files that attackers get and that no rule, gate or measure reads."""
    for phase in track.phase:
        for artefact in phase.artefact:
            if artefact.published == "with-release":
                yield LintFinding(
                    "warning",
                    "unread-artefact",
                    f"track {track.id}: {artefact.name} ({artefact.file}) goes to the attackers, "
                    "and no rule, gate or built-in attack reads it",
                    "it can hold the private data themselves, or undo what the release hides; the "
                    "utility of the release does not count what it adds",
                )


# Team rows: what the rows of a release could do to a contest whose teams choose them.


def wrong_numbers(track: Track, private: Data, test: Data | None) -> Iterator[LintFinding]:
    """Find gates that accept the private data themselves, each row with the number of another.

    The judge takes the numbers of a team for the truth. Attackers who find the right row of such a
    release are told that they are wrong. Each row gets the number of the row before it in sorted
    order, which is often similar.
    """
    chosen = track.needs_origins and track.teams_release
    if not (chosen and shape_of(private).row_is_person):
        return
    people = as_table(private)
    order = people.order()
    origins = np.empty_like(order)
    origins[order] = np.roll(order, 1)
    lie = NumberedRelease(people, origins).with_numbers()
    if track.gate_failures(measure_release(track, private, lie, test)):
        return
    measured = any(
        isinstance(measured_by.measure, RecordMeasure) for measured_by in track.release_measures
    )
    yield LintFinding(
        "warning" if measured else "stop",
        "wrong-numbers",
        f"track {track.id}: the private data themselves pass every gate, if each row names the "
        "private record of another row",
        "no attack on such a release can succeed, though it hides nothing; measure utility record "
        'by record, with a gate: utility = [{ use = "equal-cells", at_least = ... }]',
    )


def memorising_models(track: Track, private: Data, test: Data | None) -> Iterator[LintFinding]:
    """Find gates that accept a forest with every private record in a leaf of its own."""
    if track.model is None or not track.teams_release:
        return
    form, rng = track.model.form(private.schema), np.random.default_rng(0)
    try:
        forest = train_forest(form, as_table(private), trees=20, depth=64, smallest=1, rng=rng)
    except MissingExtra:
        return
    if not track.gate_failures(measure_release(track, private, forest, test)):
        yield LintFinding(
            "warning",
            "memorising-models",
            f"track {track.id}: a forest that keeps single records in its leaves passes every gate",
            "a model that answers with the labels of its training set is easy to attack and still "
            'counts; add a gate: privacy = [..., { use = "generalisation-gap", at_most = 0.1 }]',
        )


def spent_queries(track: Track, sample: Sample) -> Iterator[LintFinding]:
    """Find a budget of queries that is too small for the question, or that nothing can use."""
    budget = None if track.model is None else track.model.queries
    if budget is None:
        return
    targets = len(sample.target_rows)
    if budget < targets:
        yield LintFinding(
            "stop",
            "spent-queries",
            f"track {track.id}: model.queries is {budget}, and the question names {targets} "
            "records",
            "no release can be published: the judge asks about every record of the question first; "
            "raise queries, or ask about fewer targets",
        )
    elif "base" not in track.gives:
        yield LintFinding(
            "warning",
            "spent-queries",
            f"track {track.id}: model.queries is {budget}, and attackers get answers about the "
            "records of their question alone",
            "they do not know the population, so the judge asks about nobody else for them; give "
            "base, if attackers should see how the model answers about other people",
        )


def too_many_rows(track: Track, private: Data, most: int) -> Iterator[LintFinding]:
    """Find tables of teams that may have any number of records up to ``most``, a file's limit."""
    if not (track.teams_release and shape_of(private).row_is_person) or track.model is not None:
        return
    if any(isinstance(rule, RowsRule) and (rule.same or rule.most) for rule in track.rule):
        return
    yield LintFinding(
        "warning",
        "too-many-rows",
        f"track {track.id}: a release may have {most:,} records; the private data have "
        f"{len(private):,}",
        "attacks compare each record with every target, so one team can make scoring take hours "
        'and all memory; add a rule: rule = [{ use = "rows", most = ... }]',
    )


def other_samples(
    track: Track, private: Data, other: Data, test: Data | None
) -> Iterator[LintFinding]:
    """Find gates that accept another sample of a team as the release of the one that it names.

    ``other`` is a further sample by the design of the track.
    """
    if not track.teams_release or other.digest() == private.digest():
        return
    origins = np.arange(len(other))
    origins[len(private) :] = -1
    if track.gate_failures(
        measure_release(track, private, with_numbers(track, other, origins), test)
    ):
        return
    yield LintFinding(
        "warning",
        "other-samples",
        f"track {track.id}: each team has {track.samples} samples, and one of them, unchanged, "
        "passes every gate as the release of another",
        "attackers look for people of the sample that the team names, so no attack on such a "
        "release can succeed, though it shows true records; set a gate that a fresh sample fails, "
        "or leave samples out",
    )


PROBE_ROWS = 2_000
_NAMED = 8
"""How many columns a finding names."""
LEAST_SHARE = 0.1
"""A release must show at least this share of a real difference between samples."""
CLEAR_SHARE = 0.3
"""From this share on, a larger budget, or another track with the same columns, needs no trial."""
_BUDGET = "epsilon"

Budgets = dict[tuple[bytes, str], float]
"""By settings without the budget, and columns: the least budget that shows a clear share."""


def lint_edition(edition: Edition, *, teams: float = 1) -> Iterator[LintFinding]:
    """Find every fault that the rules and a trial draw of the data show.

    Parameters
    ----------
    teams : how many teams one person may register; 1 where somebody looks at each registration.
    """
    seeds = SeedTree.from_int(0).child("lint")
    yield from small_cohorts(edition)
    yield from data_kept_secret(edition)
    enough: Budgets = {}
    for track in edition.track:
        yield from organiser_data(track)
        base = track.dataset.data(seeds.rng(track.id, "base"))
        sample = track.sample.draw(base, rng=seeds.rng(track.id, "sample"))
        hidden = hidden_bits(track, sample)
        yield from extractable_scores(track, hidden)
        yield from teams_of_one_person(track, hidden, teams)
        yield from open_commitments(edition, track, len(sample.members))
        yield from linked_targets(track, sample)
        yield from few_targets(track)
        yield from decided_by_friends(edition, track)
        yield from known_rows(track, track.population_size or len(base))
        yield from known_answers(track)
        yield from told_answers(track, base.schema)
        yield from shared_knowledge(track)
        test = track.dataset.test_data(seeds.rng(track.id, "test"))
        yield from strict_rules(track, sample.private)
        yield from open_gates(track, sample.private, test, seeds)
        yield from wrong_numbers(track, sample.private, test)
        yield from memorising_models(track, sample.private, test)
        yield from spent_queries(track, sample)
        yield from too_many_rows(track, sample.private, edition.limits.rows)
        if track.samples > 1:
            other = track.sample.draw(base, rng=seeds.rng(track.id, "other")).private
            yield from other_samples(track, sample.private, other, test)
        yield from unread_artefacts(track)
        yield from shown_utility(track, 0 if test is None else len(test))
        # The smallest budget comes first: what it shows, a larger one shows as well.
        entries = sorted(track.entries.items(), key=lambda entry: _budget(entry[1]))
        label = f"trial releases of {track.id}"
        for entry, sanitizer in tracked(entries, label, len(entries)) if entries else ():
            yield from independent_release(track, entry, sanitizer, sample, seeds, enough)


def lint_folder(
    folder: Folder, *, now: datetime | None = None, teams: float = 1
) -> Iterator[LintFinding]:
    """Find the faults of an edition folder: its rules, its phases, and secrets in public files."""
    if folder.prepared:
        folder.require_secrets()
    yield from nobody_can_submit(folder, now or datetime.now(UTC))
    yield from world_readable_secrets(folder)
    yield from ignored_changes(folder)
    yield from lint_edition(folder.edition(), teams=teams)
    if folder.prepared:
        yield from public_seeds(folder)
        yield from published_truths(folder)


def known_answers(track: Track) -> Iterator[LintFinding]:
    """Find goals whose answers are in the population that attackers get."""
    for aim in track.aims:
        if aim.goal.in_population and "base" in track.gives:
            yield LintFinding(
                "warning",
                "known-answers",
                f"track {track.id} gives attackers the population, which has the answers to "
                f"{aim.goal.id}",
                "attackers can look up members and controls alike, and then no release is "
                "measured; leave base out of gives in [knowledge]",
            )


def told_answers(track: Track, schema: Schema) -> Iterator[LintFinding]:
    """Find goals whose question has the answer to another goal about the same targets."""
    for hiding, asking in permutations(track.aims, 2):
        apart = hiding.targets is not None and asking.targets is not None
        if apart or not hiding.goal.in_population:
            continue
        shown = set(asking.goal.question_schema(schema).names)
        for column in hiding.goal.guess_schema(schema).names:
            if column != TARGET.name and column in shown:
                yield LintFinding(
                    "stop",
                    "told-answers",
                    f"track {track.id}: the question of {asking.id} shows {column} of the targets "
                    f"about whom {hiding.id} asks for it",
                    "attackers copy the answer from one file into another, and no release is "
                    "measured; give both goals a share of the targets: targets = 0.5",
                )


def shared_knowledge(track: Track) -> Iterator[LintFinding]:
    """Find facts that attackers get for one goal only, though they attack the others as well."""
    for aim in track.aims:
        more = sorted(track.gives - aim.threat.facts)
        if more:
            yield LintFinding(
                "warning",
                "shared-knowledge",
                f"track {track.id}: attackers of {aim.id} get {listed(more)} for another goal",
                "the same teams attack all goals, and only baselines leave this unused; give the "
                "same facts for all goals, or make tracks of them",
            )


def organiser_data(track: Track) -> Iterator[LintFinding]:
    """Find domains that reveal the data, and columns that nobody will see."""
    learned, unread = track.dataset.learned_domains(), track.dataset.unread_columns()
    if learned:
        yield LintFinding(
            "warning",
            "learned-domains",
            f"track {track.id}: the domains of {_some(learned)} were learned from the data",
            "the published schema shows which values occur, with the smallest and the largest, and "
            "no privacy claim covers that; write public domains into the schema and delete the "
            'marks "learned": true; quintain schema learn TABLE > schema.json makes a start',
        )
    if unread:
        yield LintFinding(
            "warning",
            "unread-columns",
            f"track {track.id}: the schema leaves out {_some(unread)}",
            "these columns of the file are not part of the contest",
        )


def _some(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:_NAMED])
    return f"{shown} and {len(names) - _NAMED} more" if len(names) > _NAMED else shown


def open_commitments(edition: Edition, track: Track, labels: int) -> Iterator[LintFinding]:
    """Find hashes that an attacker can undo by trying every possible truth."""
    if edition.commitment.algorithm != "sha512-unsalted":
        return
    exact = track.sample.balanced
    bits = math.log2(math.comb(labels, labels // 2)) if exact else float(labels)
    repair = sum(math.comb(labels // 2, k) ** 2 for k in range(3)) if exact else labels**4 // 24
    yield LintFinding(
        "stop",
        "open-commitments",
        f"track {track.id}: hashes of the truths are published without a salt",
        f"{bits:.0f} bits for {labels} labels; with a guess that is 4 labels off, about "
        f"{repair:,} hashes restore the truth, which is seconds",
    )


def linked_targets(track: Track, sample: Sample) -> Iterator[LintFinding]:
    """Find targets whose records are in the data twice, so that non-members are in it as well."""
    base = sample.population
    people = private_part(base, np.arange(len(base)))
    keys = shape_of(people).record_keys(people)
    if keys is None or not len(sample.target_rows):
        return
    others = np.setdiff1d(np.arange(len(base)), sample.target_rows)
    twin = np.isin(keys[sample.target_rows], keys[others])
    sizes = np.bincount(sample.target_of)
    share = np.bincount(sample.target_of, twin) / sizes
    # A single person may well have a statistical twin; most of a household may not.
    linked = int((share >= 0.6).sum()) if sizes.max() > 1 else 0
    if linked > 0.02 * len(sizes):
        yield LintFinding(
            "stop",
            "linked-targets",
            f"track {track.id}: {linked} of {len(sizes)} targets have most of their records "
            "elsewhere in the base data as well",
            f"about {linked / len(sizes) / 2:.0%} of the membership labels are wrong: "
            "non-members are in the private data under another name; remove duplicates",
        )


def strict_rules(track: Track, private: Data) -> Iterator[LintFinding]:
    """Find rules of releases that the private data themselves break."""
    if track.model is not None or not track.teams_release:
        return
    faults = Faults("a copy")
    for rule in track.rule:
        rule.check(private, private, faults)
    if faults:
        yield LintFinding(
            "warning",
            "strict-rules",
            f"track {track.id}: the private data themselves break the rules of a release: "
            f"{faults.findings[0]}",
            "every release that keeps the records one by one is refused, and so is the example in "
            "a kit; change the rule, or let the description say what teams have to do",
        )


def open_gates(
    track: Track, private: Data, test: Data | None, seeds: SeedTree
) -> Iterator[LintFinding]:
    """Find gates that accept a release without any information, and those that accept nothing."""
    gated = track.measured_gates
    if not gated:
        return
    rng = seeds.rng(track.id, "junk")
    what = "random values, drawn evenly for each column, pass"
    if track.model is None:
        junk = _junk(private, rng)
    else:
        junk, what = blank_model(track.model.form(private.schema)), "a model of zeros passes"
    if junk is None:
        return
    readings = measure_release(track, private, junk, test)
    tested = {name for name, reading in readings.items() if "test records" in reading.note}
    unread = [
        name for name in gated if test is None and not tested.isdisjoint(track.rests_on(name))
    ]
    if unread:
        yield LintFinding(
            "stop",
            "closed-gates",
            f"track {track.id}: {', '.join(unread)} cannot be measured: there are no test records",
            "every release is disqualified; give the data set test records, such as test = "
            '"more.csv" beside the path of your own table, or leave these gates out',
        )
    if not track.gate_failures(readings):
        values = [f"{name} is {readings[name].value:.3g}" for name in gated]
        yield LintFinding(
            "stop",
            "open-gates",
            f"track {track.id}: {what} every gate",
            "a team that publishes noise is not disqualified, and no attack on it can succeed; for "
            f"noise, {', '.join(values)}: set a gate that it fails",
        )
    yield from _closed_gates(track, private, test, readings)


def _closed_gates(
    track: Track, private: Data, test: Data | None, junk: Readings
) -> Iterator[LintFinding]:
    """Find bounds of utility that the private data themselves fail; ``junk`` are readings of noise.

    A bound that noise passes may be there to refuse copies, so it is not closed. Gates on readings
    of privacy are left out: there, what is generalised may pass where both copies and noise fail.
    """
    if track.model is not None:
        return
    copy = with_numbers(track, private, np.arange(len(private)))
    useful = {name for measured in track.utility for name in measured.reads}
    failed = [
        (name, bound)
        for name, gate in track.measured_gates.items()
        if junk[name].measured and useful >= track.rests_on(name)
        for bound in gate.single
        if any(bound.failures(name, junk[name]))
    ]
    needed = frozenset[str]().union(*(track.rests_on(name) for name, _ in failed))
    copied: dict[str, Reading] = {}
    for measured in track.utility:
        if not needed.isdisjoint(measured.reads):
            copied |= read_release(measured, private, copy, test)
    copied = track.with_derived(copied)
    closed = [text for name, bound in failed for text in bound.failures(name, copied[name])]
    if closed:
        yield LintFinding(
            "stop",
            "closed-gates",
            f"track {track.id}: neither the private data themselves nor random values pass: "
            f"{'; '.join(closed)}",
            "every release would be disqualified, and nobody could get a rank; set a gate that the "
            "private data pass",
        )


def _junk(private: Data, rng: np.random.Generator) -> Data | None:
    """As many records without any information; None for shapes that lint cannot make up."""
    control = _control(private.schema.shape)
    if control is not None:
        return sanitize(control, private, rng=rng, noise=Noise.for_test(rng)).release.data
    if not shape_of(private).row_is_person:
        return None
    people = as_table(private)
    drawn = {
        name: rng.choice(np.unique(column), len(people)) for name, column in people.columns.items()
    }
    return people.replace(drawn)


def _control(shape: str) -> Sanitizer | None:
    """A sanitizer that keeps nothing of this shape of data, if there is one."""
    for cls in parts(Sanitizer.family):
        if issubclass(cls, Sanitizer) and cls.keeps_nothing and shape in cls.shapes:
            return cls.examples()[0]
    return None


def independent_release(
    track: Track,
    entry: str,
    sanitizer: Sanitizer,
    sample: Sample,
    seeds: SeedTree,
    enough: Budgets,
) -> Iterator[LintFinding]:
    """Find an entry whose release hardly depends on the private data.

    ``enough`` has the budgets that need no trial any more, and grows: a trial makes two releases,
    which takes minutes for some sanitizers.
    """
    private = sample.private
    discrete = all(column.discrete for column in private.schema.columns)
    trained = sanitizer.release_schema(private.schema).model is not None
    if trained or not (discrete and shape_of(private).row_is_person):
        return
    settings = {key: value for key, value in sanitizer.spec().items() if key != _BUDGET}
    alike = canonical_json(settings), private.schema.model_dump_json()
    if _budget(sanitizer) >= enough.get(alike, math.inf):
        return
    try:
        with explain_crash(sanitizer.id):
            share = shown_share(sanitizer, as_table(private), seeds.child(track.id, entry))
    except QuintainError as problem:
        yield LintFinding(
            "stop",
            "independent-release",
            f"{entry} cannot be made: {problem}",
            "the entry would be missing",
        )
        return
    if share < LEAST_SHARE:
        yield LintFinding(
            "stop",
            "independent-release",
            f"track {track.id}: {entry} hardly depends on its input: of the difference between "
            f"two very different samples, {max(share, 0):.0%} shows in their releases",
            "no attack can do better than luck on it, so its scores rank luck",
        )
    elif share >= CLEAR_SHARE:
        enough[alike] = _budget(sanitizer)


def _budget(sanitizer: Sanitizer) -> float:
    """The privacy budget of a sanitizer; 0 if it has none."""
    return float(sanitizer.spec().get(_BUDGET) or 0.0)


def shown_share(sanitizer: Sanitizer, private: Table, seeds: SeedTree) -> float:
    """How much of the difference between two very different samples their releases show.

    The records are ordered by the sum of their standardised codes and cut in the middle; the
    means of the releases' columns are then regressed on those of the halves.
    """
    probe = private.take(np.arange(min(len(private), 2 * PROBE_ROWS)))
    codes = probe.codes().astype(float)
    spread = codes.std(axis=0)
    order = np.argsort((codes / np.where(spread > 0, spread, 1)).sum(axis=1), kind="stable")
    halves = [probe.take(rows) for rows in np.array_split(order, 2)]
    means = []
    for number, half in enumerate(halves):
        rng = seeds.rng(number)
        release = sanitize(sanitizer, half, rng=rng, noise=Noise.for_test(rng)).release
        means.append(as_table(release.data).codes().mean(axis=0))
    scale = np.array([column.size for column in probe.schema.columns])
    real = (halves[1].codes().mean(axis=0) - halves[0].codes().mean(axis=0)) / scale
    shown = (means[1] - means[0]) / scale
    return float(shown @ real / max(float(real @ real), 1e-12))


def data_kept_secret(edition: Edition) -> Iterator[LintFinding]:
    """Find rules that keep the data secret and cannot, or lose more than they have to."""
    if edition.reveal != "without-data":
        return
    given = [track.id for track in edition.track if not track.dataset.own_files()]
    if given:
        yield LintFinding(
            "warning",
            "nothing-to-keep-secret",
            f'reveal = "without-data", but the data of {listed(given)} are no file of your own',
            "everybody has these data, and nobody can verify the contest; leave the key out",
        )
    shown = [track.id for track in edition.track if "base" in track.gives]
    if shown:
        yield LintFinding(
            "warning",
            "population-is-public",
            f'reveal = "without-data", but attackers get the population of {listed(shown)}',
            "its rows become public during the contest; take base out of gives",
        )
    if edition.commitment.algorithm == "sha512-unsalted":
        yield LintFinding(
            "stop",
            "unsalted-secrets",
            'reveal = "without-data" with plain hashes of secret files',
            "somebody who knows all records but one can guess that one from a hash; leave "
            "algorithm out",
        )


def published_truths(folder: Folder) -> Iterator[LintFinding]:
    """Find secret content in files that participants see."""
    populations = {paths.base(track.id, paths.SECRET) for track in folder.edition().track}
    hidden = {
        folder.at(name).read_bytes(): name
        for name in paths.files_below(folder.root, paths.SECRET)
        # A card may be public in full: then the public card and the secret one are the same.
        if name not in populations
        and not name.startswith(f"{paths.OWN_DATA}/")
        and not name.endswith(f"/{paths.CARD}")
        # A question about all targets has no answers, and an attacker may be asked about all.
        and not paths.is_whole_question(name)
    }
    for name in paths.files_below(folder.root, paths.PUBLIC, paths.TEAMS):
        match = _same(folder.at(name).read_bytes(), hidden)
        if match is not None:
            yield LintFinding(
                "stop",
                "published-truths",
                f"{name} has the content of {match}",
                "anybody who looks there needs no attack",
            )


def _same(content: bytes, hidden: dict[bytes, str]) -> str | None:
    exact = hidden.get(content)
    if exact is not None:
        return exact
    truths = (name for text, name in hidden.items() if paths.is_truth(name) and text in content)
    return next(truths, None)
