"""The models on tables of published papers and manuals, with the figures that these state."""

import numpy as np
import pytest
from scipy.optimize import linprog

from quintain.sanitizers.masking.generalisation.classes import Classes, number_rows
from quintain.sanitizers.masking.generalisation.models import Anonymous, Close, Diverse


def classes_of(label, *secrets):
    label = np.asarray(label)
    codes = tuple(np.unique(secret, return_inverse=True)[1] for secret in secrets)
    return Classes(label, int(label.max()) + 1, np.ones(len(label), np.int64), codes)


def test_sample_frequencies_are_those_of_sdcmicro():
    # francdat in sdcMicro's guidelines, listing "sample and estimated population frequency counts".
    keys = np.array(
        [[1, 2, 5, 1], [1, 2, 1, 1], [1, 2, 1, 1], [3, 3, 1, 5],
         [4, 3, 1, 4], [4, 3, 1, 1], [6, 2, 1, 5], [1, 2, 5, 1]]
    )  # fmt: skip
    label, count = number_rows(list(keys.T), [10] * 4)
    sizes = Classes(label, count, np.ones(8, np.int64)).sizes
    assert sizes[label].tolist() == [2, 2, 2, 1, 1, 1, 1, 2]
    weight = np.array([180, 455, 390, 170, 5410, 80, 50, 920])  # in tenths
    estimated = Classes(label, count, weight).sizes[label] / 10
    assert estimated.tolist() == [110, 84.5, 84.5, 17, 541, 8, 5, 110]


def test_distinct_diversity_is_that_of_sdcmicro():
    # sdcMicro's guidelines, listing "k-anonymity and l-diversity": 2 for rows 1 to 3, else 1.
    key1, key2, sensitive = [1, 1, 1, 1, 2, 2], [1, 1, 1, 2, 2, 2], [50, 50, 42, 42, 62, 62]
    label, _ = number_rows([np.array(key1), np.array(key2)], [3, 3])
    classes = classes_of(label, sensitive)
    assert classes.sizes[label].tolist() == [3, 3, 3, 1, 2, 2]
    for most, rows in ((1, [True] * 6), (2, [True] * 3 + [False] * 3), (3, [False] * 6)):
        assert Diverse(0, most, "distinct", 1).holds(classes)[label].tolist() == rows


CONDITIONS = (
    "heart", "heart", "viral", "viral", "cancer", "heart", "viral", "viral", "cancer", "cancer",
    "cancer", "cancer",
)  # fmt: skip
"""The inpatient table of Machanavajjhala et al. (2007), figure 1."""


def test_the_inpatients_are_4_anonymous_but_one_class_has_one_condition():
    four_anonymous = classes_of([0] * 4 + [1] * 4 + [2] * 4, CONDITIONS)  # figure 2
    assert Anonymous(4).holds(four_anonymous).all()
    assert not Anonymous(5).holds(four_anonymous).any()
    assert Diverse(0, 2, "distinct", 1).holds(four_anonymous).tolist() == [True, True, False]


def test_the_other_grouping_of_the_inpatients_is_3_diverse():
    three_diverse = classes_of([0, 2, 2, 0, 1, 1, 1, 1, 0, 0, 2, 2], CONDITIONS)  # figure 3
    assert Anonymous(4).holds(three_diverse).all()
    assert Diverse(0, 3, "distinct", 1).holds(three_diverse).all()
    # By hand: counts 2, 1, 1 have the entropy 1.5 log 2 = log 2.83, and 2 < 2.5 * 1 but not 2 * 1.
    assert Diverse(0, 2, "entropy", 1).holds(three_diverse).all()
    assert not Diverse(0, 3, "entropy", 1).holds(three_diverse).any()
    assert Diverse(0, 3, "recursive", 2.5).holds(three_diverse).all()
    assert not Diverse(0, 3, "recursive", 2.0).holds(three_diverse).any()


SALARIES = [3, 4, 5, 6, 11, 8, 7, 9, 10]
"""Li et al. (2007), table 3, in thousands; the records of a class follow each other."""


def test_distances_of_salaries_are_those_of_the_paper_on_t_closeness():
    distances = Close(0, 1, ()).distances(classes_of([0, 0, 0, 1, 1, 1, 2, 2, 2], SALARIES))
    assert distances[0] == pytest.approx(0.375)
    assert distances[1] == pytest.approx(0.167, abs=0.0005)


def least_work(share, overall, distance):
    """The earth mover's distance as a linear program: how much goes from each value to each."""
    size = len(share)
    leaving = np.kron(np.eye(size), np.ones(size))
    arriving = np.kron(np.ones(size), np.eye(size))
    solved = linprog(
        np.ravel(distance), A_eq=np.vstack([leaving, arriving]), b_eq=[*share, *overall]
    )
    return solved.fun


@pytest.mark.parametrize("kind", ["equal", "ordered", "hierarchical"])
def test_distances_are_the_least_work_that_moves_one_distribution_to_the_other(kind):
    rng = np.random.default_rng(5)
    codes = rng.integers(6, size=60)
    label = np.minimum(rng.integers(8, size=60), codes)
    steps = np.abs(np.subtract.outer(np.arange(6), np.arange(6)))
    levels = (np.arange(6), np.array([0, 0, 1, 1, 2, 2]), np.array([0, 0, 0, 0, 1, 1]))
    apart = sum(np.not_equal.outer(level, level) for level in levels)
    distance = {"equal": steps > 0, "ordered": steps / 5, "hierarchical": apart / 3}[kind]
    model = Close(0, 1, {"equal": levels[:1], "ordered": (), "hierarchical": levels}[kind])
    overall = np.bincount(codes) / 60
    for at, found in enumerate(model.distances(classes_of(label, codes))):
        share = np.bincount(codes[label == at], minlength=6) / (label == at).sum()
        assert found == pytest.approx(least_work(share, overall, distance), abs=1e-9)
