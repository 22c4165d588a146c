"""Experiment: the audit's attacks on the question of a contest, read by the contest's measures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from quintain.attacks import Attack, Knowledge
from quintain.attacks.threat import SanitizerCode
from quintain.audits.asking import attempt_informed, threat_for, threat_sentences
from quintain.audits.pool import Evidence
from quintain.audits.results import Finding, NotComputed
from quintain.audits.risk import RiskResult
from quintain.audits.risks.membership import CHOICES
from quintain.guesses import Goal
from quintain.guesses.membership import Membership, members_and_scores
from quintain.measures import Case, GuessMeasure, reading_rng
from quintain.measures.privacy.roc_curve import Auc
from quintain.plays import Situation
from quintain.randomness.seeds import SeedTree
from quintain.releases import Release
from quintain.samples import Sample

ATTACKS = tuple(choice.attack for choice in CHOICES)
"""The attacks with which a release audit looks for members."""


def measure_experiment(
    sample: Sample,
    release: Release,
    *,
    rng: np.random.Generator,
    goal: Goal | None = None,
    attacks: Sequence[Attack] = ATTACKS,
    measures: Sequence[GuessMeasure] = (Auc(),),
    code: SanitizerCode | None = None,
) -> RiskResult:
    """Ask every attack about the targets of a sample.

    A release audit asks about each record of its pool. A contest may ask another question: which
    of 100 households are members, or which 100 records are. This panel asks that question, so its
    readings are those that the contest has for the same attack, sample and release.

    Parameters
    ----------
    goal : what attackers want to know; by default which targets are members.
    attacks : the attackers; those of the release audit unless others are given.
    measures : what reads their answers.
    code : the sanitizer, for attacks that run it on other data.
    """
    goal = goal or Membership()
    seeds = SeedTree(rng.bytes(32))
    question, truth = goal.ask(sample, release)
    situation = Situation(goal, release, Knowledge(question), truth)
    results = [
        _read(situation, sample, attacker, measures, code, seeds.rng("attack", number))
        for number, attacker in enumerate(attacks)
    ]
    return RiskResult(
        tuple(scores for result in results for scores in result.evidence),
        tuple(finding for result in results for finding in result.findings),
        tuple(reason for result in results for reason in result.not_computed),
    )


def _read(
    situation: Situation,
    sample: Sample,
    attacker: Attack,
    measures: Sequence[GuessMeasure],
    code: SanitizerCode | None,
    rng: np.random.Generator,
) -> RiskResult:
    """What one attack finds, or why it did not run."""
    case = attempt_informed(attacker, situation, base=sample.population, code=code, rng=rng)
    if isinstance(case, NotComputed):
        return RiskResult(not_computed=(case,))
    threat = threat_for(attacker, situation.goal, code)
    findings = tuple(
        Finding(
            risk="membership",
            attack=attacker.name(),
            parameters=attacker.parameters(),
            name=name,
            says=measure.caption(name),
            reading=reading,
            chance=measure.chance.get(name),
            threat=threat_sentences(threat),
        )
        for measure in measures
        for name, reading in measure.measure([case], rng=reading_rng()).items()
    )
    return RiskResult(_evidence(situation.goal, attacker, case), findings)


def _evidence(goal: Goal, attacker: Attack, case: Case) -> tuple[Evidence, ...]:
    """The score of each target; none if the attack names records without scores."""
    if not isinstance(goal, Membership):
        return ()
    return (Evidence(attacker.name(), members_and_scores(case.truth, case.guess)[1]),)
