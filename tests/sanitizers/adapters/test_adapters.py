"""Sanitizers of other makers: commands, functions and objects with fit and sample."""

import json
import stat
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import quintain as q
from quintain.data import Column, Schema, Table
from quintain.errors import PartError
from quintain.randomness.noise import Noise
from quintain.sanitizers import Sanitizer, adapters, sanitize
from quintain.sanitizers.adapters.adapter import read_released
from quintain.sanitizers.adapters.python_objects import NumberMatrix

SCHEMA = Schema(
    columns=(
        Column(name="town", kind="category", values=("a", "b", "NA"), nullable=True),
        Column(name="age", kind="integer", low=0, high=99),
        Column(name="wage", kind="real", low=0, high=9e4, nullable=True),
        Column(name="since", kind="time", earliest="2000-01-01", latest="2030-12-31"),
        Column(name="level", kind="category", values=("1", "2")),
    )
)


def private(rows=40, seed=0):
    rng = np.random.default_rng(seed)
    return Table.of(
        SCHEMA,
        {
            "town": rng.choice(["a", "b", "NA", None], rows).tolist(),
            "age": rng.integers(0, 100, rows).tolist(),
            "wage": [
                None if rng.random() < 0.2 else float(rng.integers(9000)) for _ in range(rows)
            ],
            "since": [
                f"20{rng.integers(10, 31):02}-03-0{rng.integers(1, 10)}" for _ in range(rows)
            ],
            "level": rng.choice(["1", "2"], rows).tolist(),
        },
    )


def release(part, table, seed=0):
    rng = np.random.default_rng(seed)
    return sanitize(part, table, rng=rng, noise=Noise.for_test(seed)).release


def tool(folder, body):
    path = folder / "tool.py"
    path.write_text(f"import os, sys\nsource, target = sys.argv[1:3]\n{body}\n")
    return f"{sys.executable} {path} {{input}} {{output}}"


def same_rows(one, other):
    return one.take(one.order()).equals(other.take(other.order()))


# --- commands -------------------------------------------------------------------------------------


@pytest.mark.parametrize("format", ["parquet", "csv"])
def test_a_command_that_copies_its_input_releases_it(tmp_path, format):
    text = tool(tmp_path, "import shutil; shutil.copy(source, target)")
    made = release(adapters.command(text, format=format), private())
    assert same_rows(made.data, private())
    assert made.claim is None


def test_a_command_gets_a_seed_a_schema_and_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    body = """
import json, stat
mode = stat.S_IMODE(os.stat(".").st_mode)
facts = {"seed": os.environ["QUINTAIN_SEED"], "mode": mode, "cwd": os.getcwd(),
         "columns": len(json.load(open(sys.argv[3]))["columns"])}
open(sys.argv[4], "a").write(json.dumps(facts) + chr(10))
import shutil; shutil.copy(source, target)
"""
    tool(tmp_path, body)
    notes = tmp_path / "notes.txt"
    part = adapters.command(f"{sys.executable} tool.py {{input}} {{output}} {{schema}} {notes}")
    for seed in (1, 1, 2):
        release(part, private(), seed)
    first, again, other = (json.loads(line) for line in notes.read_text().splitlines())
    assert first["seed"] == again["seed"] != other["seed"]
    assert first["mode"] == stat.S_IRWXU
    assert first["columns"] == 5
    assert not Path(first["cwd"]).exists()


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("sys.exit('the tool is not configured')", "exit code 1:\nthe tool is not configured"),
        ("pass", "wrote no file to {output}"),
        ("open(target, 'w').write('hello')", "wrote no parquet file"),
        ("import time; time.sleep(3600)", "took longer than 0.5 s"),
    ],
)
def test_a_command_that_fails_is_quoted(tmp_path, body, words):
    timeout = 0.5 if "sleep" in body else 600
    with pytest.raises(PartError) as caught:
        release(adapters.command(tool(tmp_path, body), timeout), private())
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tool {input}", "must contain {output}"),
        ("tool '{input} {output}", "cannot be split"),
        ("no-such-program {input} {output}", "cannot start"),
    ],
)
def test_a_command_that_cannot_work_says_why(text, words):
    with pytest.raises(PartError, match=words):
        release(adapters.command(text), private())


