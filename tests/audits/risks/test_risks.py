"""What the panels of the three risks have in common."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from quintain.audits.pool import Pool
from quintain.audits.risk import RiskResult
from quintain.audits.risks.inference import measure_inference
from quintain.audits.risks.linkability import measure_linkability
from quintain.audits.risks.singling_out import measure_singling_out
from tests.audits.risks.pools import pool_and_release, relabelled

PANELS = [measure_inference, measure_linkability, measure_singling_out]
EXCESS = {"inference_excess", "linked_excess", "isolation_excess"}

Panel = Callable[..., RiskResult]


@cache
def run(panel: Panel, share: float, seed: int = 0) -> RiskResult:
    pool, release = pool_and_release(share, rows=200, seed=seed)
    options = {"predicates": 200} if panel is measure_singling_out else {}
    return panel(pool, release, rng=np.random.default_rng(seed), **options)


@pytest.mark.parametrize("panel", PANELS)
def test_copies_are_found_beyond_the_control(panel: Panel) -> None:
    findings = [f for f in run(panel, 0.8).findings if f.name in EXCESS]
    assert max(finding.reading.low for finding in findings) > 0.1


@pytest.mark.parametrize("panel", PANELS)
def test_an_independent_release_gives_no_excess(panel: Panel) -> None:
    readings = [
        f.reading for s in range(8) for f in run(panel, 0.0, s).findings if f.name in EXCESS
    ]
    assert abs(np.mean([reading.value for reading in readings])) < 0.04
    assert np.mean([reading.low > 0 for reading in readings]) < 0.2


@pytest.mark.parametrize("panel", PANELS)
def test_evidence_does_not_depend_on_who_is_a_member(panel: Panel) -> None:
    pool, release = pool_and_release(0.5, rows=200)
    one, other = (panel(p, release, rng=np.random.default_rng(1)) for p in (pool, relabelled(pool)))
    assert [e.attack for e in one.evidence] == [e.attack for e in other.evidence]
    for a, b in zip(one.evidence, other.evidence, strict=True):
        assert len(a.scores) == len(pool)
        np.testing.assert_array_equal(a.scores, b.scores)


@pytest.mark.parametrize("panel", PANELS)
def test_evidence_is_higher_for_members_if_records_are_copied(panel: Panel) -> None:
    pool, _ = pool_and_release(0.8, rows=200)
    for evidence in run(panel, 0.8).evidence:
        if "value-predicates" not in evidence.attack:  # a copied value is seldom alone
            inside, outside = evidence.scores[pool.members], evidence.scores[~pool.members]
            assert np.nanmean(inside) > np.nanmean(outside)


@pytest.mark.parametrize("panel", PANELS)
def test_the_same_seed_gives_the_same_findings(panel: Panel) -> None:
    assert run(panel, 0.3).findings == run.__wrapped__(panel, 0.3).findings


@pytest.mark.parametrize("panel", PANELS)
def test_every_finding_names_its_threat_chance_and_control(panel: Panel) -> None:
    for finding in run(panel, 0.3).findings:
        assert len(finding.threat) == 3
        assert finding.chance is not None
        assert finding.control is not None
        assert finding.says.endswith(".")
        assert finding.reading.better == "lower"


def test_a_control_smaller_than_the_original_is_enough() -> None:
    pool, release = pool_and_release(0.8, rows=200)
    kept = np.flatnonzero(pool.members | (np.arange(len(pool)) % 2 == 0))
    small = Pool(pool.records.take(kept), pool.members[kept], pool.rows[kept])
    for panel in PANELS:
        result = panel(small, release, rng=np.random.default_rng(0))
        assert not result.not_computed
        assert len(result.evidence[0].scores) == len(small)
