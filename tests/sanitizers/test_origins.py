"""Origins: the trace of a masked release names the private record behind each released record."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.randomness.noise import Noise
from quintain.registry import build
from quintain.releases import origins_through
from quintain.sanitizers import sanitize

from .masking.masking_cases import persons

MASKING = [
    {"use": "identity"},
    {"use": "integer-noise", "columns": ["age"]},
    {"use": "rr", "columns": ["age", "town"], "keep": 0.3},
    {"use": "rrp", "columns": ["town", "weight"], "keep": 0.3},
    {"use": "swapping", "columns": ["age", "weight"]},
    {"use": "microaggregation", "columns": ["age", "weight"]},
    {"use": "top-bottom-coding", "columns": ["age"], "share": 0.2},
    {"use": "evasion", "columns": ["age"]},
]
RECORDS = [
    {"use": "small-class-deletion", "k": 3, "columns": ["age", "town"]},
    {"use": "partial-extraction", "share": 0.4},
    {"use": "record-deletion", "share": 0.3},
    {"use": "dummy-records", "share": 0.5},
]
PIPELINE = {"use": "pipeline", "steps": [RECORDS[1], MASKING[2], RECORDS[3], MASKING[4]]}


def run(spec, data):
    rng = np.random.default_rng(0)
    return sanitize(build("sanitizer", spec), data, rng=rng, noise=Noise.for_test(3))


def in_random_order(rows=60, seed=4):
    return persons(rows).take(np.random.default_rng(seed).permutation(rows))


@pytest.mark.parametrize("spec", [*MASKING, *RECORDS], ids=lambda spec: spec["use"])
def test_columns_that_are_not_masked_equal_those_of_the_origin(spec):
    data = in_random_order()
    result = run(spec, data)
    released, origins = result.release.data, result.trace.origins
    true = origins >= 0
    kept = set(data.schema.names) - set(spec.get("columns", ()) if spec in MASKING else ())
    assert len(origins) == len(released)
    for name in kept:
        np.testing.assert_array_equal(
            released.columns[name][true], data.columns[name][origins[true]], err_msg=name
        )


@pytest.mark.parametrize("spec", MASKING, ids=lambda spec: spec["use"])
def test_masking_releases_every_record_once(spec):
    origins = run(spec, in_random_order()).trace.origins
    assert sorted(origins) == list(range(60))


def test_deleted_records_have_no_place_and_dummies_no_origin():
    data = in_random_order()
    deleted = run({"use": "record-deletion", "share": 0.25}, data).trace.origins
    assert len(deleted) == 45 and deleted.min() >= 0
    mixed = run({"use": "dummy-records", "share": 0.5}, data).trace.origins
    assert (mixed == -1).sum() == 30
    assert sorted(mixed[mixed >= 0]) == list(range(60))


@settings(max_examples=20, deadline=None)
@given(rows=st.integers(4, 40), seed=st.integers(0, 1000))
def test_the_origins_of_a_pipeline_go_back_to_the_data_that_were_passed_in(rows, seed):
    data = in_random_order(rows, seed)
    result = run(PIPELINE, data)
    released, origins = result.release.data, result.trace.origins
    true = origins >= 0
    assert true.sum() == round(0.4 * rows)
    for name in ("grade", "left", "id"):
        expected = data.columns[name][origins[true]]
        np.testing.assert_array_equal(released.columns[name][true], expected, err_msg=name)


def test_a_pipeline_with_a_synthesizer_has_no_origins():
    steps = [{"use": "rr", "columns": ["town"]}, {"use": "independent", "epsilon": 1}]
    data = in_random_order().select(["age", "grade", "town"])
    pipeline = build("sanitizer", {"use": "pipeline", "steps": steps})
    assert not pipeline.tells_origins()
    assert run({"use": "pipeline", "steps": steps}, data).trace.origins is None


def test_no_origins_in_one_step_are_no_origins_at_all():
    assert origins_through(None, np.array([0])) is None
    assert origins_through(np.array([0]), None) is None