def test_a_command_may_contain_a_long_script():
    copy = "import shutil, sys; shutil.copy(*sys.argv[1:])"
    script = f"{copy}  # {'a comment that is longer than a file name may be ' * 20}"
    part = adapters.command(f"{sys.executable} -c '{script}' {{input}} {{output}}")
    assert same_rows(release(part, private()).data, private())


def test_a_command_leaves_no_children_behind(tmp_path):
    note = tmp_path / "child"
    shell = f"sleep 3600 & echo $! > {note}; cp {{input}} {{output}}"
    release(adapters.command(f"sh -c '{shell}'"), private())
    child = int(note.read_text())
    for _ in range(6000):  # a killed process may take a moment to end
        if not running(child):
            return
        time.sleep(0.05)
    pytest.fail("the child is still running")


def running(process):
    """Whether a process runs; one that nobody has waited for counts as ended."""
    state = Path("/proc", str(process), "stat")
    try:
        return state.read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def test_a_command_is_described_with_its_hash():
    spec = adapters.command("tool {input} {output}").spec()
    assert spec["use"] == "sanitizer/command-v0"
    assert spec["adapts"] == "command: tool {input} {output}"
    assert len(spec["sha256"]) == 64
    assert json.loads(json.dumps(spec)) == spec


def test_parameters_of_a_command_stand_in_its_places(tmp_path):
    body = "import shutil; assert sys.argv[3] == '0.5'; shutil.copy(source, target)"
    part = adapters.adapt(f"{tool(tmp_path, body)} {{epsilon}}", epsilon=2).with_parameter(
        "epsilon", 0.5
    )
    assert same_rows(release(part, private()).data, private())
    assert part.spec()["epsilon"] == 0.5
    with pytest.raises(PartError, match=r"no place for delta: add \{delta\}"):
        part.with_parameter("delta", 1)


def test_a_release_of_too_many_records_is_not_read(tmp_path):
    body = """
import pyarrow.parquet as pq
table = pq.read_table(source)
pq.write_table(table.take([0] * 4100), target)
"""
    with pytest.raises(PartError, match=r"wrote 4,100 records; the limit is 4,000"):
        release(adapters.command(tool(tmp_path, body)), private())


# --- functions ------------------------------------------------------------------------------------


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_function_gets_frames_of_the_library(library):
    if library == "polars":
        pytest.importorskip("polars")
    seen = []

    def keep(frame):
        seen.append(type(frame).__module__.split(".")[0])
        return frame

    made = release(adapters.function(keep, library), private())
    assert same_rows(made.data, private())
    assert seen == [library]


def test_a_function_that_asks_for_a_seed_gets_one():
    part = adapters.function(lambda frame, seed: frame.sample(frac=0.5, random_state=seed))
    one, again, other = (release(part, private(), seed).data for seed in (1, 1, 2))
    assert one.equals(again) and not one.equals(other)


def test_a_function_that_raises_is_quoted():
    with pytest.raises(PartError, match="failed: ZeroDivisionError"):
        release(adapters.function(lambda frame: 1 / 0), private())


# --- objects with fit and sample ------------------------------------------------------------------


class Repeats:
    """In the manner of SDV."""

    fitted = False

    def fit(self, data):
        self.fitted, self.data = True, data

    def sample(self, num_rows):
        return self.data.sample(num_rows, replace=True, random_state=3)


def test_an_object_in_the_manner_of_sdv_is_fitted_to_a_frame_and_stays_as_it_is():
    model = Repeats()
    made = release(adapters.fit_sample(model, rows=7), private())
    assert len(made.data) == 7 and not model.fitted


def test_a_class_is_as_good_as_an_object():
    assert len(release(adapters.fit_sample(Repeats), private()).data) == 40


@pytest.mark.parametrize("name", ["neighbors.KernelDensity", "mixture.GaussianMixture"])
def test_objects_of_scikit_learn_get_a_matrix_and_a_seed(name):
    module, _, cls = name.partition(".")
    sklearn = pytest.importorskip(f"sklearn.{module}")
    part = adapters.adapt(getattr(sklearn, cls)())
    one, again, other = (release(part, private(200), seed).data for seed in (1, 1, 2))
    assert len(one) == 200
    assert one.equals(again) and not one.equals(other)


