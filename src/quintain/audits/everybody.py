"""Audit of everybody: a release about all people, for whom there can be no control.

People are dealt at random into folds, and the sanitizer runs once without each of them. So there
are people whom each of these releases does not know, and everybody is such a person once. The
release of everybody, which is to be published, is then searched for copies.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from quintain.attacks import Attack
from quintain.audits.body import AuditOptions, AuditOutcomes, Tested, Weighed, run_audit
from quintain.audits.pool import Evidence, PeoplePool, PersonScores, Pool
from quintain.audits.reading.coverage import Coverage, quote_names
from quintain.audits.reading.given import (
    AnySchema,
    bare,
    given_shape,
    has_several_tables,
    schema_of_people,
    schema_of_rows,
)
from quintain.audits.reading.inputs import AuditInputs, HeldData
from quintain.audits.reading.tables import read_inputs
from quintain.audits.results import Finding, Folds, Histories, NotComputed, ReleaseAudit
from quintain.audits.risk import (
    BY_USER,
    RiskResult,
    find_attacks,
    risks_without_control,
    run_pieces,
)
from quintain.audits.risks.histories import recognise_members
from quintain.audits.risks.membership import NAME as STACKED
from quintain.audits.risks.membership import MembershipRisk, measure_membership
from quintain.audits.roc import roc_curve
from quintain.audits.shapes.tables import (
    READING,
    TableAudit,
    identical_proof,
    near_copies,
    repeated_proof,
    search_every_text,
    tables_of,
    wide_limit,
)
from quintain.audits.verdict import Effects, Judgement, judge
from quintain.audits.work_ahead import TableSize, everybody_audit
from quintain.data import Data, Learned, Schema, Table, Trees, as_table
from quintain.data.arrays import Floats, Mask, Rows
from quintain.data.arrow import to_arrow
from quintain.data.learning.input_table import InputTable
from quintain.data.learning.learn import learn
from quintain.data.learning.matching.match import RELEASE
from quintain.data.own_files.typed import is_typed
from quintain.data.people_files import own_schema, read_people, unstated_columns
from quintain.data.people_schema import PeopleSchema
from quintain.data.shape import find_shape
from quintain.data.written_table import WrittenTable
from quintain.errors import PartError, QuintainError
from quintain.jobs.executor import SERIAL
from quintain.jobs.progress import report, track
from quintain.jobs.scratch import ScratchFolder
from quintain.kernels.ranks import average_ranks
from quintain.measures import Reading
from quintain.measures.pooled.detectable import auc_beyond
from quintain.measures.pooled.fold_test import FoldTest, equal_control, fold_test
from quintain.measures.privacy.roc_curve import Auc
from quintain.measures.reading import LEVEL, tail
from quintain.randomness.noise import Noise
from quintain.randomness.seeds import SeedTree
from quintain.releases import Release, publication
from quintain.sanitizers import Sanitizer, sanitize
from quintain.sanitizers.adapters.adapter import with_cells
from quintain.sanitizers.mechanism import DomainSource, choose_mechanism

FOLDS = 5
"""How many releases are made, each without one fold of the people, unless the caller says it."""
_WHO = (
    "an audit of everybody asks who is in the data; for this risk, audit a release beside a "
    "control: quintain audit split, then quintain audit release"
)
_BY_HISTORIES = (
    "In the releases without a fold, everybody was compared with every pseudonym by all their rows."
)


def audit_everybody(
    sanitizer: Sanitizer,
    data: Any,
    release: Any,
    *,
    folds: int = FOLDS,
    schema: AnySchema = None,
    unit: str | None = None,
    domain: DomainSource | None = None,
    header: bool | None = None,
    seed: int = 0,
    permutations: int = 999,
    attacks: Sequence[Attack | str] = (),
    command: str = "",
) -> ReleaseAudit:
    """Find out what a release about everybody gives away, by releases that leave some people out.

    The sanitizer runs ``folds`` times, each time without one fold. Every attack on membership
    scores all people with each of these releases. If people rank higher in the releases that saw
    them, the sanitizer gives something away; one exact test says whether they do. The release to
    publish, which the same sanitizer made from everybody, is searched for copies and near copies.

    Parameters
    ----------
    data : everybody: the path of a file, a data frame, or a table with a schema; for people with
        several tables the path of a folder or archive, data frames by name, or data of people.
    release : the release of everybody that is to be published, likewise.
    folds : how many times the sanitizer runs; each person is left out once.
    schema : the columns and their domains; by default learned.
    unit : the column that says whose row it is, if people have several rows. It is not shown to
        the sanitizer. Of several tables, the column that names people.
    domain : where domains come from that nobody stated, as when the release was made.
    seed : the same seed gives the same audit, byte by byte, if the sanitizer follows its seed.
    permutations : how often the folds are permuted for p.
    attacks : attacks on membership to add, by name or as parts.
    command : the command that repeats the audit, for the report.

    >>> from quintain.sanitizers import RandomizedResponse
    >>> from quintain.testing import unique_people
    >>> table, keep = unique_people(rows=200), RandomizedResponse(keep=0.99)
    >>> audit_everybody(keep, table, table, permutations=99).verdict
    'unsafe'
    """
    several = has_several_tables(data)
    if not several and not find_shape(given_shape(data, schema)).row_is_person:
        raise PartError(
            "an audit of everybody needs a table, or several tables about the same people; audit "
            "releases of other data instead"
        )
    added = find_attacks(attacks, "table")
    if others := [attack.id for attack in added if not MembershipRisk.takes(attack)]:
        raise PartError(f"{', '.join(others)}: an audit of everybody asks who is in the data")
    seeds = SeedTree.from_int(seed).child("audit", "everybody")
    sizes = [TableSize.of(data, header), TableSize.of(release, header)]
    everybody_audit(sizes, folds=folds, attacks=len(added)).announce()
    report(READING, 0, 1)
    rng = seeds.rng("codes")
    inputs = read_inputs(data, release, schema=schema, unit=unit, header=header, rng=rng)
    if several:
        private, unstated = _read_people(data, schema_of_people(schema), unit, header)
        everybody = ReadEverybody(private)
    else:
        private, unstated = _read_table(data, schema_of_rows(schema), unit, header)
        source = InputTable.of(bare(data), "original", header=header)
        source = source if unit is None else source.hide([unit])
        private = with_cells(
            sanitizer, private, lambda: None if source.data else source.read_cells()
        )
        written = isinstance(private, WrittenTable)
        everybody = (
            ReadEverybody(source, schema_of_rows(schema)) if written else ReadEverybody(private)
        )
    report(READING, 1, 1)
    units = None if inputs.units is None else inputs.units.original
    dealt = _deal(private, units, folds, seeds)
    mechanism = choose_mechanism(sanitizer, private.schema, learned=unstated, domain=domain)
    mechanism.require(private.schema)
    asked = AuditOptions(seeds, permutations=permutations, attacks=added)
    audit = run_audit(EverybodyAudit(mechanism, dealt, everybody, sanitizer), inputs, asked)
    return audit.model_copy(update={"seed": seed, "command": command})


# --- people, dealt into folds ---


@dataclass(frozen=True, slots=True, eq=False)
class DealtPeople:
    """Everybody in random order, and the fold of each person.

    The order of the people that attacks see is drawn apart from the folds. Otherwise equal scores,
    which follow the order, would depend on the deal, and the test would not be exact.

    Parameters
    ----------
    private : the data that the sanitizer gets a part of, in their own order.
    order : the record of the data that stands at each place of the pool.
    units : for each place the number of the person; None if every row is a person.
    person : for each place the number of the person, from 0.
    folds : for each person the fold.
    count : how many folds there are.
    """

    private: Data
    order: Rows
    units: Rows | None
    person: Rows
    folds: Rows
    count: int

    def rows_in(self, number: int) -> Rows:
        """The records of the data with which release ``number`` is made, in their order."""
        return np.sort(self.order[self.folds[self.person] != number])

    def pool(self, records: Table, number: int) -> Pool:
        """Everybody; the members are those with whom release ``number`` is made."""
        members = self.folds[self.person] != number
        return Pool(records.take(self.order), members, self.order, self.units)


def _read_table(
    data: Any, schema: Schema | Learned | Path | None, unit: str | None, header: bool | None
) -> tuple[Data, tuple[str, ...]]:
    """The table that the sanitizer gets, without ids, and the columns of unstated domains."""
    source = InputTable.of(bare(data), "data", header=header)
    learned = learn(source, stated=schema, unit=unit)
    table = as_table(learned.read(source))
    left_out = [
        column.name for column in table.schema.columns if column.identifying or column.name == unit
    ]
    return table.drop(*left_out) if left_out else table, learned.unstated


def _read_people(
    data: Any, schema: PeopleSchema | Path | None, unit: str | None, header: bool | None
) -> tuple[Data, tuple[str, ...]]:
    """The people with several tables that the sanitizer gets, and columns of unstated domains."""
    if own_schema(data) is not None:
        return data, ()
    trees = Trees.of(read_people(data, schema=schema, person=unit, header=header))
    return trees, unstated_columns(schema, trees.schema)


def _deal(private: Data, units: Rows | None, folds: int, seeds: SeedTree) -> DealtPeople:
    order = seeds.rng("pool").permutation(len(private))
    person = np.arange(len(private))
    if units is not None:
        units = units[order]
        person = np.unique(units, return_inverse=True)[1]
    people = int(person.max(initial=-1)) + 1
    if not 2 <= folds <= people // 2:
        raise QuintainError(f"{folds} folds: choose from 2 to {people // 2}, half of the people")
    return DealtPeople(
        private, order, units, person, seeds.rng("deal").permutation(people) % folds, folds
    )


# --- one release per fold, and what attacks say of everybody with it ---


@dataclass(frozen=True, slots=True, eq=False)
class ReadEverybody:
    """Everybody, as an audit of a release reads them beside it.

    Parameters
    ----------
    original : data with a schema; or the file or frame, if the sanitizer reads its cells.
    schema : what somebody stated about the columns of a file or frame.
    """

    original: Data | InputTable
    schema: Schema | Learned | Path | None = None

    def beside(self, release: Release, *, rng: np.random.Generator) -> AuditInputs:
        """Both under one schema. What comes from a text file is compared as a text file."""
        if not isinstance(self.original, InputTable):
            return read_inputs(self.original, release, rng=rng)
        path = self.original.path
        if path is None or is_typed(path):
            cells = to_arrow(release.data)
            return read_inputs(self.original, cells, schema=self.schema, rng=rng)
        with ScratchFolder() as folder:
            file = Path(folder) / "release.csv"
            release.data.to_csv(file)
            shown = InputTable.of(file, RELEASE, header=True)
            return read_inputs(self.original, shown, schema=self.schema, rng=rng)


def _attack(
    sanitizer: Sanitizer,
    dealt: DealtPeople,
    everybody: ReadEverybody,
    number: int,
    added: Sequence[Attack],
    seeds: SeedTree,
) -> tuple[RiskResult, Coverage]:
    """Make the release without one fold, and ask every attack who was in the data.

    Also tells which columns of the release the attacks saw.
    """
    noise = Noise(seeds.key("noise", number), test=True)
    rng = seeds.rng("sanitizer", number)
    seen = dealt.private.take(dealt.rows_in(number))
    made = sanitize(sanitizer, seen, rng=rng, noise=noise)
    codes = seeds.rng("codes", number)
    people = None
    if own_schema(dealt.private) is None:
        inputs = everybody.beside(made.release, rng=codes)
    else:
        shown = publication(made.release.data, made.trace.origins, rng=rng).data
        inputs = read_inputs(dealt.private, shown, rng=codes)
        people = inputs.sides
    pool = dealt.pool(inputs.original, number)
    result = measure_membership(
        pool,
        Release(inputs.release),
        rng=seeds.rng("attacks", number),
        added=[(attack, seeds.rng(BY_USER, number, place)) for place, attack in enumerate(added)],
    )
    if people is None:
        return result, inputs.coverage
    whole = PeoplePool(people.known.take(dealt.order), people.shown, pool.members)
    histories = recognise_members(whole, rng=seeds.rng("histories", number))
    evidence = (*result.evidence, *histories.evidence)
    findings = (*result.findings, *histories.findings)
    return replace(result, evidence=evidence, findings=findings), inputs.coverage


def _by_attack(
    dealt: DealtPeople, records: Table, results: Sequence[RiskResult]
) -> dict[tuple[str, int], Floats]:
    """For each attack the scores of all people with each release; NaN where it gave none.

    If people have several rows, each attack gives two scores, so that names alone are no keys.
    """
    scores: dict[tuple[str, int], Floats] = {}
    for number, result in enumerate(results):
        turns: dict[str, int] = {}
        for given in PersonScores.of(dealt.pool(records, number), result.evidence).evidence:
            turn = turns[given.attack] = turns.get(given.attack, -1) + 1
            own = scores.setdefault(
                (given.attack, turn), np.full((len(dealt.folds), dealt.count), np.nan)
            )
            own[:, number] = given.scores
    return scores


# --- the body of the audit ---


@dataclass(frozen=True, slots=True, eq=False)
class EverybodyAudit(TableAudit):
    """The audit of tables, in which people who were left out of a run stand for the control.

    Parameters
    ----------
    mechanism : the sanitizer with its domain, which runs once for each fold.
    sanitizer : as the user gave it, for the report.
    """

    mechanism: Sanitizer
    dealt: DealtPeople
    everybody: ReadEverybody
    sanitizer: Sanitizer

    def attack(self, held: HeldData, asked: AuditOptions) -> AuditOutcomes:
        """Make a release without each fold; all attacks score everybody with each of them."""
        inputs = tables_of(held)
        checked: dict[str, Any] = {
            "near": near_copies(inputs, asked.seeds),
            "texts": search_every_text(inputs, asked.seeds, 0),
        }
        folds = range(self.dealt.count)
        attacked = [
            _attack(self.mechanism, self.dealt, self.everybody, number, asked.attacks, asked.seeds)
            for number in track(folds, "releases without a fold", len(folds))
        ]
        results = [result for result, _ in attacked]
        checked["folds"] = results
        checked["scores"] = _by_attack(self.dealt, inputs.original, results)
        checked["coverage"] = [coverage for _, coverage in attacked]
        checks = self.checks(held, asked)
        pieces = run_pieces([*checks.values()], SERIAL, "utility")
        checked |= dict(zip(checks, pieces, strict=True))
        return AuditOutcomes(self.prepare(held, asked), (), checked)

    def test(self, held: HeldData, asked: AuditOptions, outcomes: AuditOutcomes) -> Tested:
        """Do people rank higher in the releases that saw them?"""
        scores, seeds = list(outcomes.checked["scores"].values()), asked.seeds
        test = fold_test(
            scores, self.dealt.folds, rng=seeds.rng("test"), permutations=asked.permutations
        )
        pairs, members = _pairs(scores, self.dealt.folds, rng=seeds.rng("pairs"))
        people = len(self.dealt.folds)
        sizes = equal_control(people, self.dealt.count)
        return Tested(test.p, test.critical, pairs, members, people, sizes, folds=test)

    def add_signals(
        self, effects: Effects, held: HeldData, asked: AuditOptions, outcomes: AuditOutcomes
    ) -> Effects:
        """What the release to publish shows by itself."""
        inputs, checked = tables_of(held), outcomes.checked
        several = inputs.sides is not None
        return replace(
            effects,
            proofs=(
                *checked["texts"].proofs,
                *inputs.coverage.proofs,
                *(identical_proof(inputs) or checked["near"].proofs()),
                *repeated_proof(inputs),
            ),
            one_row=self.dealt.units is None and not several,
            several_tables=several,
            histories=Histories(tried=True, says=_BY_HISTORIES) if several else None,
            folds=self.dealt.count,
            uncompared=inputs.coverage.not_attacked,
        )

    def judge(self, held: HeldData, outcomes: AuditOutcomes, effects: Effects) -> Judgement:
        """The verdict, with doubts about what no attack looked at in any release."""
        verdict = judge(effects)
        for coverage in (tables_of(held).coverage, *outcomes.checked["coverage"]):
            verdict = coverage.limit_verdict(verdict)
        return verdict

    def facts(
        self, held: HeldData, asked: AuditOptions, outcomes: AuditOutcomes, weighed: Weighed
    ) -> dict[str, Any]:
        """What each attack found over all folds."""
        checked, dealt, tested = outcomes.checked, self.dealt, weighed.tested
        assert tested is not None and tested.folds is not None  # there always are folds
        scores, test = checked["scores"], tested.folds
        names = [attack for attack, _ in scores]
        readings = _findings(checked["folds"], names, test, len(dealt.folds))
        return {
            "repeated_texts": checked["texts"].searches,
            "readings": (*readings, *checked["near"].findings),
            "curves": tuple(
                roc_curve(Evidence(attack, ranks), tested.members)
                for (attack, turn), ranks in zip(scores, tested.scores, strict=True)
                if not turn
            ),
            "not_computed": tuple(_left_out(checked["folds"])),
            "folds": Folds(
                sanitizer=self.sanitizer.name(),
                parameters=self.sanitizer.parameters(),
                left_out=tuple(np.bincount(dealt.folds, minlength=dealt.count).tolist()),
                strongest=names[test.strongest] if names else "",
                statistic=test.statistic,
                attack_p=_smallest_p(names, test),
            ),
        }

    def limits(self, held: HeldData, outcomes: AuditOutcomes, verdict: Judgement) -> Iterator[str]:
        """Also what attacks saw of the release to publish, and not of the others."""
        inputs, checked = tables_of(held), outcomes.checked
        yield from (*held.limits, *wide_limit(inputs))
        yield from _unseen_in_folds(inputs.coverage, checked["coverage"])
        yield from (*checked["texts"].notes, *verdict.limits)


def _unseen_in_folds(whole: Coverage, folds: Sequence[Coverage]) -> Iterator[str]:
    """A sentence if no attack looked at columns of a fold's release that the file does not have."""
    names = dict.fromkeys(name for coverage in folds for name in coverage.uncompared)
    more = [name for name in names if name not in whole.uncompared]
    if more:
        yield (
            f"No attack looked at {quote_names(more)} of the releases without a fold, and the "
            "release to publish has no such column: does the same sanitizer make it?"
        )


