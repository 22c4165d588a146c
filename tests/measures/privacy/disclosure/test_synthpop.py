"""RepU and DiSCO as the R package synthpop defines and publishes them."""

import csv
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quintain as q
from quintain.errors import PartError
from quintain.measures import Disco, ReplicatedUniques
from quintain.measures.privacy.disclosure.known_columns import class_labels

NAMES = (
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation"),
    *("relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week"),
    *("native-country", "income"),
)
KEYS = ("age", "occupation", "race", "sex")

# Vignette "disclosure" of synthpop 1.9-2, table 1 ("Disclosure results from Adult data"), the
# columns "orig" without exclusions, in percent; and UiO, to which its last column is equal.
PUBLISHED = {
    "capital-gain": 22.55,
    "capital-loss": 30.61,
    "education": 3.71,
    "fnlwgt": 2.70,
    "hours-per-week": 4.36,
    "income": 4.97,
    "marital-status": 8.23,
    "native-country": 17.09,
    "relationship": 5.17,
    "workclass": 14.27,
}
UNIQUE_IN_ORIGINAL = 2.68


@pytest.fixture(scope="module")
def adult(real_data):
    """All 48,842 people; as in R, where the people of adult.test have no income."""
    rows = []
    for name in ("adult.data", "adult.test"):
        lines = csv.reader((real_data / name).read_text().splitlines(), skipinitialspace=True)
        some = [line for line in lines if len(line) == len(NAMES)]
        rows += [[*line[:-1], line[-1] if name == "adult.data" else ""] for line in some]
    values = dict(zip(NAMES, zip(*rows, strict=True), strict=True))
    columns = tuple(
        q.Column(name=name, kind="category", values=tuple(sorted(set(values[name]))))
        for name in NAMES
    )
    return q.Table.of(q.Schema(columns=columns), values)


def test_what_adult_itself_discloses_is_what_synthpop_publishes(adult):
    rng = np.random.default_rng(0)
    for secret, percent in PUBLISHED.items():
        readings = Disco(column=secret, knows=KEYS).measure(adult, adult, None, rng=rng)
        assert round(100 * readings["original_disclosive"].value, 2) == percent, secret
        assert readings["disco"] == readings["original_disclosive"]


def test_the_people_who_are_alone_in_adult_are_those_of_synthpop(adult):
    rng = np.random.default_rng(0)
    readings = ReplicatedUniques(knows=KEYS).measure(adult, adult, None, rng=rng)
    assert round(100 * readings["original_uniques"].value, 2) == UNIQUE_IN_ORIGINAL
    assert readings["replicated_uniques"] == readings["original_uniques"]


def by_definition(original, release):
    """UiO, repU, Dorig and DiSCO from the tables of counts d and s of the vignette."""
    d, s = Counter(k for k, _ in original), Counter(k for k, _ in release)
    dt, st_ = Counter(original), Counter(release)
    n = len(original)
    return {
        "original_uniques": sum(d[k] == 1 for k in d) / n,
        "replicated_uniques": sum(d[k] == 1 and s[k] == 1 for k in d) / n,
        "original_disclosive": sum(c for (k, t), c in dt.items() if c == d[k]) / n,
        "disco": sum(c for (k, t), c in dt.items() if s[k] and st_[k, t] == s[k]) / n,
    }


TABLE = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 2)), min_size=1, max_size=25)
SCHEMA = q.Schema(
    columns=(
        q.Column(name="key", kind="integer", low=0, high=6),
        q.Column(name="secret", kind="integer", low=0, high=2),
    )
)


def table(rows):
    return q.Table.of(SCHEMA, {"key": [k for k, _ in rows], "secret": [t for _, t in rows]})


@given(TABLE, TABLE)
def test_every_reading_follows_the_formulas_of_the_vignette(original, release):
    rng = np.random.default_rng(0)
    pair = (table(original), table(release), None)
    readings = {
        **ReplicatedUniques(knows=("key",)).measure(*pair, rng=rng),
        **Disco(column="secret").measure(*pair, rng=rng),
    }
    assert {name: reading.value for name, reading in readings.items()} == pytest.approx(
        by_definition(original, release)
    )
    assert all(reading.low <= reading.value <= reading.high for reading in readings.values())
    assert all(reading.n == len(original) for reading in readings.values())


@given(TABLE, TABLE, st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(original, release, random):
    mixed = [random.sample(rows, len(rows)) for rows in (original, release)]
    rng = np.random.default_rng(0)
    first, second = (
        Disco(column="secret").measure(table(a), table(b), None, rng=rng)
        for a, b in ((original, release), mixed)
    )
    assert first == second


@given(st.lists(st.tuples(*[st.integers(-1, 2**12 - 2)] * 6), min_size=2, max_size=20), st.data())
def test_classes_are_equal_rows_however_many_combinations_there_are(rows, data):
    # Six columns of 4,096 values have 2^72 combinations, more than a number of 64 bits can count.
    rows += data.draw(st.lists(st.sampled_from(rows), max_size=10))
    names = [f"c{i}" for i in range(6)]
    schema = q.Schema(
        columns=tuple(
            q.Column(name=name, kind="integer", low=0, high=2**12 - 2, nullable=True)
            for name in names
        )
    )
    whole = q.Table(schema, dict(zip(names, np.array(rows, np.int32).T, strict=True)))
    first, second = class_labels(names, whole.take(range(1)), whole.take(range(1, len(rows))))
    labels = [*first, *second]
    assert (np.equal.outer(labels, labels) == [[a == b for b in rows] for a in rows]).all()


def test_a_secret_cannot_be_known_and_must_exist():
    frame = pd.DataFrame({"age": [1, 2], "ill": ["a", "b"]})
    with pytest.raises(PartError, match="cannot know 'ill'"):
        q.measure("disco", frame, frame, column="ill", knows=["ill"])
    with pytest.raises(PartError, match="no column 'illness'"):
        q.measure("disco", frame, frame, column="illness")
