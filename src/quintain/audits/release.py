"""Audit a release: hold it beside its original and a control, and judge what it gives away."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from quintain.attacks import Attack
from quintain.audits.checks.classes import release_classes
from quintain.audits.checks.control import ControlCheck, check_control, doubt_control, refuse_same
from quintain.audits.checks.copies import ADVICE, ASSUMPTION, closeness, identical
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
from quintain.audits.inputs import (
    AuditInputs,
    NothingToCompare,
    read_inputs,
    require_named_columns,
)
from quintain.audits.kinds import audit_kind, shape_of
from quintain.audits.people_inputs import read_people_inputs
from quintain.audits.pool import PeoplePool, PersonScores, Pool, RowsOfTable, exposed_records
from quintain.audits.release_disclosure import DisclosureResult, measure_disclosure
from quintain.audits.release_utility import measure_utility
from quintain.audits.results import (
    Histories,
    NotComputed,
    Recipient,
    ReleaseAudit,
    ReleaseClasses,
    versions,
)
from quintain.audits.risk import (
    AuditedRelease,
    Piece,
    RiskResult,
    find_attacks,
    risks_without_control,
    run_risks,
)
from quintain.audits.risks.histories import name_people
from quintain.audits.roc import membership_curves
from quintain.audits.verdict import (
    ALL_ALIKE,
    NO_PSEUDONYMS,
    RANDOM_CONTROL,
    Effects,
    Thresholds,
    build_release_audit,
    joint_level,
    judge,
)
from quintain.audits.work_ahead import TableSize, release_audit
from quintain.data import Learned, Schema
from quintain.data.people_files import has_tables, is_of_people, own_schema
from quintain.data.people_schema import PeopleSchema
from quintain.data.shape import find_shape
from quintain.errors import KnowledgeError
from quintain.jobs.executor import SERIAL, Executor
from quintain.jobs.progress import report
from quintain.kernels.associated_pairs import MANY_COLUMNS, PARTNERS
from quintain.measures import Reading
from quintain.measures.pooled.detectable import smallest_share
from quintain.measures.pooled.exposed import advantage, exposed_share
from quintain.measures.pooled.joint_test import joint_test
from quintain.measures.pooled.nameable import nameable
from quintain.measures.utility.table.association import MOST_PAIRS
from quintain.randomness.seeds import SeedTree
from quintain.releases import Release

AnySchema = Schema | Learned | PeopleSchema | Path | None
"""The schema of one table or of several, or a file that has it."""
READING = "reading and matching the tables"
"""What the first stage of an audit is called."""
_WORTH_WORKERS = 100_000
"""Cells of the original from which on other processes save more time than they need to start."""

_MODULES = (__name__, "scipy.stats", "sklearn.ensemble")
"""What workers import while the tables are read."""

_NO_ATTACK = "no attack ran, since no column of the release can be compared with the original"
_TEXTS_ALONE = (
    "No attack could compare a column of the release with the original. The audit looked for texts "
    "and for identities alone, and found nothing that proves a leak. Nobody can say what else the "
    "release gives away."
)
_NEEDS_CONTROL = "needs a control, people of the same population who are not in the original"


def audit_release(
    original: Any,
    release: Any,
    control: Any = None,
    *,
    schema: AnySchema = None,
    known: Sequence[str] | None = None,
    secrets: Sequence[str] | None = None,
    unit: str | None = None,
    header: bool | None = None,
    as_written: Sequence[str] | bool = False,
    population: int | None = None,
    seed: int = 0,
    show_exposed: int = 0,
    permutations: int = 999,
    attacks: Sequence[Attack | str] = (),
    recipient: Recipient | None = None,
    key: Any = None,
    command: str = "",
    executor: Executor = SERIAL,
) -> ReleaseAudit:
    """Find out what a release gives away about the people in its original.

    Parameters
    ----------
    original, release, control : paths of files, data frames, or data with a schema; for people
        with several tables folders, zip archives, or data frames by the name of their table. The
        control are people of the same population who are not in the original. Without it, only
        copies and near copies can be seen.
    schema : the columns and their domains; by default learned from all tables together. For several
        tables, also their keys and references.
    known : the columns that attackers know of a person when they guess another one.
    secrets : the columns that attackers want to know; by default each in turn.
    unit : the column that says whose row it is, if people have several rows. Then p, the exposed
        share and the number of names are about people, and a person counts once. "equal-rows" takes
        equal rows for one person. If the release has the column, it has pseudonyms: attackers see
        which rows belong together. For several tables, the column that names people.
    as_written : whether all columns, or which of them, are compared as they are written. By
        default, other spellings, beginnings of codes, parts of dates, other units, and codes in
        place of values are matched.
    population : how many people there are of the kind that the original and the control are drawn
        from. With it, a model estimates how many of them are alone with their values.
    seed : the same seed gives the same audit, byte by byte.
    show_exposed : how many of the most exposed people to list with their records.
    permutations : how often the labels of original and control are permuted for p.
    attacks : attacks to add, by name or as parts, of ours or of a plugin. Each is asked by the risk
        whose question it answers, after the attacks that are there anyway.
    recipient : for whom the release is, for the dossier. It changes no figure.
    key : a table with the column that names people and one other, which says which pseudonym of the
        release each person has. With it, the audit counts how many people are named rightly.
    command : the command that repeats the audit, for the report.
    executor : the workers that share the work on a large table; they change no figure.

    >>> from quintain.testing import unique_people
    >>> table = unique_people(rows=400)
    >>> original, control = table.take(range(200)), table.take(range(200, 400))
    >>> audit_release(original, original, control, permutations=99).verdict
    'unsafe'
    """
    several = has_tables(original) or own_schema(original) is not None
    shape = "table" if several else shape_of(original, schema_of_rows(schema))
    added = find_attacks(attacks, shape)
    if not find_shape(shape).row_is_person:
        _refuse_options_of_tables(
            shape,
            known=known,
            secrets=secrets,
            unit=unit,
            key=key is not None,
            header=header is not None,
            as_written=as_written,
            population=population,
            show_exposed=show_exposed,
        )
        stated = schema_of_rows(schema)
        audit = audit_kind(original, release, control, stated, seed, permutations, added)
        return audit.model_copy(update={"recipient": recipient, "command": command})
    if key is not None and unit is None and not several:
        raise KnowledgeError("key: it needs unit, the column that says whose row it is")
    if not several:
        require_named_columns(
            original, header=header, known=known, secrets=secrets, as_written=as_written
        )
    sizes = [TableSize.of(given, header) for given in (original, release, control)]
    release_audit(sizes, control=control is not None, attacks=len(attacks)).announce()
    if not _looks_small(original):
        executor.warm(*_MODULES)
    seeds = SeedTree.from_int(seed).child("audit", "release")
    options = {
        "header": header,
        "as_written": as_written,
        "key": key,
        "rng": seeds.rng("codes"),
    }
    tables = original, release, control
    if several:
        of_people = schema_of_people(schema)
        report(READING, 0, 1)
        inputs = read_people_inputs(*tables, schema=of_people, person=unit, **options)
        report(READING, 1, 1)
        inputs.require(known=known, secrets=secrets)
    else:
        try:
            report(READING, 0, 1)
            inputs = read_inputs(*tables, schema=schema_of_rows(schema), unit=unit, **options)
            report(READING, 1, 1)
        except NothingToCompare as error:
            audit = _without_attacks(error, seeds, show_exposed)
            return audit.model_copy(
                update={"recipient": recipient, "seed": seed, "command": command}
            )
    refuse_same(inputs.control_is)
    cells = len(inputs.original) * len(inputs.original.schema.columns)
    executor = executor if cells >= _WORTH_WORKERS else SERIAL
    classes = _classes(inputs, known, population)
    texts = search_every_text(inputs, seeds, show_exposed)
    beside = beside_attacks(inputs, seeds, known=known, secrets=secrets, population=population)
    audited = AuditedRelease(
        inputs.original, Release(inputs.release), seeds, None, known, secrets, added
    )
    if inputs.control is None:
        measured, outcomes = run_risks(audited, executor, beside)
        audit = _without_control(inputs, texts, audited, [result for _, result in measured])
    else:
        pool = _pool(inputs, rng=seeds.rng("pool"))
        audited = replace(
            audited,
            pool=pool,
            people=_people_pool(inputs, pool),
            tables=_rows(inputs, pool, seeds),
        )
        audit, outcomes = _beside_control(
            inputs, audited, texts, classes, show_exposed, permutations, executor, beside
        )
    return complete_audit(audit, inputs, outcomes).model_copy(
        update={"classes": classes, "recipient": recipient, "seed": seed, "command": command}
    )


def _without_attacks(error: NothingToCompare, seeds: SeedTree, show: int) -> ReleaseAudit:
    """The audit of tables in which attacks can compare nothing: of texts and identities alone.

    Raises if there is no text to search, and no identity was found.
    """
    texts = search_texts(error.notes, rng=seeds.rng("texts"), show=show)
    identities = error.search_identities()
    if error.notes is None and not identities.finds:
        raise error
    nothing = Reading.missing("lower", _NO_ATTACK)
    coverage, signs = error.coverage(identities), (*texts.signs, *identities.signs)
    described = error.described()
    effects = Effects(
        None,
        described[0].rows,
        nothing,
        nothing,
        nothing,
        (*texts.proofs, *identities.proofs, *sign_proofs(signs)),
        texts.traces,
    )
    control = (RANDOM_CONTROL,) if len(described) > 2 else ()
    verdict = judge(effects)
    if verdict.verdict == "cannot-say":
        found = (sign.says for sign in signs if sign.alarm)
        verdict = verdict.cannot_say(" ".join((_TEXTS_ALONE, *found)), "columns")
    return build_release_audit(
        verdict,
        effects,
        limits=(*texts.notes, *coverage.limits(), *verdict.limits, *control),
        repeated_texts=texts.searches,
        control_signs=signs,
        columns=coverage.as_result(),
        identities=identities.finds,
        inputs=described,
        not_computed=(NotComputed(what="attacks", reason=str(error)),),
    ).model_copy(update={"versions": versions()})


def _looks_small(original: Any) -> bool:
    """Whether its file is too small for so many cells: each takes a byte or more, unless packed."""
    is_path = isinstance(original, str | Path)
    return is_path and Path(original).is_file() and Path(original).stat().st_size < _WORTH_WORKERS


def schema_of_rows(schema: AnySchema) -> Schema | Learned | Path | None:
    """The schema of one table; raises if somebody gave that of several tables."""
    if isinstance(schema, PeopleSchema) or (isinstance(schema, Path) and is_of_people(schema)):
        raise KnowledgeError(
            "schema: it is one of several tables (quintain.schema/2), so the original must be a "
            "folder, a zip archive, a database, or data frames by the name of their table"
        )
    return schema


def schema_of_people(schema: AnySchema) -> PeopleSchema | Path | None:
    """The schema of several tables; raises if somebody gave that of one table."""
    if isinstance(schema, Schema | Learned) or (
        isinstance(schema, Path) and not is_of_people(schema)
    ):
        raise KnowledgeError(
            "schema: it is one of a single table, and the original has several; make one with "
            "`quintain schema learn FOLDER > people.json`"
        )
    return schema


def search_every_text(inputs: AuditInputs, seeds: SeedTree, show: int) -> TextSearch:
    """What the release repeats of free texts, in one table or in several."""
    if inputs.sides is None:
        return search_texts(inputs.notes, inputs.units, rng=seeds.rng("texts"), show=show)
    return join_searches(
        search_texts(notes, units, rng=seeds.rng("texts", name), show=show)
        for name, (notes, units) in inputs.sides.notes.items()
    )


def _refuse_options_of_tables(shape: str, **options: object) -> None:
    """Raise if somebody gave what only the audit of a table heeds."""
    given = [name for name, value in options.items() if value]
    if given:
        raise KnowledgeError(
            f"{', '.join(given)}: only an audit of a table takes this. The original has {shape}: "
            "the schema says which columns there are and whose row each one is"
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


def beside_attacks(
    inputs: AuditInputs,
    seeds: SeedTree,
    *,
    known: Sequence[str] | None = None,
    secrets: Sequence[str] | None = None,
    population: int | None = None,
) -> list[Piece]:
    """What an audit measures without attacks: utility, what offices count, the order of rows."""
    tables = inputs.original, inputs.release, inputs.control
    counted = partial(
        measure_disclosure,
        inputs.private_people(),
        inputs.release,
        None if inputs.control is None else inputs.one_row_each()[1],
        known=known,
        secrets=secrets,
        population=population,
    )
    return [
        partial(measure_utility, *tables, rng=seeds.rng("utility")),
        counted if inputs.sides is None else _disclose_nothing,
        partial(row_order, inputs.original, inputs.release, rng=seeds.rng("rows")),
    ]


def _disclose_nothing() -> DisclosureResult:
    """Of people with several tables, statistical offices count nothing that we know of."""
    reason = "it counts rows of a table with one row per person, and here are several tables"
    left_out = NotComputed(what="what statistical offices count", reason=reason)
    return DisclosureResult((), (left_out,))


def complete_audit(
    audit: ReleaseAudit, inputs: AuditInputs, outcomes: Sequence[Any]
) -> ReleaseAudit:
    """The audit with what was measured beside the attacks, and with its inputs."""
    utility, disclosure, order = outcomes
    return audit.model_copy(
        update={
            "limits": (*inputs.limits, *_wide_limit(inputs), *audit.limits),
            "utility": utility.findings,
            "shapes": utility.shapes,
            "not_computed": (
                *inputs.not_computed,
                *audit.not_computed,
                *utility.not_computed,
                *disclosure.not_computed,
            ),
            "disclosure": disclosure.findings,
            "columns": inputs.coverage.as_result(),
            "matched": inputs.matched,
            "identities": inputs.identities.finds,
            "order": order,
            "inputs": inputs.described,
            "versions": versions(),
        }
    )


def _wide_limit(inputs: AuditInputs) -> Iterator[str]:
    """What is left out of a table of very many columns, in a sentence."""
    columns = len(inputs.original.schema.attributes)
    if columns > MANY_COLUMNS:
        yield (
            f"The audit compares {columns:,} columns. To save time, attacks that follow "
            f"dependences look at each column with the {PARTNERS} others to which it seems most "
            f"related in the release, and the change of associations is measured on "
            f"{MOST_PAIRS:,} pairs of columns, drawn at random."
        )


def _beside_control(
    inputs: AuditInputs,
    audited: AuditedRelease,
    texts: TextSearch,
    classes: ReleaseClasses | None,
    show_exposed: int,
    permutations: int,
    executor: Executor,
    beside: Sequence[Piece],
) -> tuple[ReleaseAudit, list[Any]]:
    """The audit with a control: attacks on the pool, one test, effects, and the verdict.

    Also does what an audit measures beside the attacks, so that workers share all of it.
    """
    pool, seeds = audited.table_pool(), audited.seeds
    original, control = inputs.one_row_each()
    checked = check_control(
        original, control, inputs.units, inputs.whole_rows, rng=seeds.rng("drift")
    )
    tables = original, inputs.release, control
    checks: list[Piece] = [
        partial(lay_bare, *tables, rng=seeds.rng("laid bare")),
        partial(control_signs, *tables, rng=seeds.rng("made with the control")),
    ]
    measured, (bare, known, *outcomes) = run_risks(audited, executor, [*checks, *beside])
    results = [result for _, result in measured]
    people = PersonScores.of(pool, [evidence for result in results for evidence in result.evidence])
    scores = [evidence.scores for evidence in people.evidence]
    level = joint_level(bare)
    test = joint_test(
        scores, people.members, rng=seeds.rng("test"), permutations=permutations, level=level
    )
    alike = None
    if test.p <= level:
        alike = joint_test(
            scores,
            people.members,
            rng=seeds.rng("test within strata"),
            permutations=permutations,
            strata=propensity_strata(pool.records, pool.members, pool.person()),
        ).p
    names = nameable(scores, people.members, rng=seeds.rng("names"))
    inside, outside = people.counts()
    signs = (*known, *texts.signs, *inputs.identities.signs)
    effects = Effects(
        test.p,
        inside,
        exposed_share(scores, people.members, rng=seeds.rng("exposed")),
        names.count,
        smallest_share(inside, outside, critical=test.critical),
        (
            *texts.proofs,
            *_proofs(inputs, checked, seeds),
            *sign_proofs(signs, by_rows=bool(inputs.repeated)),
        ),
        (*texts.traces, *tail_traces(bare)),
        tail_alarms(bare),
        advantage(scores, people.members, rng=seeds.rng("share")),
        bare,
        alike,
        one_row=inputs.one_row,
        equal_rows=inputs.units is not None and inputs.units.equal_rows,
        several_tables=inputs.sides is not None,
        without_rows=tuple(t for result in results for t in result.without_rows),
        histories=_histories(inputs, results),
        smallest_class=None if classes is None else classes.smallest,
        uncompared=inputs.coverage.not_attacked,
    )
    doubted = doubt_control(judge(effects), effects, checked, inputs.repeated)
    verdict = doubt_known_control(inputs.coverage.limit_verdict(doubted), signs)
    audit = build_release_audit(
        verdict,
        effects,
        results,
        limits=(*texts.notes, *verdict.limits, tail_limit(bare)),
        curves=membership_curves(measured, pool.members),
        control_signs=signs,
        drift=checked.drift,
        repeated_texts=texts.searches,
        exposed=exposed_records(pool, people, names, show_exposed) if show_exposed else None,
    )
    return audit, outcomes


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
    return closeness(inputs.private_people(), inputs.release, rng=seeds.rng("copies")).proofs()


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


def _without_control(
    inputs: AuditInputs, texts: TextSearch, audited: AuditedRelease, results: Sequence[RiskResult]
) -> ReleaseAudit:
    """The audit without a control: copies, near copies, and the risks that need no control."""
    seeds = audited.seeds
    near = closeness(inputs.private_people(), inputs.release, rng=seeds.rng("copies"))
    nobody = Reading.missing("lower", "naming people " + _NEEDS_CONTROL)
    proofs = (*inputs.coverage.proofs, *_named_rightly(inputs, seeds), *texts.proofs)
    proofs = (*proofs, *(identical_proof(inputs) or near.proofs()), *repeated_proof(inputs))
    effects = Effects(
        None,
        len(inputs.original),
        near.share,
        nobody,
        near.smallest,
        proofs,
        one_row=inputs.one_row,
        uncompared=inputs.coverage.not_attacked,
    )
    verdict = judge(effects)
    shape, added = inputs.original.schema.shape, audited.added
    left_out = [*risks_without_control(shape, added, one_row=inputs.one_row), "p"]
    left_out += [attack.name() for attack in added]
    return build_release_audit(
        verdict,
        effects,
        results,
        limits=(*texts.notes, ASSUMPTION, ADVICE, *verdict.limits),
        readings=(*near.findings, *(finding for result in results for finding in result.findings)),
        repeated_texts=texts.searches,
        not_computed=tuple(NotComputed(what=what, reason=_NEEDS_CONTROL) for what in left_out),
    )
