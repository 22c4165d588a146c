"""Inputs of an audit: one schema for three tables, whatever their form, and all faults at once."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from quintain.audits.reading.tables import read_inputs
from quintain.audits.release import audit_release
from quintain.errors import DataError, KnowledgeError

ROLES = ("original", "release", "control")


def table(path, columns):
    rows = zip(*columns.values(), strict=True)
    lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


def files(tmp_path, **tables):
    return {role: table(tmp_path / f"{role}.csv", columns) for role, columns in tables.items()}


def test_the_domain_is_that_of_all_tables(tmp_path):
    given = files(
        tmp_path,
        original={"age": [20, 30, 40], "sex": ["f", "m", "f"]},
        release={"sex": ["x", "f", "f"], "age": [25, 99, 3]},
        control={"age": [20.5, 31, 41], "sex": ["m", "", "?"]},
    )
    read = read_inputs(**given)
    age, sex = read.original.schema.columns
    assert (age.kind, age.low, age.high) == ("real", 3, 99)
    assert (sex.values, sex.nullable) == (("f", "m", "x"), True)
    assert read.release.schema == read.original.schema
    assert read.release.columns["age"].tolist() == [25, 99, 3]
    assert read.control.columns["sex"].tolist() == [1, -1, -1]


def test_files_and_frames_of_any_form_are_read_alike(tmp_path):
    columns = {"age": [20, 30, 40, 20], "when": ["2020-01-02", "2020-01-03"] * 2}
    plain = table(tmp_path / "o.csv", columns)
    german = tmp_path / "r.csv"
    german.write_bytes("age;when\n20;02.01.2020\n30;03.01.2020\n".encode("utf-16"))
    typed = tmp_path / "c.parquet"
    moments = pa.array(columns["when"]).cast(pa.timestamp("s"))
    pa.parquet.write_table(pa.table({"age": columns["age"], "when": moments}), typed)
    read = read_inputs(plain, german, typed)
    assert read.original.records() == read.control.records()
    assert read.release.records() == read.original.records()[:2]
    framed = read_inputs(pa.parquet.read_table(typed), pa.table(columns), plain)
    assert framed.original.records() == framed.release.records() == read.original.records()
    assert [one.role for one in read.described] == ["original", "release", "control"]
    assert read.described[0].name == "o.csv"
    assert framed.described[0].name == "original"
    assert read.described[2].sha256 != read.described[0].sha256


def test_columns_that_not_all_have_are_left_out_and_named(tmp_path):
    given = files(
        tmp_path,
        original={"age": [20, 30], "income": [1, 2], "id": ["a1", "a2"], "k": [1, 1]},
        release={"age": [25, 30], "new": [1, 2], "id": ["b", "c"], "k": [1, 1]},
    )
    read = read_inputs(**given)
    assert read.original.schema.names == ("age",)
    reasons = {one.what: one.reason for one in read.not_computed}
    assert "release does not have it" in reasons["the column 'income'"]
    assert "only the release has it" in reasons["the column 'new'"]
    assert "which neither the original nor the control has" in reasons["the column 'id'"]
    assert "same value everywhere" in reasons["the column 'k'"]


def test_ids_and_free_texts_are_left_out(tmp_path):
    names = [f"person {i}" for i in range(30)]
    ages = [20 + i % 7 for i in range(30)]
    text = [f"this is the {i}th remark about nothing" for i in range(30)]
    same = {"name": names, "age": ages, "note": text}
    read = read_inputs(**files(tmp_path, original=same, release=same))
    assert read.original.schema.names == ("age",)
    reasons = {one.what: one.reason for one in read.not_computed}
    assert "no text appears twice" in reasons["the column 'name'"]
    assert "free text" in reasons["the column 'note'"]


def test_numbers_are_put_into_the_ranges_of_the_release(tmp_path):
    given = files(
        tmp_path,
        original={"age": [20, 35, 71, 5], "sex": ["f", "m", "f", "f"]},
        release={"age": ["[20-30)", "[30-40)", ">=60", "*"], "sex": ["f", "*", "m", "f"]},
        control={"age": [29, 30, 60, 59], "sex": ["f", "m", "f", "f"]},
    )
    read = read_inputs(**given)
    age = read.original.schema["age"]
    assert age.values == ("[20-30)", "[30-40)", ">=60", "(in no range)")
    assert read.original.columns["age"].tolist() == [0, 1, 2, 3]
    assert read.control.columns["age"].tolist() == [0, 1, 2, 3]
    assert read.release.columns["age"].tolist() == [0, 1, 2, -1]
    assert read.release.columns["sex"].tolist() == [0, -1, 1, 0]


@pytest.mark.parametrize(
    ("released", "words"),
    [
        (["20-40", "30-50", "30-50"], "numbers in common"),
        (["young", "old", "old"], "neither a number nor a range"),
        (['"20,5"', '"30,1"', "k.A."], "'20,5' may be numbers with a decimal comma"),
    ],
)
def test_what_cannot_be_compared_is_left_out_in_words(tmp_path, released, words):
    given = files(
        tmp_path,
        original={"age": [20, 30, 40], "sex": ["f", "m", "f"]},
        release={"age": released, "sex": ["f", "m", "f"]},
    )
    (left_out,) = read_inputs(**given).not_computed
    assert words in left_out.reason


def test_categories_that_only_the_release_has_are_said(tmp_path):
    sexes = ["f", "m"] * 10
    given = files(
        tmp_path,
        original={"sex": sexes, "town": ["a", "b", "c", "d"] * 5},
        release={"sex": [*sexes[:-2], "x", "x"], "town": ["north", "south", "east", "a"] * 5},
    )
    read = read_inputs(**given)
    assert "75% of its released cells" in read.not_computed[0].reason
    assert "10% of its released cells have values such as 'x'" in read.limits[-1]


def test_a_given_schema_names_every_cell_it_does_not_allow(tmp_path):
    schema = tmp_path / "schema.json"
    columns = [{"name": "age", "kind": "integer", "low": 0, "high": 50}]
    schema.write_text(json.dumps({"columns": columns}))
    given = files(
        tmp_path,
        original={"age": [20, 60], "sex": ["f", "m"]},
        release={"age": [70, "x"], "sex": ["f", "m"]},
    )
    with pytest.raises(DataError) as refused:
        read_inputs(**given, schema=schema)
    lines = str(refused.value).splitlines()
    assert [line.split(": ")[0] for line in lines] == [
        "original.csv:3 age='60'", "release.csv:2 age='70'", "release.csv:3 age='x'",
    ]  # fmt: skip
    table(tmp_path / "original.csv", {"age": [20, 50], "sex": ["f", "m"]})
    table(tmp_path / "release.csv", {"age": [1, 2]})
    read = read_inputs(**given, schema=schema)
    assert read.original.schema.names == ("age",)
    assert "does not have it" in read.not_computed[0].reason


def test_metadata_of_other_tools_describe_the_columns(tmp_path):
    kinds = {"code": "categorical", "age": "numerical", "more": "numerical"}
    columns = {name: {"sdtype": kind} for name, kind in kinds.items()}
    metadata = {"METADATA_SPEC_VERSION": "SINGLE_TABLE_V1", "columns": columns}
    schema = tmp_path / "sdv.json"
    schema.write_text(json.dumps(metadata))
    given = files(
        tmp_path,
        original={"code": [1, 2], "age": [1, 2], "more": [1, 2]},
        release={"code": [2, 3], "age": [7, 2]},
    )
    code, age = read_inputs(**given, schema=schema).original.schema.columns
    assert (code.kind, code.values) == ("category", ("1", "2", "3"))
    assert (age.kind, age.high) == ("integer", 7)


def test_faults_of_all_files_come_at_once(tmp_path):
    for name in ("o.csv", "r.csv"):
        (tmp_path / name).write_text("a,a,\n1,2,3\n")
    with pytest.raises(DataError) as refused:
        read_inputs(tmp_path / "o.csv", tmp_path / "r.csv")
    assert {fault.file for fault in refused.value.faults} == {"o.csv", "r.csv"}
    assert len(refused.value.faults) == 4


def test_tables_with_nothing_in_common_are_refused(tmp_path):
    given = files(tmp_path, original={"a": [1, 2], "c": [1, 2]}, release={"b": [1, 2]})
    with pytest.raises(DataError, match="no column that the audit can compare") as refused:
        read_inputs(**given)
    message = str(refused.value)
    assert "the column 'a', the column 'c': the release does not have it" in message
    assert message.endswith("give them the names of the original")


def test_unknown_columns_are_named_together(tmp_path):
    read = read_inputs(**files(tmp_path, original={"age": [1, 2]}, release={"age": [1, 3]}))
    with pytest.raises(KnowledgeError) as refused:
        read.require(knows=["agee"], secrets=["x", "age"])
    assert "did you mean 'age'" in str(refused.value)
    assert "secrets" in str(refused.value)


def test_odd_names_and_values_are_kept(tmp_path):
    frame = pa.table({"a b": ["'x'", '"y"'] * 3, "ä=1;": [1.5, None, 2, 3, 4, np.nan]})
    read = read_inputs(frame, frame, frame)
    assert read.original.schema.names == ("a b", "ä=1;")
    assert read.original.schema["a b"].values == ('"y"', "'x'")
    assert np.isnan(read.original.columns["ä=1;"]).sum() == 2


@pytest.mark.parametrize("refused", ["names", "unit"])
def test_typing_errors_are_told_before_any_cell_is_read(tmp_path, monkeypatch, refused):
    given = files(tmp_path, **{role: {"age": [1, 2]} for role in ROLES})
    monkeypatch.setattr("quintain.audits.reading.one_table.learn", None)
    if refused == "unit":
        with pytest.raises(DataError) as told:
            audit_release(**given, unit="agee")
        assert len(told.value.faults) == 2
        return
    with pytest.raises(KnowledgeError) as asked:
        audit_release(**given, known=["agee"], secrets=["aged"], as_written="ages")
    assert [line.split(":")[0] for line in str(asked.value).splitlines()] == [
        "known",
        "secrets",
        "as_written",
    ]