def test_an_overfitted_density_repeats_the_private_records():
    neighbours = pytest.importorskip("sklearn.neighbors")
    part = adapters.adapt(neighbours.KernelDensity(bandwidth=1e-6))
    table = private(50)
    released = {
        tuple(r.values()) for r in release(part, table).data.select(["town", "age"]).records()
    }
    assert released <= {tuple(r.values()) for r in table.select(["town", "age"]).records()}


def test_a_matrix_turns_back_into_its_table():
    table = private()
    again, remarks = read_released(
        NumberMatrix(table).decode(NumberMatrix(table).encode()), SCHEMA.columns, "object"
    )
    assert remarks == []
    wages = [t.columns["wage"] for t in (table, again)]
    assert np.allclose(*wages, equal_nan=True)
    assert table.drop("wage").equals(again.drop("wage"))


class TablesByName:
    """The interface of a single-table synthesizer of SDV 2.0.

    ``fit`` takes one table by the name that the metadata gives it, ``sample`` gives it so back, and
    every fitted object samples from the same seed, unless it is given another one.
    """

    class Metadata:
        def __init__(self):
            self.tables = {"people": object()}

    metadata = Metadata()

    def __init__(self):
        self.seed = 73251

    def fit(self, data):
        (name,) = data
        assert name == "people" and isinstance(data[name], pd.DataFrame)
        self.frame = data[name]

    def _set_random_state(self, random_state):
        assert hasattr(self, "frame")  # SDV has no model before it is fitted
        self.seed = random_state

    def sample(
        self,
        num_rows,
        main_table_name=None,
        max_tries_per_batch=100,
        batch_size=None,
        output_folder_path=None,
    ):
        return {"people": self.frame.sample(num_rows, replace=True, random_state=self.seed)}


class KindsOfColumns:
    """The interface of smartnoise-synth: the kinds of columns are hints, records are DP."""

    def __init__(self, epsilon):
        self.epsilon = epsilon

    def fit(
        self,
        data,
        *ignore,
        transformer=None,
        categorical_columns=[],  # noqa: B006 - as there
        ordinal_columns=[],  # noqa: B006
        continuous_columns=[],  # noqa: B006
        preprocessor_eps=0.0,
        nullable=False,
    ):
        assert categorical_columns == ["town", "level"] and ordinal_columns == ["age"]
        assert continuous_columns == ["wage", "since"] and nullable
        if not preprocessor_eps:
            raise ValueError("Transformer needs some epsilon to infer bounds.")
        self.epsilon -= preprocessor_eps
        assert "<NA>" in set(data["town"]) and not data["town"].isna().any()
        self.data = data

    def sample(self, n_rows):
        return self.data.sample(n_rows, replace=True)  # from the global generator of NumPy


class Generates:
    """The interface of a plugin of synthcity: ``generate`` gives a data loader."""

    random_state = 0

    class Loader:
        def __init__(self, frame):
            self._frame = frame

        def dataframe(self):
            return self._frame

    def fit(self, X, *args, **kwargs):
        self.X = X
        return self

    def generate(self, count=None, constraints=None, random_state=None, **kwargs):
        assert random_state == self.random_state
        return self.Loader(self.X.sample(count, replace=True, random_state=random_state))


@pytest.mark.parametrize(
    ("maker", "says"),
    [
        (TablesByName(), "object with fit and sample: TablesByName (tables of pandas)"),
        (Generates(), "object with fit and generate: Generates (frames of pandas)"),
        (Generates, "object with fit and generate: Generates (frames of pandas)"),
    ],
)
def test_objects_of_other_makers_follow_the_seed(maker, says):
    part = adapters.adapt(maker)
    one, again, other = (release(part, private(), seed).data for seed in (1, 1, 2))
    assert part.describe() == says
    assert len(one) == 40 and one.equals(again) and not one.equals(other)


def test_the_schema_tells_the_kinds_of_columns_and_options_reach_fit():
    model = KindsOfColumns(epsilon=1.0)
    part = adapters.fit_sample(model, fit_options={"preprocessor_eps": 0.25})
    one, again, other = (release(part, private(), seed).data for seed in (1, 1, 2))
    assert one.equals(again) and not one.equals(other) and model.epsilon == 1.0
    assert None in {record["town"] for record in one.records()}
    with pytest.raises(PartError, match="ValueError: Transformer needs some epsilon"):
        release(adapters.adapt(model), private())


