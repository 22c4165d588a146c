"""Schemas other tools write: SDV metadata, Frictionless schemas and data packages."""

import json
import math

import pandas as pd
import pytest

from quintain.data import Column, from_frame
from quintain.data.metadata import read_metadata
from quintain.errors import DataError

COLUMNS = {
    "guest": {"sdtype": "id", "regex_format": "G[0-9]{3}"},
    "room": {"sdtype": "categorical"},
    "rate": {"sdtype": "numerical", "computer_representation": "Float"},
    "paid": {"sdtype": "boolean"},
    "arrived": {"sdtype": "datetime", "datetime_format": "%d %b %Y"},
    "email": {"sdtype": "email", "pii": True},
}
SINGLE = {"METADATA_SPEC_VERSION": "SINGLE_TABLE_V1", "primary_key": "guest", "columns": COLUMNS}
MULTI = {
    "METADATA_SPEC_VERSION": "V1",
    "tables": {"hotel": {"primary_key": "guest", "columns": COLUMNS}},
    "relationships": [],
}
ROOMS = {"room": ["suite", "basic", "suite", None]}

FIELDS = [
    {"name": "id", "type": "string", "constraints": {"unique": True, "required": True}},
    {"name": "sex", "type": "string", "constraints": {"enum": ["f", "m"], "required": True}},
    {"name": "town", "type": "string"},
    {
        "name": "age",
        "type": "integer",
        "constraints": {"minimum": 17, "maximum": 90, "required": True},
    },
    {"name": "pay", "type": "number", "constraints": {"minimum": 0}},
    {"name": "born", "type": "year", "constraints": {"minimum": 1900, "maximum": 2030}},
    {"name": "ill", "type": "boolean"},
    {"name": "seen", "type": "date"},
    {"name": "left", "type": "datetime"},
    {"name": "back", "type": "date", "format": "%d/%m/%Y"},
]
TABLE_SCHEMA = {"fields": FIELDS, "primaryKey": "id"}
TOWNS = {"town": ["Ulm", "Bonn", "Ulm"]}


@pytest.fixture
def metadata(tmp_path):
    """Reads content as if it were a file."""

    def read(content, values=None):
        path = tmp_path / "metadata.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return read_metadata(path, values)

    return read


def faults_of(metadata, content, values=None):
    with pytest.raises(DataError) as caught:
        metadata(content, values)
    return str(caught.value).splitlines()


# --- SDV ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [SINGLE, MULTI])
def test_sdv_metadata_of_either_version_give_a_schema(metadata, content):
    schema = metadata(content, ROOMS).schema
    assert schema.names == tuple(COLUMNS)
    assert [column.kind for column in schema.columns] == [
        "id",
        "category",
        "real",
        "category",
        "time",
        "id",
    ]
    assert schema["arrived"].time_format == "%d %b %Y"
    assert len(schema["paid"].values) == 2


def test_the_primary_key_of_sdv_metadata_is_the_person(metadata):
    assert metadata(SINGLE, ROOMS).schema.role("person").name == "guest"


def test_domains_sdv_does_not_give_are_learned_from_the_data_and_named(metadata):
    foreign = metadata(SINGLE, ROOMS)
    assert foreign.schema["room"].values == ("basic", "suite")
    assert foreign.learned == ("room",)


def test_domains_sdv_does_not_give_are_not_invented(metadata):
    assert faults_of(metadata, SINGLE) == [
        "metadata.json room: the file does not list its values; give the data as well"
    ]


def test_a_value_that_is_missing_is_no_part_of_a_learned_domain(metadata):
    foreign = metadata(SINGLE, {"room": ["suite", math.nan, None, "basic"]})
    assert foreign.schema["room"].values == ("basic", "suite")


def test_booleans_of_a_data_frame_fit_what_sdv_calls_boolean(metadata):
    paid = {"METADATA_SPEC_VERSION": "SINGLE_TABLE_V1", "columns": {"paid": {"sdtype": "boolean"}}}
    frame = pd.DataFrame({"paid": [True, False]})
    assert from_frame(frame, metadata(paid).schema).records() == [
        {"paid": "True"},
        {"paid": "False"},
    ]


def test_sdv_metadata_of_many_tables_are_refused(metadata):
    many = {**MULTI, "tables": {"a": {"columns": COLUMNS}, "b": {"columns": COLUMNS}}}
    assert faults_of(metadata, many) == ["metadata.json tables: describes 2 tables; give one"]


def test_every_sdv_column_of_an_unknown_kind_is_reported(metadata):
    odd = {**SINGLE, "columns": {"a": {"sdtype": "unknown"}, "b": {"sdtype": "phone_number"}}}
    message = "unknown kind of column; available: boolean, categorical, datetime, id, numerical"
    assert faults_of(metadata, odd) == [
        f"metadata.json a='unknown': {message}",
        f"metadata.json b='phone_number': {message}",
    ]


