"""One answer for one table, whatever it comes in and through whichever door."""

import datetime
import json
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from click.testing import CliRunner
from hypothesis import example, given, settings
from hypothesis import strategies as st

import quintain as q
from quintain.audits.private_file import read_private
from quintain.cli.main import cli
from quintain.data.learning.input_table import InputTable
from quintain.data.learning.learn import LearnedSchema, learn
from quintain.data.sources.own_file import settle_table

WHY = "an id: it numbers the rows"


def people(rows=60):
    """People with a row number whose name does not say that it is one."""
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "pid": np.arange(1, rows + 1),
            "sex": rng.choice(["f", "m"], rows),
            "age": rng.integers(18, 80, rows),
        }
    )


@pytest.fixture
def table(tmp_path):
    people().to_csv(tmp_path / "own.csv", index=False)
    return tmp_path / "own.csv"


def run(*words):
    done = CliRunner().invoke(cli, list(map(str, words)), catch_exceptions=False)
    assert done.exit_code == 0, done.stderr
    return done


@pytest.mark.filterwarnings("ignore:The column 'pid' seems to say whose row it is")
@pytest.mark.parametrize("form", ["pandas", "polars", "pyarrow", "file"])
def test_sanitize_in_a_notebook_does_not_publish_a_row_number(table, form):
    frame = people()
    given = {
        "pandas": frame,
        "polars": pl.from_pandas(frame),
        "pyarrow": pa.Table.from_pandas(frame),
        "file": table,
    }[form]
    with pytest.warns(LearnedSchema) as caught:
        release = q.sanitize("independent", given, epsilon=1, seed=0)
    assert release.data.schema.names == ("sex", "age")
    told = str(caught[0].message)
    assert f"not published: pid ({WHY})" in told
    assert "give schema=Schema(...) in which it is a category, a number or a time" in told


def test_who_states_the_schema_says_otherwise():
    frame = people()
    column = q.Column(name="pid", kind="integer", low=1, high=60)
    schema = q.Schema(columns=(column, *q.learn_schema(frame).schema.columns[1:]))
    # Whether people have several rows is read off the name alone: cells must not decide on it.
    with pytest.warns(UserWarning, match="'pid' seems to say whose row it is") as caught:
        release = q.sanitize("independent", frame, schema=schema, epsilon=1, seed=0)
    assert len(caught) == 1
    assert release.data.schema.names == ("pid", "sex", "age")


def test_the_command_sanitize_does_not_publish_a_row_number(table, tmp_path):
    out = tmp_path / "release.csv"
    done = run("sanitize", table, "--with", "independent", "--set", "epsilon=1", "--out", out)
    assert out.read_text().splitlines()[0] == "sex,age"
    assert f"warning: not published: pid ({WHY})" in done.stderr
    assert "quintain schema learn, give the column another kind there" in done.stderr


def test_a_schema_file_calls_a_row_number_an_id(table):
    done = run("schema", "learn", table)
    pid = json.loads(done.stdout)["columns"][0]
    assert (pid["name"], pid["kind"]) == ("pid", "id")
    assert WHY in pid["note"]


def test_learn_schema_says_so(table):
    for form in (people(), table):
        learned = q.learn_schema(form)
        assert learned.schema["pid"].kind == "id"
        assert learned.left_out == {"pid": WHY}
        assert WHY in learned._repr_html_()