def _pairs(
    scores: Sequence[Floats], folds: Rows, *, rng: np.random.Generator
) -> tuple[list[Floats], Mask]:
    """Everybody twice: by their rank in one release that saw them, and in the one that did not.

    An attacker holds one release. So one of those that saw a person is drawn at random.
    """
    people, count = len(folds), int(folds.max()) + 1
    known = (folds + rng.integers(1, count, people)) % count
    rows = np.arange(people)
    ranked = [_rank_shares(own) for own in scores]
    pairs = [np.concatenate([own[rows, known], own[rows, folds]]) for own in ranked]
    return pairs, np.arange(2 * people) < people


def _rank_shares(scores: Floats) -> Floats:
    """Ranks within each release, as shares of the people who were scored; NaN stays."""
    out = np.full(scores.shape, np.nan)
    for release in range(scores.shape[1]):
        scored = ~np.isnan(scores[:, release])
        if scored.any():
            out[scored, release] = average_ranks(scores[scored, release]) / scored.sum()
    return out


def _findings(
    results: Sequence[RiskResult], names: Sequence[str], test: FoldTest, people: int
) -> Iterator[Finding]:
    """How well each attack tells who was in a run, over all runs."""
    from scipy.special import ndtri

    reach = -float(ndtri(tail(LEVEL)))
    known = {
        finding.attack: finding
        for result in reversed(results)
        for finding in result.findings
        if finding.name == "auc"
    }
    for place, name in enumerate(names):
        if name in names[:place]:
            continue
        value, spread = test.auc[place], test.spread[place]
        reading = Reading(
            value=value,
            low=max(0.0, value - reach * spread),
            high=min(1.0, value + reach * spread),
            n=people,
            better="lower",
            method="mean over the releases, with the spread of permuted folds",
        )
        yield known[name].model_copy(
            update={
                "says": Auc().in_people(value),
                "reading": reading,
                "smallest_detectable": auc_beyond(spread),
            }
        )


def _smallest_p(names: Sequence[str], test: FoldTest) -> dict[str, float]:
    """The p-value of each attack alone; of two scores of one attack, the smaller one."""
    out: dict[str, float] = {}
    for name, p in zip(names, test.own, strict=True):
        out[name] = min(p, out.get(name, 1.0))
    return out


def _left_out(results: Sequence[RiskResult]) -> Iterator[NotComputed]:
    """What no attack answered, each reason once, and the risks that need a control."""
    reasons = {(own.what, own.reason): own for result in results for own in result.not_computed}
    yield from (own for own in reasons.values() if own.what != STACKED)
    yield NotComputed(what=STACKED, reason="an audit of everybody does not combine the attacks")
    for risk in risks_without_control("table"):
        if risk != MembershipRisk.words.noun():
            yield NotComputed(what=risk, reason=_WHO)
