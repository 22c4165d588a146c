"""Naming: questions about people, answers with pseudonyms, and how many are right."""

import numpy as np
import pytest

import quintain as q
from quintain.data import Schema, Table
from quintain.errors import Faults, PartError
from quintain.guesses import Guess, NamingQuestion
from quintain.releases import Release, publication
from quintain.samples import Subset, Targets
from quintain.testing import case_of, example
from quintain.testing.examples import exercise


def test_the_truth_is_the_pseudonym_with_the_rows_of_the_person():
    question, truth, _, release = exercise(q.part("goal/naming"), "people")
    keys = dict(zip(release.data.people.keys, range(len(release.data)), strict=True))
    shape = q.data.shape_of(release.data)
    people = question.people(release.data.schema)
    for number, name in enumerate(truth.table.columns["pseudonym"]):
        shown = release.data.take([keys[str(name)]])
        place = question.targets().tolist().index(str(number))
        for table, branch in people.take([place]).tables.items():
            own = shown.people.tables[table]
            assert sorted(map(str, branch.rows.records())) == sorted(map(str, own.rows.records()))
    assert shape.count_persons(release.data) == question.published


def test_some_rows_and_some_tables_are_known():
    goal = q.guesses.Naming(rows_known=2, tables_known=("visits",))
    question, _, _, release = exercise(goal, "people")
    people = question.people(release.data.schema)
    assert people.tables["visits"].lengths().max() == 2
    assert not len(people.tables["patients"]) and not len(people.tables["prescriptions"])
    assert not question.whole


def test_the_same_seed_asks_about_the_same_rows():
    goal = q.guesses.Naming(rows_known=2)
    once, again = (exercise(goal, "people").question.table.digest() for _ in range(2))
    assert once == again


def test_people_without_a_pseudonym_are_asked_about_on_request():
    population = example("people", rows=400)
    sample = Subset(rows=10).draw(population, rng=np.random.default_rng(0))
    published = publication(sample.private, np.arange(10), rng=np.random.default_rng(1))
    release = Release(sample.private)
    for absent, count in ((False, 10), (True, 40)):
        goal = q.guesses.Naming(absent=absent)
        _, truth = goal.ask_published(sample, release, published, rng=np.random.default_rng(2))
        names = truth.table.columns["pseudonym"]
        assert len(names) == count and (names != "").sum() == 10


def test_every_fault_of_an_answer_is_told():
    question, _, sample, _ = exercise(q.part("goal/naming"), "people")
    goal = q.guesses.Naming()
    names = question.targets()
    answer = Table(
        goal.guess_schema(sample.population.schema),
        {
            "target": [*names[:-1], "nobody"],
            "pseudonym": ["99", *["1"] * (len(names) - 1)],
        },
    )
    faults = Faults("guess.csv", first_line=2)
    goal.check(Guess(answer), question, faults)
    text = "\n".join(map(str, faults))
    assert f"pseudonym='99': the release has the pseudonyms 1..{question.published}" in text
    assert "target='nobody': no such target was asked about" in text
    assert "1 not answered" in text


def test_a_wrong_table_is_refused_with_the_list():
    with pytest.raises(PartError, match="no table 'lines'; available: patients, visits, prescr"):
        q.guesses.Naming(tables_known=("lines",)).require(example("people").schema)
    with pytest.raises(PartError, match="is for people, not for table"):
        q.guesses.Naming().require(example("table").schema)


def test_the_share_of_people_named_has_an_interval():
    case = case_of(
        q.part("naming", absent=True),
        {"target": "abcd", "pseudonym": ["1", "2", "3", None]},
        {"target": "dcba", "pseudonym": ["4", "3", "1", "1"]},
    )
    reading = q.measure("people-named", case.guess, case.truth)["people_named"]
    assert (reading.value, reading.n) == (2 / 3, 3)
    assert 0 < reading.low < 2 / 3 < reading.high < 1


def test_members_with_trees_are_asked_about():
    population = example("people", rows=400)
    sample = Targets(targets=20, members="half", background=5).draw(
        population, rng=np.random.default_rng(0)
    )
    assert not set(sample.target_rows[~sample.members]) & set(sample.private_rows)
    question, truth = q.guesses.Membership().ask(sample, Release(sample.private))
    people = question.people(population.schema)
    assert people.size == 20 and people.keys.tolist() == question.targets().tolist()
    assert truth.table.columns["member"].sum() == 10


def test_a_question_has_no_names():
    question, _, sample, _ = exercise(q.part("goal/naming"), "people")
    assert "person" not in question.table.schema
    assert isinstance(question, NamingQuestion)
    assert isinstance(q.guesses.Naming().question_schema(sample.population.schema), Schema)
