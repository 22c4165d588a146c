"""Asking: the pool and the release as goals and attacks accept them, whatever their columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from quintain.attacks import Attack, Knowledge, ThreatModel
from quintain.attacks.threat import Fact, SanitizerCode
from quintain.audits.pool import Pool
from quintain.audits.results import Finding, NotComputed
from quintain.audits.risk import Added
from quintain.data import Column, Data, Schema, Table, as_table
from quintain.data.arrays import Mask, Rows
from quintain.errors import QuintainError
from quintain.guesses import Goal, Guess
from quintain.measures import Case, GuessMeasure, Reading, Readings
from quintain.measures.intervals import difference, proportion
from quintain.measures.pooled.detectable import smallest_rate
from quintain.plays import Refusal, Situation, play
from quintain.releases import Release

RESERVED = frozenset({"target", "member", "half"})
"""Names that questions and truths give to columns of their own."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


NOT_COMPARED = "no attack can compare this column"
"""Why attackers neither know nor guess a column that a user names."""


@dataclass(frozen=True, slots=True, eq=False)
class SharedColumns:
    """A pool and a release under names that no question uses itself.

    A table of a user may have a column named "member". Inside the audit such a column has another
    name; the findings use the user's names.

    Parameters
    ----------
    pool : the people of whom some columns are in the release, too.
    released : the released records, with the columns of the pool in the same order.
    names : for each name inside, the name that the user knows.

    >>> schema = Schema(columns=(Column(name="member", kind="category", values=("no", "yes")),))
    >>> table = Table.of(schema, {"member": ["no", "yes", "no"]})
    >>> pool = Pool.of(table, table, rng=np.random.default_rng(0))
    >>> view = SharedColumns.of(pool, Release(table))
    >>> view.pool.records.schema.names, dict(view.names)
    (('member_',), {'member_': 'member'})
    """

    pool: Pool
    released: Table
    names: Mapping[str, str]

    @classmethod
    def of(cls, pool: Pool, release: Release) -> SharedColumns:
        """Keep the columns that pool and release share; rename those that would collide."""
        table = as_table(release.data)
        shared = [c.name for c in pool.records.schema.attributes if c.name in table.schema]
        safe = _safe_names(shared)
        records = _rename_columns(pool.records.select(shared), safe)
        names = dict(zip(safe, shared, strict=True))
        return cls(
            Pool(records, pool.members, pool.rows, pool.units),
            _rename_columns(table.select(shared), safe),
            names,
        )

    @property
    def release(self) -> Release:
        """The release as attacks see it: no claim and no method is on its card."""
        return Release(self.released)

    @property
    def inside(self) -> dict[str, str]:
        """For each name that the user knows, the name inside."""
        return {name: safe for safe, name in self.names.items()}

    def at(self, rows: Rows) -> SharedColumns:
        """The same release beside some people of the pool."""
        part = Pool(self.pool.records.take(rows), self.pool.members[rows], self.pool.rows[rows])
        return SharedColumns(part, self.released, self.names)

    def with_bounds(self, name: str) -> SharedColumns:
        """The same data with bounds for one number, as wide as what pool and release contain."""
        column = self.released.schema[name]
        if not column.numeric or None not in (column.low, column.high):
            return self
        tables = self.pool.records, self.released
        values = np.concatenate([table.numbers(name) for table in tables])
        values = values[np.isfinite(values)]
        ends = (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)
        low, high = (
            b if e is None else e for e, b in zip((column.low, column.high), ends, strict=True)
        )
        wide = Column.model_validate({**column.model_dump(), "low": min(low, high), "high": high})
        records, released = (_with_column(table, wide) for table in tables)
        pool = Pool(records, self.pool.members, self.pool.rows)
        return SharedColumns(pool, released, self.names)


def _safe_names(names: Sequence[str]) -> list[str]:
    """Names without control characters that differ from each other and from reserved ones."""
    used = RESERVED | {name for name in names if not _CONTROL.search(name)}
    out = []
    for name in names:
        safe = _CONTROL.sub("_", name) or "_"  # questions have no column without a name
        while safe in used and (safe != name or name in RESERVED):
            safe += "_"
        used |= {safe}
        out.append(safe)
    return out


def _rename_columns(table: Table, names: Sequence[str]) -> Table:
    pairs = list(zip(table.schema.columns, names, strict=True))
    columns = tuple(column.model_copy(update={"name": name}) for column, name in pairs)
    return Table(Schema(columns=columns), {name: table.columns[c.name] for c, name in pairs})


def _with_column(table: Table, column: Column) -> Table:
    """The table with other bounds for a column, whose codes count from the lower one."""
    before = table.schema[column.name]
    columns = tuple(column if c.name == column.name else c for c in table.schema.columns)
    stored = table.columns[column.name] + (before.offset - column.offset)
    return Table(Schema(columns=columns), {**table.columns, column.name: stored})


def ask(goal: Goal, view: SharedColumns, *, shown: Goal) -> Situation | NotComputed:
    """Ask about every person of the pool; ``shown`` is the goal with the user's names."""
    try:
        question, truth = goal.ask(view.pool.sample(), view.release)
    except QuintainError as error:
        return NotComputed(what=f"{goal.name()}: {shown.wish()}", reason=str(error))
    return Situation(shown, view.release, Knowledge(question), truth)


