"""What an audit does not tell: values that only a few people have, and cells of the tables."""

import numpy as np
import pytest

from quintain.audits.reading.tables import read_inputs
from quintain.audits.release import audit_release
from quintain.audits.release_utility import column_shapes
from quintain.audits.report.page import release_page
from quintain.data import Column, Schema, Table

from .audit_tables import SCHEMA, people

RARE = "very-rare-town"


def with_rare_values(table):
    """A table in which one person lives in a rare town."""
    town = SCHEMA["town"].model_copy(update={"values": (*SCHEMA["town"].values, RARE)})
    columns = tuple(town if one.name == "town" else one for one in SCHEMA.columns)
    cells = {name: np.array(cells) for name, cells in table.columns.items()}
    cells["town"][0] = len(town.values) - 1
    return Table(Schema(columns=columns), cells)


@pytest.mark.slow
def test_a_report_names_no_value_that_one_person_has():
    original, release, control = (with_rare_values(people(120, seed)) for seed in range(3))
    audit = audit_release(original, release, control, permutations=19)
    assert any("other" in shape.labels for shape in audit.shapes if shape.column == "town")
    assert RARE not in audit.model_dump_json()
    assert RARE not in release_page(audit)


@pytest.mark.parametrize("rare", [1, 9])
def test_few_different_numbers_are_not_all_named(rare):
    schema = Schema(columns=(Column(name="children", kind="integer", low=0, high=99),))
    original = Table(schema, {"children": np.array([0, 1, 2] * 30 + [77] * rare)})
    (shape,) = column_shapes(original, original)
    assert shape.labels == ("up to 0", "1", "2 and above")
    assert np.allclose(np.array(shape.original) * len(original), [30, 30, 30 + rare])


def test_common_numbers_are_named():
    schema = Schema(columns=(Column(name="children", kind="integer", low=0, high=99),))
    original = Table(schema, {"children": np.array([0, 1, 2] * 10)})
    (shape,) = column_shapes(original, original)
    assert shape.labels == ("0", "1", "2")


def test_rare_values_still_count_for_the_distance():
    schema = Schema(columns=(Column(name="town", kind="category", values=tuple("abcd")),))
    original, release = (Table(schema, {"town": np.repeat(c, 9)}) for c in ([0, 1], [2, 3]))
    (shape,) = column_shapes(original, release)
    assert (shape.labels, shape.distance) == (("other",), 1.0)


def test_a_reason_quotes_no_cell(tmp_path):
    cells = [f"{i}" if i % 2 else f"secret{i}" for i in range(60)]
    for role in ("original", "release"):
        lines = [f"{cell},{i % 3}" for i, cell in enumerate(cells)]
        (tmp_path / f"{role}.csv").write_text("\n".join(["mixed,few", *lines]))
    read = read_inputs(tmp_path / "original.csv", tmp_path / "release.csv")
    (left_out,) = read.not_computed
    assert "secret" not in left_out.reason
    assert left_out.reason == (
        "an id: no text appears twice; ids are no attributes of a record; to compare it, give a "
        "schema in which it is not an id"
    )
