"""A sanitizer whose claim is wrong is called unsafe, and an honest one is not."""

import pytest

from quintain.audits.sanitizer import audit_sanitizer
from quintain.sanitizers.masking.randomized_response import RandomizedResponse
from quintain.sanitizers.synthetic.independent import Independent
from quintain.sanitizers.synthetic.mst import Mst
from tests.audits.games.planted import (
    FixedNoise,
    OpenStructure,
    Silent,
    TooLittleNoise,
    small_table,
)

QUICK = {"targets": 10, "attacks": False, "seed": 1}


def deciding(audit):
    return [bound for bound in audit.settings[0].bounds if bound.decides]


@pytest.mark.slow
@pytest.mark.parametrize(
    "bug", [TooLittleNoise(), FixedNoise(), OpenStructure()], ids=lambda b: b.id
)
def test_a_wrong_claim_is_called_wrong(bug):
    audit = audit_sanitizer(bug, small_table(), runs=100, **QUICK)
    assert audit.verdict == "unsafe"
    assert "The claim is wrong: the sanitizer claims epsilon 1" in audit.reasons[0]
    assert max(bound.bound.value for bound in deciding(audit)) > 1.0


HONEST = [Independent(epsilon=1.0), Mst(epsilon=1.0), RandomizedResponse(keep=0.1), Silent()]


@pytest.mark.parametrize("honest", HONEST, ids=lambda part: part.id)
def test_an_honest_claim_is_not_called_wrong(honest):
    audit = audit_sanitizer(honest, small_table(), runs=60, **QUICK)
    claimed = audit.settings[0].claim.epsilon
    assert all(bound.bound.value <= claimed for bound in deciding(audit))
    assert "claim is wrong" not in " ".join(audit.reasons)
    assert all(
        bound.bound.value <= bound.ceiling
        for bound in audit.settings[0].bounds
        if bound.bound.measured
    )


@pytest.mark.slow
def test_randomized_response_that_keeps_too_much_is_caught_by_its_own_row():
    class Careless(RandomizedResponse):
        id = "sanitizer/careless-v1"

        def sanitize(self, data, *, rng, noise):
            made = RandomizedResponse(keep=0.1).sanitize(data, rng=rng, noise=noise)
            much = RandomizedResponse(keep=0.95).sanitize(data, rng=rng, noise=noise)
            release = type(much.release)(much.release.data, made.release.claim)
            return type(much)(release, much.trace)

    audit = audit_sanitizer(Careless(keep=0.1), small_table(), runs=100, **QUICK)
    assert audit.settings[0].claim.neighbours == "replace"
    assert audit.verdict == "unsafe" and "claim is wrong" in audit.reasons[0]


@pytest.mark.slow
def test_a_sanitizer_that_ignores_its_data_hardly_ever_shows_anything():
    """All bounds that decide hold together in 95 of 100 audits, so a few of ten may be above 0."""
    changes = {key: value for key, value in QUICK.items() if key != "seed"}
    bounds = [
        max(b.bound.value for b in deciding(audit_sanitizer(Silent(), small_table(), seed=seed,
                                                            runs=40, **changes)))
        for seed in range(10)
    ]  # fmt: skip
    assert sum(bound > 0 for bound in bounds) <= 2
    assert max(bounds) < 0.5