def attempt(
    attacker: Attack, situation: Situation, *, rng: np.random.Generator
) -> Case | NotComputed:
    """Let an attack answer; it gets the question and the release, and nothing else."""
    outcome = play(attacker, situation, rng=rng)
    if isinstance(outcome, Refusal):
        what = f"the attack {outcome.part} on {situation.goal.wish()}"
        return NotComputed(what=what, reason=outcome.reason)
    return answered_case(situation, outcome)


def attempt_all(
    attacks: Sequence[Attack], added: Added, situation: Situation, *, rng: np.random.Generator
) -> tuple[list[tuple[Attack, Case]], list[NotComputed]]:
    """The answers of all attacks, of those that the user adds as well; and which gave none."""
    players = [*((attacker, rng) for attacker in attacks), *added]
    answered = [(attacker, attempt(attacker, situation, rng=draws)) for attacker, draws in players]
    cases = [(attacker, case) for attacker, case in answered if isinstance(case, Case)]
    return cases, [case for _, case in answered if isinstance(case, NotComputed)]


def answered_case(situation: Situation, guess: Guess) -> Case:
    """A guess beside the truth, for measures."""
    assert situation.truth is not None  # an audit asks only what it knows
    return Case(situation.truth, guess)


def threat_sentences(threat: ThreatModel) -> tuple[str, ...]:
    """What an attacker wants and knows, in sentences."""
    return tuple(sentence for _, sentence in threat.rows())


def findings_beside_control(
    risk: str,
    attacker: Attack,
    goal: Goal,
    measure: GuessMeasure,
    readings: Readings,
    names: tuple[str, str],
    *,
    control: Reading,
    least: float,
    chance: float,
    columns: tuple[str, ...] = (),
) -> Iterator[Finding]:
    """The excess over the control and the share itself, in the words of the measure and the goal.

    Parameters
    ----------
    names : the reading of the excess, and that of the share.
    control : the same share among people who are not in the original.
    least : the smallest share that would very probably have been noticed.
    chance : the share that a blind guess has, if the measure does not say it.
    """
    excess, share = names
    for name, blind, detectable in ((excess, 0.0, least - control.value), (share, chance, least)):
        yield Finding(
            risk=risk,
            attack=attacker.name(),
            parameters=attacker.parameters(),
            name=name,
            says=measure.caption(name),
            reading=readings[name],
            chance=measure.chance.get(name, blind),
            control=control,
            smallest_detectable=detectable,
            threat=threat_sentences(ThreatModel(goal)),
            columns=columns,
        )


def findings_about_people(
    risk: str,
    attack: str,
    names: tuple[str, str],
    success: Mask,
    members: Mask,
    *,
    says: str,
    threat: tuple[str, ...],
    chance: float | None = None,
    columns: tuple[str, ...] = (),
) -> Iterator[Finding]:
    """The excess over the control and the share itself, for an attack that sees whole people.

    Parameters
    ----------
    names : the reading of the excess, and that of the share.
    success : for whom of the people asked about the attack succeeds.
    members : who of them is in the original.
    chance : the share that a blind guess has; None if nobody knows.
    """
    hits, false = int(success[members].sum()), int(success[~members].sum())
    inside, outside = int(members.sum()), int((~members).sum())
    share, control = proportion(hits, inside, "lower"), proportion(false, outside, "lower")
    excess = difference(hits, inside, false, outside, "lower")
    least = smallest_rate(control.value, inside, outside) if inside and outside else None
    for name, reading, blind, detectable in (
        (names[0], excess, 0.0, None if least is None else least - control.value),
        (names[1], share, chance, least),
    ):
        yield Finding(
            risk=risk,
            attack=attack,
            name=name,
            says=says,
            reading=reading,
            chance=blind,
            control=control,
            smallest_detectable=detectable,
            threat=threat,
            columns=columns,
        )


_BASE: frozenset[Fact] = frozenset({"base"})
_OF_SANITIZER: frozenset[Fact] = frozenset({"parameters", "code"})


def threat_for(attacker: Attack, goal: Goal, code: SanitizerCode | None = None) -> ThreatModel:
    """The threat model of an attack: it gets what it needs, if that is there, and no more.

    Who must name rows of the base data gets these data in any case.
    """
    there = _BASE | (_OF_SANITIZER if code is not None else frozenset())
    always = frozenset() if goal.by_target else _BASE
    return ThreatModel.giving(goal, attacker.needs & there | always)


def attempt_informed(
    attacker: Attack,
    situation: Situation,
    *,
    base: Data,
    code: SanitizerCode | None = None,
    parameters: Mapping[str, Any] | None = None,
    rng: np.random.Generator,
) -> Case | NotComputed:
    """Let an attack answer that may know the people of the pool and the sanitizer.

    Parameters
    ----------
    base : the people among whom the targets are.
    code, parameters : the sanitizer, for attacks that run it on other data; None if nobody has it.
    """
    threat = threat_for(attacker, situation.goal, code)
    knowledge = threat.knowledge(situation.question, base=base, parameters=parameters, code=code)
    outcome = play(attacker, replace(situation, knowledge=knowledge), rng=rng)
    if isinstance(outcome, Refusal):
        return NotComputed(what=outcome.part, reason=outcome.reason)
    return answered_case(situation, outcome)
