"""Comparison: releases or sanitizers beside each other, under the same attacks, again and again.

One release is one draw of luck. Here every *entry*, a sanitizer or a finished release, meets the
same attackers with the same people in every repetition, so the differences between entries are
differences within pairs. What is left of them after a correction for their number is not luck.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict

from quintain.attacks import Attack
from quintain.audits.pool import Pool
from quintain.audits.reading.cells import describe_table
from quintain.audits.reading.tables import read_inputs
from quintain.audits.results import AuditedInput, NotComputed, versions
from quintain.audits.risk import find_attacks
from quintain.audits.risks.membership import (
    CHOICES,
    AttackChoice,
    MembershipRisk,
    measure_membership,
)
from quintain.audits.risks.membership import NAME as STACKED
from quintain.audits.work_ahead import TableSize, comparison_audit
from quintain.commitment import sha256
from quintain.data import Learned, Schema, Table, as_table
from quintain.data.arrays import Floats, Mask, Rows
from quintain.data.learning.input_table import InputTable
from quintain.data.learning.learn import learn
from quintain.errors import PartError, QuintainError
from quintain.jobs.executor import SERIAL, Executor
from quintain.jobs.job import Job, fingerprint, run_live
from quintain.jobs.scratch import ScratchFolder
from quintain.measures import Reading
from quintain.measures.holm import adjust_p
from quintain.measures.privacy.roc_curve import auc
from quintain.measures.reading import LEVEL, average
from quintain.plays import REFUSALS
from quintain.randomness.noise import Noise
from quintain.randomness.seeds import SeedTree
from quintain.releases import Release
from quintain.sanitizers import Sanitizer, sanitize

REPETITIONS = 10
"""How many repetitions there are unless the caller says otherwise."""
FEWEST_PEOPLE = 10
"""A repetition needs so many people of the original, and so many of the control."""
STAMPS = "done"

# --- the result ---


class ComparedEntry(BaseModel):
    """One thing under attack.

    Parameters
    ----------
    name : how the tables call it.
    kind : whether it was run in every repetition, or given as it is.
    parameters : those of a sanitizer.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    kind: Literal["sanitizer", "release"]
    parameters: dict[str, Any] = {}


class ComparedCell(BaseModel):
    """What one attack reads of one entry.

    Parameters
    ----------
    reading : the mean over the repetitions.
    values : one per repetition; None where nothing was measured.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    entry: str
    attack: str
    reading: Reading
    values: tuple[float | None, ...]


class EntryDifference(BaseModel):
    """How far two entries are apart for one attack, in the same repetitions.

    Parameters
    ----------
    first, second : the entries; the reading is that of the first less that of the second.
    p : how probable so large a difference is by luck alone, for this difference on its own.
    adjusted_p : the same, corrected for the number of all differences (Holm).
    more_than_luck : whether the adjusted value is below 5 %.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    attack: str
    first: str
    second: str
    reading: Reading
    p: float
    adjusted_p: float
    more_than_luck: bool


