"""ROC curves for drawings: thin, but true at every point."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from quintain.audits.pool import Evidence
from quintain.audits.roc import POINTS, roc_curve


def test_a_long_curve_keeps_its_left_end_and_few_points():
    rng = np.random.default_rng(0)
    members = rng.random(20_000) < 0.5
    scores = rng.normal(size=20_000) + members
    curve = roc_curve(Evidence("x", scores), members)
    false = np.array(curve.false_positive_rate)
    assert len(false) <= POINTS
    assert false[0] == 0
    assert false[-1] == curve.true_positive_rate[-1] == 1
    assert (np.diff(false) >= 0).all()
    assert (false < 0.01).sum() > 40
    gap = np.trapezoid(curve.true_positive_rate, false) - _auc(scores, members)
    assert abs(gap) < 0.002


def _auc(scores, members):
    return (scores[members][:, None] > scores[~members][None, :]).mean()


@given(
    st.lists(st.tuples(st.sampled_from([0.0, 1.0, 2.5, np.nan]), st.booleans()), min_size=1),
    st.integers(10, 50),
)
def test_every_point_is_a_threshold(records, points):
    scores, members = (np.array(one) for one in zip(*records, strict=True))
    members = members.astype(bool)
    curve = roc_curve(Evidence("x", scores), members, points)
    asked = ~np.isnan(scores)
    rates = {(0.0, 0.0)}
    for threshold in np.unique(scores[asked]):
        rates.add(
            tuple(
                round(
                    float((scores[kind & asked] >= threshold).sum() / max(1, (kind & asked).sum())),
                    9,
                )
                for kind in (~members, members)
            )
        )
    assert set(zip(curve.false_positive_rate, curve.true_positive_rate, strict=True)) == rates