def test_sdv_metadata_without_columns_are_refused(metadata):
    assert faults_of(metadata, {"METADATA_SPEC_VERSION": "SINGLE_TABLE_V1"}) == [
        "metadata.json: has no columns"
    ]


# --- Frictionless ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        TABLE_SCHEMA,
        {"name": "package", "resources": [{"name": "people", "schema": TABLE_SCHEMA}]},
    ],
)
def test_a_frictionless_schema_or_data_package_gives_a_schema(metadata, content):
    foreign = metadata(content, TOWNS)
    assert foreign.schema.columns == (
        Column(name="id", kind="id", role="person"),
        Column(name="sex", kind="category", values=("f", "m")),
        Column(name="town", kind="category", values=("Bonn", "Ulm"), nullable=True),
        Column(name="age", kind="integer", low=17, high=90),
        Column(name="pay", kind="real", low=0, nullable=True),
        Column(name="born", kind="integer", low=1900, high=2030, nullable=True),
        Column(name="ill", kind="category", values=("true", "false"), nullable=True),
        Column(name="seen", kind="time", nullable=True),
        Column(name="left", kind="time", time_format="%Y-%m-%dT%H:%M:%SZ", nullable=True),
        Column(name="back", kind="time", time_format="%d/%m/%Y", nullable=True),
    )
    assert foreign.learned == ("town",)


def test_a_field_without_a_type_is_a_string(metadata):
    foreign = metadata({"fields": [{"name": "town"}]}, TOWNS)
    assert foreign.schema["town"].kind == "category"


def test_a_primary_key_may_be_a_list(metadata):
    foreign = metadata({**TABLE_SCHEMA, "primaryKey": ["id"]}, TOWNS)
    assert foreign.schema.role("person").name == "id"


def test_every_fault_of_a_frictionless_schema_is_reported(metadata):
    fields = [
        {"name": "where", "type": "geopoint"},
        {"name": "town", "type": "string"},
        {"name": "age", "type": "integer", "constraints": {"minimum": 9, "maximum": 3}},
        {"name": "ok", "type": "number"},
    ]
    faults = "\n".join(faults_of(metadata, {"fields": fields}))
    assert (
        "metadata.json where='geopoint': unknown kind of column; available: boolean, date" in faults
    )
    assert "metadata.json town: the file does not list its values" in faults
    assert "'age': low 9.0 is above high 3.0" in faults


def test_an_integer_may_be_missing_only_if_it_has_bounds(metadata):
    field = {"name": "age", "type": "integer"}
    assert metadata({"fields": [field]}).schema["age"].nullable is False
    bounded = {**field, "constraints": {"minimum": 0, "maximum": 120}}
    assert metadata({"fields": [bounded]}).schema["age"].nullable is True


def test_a_data_package_of_many_resources_is_refused(metadata):
    assert faults_of(metadata, {"resources": [{}, {}, {}]}) == [
        "metadata.json resources: describes 3 resources; give one"
    ]


def test_a_schema_without_fields_is_refused(metadata):
    assert faults_of(metadata, {"fields": []}) == ["metadata.json: has no columns"]


# --- neither --------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [{}, [], "7", {"columns": {"a": {}}}, '"text"', "null"])
def test_what_is_neither_is_refused(metadata, content):
    assert faults_of(metadata, content) == [
        "metadata.json: is neither SDV metadata, nor a Frictionless table schema, nor Croissant"
    ]


@pytest.mark.parametrize(
    "content",
    [
        {"fields": ["a"]},
        {"fields": {"a": 1}},
        {"fields": [{"name": "a", "type": "integer", "constraints": 5}]},
        {"resources": ["a"]},
        {"resources": [{"schema": 5}]},
        {"METADATA_SPEC_VERSION": "V1", "columns": ["a"]},
        {"METADATA_SPEC_VERSION": "V1", "columns": {"a": 5}},
    ],
)
def test_what_only_begins_like_one_of_them_is_refused(metadata, content):
    assert faults_of(metadata, content) == [
        "metadata.json: is not shaped like SDV metadata or a Frictionless table schema or Croissant"
    ]


def test_a_field_named_by_a_number_is_named_by_its_digits(metadata):
    assert metadata({"fields": [{"name": 7, "type": "number"}]}).schema.names == ("7",)


@pytest.mark.parametrize("content", ["", "{", "{'a': 1}", "id,sex\n1,f\n"])
def test_what_is_not_json_is_refused(metadata, content):
    (fault,) = faults_of(metadata, content)
    assert fault.startswith("metadata.json: is not a readable JSON file")


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"gone\.json: is not a readable JSON file"):
        read_metadata(tmp_path / "gone.json")
