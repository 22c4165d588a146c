"""The benchmarks of games at a tiny size: what they time, and what they count."""

import pytest
from benchmarks.audit.games import sanitizer_validity, shadow

from quintain.audits.games import coin_setup, record
from tests.audits.games.planted import small_table


def test_the_time_of_the_sanitizer_is_a_part_of_the_whole(monkeypatch):
    for module in (coin_setup, record):
        monkeypatch.setattr(module, "sanitize", shadow.sanitize)  # the benchmark replaces them
    audit, own, total, memory = shadow.measured("independent-1", 10, small_table())
    assert 0 < own < total and memory > 1
    assert audit.runs == 10 and audit.settings[0].claim.epsilon == 1.0


@pytest.mark.parametrize("name", sanitizer_validity.SANITIZERS)
def test_one_audit_of_an_honest_sanitizer(name):
    row = sanitizer_validity.audited(name, 0, 10)
    assert row == sanitizer_validity.audited(name, 0, 10)
    assert row["above"] == (row["bound"] > row["claim"])
    claim = 0.0 if name == "blind" else 1.0
    assert row["claim"] == pytest.approx(claim, abs=1e-6)


def test_shares_come_with_exact_intervals():
    rows = [{"claim": 1.0, "bound": 0.1, "above": i < 1, "found": False} for i in range(20)]
    says = sanitizer_validity.summary("x", rows)
    assert "above the claim in 1 of 20 audits [0.001, 0.249]" in says
