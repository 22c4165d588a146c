"""The k and the l of a release, as sdcMicro counts them."""

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

import quintain as q
from quintain.measures import PopulationUniques, SmallestClass

# The example in the tests of sdcMicro's ldiversity: three classes with 3, 2 and 2 different values
# of the sensitive column. Their missing occupations are one value, as in ours.
LDIVERSITY = pd.DataFrame(
    {
        "sex": ["female", "female", "female", "male", "male", "female", "female"],
        "occupation": ["not said", "not said", "not said", "teacher", "teacher", "nurse", "nurse"],
        "ethnicity": ["other"] * 5 + ["majority"] * 2,
        "sensitive": ["1", "0", "2", "1", "0", "0", "1"],
    }
)
# The example in the tests of sdcMicro's freqCalc: frequencies 3, 1, 3, 1, 2, 2, 1, 3.
FREQUENCIES = pd.DataFrame(
    {
        "a": [2, 3, 2, 2, 3, 3, 1, 2],
        "b": [3, 3, 3, 3, 3, 3, 4, 3],
        "c": [1, 3, 1, 2, 1, 1, 1, 1],
    }
)


def test_the_classes_of_sdcmicro_have_as_many_values():
    readings = q.measure("smallest-class", LDIVERSITY, LDIVERSITY, secrets=["sensitive"])
    assert readings["smallest_class"].value == 2
    assert readings["fewest_secrets"].value == 2
    first = LDIVERSITY[:3]
    assert (
        q.measure("smallest-class", first, first, secrets=["sensitive"])["fewest_secrets"].value
        == 3
    )


def test_the_frequencies_of_sdcmicro_have_the_same_smallest_class():
    assert q.measure("smallest-class", FREQUENCIES, FREQUENCIES)["smallest_class"].value == 1
    pairs = FREQUENCIES[FREQUENCIES.groupby(["a", "b", "c"]).a.transform("size") > 1]
    assert q.measure("smallest-class", pairs, pairs)["smallest_class"].value == 2


def test_without_a_secret_l_is_not_measured():
    reading = q.measure("smallest-class", FREQUENCIES, FREQUENCIES)["fewest_secrets"]
    assert reading.note == "no column is said to be secret"


ROWS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30)


@given(ROWS)
def test_k_and_l_are_those_of_a_plain_count(rows):
    frame = pd.DataFrame(rows, columns=["known", "secret"])
    schema = q.Schema(
        columns=tuple(q.Column(name=n, kind="integer", low=0, high=3) for n in frame.columns)
    )
    table = q.Table.of(schema, {name: frame[name].tolist() for name in frame.columns})
    readings = SmallestClass(secrets=("secret",)).measure(
        table, table, None, rng=np.random.default_rng(0)
    )
    groups = frame.groupby("known")
    assert readings["smallest_class"].value == groups.size().min()
    assert readings["fewest_secrets"].value == groups.secret.nunique().min()
    assert readings["fewest_secrets"].value <= readings["smallest_class"].value


def test_population_uniques_need_a_population_as_large_as_the_data():
    people = pd.DataFrame({"age": [1, 1, 2, 3]})
    table = q.Table.of(
        q.Schema(columns=(q.Column(name="age", kind="integer", low=0, high=9),)),
        {"age": people.age.tolist()},
    )
    part = PopulationUniques(population=7)
    reading = part.measure(table, table, table, rng=np.random.default_rng(0))["population_uniques"]
    assert reading.note == "the population is smaller than the data"
    alone = part.measure(table, table, None, rng=np.random.default_rng(0))["population_uniques"]
    assert alone.note != reading.note