def test_an_attack_in_a_notebook_does_not_use_a_row_number():
    frame = people()
    with pytest.warns(LearnedSchema, match=r"not used: pid \(an id: it numbers the rows\)"):
        guess = q.attack("nearest", frame, targets=frame.iloc[[3, 9, 40]], seed=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rest = frame[["sex", "age"]]
        without = q.attack("nearest", rest, targets=rest.iloc[[3, 9, 40]], seed=0)
    assert guess.table.equals(without.table)


def test_the_command_attack_does_not_use_a_row_number(table, tmp_path):
    targets, out = tmp_path / "targets.csv", tmp_path / "guess.csv"
    people().iloc[[3, 9, 40]].to_csv(targets, index=False)
    done = run("attack", table, "--with", "nearest", "--targets", targets, "--out", out)
    assert f"warning: not used: pid ({WHY})" in done.stderr


def test_a_measure_does_not_use_a_row_number():
    frame = people()
    shuffled = frame.sample(40, random_state=1)
    with pytest.warns(LearnedSchema, match="not used: pid"):
        readings = q.measure("marginals", frame, shuffled)
    rest = ["sex", "age"]
    assert readings == q.measure("marginals", frame[rest], shuffled[rest])


def test_an_audit_in_a_notebook_and_by_command_calls_it_an_id(table):
    frame = people()
    audited = q.audit(frame, frame, permutations=19)
    (one,) = [each for each in audited.not_computed if "pid" in each.what]
    assert one.reason.startswith(WHY)
    assert "give a schema in which it is not an id" in one.reason
    command = ["audit", "release", "--original", table, "--release", table, "--json"]
    done = CliRunner().invoke(cli, list(map(str, command)), catch_exceptions=False)
    assert f"{WHY}; " in done.stdout


def test_a_sanitizer_audit_runs_without_the_row_number(table):
    data = read_private(table).data
    assert data.schema["pid"].kind == "id"
    assert data.schema.private.names == ("sex", "age")
    with pytest.warns(LearnedSchema, match="not published: pid"):
        q.audit_sanitizer("rr", people(), keep=0.1, runs=20, attacks=False)


def test_an_edition_with_own_data_learns_the_id(table):
    settled, _ = settle_table({"path": "own.csv"}, [table.parent])
    assert settled["schema"]["columns"][0]["kind"] == "id"
    assert settled["learned"] == ["sex", "age"]


def test_the_first_table_decides_and_the_others_add_to_the_domains():
    known = pd.DataFrame({"job": ["baker", "smith"] * 20, "age": list(range(40))})
    other = pd.DataFrame({"job": [f"job {n}" for n in range(25)], "age": [50] * 25})
    learned = learn(known, other)
    assert len(learned.schema["job"].values) == 27  # no text appears twice in the second alone
    assert learned.schema["age"].kind == "id"


DAYS = (datetime.date(1900, 1, 1), datetime.date(2100, 1, 1))
CELLS = st.one_of(
    st.lists(st.integers(-5, 40), min_size=1),
    st.lists(st.integers(10**17, 10**18), min_size=1),
    st.lists(st.sampled_from([20110131, 20110228, 19991231]), min_size=1),
    st.lists(st.none() | st.integers(0, 3), min_size=1),
    st.lists(st.none() | st.sampled_from([0.5, 1.25, 3.0, -2.0]), min_size=1),
    st.lists(st.sampled_from([3.0, 4.0, 19.0]), min_size=1),
    st.lists(st.booleans() | st.none(), min_size=1),
    st.lists(st.none() | st.dates(*DAYS), min_size=1),
    st.lists(st.sampled_from(["a", "b", "NA", "?", "none", "007", "12", "4.5", " x "]), min_size=1),
    st.lists(st.none() | st.sampled_from(["baker", "smith", "-"]), min_size=1),
    st.lists(st.text("abc", min_size=1, max_size=5), min_size=20, unique=True),
    st.lists(st.sampled_from(["2011-01-02T03:04:05", "2012-02-03T00:00:00"]), min_size=1),
    st.builds(lambda start, rows: list(range(start, start + rows)), st.integers(0, 9), st.just(25)),
)
NAMES = st.sampled_from(["x", "age", "pid", "person_id", "Nr", "case number", "customerId"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("forms")


@settings(max_examples=150, deadline=None)
@given(cells=CELLS, name=NAMES)
@example(cells=[" x "], name="x")
def test_one_column_has_one_schema_and_one_reason_in_every_form(folder, cells, name):
    table = pa.table({name: pa.array(cells), "other": ["op"[row % 2] for row in range(len(cells))]})
    pyarrow.parquet.write_table(table, folder / "table.parquet")
    _write_csv(table, folder / "table.csv")
    polars = pl.from_arrow(table)
    file = InputTable.of(folder / "table.csv", header=True)  # a cell may be like the name above it
    forms = [file, folder / "table.parquet", table, polars, _pandas(table)]
    made = [learn(form) for form in forms]
    expected = made[0]
    for learned in made[1:]:
        assert _told(learned) == _told(expected)
        assert learned.learned == expected.learned


def _told(learned):
    """The columns with their reasons; a reason says whether a file or data had the cells."""
    return [
        (made.column, made.reason.replace("of the data", "of the file"))
        for made in learned.decisions
    ]


def _pandas(table):
    """Nullable types, which keep whole numbers with gaps whole."""
    kinds = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}
    return table.to_pandas(types_mapper=kinds.get)


def _write_csv(table, path):
    """Missing cells are empty, and fractions have a point."""
    rows = [",".join(_written(cell) for cell in row.values()) for row in table.to_pylist()]
    path.write_text("\n".join([",".join(table.column_names), *rows]) + "\n")


def _written(cell):
    if cell is None:
        return ""
    return str(cell).lower() if isinstance(cell, bool) else str(cell)
