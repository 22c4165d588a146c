"""Scores of records by their neighbours, beside plain references over all pairs."""

import numpy as np
import pytest
from hypothesis import example, given, settings

from quintain.attacks.membership.copies import NearCopies, Surprise
from quintain.attacks.membership.neighbour_ratios import (
    DcrDifference,
    DcrRatio,
    GenLra,
    KnnRatio,
    LocalDensityRatio,
)
from quintain.attacks.membership.two_sample import TwoSample
from tests.attacks.membership.neighbours import plain
from tests.attacks.membership.neighbours.plain import TABLES, table_of

REFERENCES = {
    DcrDifference(): plain.dcr_difference,
    DcrRatio(): lambda *given: plain.dcr_ratio(*given, 0.025),
    LocalDensityRatio(k=3): lambda *given: plain.local_density_ratio(*given, 3, 0.25),
    Surprise(): lambda *given: plain.surprise(*given, 0.03),
    NearCopies(): lambda *given: plain.near_copies(*given, 0.01),
}
GEN_LRA = GenLra(k=3, reach=4)
ATTACKS = [*REFERENCES, GEN_LRA, KnnRatio(), TwoSample(trees=3)]


def score(attack, release, base, records=None):
    release, base = table_of(release), table_of(base)
    records = base if records is None else table_of(records)
    return attack.scores(release, base, records, rng=np.random.default_rng(0))


@pytest.mark.parametrize("attack", REFERENCES, ids=lambda attack: attack.name())
@settings(max_examples=25, deadline=None)
@given(release=TABLES, base=TABLES)
def test_scores_are_those_of_the_definition(attack, release, base):
    expected = [REFERENCES[attack](release, base, one) for one in base]
    np.testing.assert_allclose(score(attack, release, base), expected, atol=1e-6)


@settings(max_examples=25, deadline=None)
@given(release=TABLES, base=TABLES)
@example(
    release=[(None, 0, 0.0, 7.0)] * 2 + [("x", 8, 10.0, 7.0), ('y "z"', 3, 0.0, 7.0)],
    base=[(None, 0, None, 7.0), ("x", 1, 2.5, 7.0)],
)
@example(  # two people are equally far from a released record, but for rounding
    release=[(None, 0, None, 7.0), ("x", 3, 2.5, 7.0)],
    base=[(None, 0, 2.5, 7.0), (None, 1, 0.0, 7.0)]
    + [("x", 0, None, 7.0)] * 2
    + [("x", 10, 10.0, 7.0)],
)
def test_gains_of_likelihood_are_those_of_the_definition(release, base):
    bounds = [plain.gen_lra(release, base, one, 3, 4, 0.25, 0.001) for one in base]
    for got, (least, most) in zip(score(GEN_LRA, release, base), bounds, strict=True):
        assert least - 1e-6 <= got <= most + 1e-6


@settings(max_examples=25, deadline=None)
@given(release=TABLES, base=TABLES)
def test_the_number_of_neighbours_is_that_of_the_definition(release, base):
    expected = [plain.knn_ratio(release, base, one, 3) for one in base]
    got = score(KnnRatio(k=3), release, base)
    # Rounding decides about ties, so a few of many records may differ by a neighbour.
    assert np.mean(np.abs(got - expected) < 1e-9) >= 0.5


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name())
@settings(max_examples=10, deadline=None)
@given(release=TABLES, base=TABLES)
def test_the_order_of_rows_does_not_matter(attack, release, base):
    order = np.random.default_rng(len(base)).permutation(len(base))
    mixed = [base[i] for i in order]
    straight = score(attack, release, base)
    np.testing.assert_allclose(score(attack, release, mixed), straight[order], atol=1e-12)
    np.testing.assert_allclose(score(attack, release[::-1], base), straight, atol=1e-12)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name())
def test_records_may_be_outside_of_the_base_data(attack):
    release = [("x", 1, 2.5, 7.0), (None, 5, None, 7.0)]
    base = [("x", 2, 2.5, 7.0), ('y "z"', 9, 10.0, 7.0), ("x", 1, 0.0, 7.0)]
    scores = score(attack, release, base, [("x", 1, 2.5, 7.0), ('y "z"', 9, None, 7.0)])
    assert scores.shape == (2,)
    assert np.isfinite(scores).all()


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name())
def test_one_person_and_one_released_record_are_enough(attack):
    one = [('y "z"', 3, None, 7.0)]
    assert np.isfinite(score(attack, one, one)).all()


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name())
def test_an_empty_release_tells_nothing(attack):
    base = table_of([("x", 1, 2.5, 7.0), ('y "z"', 9, None, 7.0)])
    scores = attack.scores(base.take([]), base, base, rng=np.random.default_rng(0))
    assert np.isfinite(scores).all()


@pytest.mark.parametrize("attack", [Surprise(), NearCopies(), DcrRatio(), DcrDifference()])
def test_a_quoted_text_and_a_missing_value_are_found_again(attack):
    release = [('y "z"', 9, None, 7.0), ("x", 5, 2.5, 7.0)]
    base = [
        ('y "z"', 9, None, 7.0),
        ('y "z"', 1, None, 7.0),
        ("x", 1, 10.0, 7.0),
        ("x", 2, 10.0, 7.0),
    ]
    assert score(attack, release, base).argmax() == 0
