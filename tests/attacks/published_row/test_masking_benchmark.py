"""The benchmark of masking methods, in small: all true records, and chance of shuffled ones."""

import numpy as np
import pytest
from benchmarks.goals import masking

from quintain.samples.targets import Targets


@pytest.fixture(scope="module")
def samples():
    people, _ = masking.population()
    design = Targets(targets=80, members="half", background=100)
    return [design.draw(people, rng=np.random.default_rng(1))]


def test_every_row_of_true_records_is_found(samples):
    linkage, nearest, halves, _ = masking.readings("identity", samples)
    assert linkage.value == nearest.value == 1.0
    assert halves.low > 0


def test_rows_of_shuffled_records_are_found_by_chance(samples):
    linkage, nearest, halves, other = masking.readings("shuffled", samples)
    assert max(linkage.value, nearest.value) <= 0.1  # 4 of 40, where 0.3 are expected
    assert halves.low <= 0 <= halves.high
    assert other.low <= 0 <= other.high
    assert masking.written(linkage).endswith(")")
