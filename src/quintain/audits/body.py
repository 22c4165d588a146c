"""Body: the one walk of every audit of a release, whatever the shape of its data.

What was read is attacked and checked; one test weighs the evidence; effects on people follow, then
the verdict, then the report. A :class:`ShapeAudit` says what is special about data of a shape. As
it stands here it fits every shape whose records are people, and asks all risks that name the shape.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from quintain.attacks import Attack
from quintain.audits.checks.made_with_control import coin_sign, doubt_known_control, sign_proofs
from quintain.audits.pool import PersonScores, Pool, RecordPool
from quintain.audits.reading.inputs import HeldData
from quintain.audits.reading.records import read_records
from quintain.audits.release_utility import utility_of_records
from quintain.audits.results import ControlSign, NotComputed, ReleaseAudit, versions
from quintain.audits.risk import (
    AuditedRelease,
    Piece,
    Risk,
    RiskResult,
    risks_of_other_data,
    risks_without_control,
    run_risks,
)
from quintain.audits.roc import membership_curves
from quintain.audits.verdict import (
    Effects,
    Judgement,
    Thresholds,
    build_release_audit,
    joint_level,
    judge,
)
from quintain.data import Data, shape_of
from quintain.data.arrays import Floats, Mask, Rows
from quintain.data.shape import Shape
from quintain.errors import KnowledgeError
from quintain.jobs.executor import SERIAL, Executor
from quintain.measures import Reading, ReleaseMeasure
from quintain.measures.intervals import proportion
from quintain.measures.pooled.detectable import smallest_share
from quintain.measures.pooled.exposed import advantage, exposed_share
from quintain.measures.pooled.fold_test import FoldTest
from quintain.measures.pooled.joint_test import joint_test
from quintain.measures.pooled.nameable import Nameable, nameable
from quintain.randomness.seeds import SeedTree
from quintain.releases import Release

NEEDS_CONTROL = "needs a control, people of the same population who are not in the original"


@dataclass(frozen=True, slots=True, eq=False)
class AuditOptions:
    """What somebody asks of an audit; ``audit_release`` says what each of them means."""

    seeds: SeedTree
    known: Sequence[str] | None = None
    secrets: Sequence[str] | None = None
    population: int | None = None
    show_exposed: int = 0
    permutations: int = 999
    attacks: tuple[Attack, ...] = ()
    executor: Executor = SERIAL


@dataclass(frozen=True, slots=True, eq=False)
class AuditOutcomes:
    """What attacks and checks found, before any test.

    Parameters
    ----------
    audited : what the risks looked at.
    measured : every risk that was asked, with its result.
    checked : the pieces of the checks, by their names.
    """

    audited: AuditedRelease
    measured: Sequence[tuple[Risk, RiskResult]]
    checked: Mapping[str, Any]

    @property
    def results(self) -> list[RiskResult]:
        """What the risks found."""
        return [result for _, result in self.measured]


@dataclass(frozen=True, slots=True, eq=False)
class Tested:
    """The one test of an audit, and the scores from which effects are estimated.

    Parameters
    ----------
    critical : the normal score that the strongest attack must exceed.
    scores, members : of each attack a score per person, and who is in the data.
    inside : how many people are in the original.
    sizes : how many people are compared with how many others.
    p_alike : the p-value among people who look alike, if the test raises an alarm.
    people : whose scores these are, with the records that speak for them; None of folds.
    folds : the test of an audit of everybody.
    """

    p: float
    critical: float
    scores: Sequence[Floats]
    members: Mask
    inside: int
    sizes: tuple[int, int]
    p_alike: float | None = None
    people: PersonScores | None = None
    folds: FoldTest | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Weighed:
    """The effects from which the verdict follows, and if there was a test whom it can name."""

    effects: Effects
    tested: Tested | None = None
    names: Nameable | None = None


class ShapeAudit:
    """What an audit does with data of a shape whose records are people.

    Attributes
    ----------
    shapes : the shapes that it is made for.
    utility : the measure that says how useful a release still is; None if there is none.
    record_words : what repeats of a person are called in sentences.
    """

    shapes: ClassVar[tuple[str, ...]] = ()
    utility: ClassVar[ReleaseMeasure | None] = None
    record_words: ClassVar[str] = "records"

    def seen_as(self, shape: Shape) -> str:
        """The shape as which it audits such data; empty if it cannot."""
        return next((name for name in self.shapes if name in (shape.name(), *shape.also)), "")

    # --- reading ---

    def refuse(self, shape: str, **options: object) -> None:
        """Raise if somebody gave what only the audit of a table heeds."""
        given = [name for name, value in options.items() if value]
        if given:
            raise KnowledgeError(
                f"{', '.join(given)}: only an audit of a table takes this. The original has "
                f"{shape}: the schema says which columns there are and whose row each one is"
            )

    def read(
        self, given: Mapping[str, Any], seen_as: str, asked: AuditOptions, **options: Any
    ) -> HeldData:
        """What the audit holds beside each other, by role."""
        return read_records(given, seen_as, options["schema"])

    # --- attacks and checks ---

    def attack(self, held: HeldData, asked: AuditOptions) -> AuditOutcomes:
        """Ask all risks, and do what is checked beside them."""
        audited = self.prepare(held, asked)
        checks = self.checks(held, asked)
        measured, pieces = run_risks(audited, asked.executor, [*checks.values()])
        return AuditOutcomes(audited, measured, dict(zip(checks, pieces, strict=True)))

    def prepare(self, held: HeldData, asked: AuditOptions) -> AuditedRelease:
        """What the risks look at."""
        pool = None
        if held.control is not None:
            pool = RecordPool.of(held.original, held.control, rng=asked.seeds.rng("pool"))
        return AuditedRelease(
            held.original, Release(held.release), asked.seeds, pool, added=asked.attacks
        )

    def checks(self, held: HeldData, asked: AuditOptions) -> dict[str, Piece]:
        """The work beside the attacks, by name; ``utility`` is always there."""
        measure = None if held.control is None else self.utility
        sides = held.original, held.release, held.control
        return {"utility": partial(utility_of_records, measure, *sides)}

    # --- the test, and the effects ---

    def weigh(self, held: HeldData, asked: AuditOptions, outcomes: AuditOutcomes) -> Weighed:
        """The effects on people, by the one test or, without a control, by copies alone."""
        tested = self.test(held, asked, outcomes)
        if tested is None:
            return Weighed(self.copies(held, asked, outcomes))
        names = nameable(tested.scores, tested.members, rng=asked.seeds.rng("names"))
        effects = Effects(
            tested.p,
            tested.inside,
            exposed_share(tested.scores, tested.members, rng=asked.seeds.rng("exposed")),
            names.count,
            smallest_share(*tested.sizes, critical=tested.critical),
            advantage=advantage(tested.scores, tested.members, rng=asked.seeds.rng("share")),
            p_alike=tested.p_alike,
        )
        return Weighed(self.add_signals(effects, held, asked, outcomes), tested, names)

    def test(self, held: HeldData, asked: AuditOptions, outcomes: AuditOutcomes) -> Tested | None:
        """One test of all evidence by permuted labels of people; None without a control."""
        pool, seeds = outcomes.audited.pool, asked.seeds
        if pool is None:
            return None
        evidence = [scores for result in outcomes.results for scores in result.evidence]
        people = PersonScores.of(pool, evidence)
        scores = [scored.scores for scored in people.evidence]
        level = joint_level(outcomes.checked.get("laid bare"))
        test = joint_test(
            scores,
            people.members,
            rng=seeds.rng("test"),
            permutations=asked.permutations,
            level=level,
        )
        alike = None
        strata = self.strata(pool) if test.p <= level else None
        if strata is not None:
            alike = joint_test(
                scores,
                people.members,
                rng=seeds.rng("test within strata"),
                permutations=asked.permutations,
                strata=strata,
            ).p
        sizes = people.counts()
        return Tested(test.p, test.critical, scores, people.members, sizes[0], sizes, alike, people)

    def strata(self, pool: Pool | RecordPool) -> Rows | None:
        """The people who look alike; None if nobody can say who does."""
        return None

    def add_signals(
        self, effects: Effects, held: HeldData, asked: AuditOptions, outcomes: AuditOutcomes
    ) -> Effects:
        """The effects, with what shows by itself that a release is unsafe."""
        signs = self.control_signs(held, outcomes)
        assert held.control is not None  # without one, copies alone decide
        repeats_control = self.count_repeated(held.control, held.release)
        proofs = sign_proofs(signs) or (() if repeats_control else self.tell_copies(held))
        return replace(effects, proofs=proofs)

    def control_signs(self, held: HeldData, outcomes: AuditOutcomes) -> tuple[ControlSign, ...]:
        """Whether the release repeats people whom only the control has."""
        if held.control is None:
            return ()
        sides = self.contents(held.original, held.release, held.control)
        inside, released, outside = map(set, sides)
        gained, lost = len(outside & released - inside), len(outside & inside - released)
        words = f"the {self.record_words} of the person"
        return (coin_sign("copies", words, gained, lost, len(held.control)),)

    def copies(self, held: HeldData, asked: AuditOptions, outcomes: AuditOutcomes) -> Effects:
        """Without a control, people whom the release repeats as they are can be seen."""
        copied = self.count_repeated(held.original, held.release)
        share = proportion(copied, len(held.original), "lower")
        nobody = Reading.missing("lower", f"this {NEEDS_CONTROL}")
        return Effects(None, len(held.original), share, nobody, nobody, self.tell_copies(held))

    def tell_copies(self, held: HeldData) -> tuple[str, ...]:
        """That the release repeats many people as they are, in a sentence."""
        copies, people = self.count_repeated(held.original, held.release), len(held.original)
        rules = Thresholds()
        if copies < min(rules.names, rules.share * people):
            return ()
        return (
            f"The release repeats the {self.record_words} of {copies:,} of {people:,} people as "
            "they are.",
        )

    def count_repeated(self, original: Data, release: Data) -> int:
        """How many people of the original the release has as they are."""
        known, shown = self.contents(original, release)
        released = set(shown)
        return sum(content in released for content in known)

    def contents(self, *sides: Data) -> list[list[Hashable]]:
        """What each side has of each person, equal for equal people; none if nobody can tell."""
        shape = shape_of(sides[0])
        whole = sides[0]
        for side in sides[1:]:
            whole = shape.join(whole, side)
        keys = shape.record_keys(whole)
        if keys is None:
            return [[] for _ in sides]
        ends = np.cumsum([len(side) for side in sides])[:-1]
        return [part.tolist() for part in np.split(keys, ends)]

    # --- the verdict, and the report ---

    def judge(self, held: HeldData, outcomes: AuditOutcomes, effects: Effects) -> Judgement:
        """The verdict, with doubts where the release knows the control."""
        return doubt_known_control(judge(effects), self.control_signs(held, outcomes))

    def facts(
        self, held: HeldData, asked: AuditOptions, outcomes: AuditOutcomes, weighed: Weighed
    ) -> dict[str, Any]:
        """Further fields of the report; ``not_computed`` follows what the risks left out."""
        pool = outcomes.audited.pool
        if pool is None:
            return {"not_computed": tuple(self.left_out(held, asked))}
        return {
            "curves": membership_curves(outcomes.measured, pool.members),
            "control_signs": self.control_signs(held, outcomes),
        }

    def left_out(self, held: HeldData, asked: AuditOptions) -> Iterator[NotComputed]:
        """What an audit without a control leaves out."""
        shape = held.original.schema.shape
        risks = risks_without_control(shape, asked.attacks, one_row=held.one_row)
        for what in (*risks, "p", *(attack.name() for attack in asked.attacks)):
            yield NotComputed(what=what, reason=NEEDS_CONTROL)

    def never_asked(self, held: HeldData, outcomes: AuditOutcomes) -> Iterable[NotComputed]:
        """What nobody asks about such data."""
        reason = "the attacks of this risk are for tables with one row per person"
        others = risks_of_other_data(held.original.schema.shape)
        return [NotComputed(what=what, reason=reason) for what in others]

    def more(self, held: HeldData, outcomes: AuditOutcomes) -> dict[str, Any]:
        """Further fields of the report that no verdict changes."""
        return {}

    def limits(self, held: HeldData, outcomes: AuditOutcomes, verdict: Judgement) -> Iterable[str]:
        """What the reader should know about the data, and what the verdict does not cover."""
        return (*held.limits, *verdict.limits)


def run_audit(way: ShapeAudit, held: HeldData, asked: AuditOptions) -> ReleaseAudit:
    """Audit what was read: attacks and checks, one test, effects, verdict, report."""
    outcomes = way.attack(held, asked)
    weighed = way.weigh(held, asked, outcomes)
    verdict = way.judge(held, outcomes, weighed.effects)
    facts = way.facts(held, asked, outcomes, weighed)
    audit = build_release_audit(verdict, weighed.effects, outcomes.results, **facts)
    utility = outcomes.checked["utility"]
    return audit.model_copy(
        update={
            "limits": tuple(way.limits(held, outcomes, verdict)),
            "utility": utility.findings,
            "not_computed": (
                *held.not_computed,
                *audit.not_computed,
                *utility.not_computed,
                *way.never_asked(held, outcomes),
            ),
            "inputs": held.described,
            "versions": versions(),
            **way.more(held, outcomes),
        }
    )
