"""Audit a release: hold it beside its original and a control, and judge what it gives away."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from quintain.audits.checks.control import ControlCheck, check_control, doubted, refuse_same
from quintain.audits.checks.copies import ADVICE, ASSUMPTION, closeness, identical
from quintain.audits.exposed_records import exposed_records
from quintain.audits.finding import NotComputed
from quintain.audits.inputs.reading import AuditInputs, read_inputs
from quintain.audits.kinds.dispatch import audit_kind
from quintain.audits.kinds.reading import shape_of
from quintain.audits.panel import PanelResult
from quintain.audits.panels.inference import inference_panel
from quintain.audits.panels.linkability import linkability_panel
from quintain.audits.panels.membership import membership_panel
from quintain.audits.panels.singling_out import singling_out_panel
from quintain.audits.people import People
from quintain.audits.pool import Pool
from quintain.audits.release_audit import ReleaseAudit
from quintain.audits.roc import roc_curve
from quintain.audits.utility.panel import UtilityResult, utility_panel
from quintain.audits.verdict import Effects, judge
from quintain.audits.versions import versions
from quintain.data import Learned, Schema
from quintain.errors import KnowledgeError
from quintain.measures import Reading
from quintain.measures.pooled.detectable import smallest_share
from quintain.measures.pooled.exposed_share import exposed_share
from quintain.measures.pooled.joint_test import joint_test
from quintain.measures.pooled.nameable import nameable
from quintain.progress import track
from quintain.releases import Release
from quintain.seeds import SeedTree

_NEEDS_CONTROL = "needs a control, people of the same population who are not in the original"


@dataclass(frozen=True, slots=True)
class Attackers:
    """What attackers know of a person beforehand, and what they want to know."""

    known: Sequence[str] | None
    secrets: Sequence[str] | None


def audit_release(
    original: Any,
    release: Any,
    control: Any = None,
    *,
    schema: Schema | Learned | Path | None = None,
    known: Sequence[str] | None = None,
    secrets: Sequence[str] | None = None,
    unit: str | None = None,
    seed: int = 0,
    show_exposed: int = 0,
    permutations: int = 999,
    command: str = "",
) -> ReleaseAudit:
    """Find out what a release gives away about the people in its original.

    Parameters
    ----------
    original, release, control : paths of files, data frames, or data with a schema. The control
        are people of the same population who are not in the original. Without it, only copies and
        near copies can be seen.
    schema : the columns and their domains; by default learned from all tables together.
    known : the columns that attackers know of a person when they guess another one.
    secrets : the columns that attackers want to know; by default each in turn.
    unit : the column that says whose row it is, if people have several rows. Then p, the exposed
        share and the number of names are about people, and a person counts once.
    seed : the same seed gives the same audit, byte by byte.
    show_exposed : how many of the most exposed people to list with their records.
    permutations : how often the labels of original and control are permuted for p.
    command : the command that repeats the audit, for the report.

    >>> from quintain.testing import example_table, people
    >>> table = people(example_table(rows=400))
    >>> one, other = table.take(range(200)), table.take(range(200, 400))
    >>> audit_release(one, one, other, permutations=99).verdict
    'unsafe'
    """
    if shape_of(original, schema) != "table":
        if unit is not None:
            raise KnowledgeError("unit: series and transactions say themselves whose row it is")
        audit = audit_kind(original, release, control, schema, seed, permutations)
        return audit.model_copy(update={"command": command})
    inputs = read_inputs(original, release, control, schema=schema, unit=unit)
    inputs.require(known=known, secrets=secrets)
    refuse_same(inputs.original, inputs.release, inputs.control)
    seeds = SeedTree.from_int(seed).child("audit", "release")
    if inputs.control is None:
        audit = _without_control(inputs, seeds)
    else:
        checked = check_control(*inputs.one_row_each())
        attackers = Attackers(known, secrets)
        audit = _beside_control(inputs, checked, seeds, attackers, show_exposed, permutations)
    utility = utility_panel(
        inputs.original, inputs.release, inputs.control, rng=seeds.rng("utility")
    )
    return _completed(audit, inputs, utility).model_copy(update={"seed": seed, "command": command})


def _completed(audit: ReleaseAudit, inputs: AuditInputs, utility: UtilityResult) -> ReleaseAudit:
    """The audit with its utility, its inputs and what was left out."""
    return audit.model_copy(
        update={
            "limits": (*inputs.limits, *audit.limits),
            "utility": utility.findings,
            "shapes": utility.shapes,
            "not_computed": (*inputs.not_computed, *audit.not_computed, *utility.not_computed),
            "inputs": inputs.described,
            "versions": versions(),
        }
    )


def _beside_control(
    inputs: AuditInputs,
    checked: ControlCheck,
    seeds: SeedTree,
    attackers: Attackers,
    show_exposed: int,
    permutations: int,
) -> ReleaseAudit:
    """The audit with a control: attacks on the pool, one test, effects, and the verdict."""
    pool = _pool(inputs, rng=seeds.rng("pool"))
    panels = _panels(pool, Release(inputs.release), seeds, attackers)
    people = People.of(pool, [one for panel in panels for one in panel.evidence])
    scores = [one.scores for one in people.evidence]
    test = joint_test(scores, people.members, rng=seeds.rng("test"), permutations=permutations)
    names = nameable(scores, people.members, rng=seeds.rng("names"))
    inside, outside = people.counts()
    effects = Effects(
        test.p,
        inside,
        exposed_share(scores, people.members, rng=seeds.rng("share")),
        names.count,
        smallest_share(inside, outside, critical=test.critical),
        _proofs(inputs, checked, seeds),
        one_row=inputs.units is None,
    )
    verdict = inputs.coverage.judged(doubted(judge(effects), effects, checked))
    shown = exposed_records(pool, people, names, show_exposed) if show_exposed else None
    return ReleaseAudit(
        verdict=verdict.verdict,
        reasons=verdict.reasons,
        limits=verdict.limits,
        p=test.p,
        exposed_share=effects.exposed,
        nameable_records=effects.nameable,
        smallest_detectable=effects.detectable,
        readings=tuple(one for panel in panels for one in panel.findings),
        curves=tuple(roc_curve(one, pool.members) for one in panels[0].evidence),
        not_computed=tuple(one for panel in panels for one in panel.not_computed),
        exposed=shown,
    )


def _pool(inputs: AuditInputs, *, rng: np.random.Generator) -> Pool:
    """Original and control, mixed."""
    assert inputs.control is not None  # there is another audit without one
    units = None
    if inputs.units is not None and inputs.units.control is not None:
        units = np.concatenate([inputs.units.original, inputs.units.control])
    return Pool.of(inputs.original, inputs.control, units, rng=rng)


def _panels(
    pool: Pool, release: Release, seeds: SeedTree, attackers: Attackers
) -> list[PanelResult]:
    """What the attacks of each risk find; membership first, whose curves are drawn."""
    panels: dict[str, Callable[..., PanelResult]] = {
        "membership": membership_panel,
        "inference": partial(inference_panel, known=attackers.known, secrets=attackers.secrets),
        "linkability": linkability_panel,
        "singling-out": singling_out_panel,
    }
    return [
        panel(pool, release, rng=seeds.rng(name))
        for name, panel in track(panels.items(), "attacks", len(panels))
    ]


def _proofs(inputs: AuditInputs, checked: ControlCheck, seeds: SeedTree) -> tuple[str, ...]:
    """What shows without the control that the release is unsafe, if the control is doubtful."""
    proofs = (*inputs.coverage.proofs, *identical(inputs.original, inputs.release))
    if proofs or not (checked.drift or checked.overlaps):
        return proofs
    return closeness(inputs.original, inputs.release, rng=seeds.rng("copies")).proofs()


def _without_control(inputs: AuditInputs, seeds: SeedTree) -> ReleaseAudit:
    """The audit without a control: copies and near copies can be seen, and nothing else."""
    near = closeness(inputs.original, inputs.release, rng=seeds.rng("copies"))
    nobody = Reading.missing("lower", "naming people " + _NEEDS_CONTROL)
    proofs = identical(inputs.original, inputs.release) or near.proofs()
    effects = Effects(None, len(inputs.original), near.share, nobody, near.smallest, proofs)
    verdict = judge(effects)
    left_out = ("membership inference", "attribute inference", "linkability", "singling out", "p")
    return ReleaseAudit(
        verdict=verdict.verdict,
        reasons=verdict.reasons,
        limits=(ASSUMPTION, ADVICE, *verdict.limits),
        p=None,
        exposed_share=near.share,
        nameable_records=nobody,
        smallest_detectable=near.smallest,
        readings=near.findings,
        not_computed=tuple(NotComputed(what=what, reason=_NEEDS_CONTROL) for what in left_out),
    )
