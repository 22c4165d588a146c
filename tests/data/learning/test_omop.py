"""Tables with the names of OMOP are read without any description."""

import pytest

from quintain.data.learning.people import learn_people
from quintain.data.people_files import open_tables, read_people

FILES = {
    "person": "person_id,gender_concept_id,location_id\n1,8507,1\n2,8532,1\n3,8507,2\n4,8532,2\n",
    "visit_occurrence": "visit_occurrence_id,person_id,visit_concept_id,visit_start_date\n"
    "11,1,9201,2020-01-02\n12,1,9202,2020-02-02\n13,2,9201,2020-03-02\n14,3,9201,2020-04-05\n",
    "condition_occurrence": "condition_occurrence_id,person_id,condition_concept_id,"
    "visit_occurrence_id\n21,1,201826,11\n22,1,320128,12\n23,2,201826,13\n24,2,320128,13\n",
    "measurement": "measurement_id,person_id,measurement_concept_id,value_as_number,"
    "visit_occurrence_id\n31,1,3004249,120.5,11\n32,4,3004249,130.5,\n33,2,3012888,80.5,13\n",
    "location": "location_id,city\n1,Ulm\n2,Bonn\n",
}


@pytest.fixture
def folder(tmp_path):
    for name, text in FILES.items():
        (tmp_path / f"{name}.csv").write_text(text)
    return tmp_path


def test_names_of_omop_say_who_and_what_belongs_to_whom(folder):
    with open_tables(folder) as tables:
        learned = learn_people(tables)
    links = {t.name: (t.parent, t.key, t.reference) for t in learned.schema.tables}
    assert links == {
        "person": ("", "person_id", None),
        "visit_occurrence": ("", "visit_occurrence_id", "person_id"),
        "condition_occurrence": ("visit_occurrence", None, "visit_occurrence_id"),
        "measurement": ("", None, "person_id"),
    }
    assert "location" in learned.left_out


def test_concepts_are_codes_also_without_their_table(folder):
    with open_tables(folder) as tables:
        schema = learn_people(tables).schema
    kinds = {c.name: c.kind for table in schema.tables for c in table.columns}
    assert {kind for name, kind in kinds.items() if name.endswith("concept_id")} == {"category"}


def test_a_measurement_without_a_visit_keeps_its_person(folder):
    with pytest.warns(UserWarning, match="not used: location"):
        people = read_people(folder)
    assert people.tables["measurement"].person.tolist() == [0, 3, 1]