class EntryComparison(BaseModel):
    """Entries beside each other.

    Parameters
    ----------
    people : whether each repetition splits the people anew ("split"), or asks about another part of
        a given original and control ("parts").
    attacks : the names of the attacks, those that read most first.
    cells : every attack on every entry.
    differences : all pairs of entries for every attack, the least probable by luck first.
    limits : what the figures do not say, in plain sentences.
    not_computed : which attack or entry gave nothing, and why.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["quintain.comparison/1"] = "quintain.comparison/1"
    entries: tuple[ComparedEntry, ...]
    attacks: tuple[str, ...]
    repetitions: int
    people: Literal["split", "parts"]
    cells: tuple[ComparedCell, ...]
    differences: tuple[EntryDifference, ...]
    limits: tuple[str, ...]
    not_computed: tuple[NotComputed, ...] = ()
    inputs: tuple[AuditedInput, ...] = ()
    seed: int = 0
    versions: dict[str, str] = {}
    command: str = ""

    def cell(self, entry: str, attack: str) -> ComparedCell:
        """What an attack reads of an entry."""
        return next(c for c in self.cells if (c.entry, c.attack) == (entry, attack))

    def rows(self) -> Iterator[dict[str, Any]]:
        """One row per entry, attack and repetition, for tables."""
        for cell in self.cells:
            for number, value in enumerate(cell.values):
                yield {
                    "entry": cell.entry,
                    "attack": cell.attack,
                    "repetition": number,
                    "auc": value,
                }


# --- who is attacked in which repetition ---


@dataclass(frozen=True, slots=True, eq=False)
class ComparedPeople:
    """The people of a comparison, and how each repetition divides them.

    Parameters
    ----------
    records : everybody, without ids.
    original : how many of them, from the first on, are the original; None if every repetition
        splits them anew.
    share : the share of them that a new split makes the control.
    repetitions : how many repetitions there are.
    seeds : where splits and parts come from.
    """

    records: Table
    original: int | None
    share: float
    repetitions: int
    seeds: SeedTree

    def members(self, repetition: int) -> Mask:
        """Who is in the data that a sanitizer gets."""
        everybody = len(self.records)
        if self.original is not None:
            return np.arange(everybody) < self.original
        order = self.seeds.rng("split", repetition).permutation(everybody)
        return order >= self._controls()

    def asks_about(self, repetition: int) -> Mask:
        """Whom the readings of a repetition are about: everybody, or one of disjoint parts."""
        if self.original is None:
            return np.ones(len(self.records), bool)
        return np.asarray(self._parts() == repetition)

    def require(self) -> None:
        """Raise if a repetition would have too few people."""
        sides = (self.members(0), ~self.members(0))
        fewest = min(int((side & self.asks_about(0)).sum()) for side in sides)
        if self.original is not None:
            fewest = min(int(side.sum()) // self.repetitions for side in sides)
        if fewest < FEWEST_PEOPLE:
            hint = "; ask for fewer repetitions" if self.original is not None else ""
            raise QuintainError(
                f"a repetition would ask about {fewest} people of the original or of the control; "
                f"the least is {FEWEST_PEOPLE}{hint}"
            )

    def _controls(self) -> int:
        return round(self.share * len(self.records))

    def _parts(self) -> Rows:
        """For each person the repetition that asks about them; original and control are dealt."""
        assert self.original is not None  # there are parts of given people alone
        sizes = (self.original, len(self.records) - self.original)
        dealt = [self.seeds.rng("parts", side).permutation(n) for side, n in enumerate(sizes)]
        return np.concatenate(dealt) % self.repetitions


@dataclass(frozen=True, slots=True, eq=False)
class Contender:
    """An entry with what makes its releases.

    Parameters
    ----------
    thing : a sanitizer, or a release: the path of a file, a data frame, or data with a schema.
    """

    name: str
    thing: Any

    @property
    def runs(self) -> bool:
        """Whether it makes a new release in every repetition."""
        return isinstance(self.thing, Sanitizer)

    def entry(self) -> ComparedEntry:
        """What the result says about it."""
        if isinstance(self.thing, Sanitizer):
            return ComparedEntry(
                name=self.name, kind="sanitizer", parameters=self.thing.parameters()
            )
        return ComparedEntry(name=self.name, kind="release")

    def facts(self) -> tuple[object, ...]:
        """Everything that the releases of a sanitizer depend on, beside data and seed."""
        if not isinstance(self.thing, Sanitizer):
            return ()
        return type(self.thing).__qualname__, self.thing.id, self.thing.parameters()


@dataclass(frozen=True, slots=True, eq=False)
class ComparisonPlan:
    """Everything that a job needs to attack one entry."""

    people: ComparedPeople
    contenders: Mapping[str, Contender]
    choices: tuple[AttackChoice, ...]
    header: bool | None

    def attack(self, job: Job) -> dict[str, bytes]:
        """Let all attacks meet one release; gives their readings as JSON."""
        name, repetition = job.args
        assert isinstance(name, str)  # the two arguments of every job
        assert isinstance(repetition, int)
        try:
            answers = self._readings(self.contenders[name], repetition)
        except REFUSALS as error:
            if not self.contenders[name].runs:
                raise  # a file that cannot be read is a fault of the caller
            answers = {"refused": str(error)}
        return {_file(job): json.dumps(answers).encode()}

    def _readings(self, contender: Contender, repetition: int) -> dict[str, Any]:
        people, seeds = self.people, self.people.seeds
        members = people.members(repetition)
        original, control = people.records.take(members), people.records.take(~members)
        inputs = read_inputs(
            original,
            self._release(contender, original, repetition),
            control,
            header=self.header,
            rng=seeds.rng("codes", repetition),
        )
        assert inputs.control is not None  # it was given
        pool = Pool.of(inputs.original, inputs.control, rng=seeds.rng("pool", repetition))
        # The same draws for every entry: luck of the attacks cancels in the differences.
        result = measure_membership(
            pool,
            Release(inputs.release),
            rng=seeds.rng("attacks", repetition),
            choices=self.choices,
        )
        # Where each person of the pool stands among the records of the comparison.
        places = np.where(
            pool.members,
            np.flatnonzero(members)[np.minimum(pool.rows, len(original) - 1)],
            np.flatnonzero(~members)[np.minimum(pool.rows, len(control) - 1)],
        )
        numbers = [repetition] if contender.runs else range(people.repetitions)
        return {
            "readings": {
                given.attack: {
                    number: _reading(pool.members, given.scores, people.asks_about(number)[places])
                    for number in numbers
                }
                for given in result.evidence
            },
            "not_computed": [own.model_dump() for own in result.not_computed],
        }

    def _release(self, contender: Contender, original: Table, repetition: int) -> Any:
        if not isinstance(contender.thing, Sanitizer):
            return contender.thing
        seeds = self.people.seeds.child("entry", contender.name, repetition)
        noise = Noise(seeds.key("noise"), test=True)
        rng = seeds.rng("sanitizer")
        return sanitize(contender.thing, original, rng=rng, noise=noise).release


def _reading(members: Mask, scores: Floats, counted: Mask) -> dict[str, Any]:
    """The area under the curve of the people who were asked about and scored."""
    kept = counted & ~np.isnan(scores)
    return auc(members[kept], scores[kept]).model_dump(mode="json")


# --- comparing ---


def compare(
    contenders: Mapping[str, Any],
    data: Any,
    control: Any = None,
    *,
    schema: Schema | Learned | Path | None = None,
    header: bool | None = None,
    attacks: Sequence[Attack | str] = (),
    repetitions: int = REPETITIONS,
    share: float = 0.5,
    seed: int = 0,
    executor: Executor = SERIAL,
    out: Path | None = None,
    command: str = "",
) -> EntryComparison:
    """Attack sanitizers and releases of one original in the same repetitions, and compare them.

    Without a control, every repetition splits the people at random into an original, which the
    sanitizers get, and a control. With a control, every repetition runs the sanitizers anew and
    asks about another part of the people; finished releases take part as well.

    Parameters
    ----------
    contenders : sanitizers, and with a control also releases, by the names that tables show.
    data : the people: the path of a file, a data frame, or a table with a schema. With a control,
        they are the original.
    control : people of the same population who are not in the data.
    schema : the columns and their domains; by default learned.
    attacks : attacks on membership, by name or as parts; by default those of a release audit.
    repetitions : how many repetitions; more of them show smaller differences.
    share : the share of the people that each split makes the control.
    seed : the same seed gives the same comparison, if the sanitizers follow their seeds.
    executor : where the work runs; the result does not depend on it.
    out : a folder for what was measured. If it has some of it already, the work goes on from there.
    command : the command that repeats the comparison, for the report.

    >>> from quintain.sanitizers import RandomizedResponse
    >>> from quintain.testing import unique_people
    >>> found = compare(
    ...     {"kept": RandomizedResponse(keep=0.99), "lost": RandomizedResponse(keep=0.01)},
    ...     unique_people(rows=200),
    ...     attacks=["nearest"],
    ...     repetitions=3,
    ... )
    >>> (difference,) = found.differences
    >>> difference.reading.value > 0.3, difference.more_than_luck
    (True, True)
    """
    entries = {name: Contender(name, thing) for name, thing in contenders.items()}
    _require_entries(entries, control, repetitions)
    making = sum(repetitions for own in entries.values() if own.runs)
    comparison_audit(
        [TableSize.of(own, header) for own in (data, control) if own is not None],
        runs=making,
        releases=sum(not own.runs for own in entries.values()),
        attacks=len(attacks),
    ).announce()
    seeds = SeedTree.from_int(seed).child("comparison")
    people, inputs = _people(data, control, schema, header, share, repetitions, seeds)
    people.require()
    released = [_describe(e.name, e.thing, header) for e in entries.values() if not e.runs]
    plan = ComparisonPlan(people, entries, _choices(attacks), header)
    jobs = list(_jobs(plan, seed, {own.role: own.sha256 for own in released}))
    with _folder(out) as root:
        work = partial(ComparisonPlan.attack, plan)
        run_live(root, jobs, work, stamps=STAMPS, executor=executor, label="comparison")
        answers = [(job, json.loads((root / _file(job)).read_bytes())) for job in jobs]
    return _assemble(plan, answers).model_copy(
        update={"inputs": (*inputs, *released), "seed": seed, "command": command}
    )


def _require_entries(entries: Mapping[str, Contender], control: Any, repetitions: int) -> None:
    if len(entries) < 2:
        raise QuintainError("a comparison needs at least two sanitizers or releases")
    if repetitions < 2:
        raise QuintainError(f"{repetitions} repetitions show no spread; the least is 2")
    finished = [entry.name for entry in entries.values() if not entry.runs]
    if finished and control is None:
        raise QuintainError(
            f"{', '.join(finished)}: a finished release can only be compared with a control, "
            "people who are not in its original; without one, compare sanitizers"
        )


def _people(
    data: Any,
    control: Any,
    schema: Schema | Learned | Path | None,
    header: bool | None,
    share: float,
    repetitions: int,
    seeds: SeedTree,
) -> tuple[ComparedPeople, tuple[AuditedInput, ...]]:
    """Everybody under one schema without ids, and the facts about the tables."""
    given = {"original": data} | ({} if control is None else {"control": control})
    sources = [
        InputTable.of(own.data if isinstance(own, Release) else own, role, header=header)
        for role, own in given.items()
    ]
    learned = learn(*sources, stated=schema)
    tables = [as_table(learned.read(source)) for source in sources]
    ids = [column.name for column in tables[0].schema.columns if column.identifying]
    plain = [table.drop(*ids) if ids else table for table in tables]
    records = plain[0] if control is None else plain[0].concat(plain[1])
    original = None if control is None else len(plain[0])
    facts = tuple(describe_table(*pair) for pair in zip(sources, tables, strict=True))
    return ComparedPeople(records, original, share, repetitions, seeds), facts


def _describe(role: str, release: Any, header: bool | None) -> AuditedInput:
    given = release.data if isinstance(release, Release) else release
    source = InputTable.of(given, role, header=header)
    return describe_table(source, as_table(learn(source).read(source)))


def _choices(attacks: Sequence[Attack | str]) -> tuple[AttackChoice, ...]:
    """The attacks that are asked; those of a release audit get as much of a large pool as there."""
    if not attacks:
        return CHOICES
    chosen = find_attacks(attacks, "table")
    if others := [attack.id for attack in chosen if not MembershipRisk.takes(attack)]:
        raise PartError(f"{', '.join(others)}: a comparison asks who is in the data")
    known = {repr(choice.attack.spec()): choice for choice in CHOICES}
    return tuple(
        known.get(repr(attack.spec()), AttackChoice(attack, pairwise=True)) for attack in chosen
    )


def _jobs(plan: ComparisonPlan, seed: int, digests: Mapping[str, str]) -> Iterator[Job]:
    """One job per sanitizer and repetition, and one per finished release."""
    people = plan.people
    parts = None if people.original is None else (people.original, people.repetitions)
    attacks = [choice.attack.spec() for choice in plan.choices]
    shared = (people.records.digest(), parts, people.share, seed, attacks)
    for number in range(people.repetitions):
        for name, entry in plan.contenders.items():
            if entry.runs or number == 0:
                key = fingerprint(*shared, name, entry.facts(), digests.get(name))
                work = "quintain.audits.comparison:compare"
                yield Job(f"{name}, repetition {number}", work, (name, number), key)


def _file(job: Job) -> str:
    return f"cells/{sha256(job.name.encode())[:32]}.json"


@contextmanager
def _folder(out: Path | None) -> Iterator[Path]:
    if out is not None:
        yield out
        return
    with ScratchFolder() as name:
        yield Path(name)


# --- means, and differences within pairs ---


def _assemble(
    plan: ComparisonPlan, answers: Sequence[tuple[Job, dict[str, Any]]]
) -> EntryComparison:
    people, names = plan.people, list(plan.contenders)
    readings: dict[tuple[str, str], dict[int, Reading]] = {}
    missing: dict[tuple[str, str], None] = {}
    for job, given in answers:
        name = str(job.args[0])
        for attack, by_number in given.get("readings", {}).items():
            own = readings.setdefault((name, attack), {})
            own |= {int(n): Reading.model_validate(r) for n, r in by_number.items()}
        if "refused" in given:
            missing[job.name, given["refused"]] = None
        for left_out in given.get("not_computed", ()):
            if left_out["what"] != STACKED:
                missing[left_out["what"], left_out["reason"]] = None
    cells = {
        (name, attack): _cell(name, attack, readings.get((name, attack), {}), people.repetitions)
        for attack in dict.fromkeys(attack for _, attack in readings)
        for name in names
    }
    attacks = sorted({attack for _, attack in cells}, key=lambda a: (-_highest(cells, a), a))
    return EntryComparison(
        entries=tuple(contender.entry() for contender in plan.contenders.values()),
        attacks=tuple(attacks),
        repetitions=people.repetitions,
        people="split" if people.original is None else "parts",
        cells=tuple(cells[name, attack] for attack in attacks for name in names),
        differences=tuple(_differences(cells, attacks, names)),
        limits=_LIMITS[people.original is not None],
        not_computed=tuple(NotComputed(what=what, reason=why) for what, why in missing),
        versions=versions(),
    )


def _cell(name: str, attack: str, own: Mapping[int, Reading], repetitions: int) -> ComparedCell:
    values = [own.get(number) for number in range(repetitions)]
    measured = [reading for reading in values if reading is not None and reading.measured]
    mean = Reading.missing("lower", "not measured in every repetition")
    if len(measured) == repetitions:
        mean = average(measured, within=(0.0, 1.0))
    return ComparedCell(
        entry=name,
        attack=attack,
        reading=mean,
        values=tuple(r.value if r is not None and r.measured else None for r in values),
    )


def _highest(cells: Mapping[tuple[str, str], ComparedCell], attack: str) -> float:
    """The highest mean that an attack reads; below all others if it reads none."""
    own = [cell.reading.value for (_, name), cell in cells.items() if name == attack]
    return max((value for value in own if not math.isnan(value)), default=-1.0)


def _differences(
    cells: Mapping[tuple[str, str], ComparedCell], attacks: Sequence[str], names: Sequence[str]
) -> list[EntryDifference]:
    """All pairs of entries for every attack, with one correction for all of them."""
    gaps = {
        (attack, first, second): _gaps(cells[first, attack], cells[second, attack])
        for attack in attacks
        for first, second in combinations(names, 2)
    }
    chances = {where: paired_p(gap) for where, gap in gaps.items() if gap is not None}
    adjusted = adjust_p(chances)
    differences = [
        EntryDifference(
            attack=where[0],
            first=where[1],
            second=where[2],
            reading=_mean_gap(gap),
            p=chances[where],
            adjusted_p=adjusted[where],
            more_than_luck=adjusted[where] < 1 - LEVEL,
        )
        for where, gap in gaps.items()
        if gap is not None
    ]
    return sorted(differences, key=lambda difference: difference.p)


def _gaps(first: ComparedCell, second: ComparedCell) -> Floats | None:
    """The first less the second in each repetition; None if one of them misses a value."""
    if None in first.values or None in second.values:
        return None
    return np.asarray(np.array(first.values, float) - np.array(second.values, float))


def _mean_gap(gap: Floats) -> Reading:
    exact = [Reading.exact(float(value), 1, "lower") for value in gap]
    return average(exact, within=(-1.0, 1.0))


def paired_p(gap: Floats) -> float:
    """The p-value of a paired t-test: how probable so large a mean is if the true mean is zero.

    Differences without spread have no t; then the signs alone count, which all agree by chance
    once in 2 to the number of repetitions less one.

    >>> round(paired_p(np.array([1.0, 2.0, 3.0])), 4), paired_p(np.zeros(5))
    (0.0742, 1.0)
    >>> paired_p(np.full(5, 0.2))
    0.0625
    """
    from scipy.special import stdtr

    size, mean = len(gap), float(gap.mean())
    if np.ptp(gap) <= 1e-12:
        return 1.0 if abs(mean) <= 1e-12 else 2.0 ** (1 - size)
    t = abs(mean) / (float(gap.std(ddof=1)) / math.sqrt(size))
    return 2 * float(stdtr(size - 1, -t))


_SHARED_LIMITS = (
    "Attackers see the release and the people, without labels; they are not given the sanitizers.",
    "Intervals are those of single figures. For the differences, the correction counts all pairs "
    "and attacks of this comparison.",
    "A difference that could be luck is not equality: more repetitions may show it.",
    "Every row counts as one person.",
)
_LIMITS = (
    (
        "Every repetition splits the same people anew, so the figures are about these people, and "
        "about sanitizers, not about one finished release.",
        *_SHARED_LIMITS,
    ),
    (
        "Every repetition asks about another part of the people, so the figures are about people "
        "like these. A finished release is one draw of its sanitizer: another one may differ.",
        *_SHARED_LIMITS,
    ),
)
"""What a comparison does not say: with people split anew, and with parts of given people."""
