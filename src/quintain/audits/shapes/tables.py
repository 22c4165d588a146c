"""Tables: the audit of one table, and of people with several tables, who have one row each."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from quintain.audits.body import NEEDS_CONTROL, AuditOptions, AuditOutcomes, ShapeAudit, Weighed
from quintain.audits.checks.classes import release_classes
from quintain.audits.checks.control import ControlCheck, check_control, doubt_control, refuse_same
from quintain.audits.checks.copies import ADVICE, ASSUMPTION, Closeness, closeness, identical
from quintain.audits.checks.laid_bare import (
    lay_bare,
    repetition_alarm,
    tail_alarms,
    tail_limit,
    tail_traces,
)
from quintain.audits.checks.made_with_control import (
    control_signs,
    doubt_known_control,
    sign_proofs,
)
from quintain.audits.checks.order import row_order
from quintain.audits.checks.repeated_texts import TextSearch, join_searches, search_texts
from quintain.audits.checks.strata import propensity_strata
from quintain.audits.pool import PeoplePool, Pool, RowsOfTable, exposed_records
from quintain.audits.reading.given import has_several_tables
from quintain.audits.reading.inputs import AuditInputs, HeldData
from quintain.audits.reading.one_table import require_named_columns
from quintain.audits.reading.tables import read_inputs
from quintain.audits.release_disclosure import DisclosureResult, measure_disclosure
from quintain.audits.release_utility import measure_utility
from quintain.audits.results import ControlSign, Histories, NotComputed, ReleaseClasses
from quintain.audits.risk import AuditedRelease, Piece, RiskResult
from quintain.audits.risks.histories import name_people
from quintain.audits.verdict import ALL_ALIKE, NO_PSEUDONYMS, Effects, Judgement, Thresholds, judge
from quintain.audits.work_ahead import TableSize, release_audit
from quintain.data.arrays import Rows
from quintain.data.shape import Shape
from quintain.errors import KnowledgeError
from quintain.jobs.executor import SERIAL
from quintain.jobs.progress import report
from quintain.kernels.associated_pairs import MANY_COLUMNS, PARTNERS
from quintain.measures import Reading
from quintain.measures.utility.table.association import MOST_PAIRS
from quintain.randomness.seeds import SeedTree
from quintain.releases import Release

READING = "reading and matching the tables"
"""What the first stage of an audit is called."""
_WORTH_WORKERS = 100_000
"""Cells of the original from which on other processes save more time than they need to start."""


_MODULES = (__name__, "scipy.stats", "sklearn.ensemble")
"""What workers import while the tables are read."""


class TableAudit(ShapeAudit):
    """Rows of tables under one schema; people with several tables have one row of aggregates."""

    shapes: ClassVar[tuple[str, ...]] = ("table", "people")

    def seen_as(self, shape: Shape) -> str:
        """As a table, if each row is a person, or if people have several tables."""
        return "table" if shape.row_is_person or shape.name() in self.shapes else ""

    # --- reading ---

    def refuse(self, shape: str, **options: object) -> None:
        """A table takes all options."""

    def read(
        self, given: Mapping[str, Any], seen_as: str, asked: AuditOptions, **options: Any
    ) -> AuditInputs:
        """One table or several by role, from files, folders, frames or databases."""
        several, header = has_several_tables(given["original"]), options["header"]
        named = {"known": asked.known, "secrets": asked.secrets}
        if options["key"] is not None and options["unit"] is None and not several:
            raise KnowledgeError("key: it needs unit, the column that says whose row it is")
        if not several:
            as_written = options["as_written"]
            require_named_columns(given["original"], header=header, **named, as_written=as_written)
        sizes = [TableSize.of(table, header) for table in given.values()]
        with_control = "control" in given
        release_audit(sizes, control=with_control, attacks=len(asked.attacks)).announce()
        if not _looks_small(given["original"]):
            asked.executor.warm(*_MODULES)
        report(READING, 0, 1)
        inputs = read_inputs(**given, **options, rng=asked.seeds.rng("codes"))
        report(READING, 1, 1)
        if several:
            inputs.require(**named)
        refuse_same(inputs.control_is)
        return inputs

    # --- attacks and checks ---

    def attack(self, held: HeldData, asked: AuditOptions) -> AuditOutcomes:
        """Also count classes, and look for what the release repeats of free texts."""
        inputs = tables_of(held)
        if len(inputs.original) * len(inputs.original.schema.columns) < _WORTH_WORKERS:
            asked = replace(asked, executor=SERIAL)
        checked: dict[str, Any] = {
            "classes": _classes(inputs, asked.known, asked.population),
            "texts": search_every_text(inputs, asked.seeds, asked.show_exposed),
        }
        if inputs.control is None:
            checked["near"] = near_copies(inputs, asked.seeds)
        else:
            checked["control"] = check_control(
                *inputs.one_row_each(),
                inputs.units,
                inputs.whole_rows,
                rng=asked.seeds.rng("drift"),
            )
        outcomes = super().attack(held, asked)
        return replace(outcomes, checked={**checked, **outcomes.checked})

    def prepare(self, held: HeldData, asked: AuditOptions) -> AuditedRelease:
        """Rows of the pool, people with all their rows, and rows of each table."""
        inputs, seeds = tables_of(held), asked.seeds
        release = Release(inputs.release)
        of_attackers = asked.known, asked.secrets, asked.attacks
        audited = AuditedRelease(inputs.original, release, seeds, None, *of_attackers)
        if inputs.control is None:
            return audited
        pool = _pool(inputs, rng=seeds.rng("pool"))
        people, rows = _people_pool(inputs, pool), _rows(inputs, pool, seeds)
        return replace(audited, pool=pool, people=people, tables=rows)

    def checks(self, held: HeldData, asked: AuditOptions) -> dict[str, Piece]:
        """Utility, what offices count, the order of rows; with a control, who is laid bare."""
        inputs, seeds = tables_of(held), asked.seeds
        tables = inputs.original, inputs.release, inputs.control
        counted = partial(
            measure_disclosure,
            inputs.private_people(),
            inputs.release,
            None if inputs.control is None else inputs.one_row_each()[1],
            known=asked.known,
            secrets=asked.secrets,
            population=asked.population,
        )
        beside: dict[str, Piece] = {
            "utility": partial(measure_utility, *tables, rng=seeds.rng("utility")),
            "disclosure": counted if inputs.sides is None else _disclose_nothing,
            "order": partial(row_order, inputs.original, inputs.release, rng=seeds.rng("rows")),
        }
        if inputs.control is None:
            return beside
        original, control = inputs.one_row_each()
        sides = original, inputs.release, control
        return {
            "laid bare": partial(lay_bare, *sides, rng=seeds.rng("laid bare")),
            "signs": partial(control_signs, *sides, rng=seeds.rng("made with the control")),
            **beside,
        }

    # --- the test, and the effects ---

    def strata(self, pool: Any) -> Rows | None:
        """People whose values make them about equally probable in the original."""
        return propensity_strata(pool.records, pool.members, pool.person())

    def add_signals(
        self, effects: Effects, held: HeldData, asked: AuditOptions, outcomes: AuditOutcomes
    ) -> Effects:
        """What free texts, identities, equal tables and the tails of the data show."""
        inputs, checked = tables_of(held), outcomes.checked
        texts, bare, classes = (checked[name] for name in ("texts", "laid bare", "classes"))
        signs = self.control_signs(held, outcomes)
        return replace(
            effects,
            proofs=(
                *texts.proofs,
                *_proofs(inputs, checked["control"], asked.seeds),
                *sign_proofs(signs, by_rows=bool(inputs.repeated)),
            ),
            traces=(*texts.traces, *tail_traces(bare)),
            alarms=tail_alarms(bare),
            laid_bare=bare,
            one_row=inputs.one_row,
            equal_rows=inputs.units is not None and inputs.units.equal_rows,
            several_tables=inputs.sides is not None,
            without_rows=tuple(t for result in outcomes.results for t in result.without_rows),
            histories=_histories(inputs, outcomes.results),
            smallest_class=None if classes is None else classes.smallest,
            uncompared=inputs.coverage.not_attacked,
        )

    def control_signs(self, held: HeldData, outcomes: AuditOutcomes) -> tuple[ControlSign, ...]:
        """Whether the release knows the control, by rows, by texts and by identities."""
        checked = outcomes.checked
        return (*checked["signs"], *checked["texts"].signs, *tables_of(held).identities.signs)

    def copies(self, held: HeldData, asked: AuditOptions, outcomes: AuditOutcomes) -> Effects:
        """Without a control: copies, near copies, texts, identities, and who is named rightly."""
        inputs, near = tables_of(held), outcomes.checked["near"]
        nobody = Reading.missing("lower", "naming people " + NEEDS_CONTROL)
        proofs = (*inputs.coverage.proofs, *_named_rightly(inputs, asked.seeds))
        proofs = (*proofs, *outcomes.checked["texts"].proofs)
        proofs = (*proofs, *(identical_proof(inputs) or near.proofs()), *repeated_proof(inputs))
        return Effects(
            None,
            len(inputs.original),
            near.share,
            nobody,
            near.smallest,
            proofs,
            one_row=inputs.one_row,
            uncompared=inputs.coverage.not_attacked,
        )

    # --- the verdict, and the report ---

    def judge(self, held: HeldData, outcomes: AuditOutcomes, effects: Effects) -> Judgement:
        """The verdict, with doubts about the control and about what no attack looked at."""
        inputs, verdict = tables_of(held), judge(effects)
        if outcomes.audited.pool is None:
            return verdict
        doubted = doubt_control(verdict, effects, outcomes.checked["control"], inputs.repeated)
        doubted = inputs.coverage.limit_verdict(doubted)
        return doubt_known_control(doubted, self.control_signs(held, outcomes))

    def facts(
        self, held: HeldData, asked: AuditOptions, outcomes: AuditOutcomes, weighed: Weighed
    ) -> dict[str, Any]:
        """Texts, and with a control signs of it, drift and exposed people."""
        facts, checked = super().facts(held, asked, outcomes, weighed), outcomes.checked
        facts["repeated_texts"] = checked["texts"].searches
        pool, tested, names = outcomes.audited.pool, weighed.tested, weighed.names
        if "near" in checked:
            findings = (finding for result in outcomes.results for finding in result.findings)
            return {**facts, "readings": (*checked["near"].findings, *findings)}
        assert isinstance(pool, Pool) and tested is not None and names is not None
        if asked.show_exposed and tested.people is not None:
            facts["exposed"] = exposed_records(pool, tested.people, names, asked.show_exposed)
        return {**facts, "drift": checked["control"].drift}

    def limits(self, held: HeldData, outcomes: AuditOutcomes, verdict: Judgement) -> Iterable[str]:
        """Also what width, free texts and the tests of a few people leave open."""
        checked = outcomes.checked
        yield from (*held.limits, *wide_limit(tables_of(held)), *checked["texts"].notes)
        if "near" in checked:
            yield from (ASSUMPTION, ADVICE)
        yield from verdict.limits
        if "laid bare" in checked:
            yield tail_limit(checked["laid bare"])

    def never_asked(self, held: HeldData, outcomes: AuditOutcomes) -> Iterable[NotComputed]:
        """What statistical offices count, and could not be counted here."""
        disclosure: DisclosureResult = outcomes.checked["disclosure"]
        return disclosure.not_computed

    def more(self, held: HeldData, outcomes: AuditOutcomes) -> dict[str, Any]:
        """Columns and their shapes, matches, identities, classes, and the order of rows."""
        inputs, checked = tables_of(held), outcomes.checked
        return {
            "shapes": checked["utility"].shapes,
            "disclosure": checked["disclosure"].findings,
            "columns": inputs.coverage.as_result(),
            "matched": inputs.matched,
            "identities": inputs.identities.finds,
            "order": checked["order"],
            "classes": checked.get("classes"),
        }


def _looks_small(original: Any) -> bool:
    """Whether its file is too small for so many cells: each takes a byte or more, unless packed."""
    is_path = isinstance(original, str | Path)
    return is_path and Path(original).is_file() and Path(original).stat().st_size < _WORTH_WORKERS


def tables_of(held: HeldData) -> AuditInputs:
    """What was read, which is tables here."""
    assert isinstance(held, AuditInputs)
    return held


def search_every_text(inputs: AuditInputs, seeds: SeedTree, show: int) -> TextSearch:
    """What the release repeats of free texts, in one table or in several."""
    if inputs.sides is None:
        return search_texts(inputs.notes, inputs.units, rng=seeds.rng("texts"), show=show)
    return join_searches(
        search_texts(notes, units, rng=seeds.rng("texts", name), show=show)
        for name, (notes, units) in inputs.sides.notes.items()
    )


def _classes(
    inputs: AuditInputs, known: Sequence[str] | None, population: int | None
) -> ReleaseClasses | None:
    """The classes of the release; raises if the population is smaller than the sample.

    Nobody counts rows of aggregates: they are alike by chance alone.
    """
    people = inputs.people()
    if population is not None and population < len(people):
        raise KnowledgeError(
            f"population: the original and the control have {len(people):,} people together, so "
            f"the population cannot have {population:,}"
        )
    if inputs.sides is not None:
        return None
    return release_classes(inputs.release, people, known=known, population=population)


def _disclose_nothing() -> DisclosureResult:
    """Of people with several tables, statistical offices count nothing that we know of."""
    reason = "it counts rows of a table with one row per person, and here are several tables"
    left_out = NotComputed(what="what statistical offices count", reason=reason)
    return DisclosureResult((), (left_out,))


def wide_limit(inputs: AuditInputs) -> Iterator[str]:
    """What is left out of a table of very many columns, in a sentence."""
    columns = len(inputs.original.schema.attributes)
    if columns > MANY_COLUMNS:
        yield (
            f"The audit compares {columns:,} columns. To save time, attacks that follow "
            f"dependences look at each column with the {PARTNERS} others to which it seems most "
            f"related in the release, and the change of associations is measured on "
            f"{MOST_PAIRS:,} pairs of columns, drawn at random."
        )


def _pool(inputs: AuditInputs, *, rng: np.random.Generator) -> Pool:
    """Original and control, mixed. Where a person's rows are equal, one says as much as all."""
    assert inputs.control is not None  # there is another audit without one
    units = inputs.units
    if units is None or units.control is None:
        return Pool.of(inputs.original, inputs.control, rng=rng)
    if units.equal_rows:
        pool = Pool.of(*inputs.one_row_each(), rng=rng)
        first = [np.unique(side, return_index=True)[1] for side in (units.original, units.control)]
        rows = np.empty_like(pool.rows)
        for members, own in zip((True, False), first, strict=True):
            side = pool.members == members
            rows[side] = own[pool.rows[side]]
        return replace(pool, rows=rows)
    both = np.concatenate([units.original, units.control])
    return Pool.of(inputs.original, inputs.control, both, rng=rng)


