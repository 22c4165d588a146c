"""k-anonymity: the records that are deleted, and those that stay."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain.data.sources.adult import Adult
from quintain.errors import PartError
from quintain.randomness.noise import Noise
from quintain.sanitizers.masking.deletion import SmallClassDeletion
from quintain.testing.strategies import tables
from tests.sanitizers.masking.masking_cases import persons


def anonymous(data, **parameters):
    part = SmallClassDeletion(**parameters)
    return part.sanitize(data, rng=np.random.default_rng(0), noise=Noise.for_test(1)).release


def reference(data, k, names):
    """The rows that stay, checked record by record."""
    keys = [tuple(record[name] for name in names) for record in data.records()]
    count = Counter(keys)
    return [row for row, key in enumerate(keys) if count[key] >= k]


@pytest.mark.parametrize("k", [1, 2, 5, 12])
@pytest.mark.parametrize("names", [("age", "town"), ("grade",), ("left", "grade", "town")])
def test_records_of_small_groups_go_and_the_rest_stays_in_order(k, names):
    data = persons()
    release = anonymous(data, k=k, columns=names)
    assert release.data.equals(data.take(reference(data, k, names)))
    assert release.methods[0].rows == len(data) - len(release.data)


@pytest.mark.slow
@given(tables(min_rows=1), st.integers(1, 3))
def test_every_group_left_has_k_records(table, k):
    names = table.schema.names
    kept = reference(table, k, names)
    if not kept:
        with pytest.raises(PartError, match=r"would leave nothing: .*; choose fewer columns"):
            anonymous(table, k=k)
        return
    release = anonymous(table, k=k)
    assert release.data.equals(table.take(kept))


def test_it_agrees_with_the_sample_code_of_amic_on_census_data():
    pandas = pytest.importorskip("pandas")
    data = Adult(rows=3000).generate(np.random.default_rng(0))
    names = ["sex", "occupation", "education"]
    frame = pandas.DataFrame({name: data.columns[name] for name in data.schema.names})
    kept = frame.groupby(names).filter(lambda group: len(group) >= 5).index
    release = anonymous(data, k=5, columns=tuple(names))
    assert release.data.equals(data.take(kept.to_numpy()))
    assert 0 < len(release.data) < 3000


def test_a_wrong_column_gets_a_sentence():
    with pytest.raises(PartError, match="small-class-deletion-v1: unknown column 'agee'"):
        anonymous(persons(), columns=("agee",))