def test_objects_have_their_parameters_already():
    with pytest.raises(PartError, match="has its parameters already"):
        adapters.adapt(Repeats(), epsilon=1)
    with pytest.raises(PartError, match="only a command takes epsilon"):
        adapters.adapt(Repeats()).with_parameter("epsilon", 1)


# --- what they release ----------------------------------------------------------------------------


def frame(**cells):
    row = {"town": "a", "age": 30, "wage": 5.0, "since": "2020-01-01", "level": "1"}
    return pa.Table.from_pandas(pd.DataFrame([{**row, **cells}]), preserve_index=False)


@pytest.mark.parametrize(
    ("cells", "column", "value"),
    [
        ({"age": 39.7}, "age", 40),
        ({"age": -3}, "age", 0),
        ({"age": "41"}, "age", 41),
        ({"wage": 1e6}, "wage", 9e4),
        ({"wage": np.nan}, "wage", None),
        ({"level": 2.0}, "level", "2"),
        ({"level": 2}, "level", "2"),
        ({"town": np.nan}, "town", None),
        ({"town": "NA"}, "town", "NA"),
        ({"town": None}, "town", None),
        ({"since": pd.Timestamp("2020-05-01 23:59:50")}, "since", datetime(2020, 5, 2, tzinfo=UTC)),
    ],
)
def test_what_has_one_meaning_is_corrected(cells, column, value):
    table, remarks = read_released(frame(**cells), SCHEMA.columns, "command")
    assert table.schema == SCHEMA
    assert table.records()[0][column] == value
    assert bool(remarks) == (cells in ({"age": -3}, {"wage": 1e6}))


@pytest.mark.parametrize(
    ("cells", "column", "kind", "value"),
    [
        ({"level": 3.0}, "level", "category", "3"),
        ({"town": "c"}, "town", "category", "c"),
        ({"age": np.nan}, "age", "integer", None),
        ({"age": "old"}, "age", "category", "old"),
        ({"age": "30-39"}, "age", "category", "30-39"),
        ({"since": "2020-07"}, "since", "time", datetime(2020, 7, 1, tzinfo=UTC)),
        ({"more": 1}, "more", "integer", 1),
        ({"more": "007"}, "more", "category", "007"),
    ],
)
def test_everything_else_is_what_its_cells_say(cells, column, kind, value):
    table, _ = read_released(frame(**cells), SCHEMA.columns, "command")
    assert table.schema[column].kind == kind
    assert table.records()[0][column] == value


def test_values_that_the_data_lack_come_after_their_own():
    table, _ = read_released(frame(town="c"), SCHEMA.columns, "command")
    assert table.schema["town"].values == ("a", "b", "NA", "c")


def test_a_dropped_column_is_named():
    table, remarks = read_released(frame().drop_columns(["age"]), SCHEMA.columns, "command")
    assert "age" not in table.schema
    assert remarks == ["without the columns age"]


def test_a_release_needs_columns_with_names_of_their_own():
    cells = pa.array(["a"])
    with pytest.raises(PartError, match="released 1 names of columns twice: town"):
        read_released(pa.table([cells, cells], ["town", "town"]), SCHEMA.columns, "command")
    with pytest.raises(PartError, match="released no column"):
        read_released(frame().select([]), SCHEMA.columns, "command")


def test_adapted_takes_what_is_a_sanitizer_already():
    part = adapters.command("tool {input} {output}")
    assert adapters.adapt(part) is part
    assert isinstance(adapters.adapt(Repeats()), Sanitizer)


def test_a_notebook_sanitizes_with_objects_functions_and_commands(tmp_path):
    copy = tool(tmp_path, "import shutil; shutil.copy(source, target)")
    for thing in (TablesByName(), Generates, lambda frame: frame, copy):
        made = q.sanitize(thing, private(), seed=1)
        assert len(made.data) == 40 and made.claim is None
    with pytest.raises(PartError, match="no place for epsilon"):
        q.sanitize(copy, private(), seed=1, epsilon=1)
