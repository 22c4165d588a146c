"""Dummy records: their number, their values and their position."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

from quintain.errors import PartError
from quintain.randomness.noise import Noise
from quintain.sanitizers.masking.dummy_records import DummyRecords
from quintain.testing import example, example_table, people
from tests.sanitizers.plain_rows import as_rows


def added(data, seed=1, **parameters):
    part = DummyRecords(**parameters)
    return part.sanitize(data, rng=np.random.default_rng(0), noise=Noise.for_test(seed)).release


def rows_of(table):
    return Counter(map(tuple, table.codes().tolist()))


def dummies(data, release):
    """The codes of the records that the data do not have."""
    extra = rows_of(release.data) - rows_of(data)
    return np.array(list(extra.elements()))


def test_all_true_records_are_still_there():
    data = people(example_table())
    release = added(data, share=0.25)
    assert len(release.data) == 250
    assert not rows_of(data) - rows_of(release.data)
    (method,) = release.methods
    assert (method.name, method.rows) == ("dummy record addition", 50)
    assert release.claim is None


def test_dummies_have_the_values_of_others_but_not_their_dependence():
    data = people(example_table())
    codes = dummies(data, added(data, share=50))
    assert len(codes) == 10_000
    shares = np.bincount(data.columns["colour"]) / 200
    assert chisquare(np.bincount(codes[:, 0]), shares * 10_000).pvalue > 1e-4
    assert abs(np.corrcoef(codes[:, 0], codes[:, 1])[0, 1]) < 0.05
    assert np.corrcoef(data.columns["colour"], data.columns["size"])[0, 1] > 0.4


def test_dummies_from_the_domain_have_values_nobody_has():
    data = people(example_table())
    codes = dummies(data, added(data, share=50, draw="domain"))
    assert chisquare(np.bincount(codes[:, 0], minlength=4)).pvalue > 1e-4
    assert chisquare(np.bincount(codes[:, 1], minlength=12)).pvalue > 1e-4


def test_the_order_does_not_reveal_a_dummy():
    release = added(people(example_table()))
    assert (release.data.order() == np.arange(220)).all()


def test_a_domain_without_end_is_refused():
    with pytest.raises(PartError, match="needs a finite domain or bounds; 'customer' has none"):
        added(as_rows(example("transactions")), draw="domain")
