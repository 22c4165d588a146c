"""The stacked attack: weights from one half, readings from the other."""

import numpy as np
import pytest

from quintain.audits.pool import Evidence
from quintain.audits.results import Finding, NotComputed
from quintain.audits.risks.membership import stacked_finding


def seeded(seed=0):
    return np.random.default_rng(seed)


def test_two_weak_scores_together_are_better_than_either():
    rng = seeded()
    members = rng.random(4000) < 0.5
    evidence = [Evidence(name, rng.normal(size=4000) + 0.4 * members) for name in "ab"]
    finding = stacked_finding(evidence, members, rng=seeded())
    assert isinstance(finding, Finding)
    # Two independent shifts of 0.4 are one of 0.57: the area is Phi(0.57 / sqrt 2) = 0.655.
    assert finding.reading.value == pytest.approx(0.655, abs=0.02)
    assert finding.reading.low < 0.655 < finding.reading.high
    assert finding.reading.n == 4000


def test_useless_scores_read_chance_though_many_are_combined():
    inside = 0
    for seed in range(40):
        rng = seeded(seed)
        members = rng.random(600) < 0.5
        evidence = [Evidence(str(i), rng.normal(size=600)) for i in range(15)]
        reading = stacked_finding(evidence, members, rng=rng).reading
        inside += reading.low <= 0.5 <= reading.high
    assert inside >= 34  # about 38 of 40 are expected


def test_people_without_scores_are_no_error():
    rng = seeded()
    members = rng.random(1000) < 0.5
    scores = np.where(rng.random(1000) < 0.5, np.nan, rng.normal(size=1000) + members)
    finding = stacked_finding([Evidence("a", scores)], members, rng=rng)
    assert finding.reading.value > 0.55


def test_few_people_are_refused_in_words():
    members = np.arange(60) < 30
    refusal = stacked_finding([Evidence("a", members * 1.0)], members, rng=seeded())
    assert isinstance(refusal, NotComputed)
    assert "at least 50 members" in refusal.reason
