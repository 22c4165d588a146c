"""Bugs that an audit of runs needs many runs for, or hardly sees, are found by a replay."""

import pytest
from benchmarks.audit.planted.__main__ import BUGS, HONEST

from quintain.api.accounting import audit_accounting


@pytest.mark.parametrize("bug", sorted(BUGS))
def test_every_planted_bug_is_found_without_luck(bug):
    part, people = BUGS[bug]
    (setting,) = audit_accounting(part, people()).settings
    assert setting.verdict in {"exceeds", "shows"}
    if setting.verdict == "exceeds":
        assert setting.cost == pytest.approx(
            {"half the noise (2)": 2, "budget not split (5)": 5}[bug]
        )


@pytest.mark.parametrize("name", ["histograms", "histograms, common values"])
def test_the_same_histograms_without_a_bug_hold(name):
    part, people = HONEST[name]
    (setting,) = audit_accounting(part, people()).settings
    assert setting.verdict == "holds"
    assert setting.cost <= 1