def _people_pool(inputs: AuditInputs, pool: Pool) -> PeoplePool | None:
    """People and pseudonyms with all their rows; None if the release does not have pseudonyms."""
    if inputs.sides is not None:
        return inputs.sides.pool(pool)
    units = inputs.units
    if units is None or units.release is None:
        return None
    return PeoplePool.of(pool, inputs.release, units.release, units.pseudonym_of)


def _rows(inputs: AuditInputs, pool: Pool, seeds: SeedTree) -> dict[str, RowsOfTable]:
    """Of people with several tables, the rows of each table; else none."""
    if inputs.sides is None:
        return {}
    return dict(inputs.sides.rows(pool, rng=seeds.rng("row pools")))


def _histories(inputs: AuditInputs, results: Sequence[RiskResult]) -> Histories | None:
    """What the rows of people give away together, or why nobody tried that."""
    tried = [result.histories for result in results if result.histories is not None]
    if inputs.units is None or tried:
        return tried[0] if tried else None
    return Histories(tried=False, says=ALL_ALIKE if inputs.units.equal_rows else NO_PSEUDONYMS)


def _proofs(inputs: AuditInputs, checked: ControlCheck, seeds: SeedTree) -> tuple[str, ...]:
    """What shows without the control that the release is unsafe, if the control is doubtful."""
    proofs = (*inputs.coverage.proofs, *identical_proof(inputs))
    if proofs or not (checked.drift.noticed or checked.overlaps):
        return proofs
    return near_copies(inputs, seeds).proofs()


