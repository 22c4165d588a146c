"""Classes of a release: equal rows, people who are alone, and honest generalisation."""

import numpy as np
import pandas as pd
import pytest

from quintain.audits.checks.classes import release_classes
from quintain.audits.reading.tables import read_inputs
from quintain.audits.release import audit_release
from quintain.errors import KnowledgeError
from quintain.measures.privacy.disclosure.population_uniques import population_uniques


def people(seed, count=300):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 80, count),
            "sex": rng.choice(["f", "m"], count),
            "pay": rng.choice(["low", "high"], count),
            "town": rng.choice([f"town {i}" for i in range(40)], count),
        }
    )


def generalise(table):
    bands = np.where(table.age < 50, "18-49", "50-79")
    return table[["sex", "pay"]].assign(age=bands).sample(frac=1, random_state=0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_an_honest_generalisation_is_not_unsafe(seed):
    original, control = people(2 * seed), people(2 * seed + 1)
    audit = audit_release(original, generalise(original), control, permutations=99)
    assert audit.classes.smallest >= 14
    assert audit.classes.unique_rows.value == 0
    assert audit.classes.unique_people.value == 0
    assert audit.verdict != "unsafe"


def test_classes_are_counted_in_the_columns_that_attackers_know():
    original, control = people(0), people(1)
    tables = read_inputs(original, original, control)
    fine = release_classes(tables.release, tables.people(), population=10_000)
    coarse = release_classes(tables.release, tables.people(), known=["age", "sex"])
    assert fine.columns == ("age", "sex", "pay", "town")
    assert coarse.columns == ("age", "sex")
    sizes = original.groupby(["age", "sex"]).size()
    assert coarse.smallest == sizes.min()
    assert coarse.median == np.median(np.repeat(sizes, sizes))
    assert coarse.unique_rows.value == (sizes == 1).sum() / 300
    assert fine.unique_rows.value > 0.8
    assert fine.population_uniques.value > 0.1
    assert release_classes(tables.release, tables.people(), known=[]) is None


def test_a_population_smaller_than_the_sample_is_refused():
    with pytest.raises(KnowledgeError, match="600 people together"):
        audit_release(people(0), people(2), people(1), population=500)


@pytest.mark.parametrize(
    ("sizes", "population", "words"),
    [
        ([1, 2, 3], None, "how large the population is"),
        ([1, 1, 1], 50, "no two people"),
        ([4, 2, 3], 50, "nobody is alone"),
    ],
)
def test_what_no_model_can_say_is_said(sizes, population, words):
    reading = population_uniques(np.array(sizes), population)
    assert not reading.measured
    assert words in reading.note


def partition(people, alpha, theta, rng):
    """Draw from Pitman's model: for each person the number of their class."""
    who, sizes = np.zeros(people, int), []
    for person in range(people):
        chosen = len(sizes)
        if rng.random() >= (theta + alpha * len(sizes)) / (theta + person):
            while True:
                chosen = who[rng.integers(person)]
                if rng.random() < (sizes[chosen] - alpha) / sizes[chosen]:
                    break
        if chosen == len(sizes):
            sizes.append(0)
        who[person], sizes[chosen] = chosen, sizes[chosen] + 1
    return who


def test_the_model_finds_its_own_population():
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(8):
        who = partition(3000, 0.5, 20, rng)
        sample = np.bincount(who[:600])
        reading = population_uniques(sample[sample > 0], 3000)
        covered += reading.low <= (np.bincount(who) == 1).sum() / 3000 <= reading.high
    assert covered >= 7
