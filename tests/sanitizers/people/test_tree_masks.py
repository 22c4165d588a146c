"""Sanitizers of people: what they change, and what stays."""

import numpy as np
import pytest

import quintain as q
from quintain.data import Column, Trees
from quintain.data.people import People
from quintain.data.people_schema import PeopleSchema, TableSchema
from quintain.errors import PartError
from quintain.randomness.noise import Noise
from quintain.sanitizers.sanitizer import sanitize
from quintain.testing import example


def released(name, people, seed=3, **parameters):
    part = q.part(f"sanitizer/{name}", **parameters)
    return sanitize(part, people, rng=np.random.default_rng(seed), noise=Noise.for_test(seed))


def test_new_pseudonyms_change_nothing_but_names():
    people = example("people")
    made = released("new-pseudonyms", people).release.data
    assert set(made.people.keys) == {f"p{n}" for n in range(1, len(people) + 1)}
    assert made.with_keys(people.people.keys).digest() == people.digest()


def test_dropped_rows_take_along_what_belongs_to_them():
    people = example("people", rows=2000)
    made = released("row-dropping", people, share=0.5, tables=["visits"]).release.data
    before, after = people.people.tables, made.people.tables
    assert len(after["patients"]) == len(people)
    assert 0.4 < len(after["visits"]) / len(before["visits"]) < 0.6
    assert 0.4 < len(after["prescriptions"]) / len(before["prescriptions"]) < 0.6
    prescriptions = after["prescriptions"]
    assert (after["visits"].person[prescriptions.parent] == prescriptions.person).all()


def test_somebody_may_lose_all_rows_and_stays():
    people = example("people")
    made = released("row-dropping", people, share=1).release.data
    assert len(made) == len(people) and not len(made.people.tables["visits"])


def test_shuffled_values_are_the_same_values():
    people = example("people", rows=1000)
    made = released("value-shuffling", people, columns=["visits.code"]).release.data
    before, after = (side.people.tables["visits"].rows.columns for side in (people, made))
    assert sorted(before["code"]) == sorted(after["code"])
    assert (before["code"] != after["code"]).mean() > 0.5
    assert (before["ward"] == after["ward"]).all()


def test_a_share_of_the_values_is_shuffled():
    people = example("people", rows=4000)
    made = released("value-shuffling", people, share=0.1, columns=["visits.day"]).release.data
    before, after = (side.people.tables["visits"].rows.columns["day"] for side in (people, made))
    assert 0.05 < (before != after).mean() < 0.15


def test_all_times_of_a_person_move_together_and_stay_in_bounds():
    people = example("people", rows=1000)
    made = released("time-shift", people, days=20).release.data
    before, after = (side.people.tables["visits"] for side in (people, made))
    column = before.rows.schema["day"]
    days = (after.rows.columns["day"] - before.rows.columns["day"]) // 86_400
    low, high = column.bounds
    inside = (after.rows.columns["day"] > low) & (after.rows.columns["day"] < high)
    assert ((after.rows.columns["day"] >= low) & (after.rows.columns["day"] <= high)).all()
    for person in range(len(people)):
        assert len(set(days[inside & (before.person == person)])) <= 1
    assert np.abs(days).max() <= 20 and len(set(days)) > 20


def test_origins_follow_people_through_a_pipeline():
    people = example("people")
    steps = [{"use": "row-dropping"}, {"use": "new-pseudonyms"}]
    assert released("pipeline", people, steps=steps).trace.origins.tolist() == list(range(20))


def test_what_does_not_fit_is_told():
    people = example("people")
    with pytest.raises(PartError, match="no table 'patients' of several rows; available: visits"):
        released("row-dropping", people, tables=["patients"])
    with pytest.raises(PartError, match=r"visits\.codes"):
        released("value-shuffling", people, columns=["visits.codes"])
    month = Column(name="month", kind="time", time_format="%Y-%m")
    schema = PeopleSchema(tables=(TableSchema(name="visits", columns=(month,), reference="who"),))
    import pandas as pd

    table = pd.DataFrame({"who": ["eve"], "month": ["2024-01"]})
    with pytest.raises(PartError, match="day"):
        released("time-shift", Trees.of(People.read(schema, {"visits": table})))