def near_copies(inputs: AuditInputs, seeds: SeedTree) -> Closeness:
    """How near the release is to the people of the original."""
    return closeness(inputs.private_people(), inputs.release, rng=seeds.rng("copies"))


def identical_proof(inputs: AuditInputs) -> tuple[str, ...]:
    """A sentence if nothing was sanitized; what the audit coarsened or left out may have been."""
    return () if inputs.simplified else identical(inputs.original, inputs.release)


def repeated_proof(inputs: AuditInputs) -> tuple[str, ...]:
    """A sentence if the release has a record of somebody far too often to be one of a stranger."""
    if inputs.units is None or not inputs.units.frequent:
        return ()  # rows that several people share may well be in a release many times
    return repetition_alarm(inputs.private_people(), inputs.release)


def _named_rightly(inputs: AuditInputs, seeds: SeedTree) -> tuple[str, ...]:
    """That an attacker names people by all their rows, if pseudonyms and their owners are known."""
    people = None
    everybody = np.ones(len(inputs.original), np.bool_)
    units = inputs.units
    if inputs.sides is not None:
        people = inputs.sides.pool(Pool(inputs.original, everybody, np.arange(len(everybody))))
    elif units is not None and units.release is not None:
        pool = Pool(inputs.original, everybody, np.arange(len(everybody)), units.original)
        people = PeoplePool.of(pool, inputs.release, units.release, units.pseudonym_of)
    named = None if people is None else name_people(people, rng=seeds.rng("histories"))
    if people is None or named is None or not named.measured or named.low < Thresholds().share:
        return ()
    return (
        f"An attacker who knows all rows of somebody finds the right one of {people.shown.size:,} "
        f"pseudonyms in {round(100 * named.value)} of 100 cases; at least in "
        f"{math.floor(100 * named.low)} of 100 if luck is allowed for.",
    )
