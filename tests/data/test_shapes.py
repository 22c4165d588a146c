"""Shapes: same draws as before there were any, one list of names, and shapes of plugins."""

import gc
import re
import weakref
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

import quintain as q
from quintain import registry
from quintain.audits.reading.tables import read_inputs
from quintain.contests.json_schema import edition_schema
from quintain.data import as_series, as_table, as_transactions, is_data, see, shape_of
from quintain.data.learning.decisions import Decision, shape_decisions
from quintain.data.shape import find_shape
from quintain.data.shape_facts import shape_names
from quintain.errors import PartError
from quintain.guesses.goal import target_table
from quintain.releases import publication
from quintain.sanitizers.sanitizer import sanitize
from quintain.testing import battery, example, example_table, small_shop
from tests.registered import copy_registered_parts

SHAPES = ("table", "transactions", "series")
OURS = (*SHAPES, "trajectories", "people", "model")
PAGE = Path(__file__).parents[2] / "docs/how-to/add-a-shape.md"


# --- what the first three shapes of ours do ---


def published_before(data, rng):
    """How releases were published when code asked for the class of data: a reference."""
    if data.schema.shape == "transactions":
        kept = np.flatnonzero(~data.deleted_rows())
        return data.take(kept[rng.permutation(len(kept))])
    shuffled = rng.permutation(len(data))
    if data.schema.shape == "series":
        shown = data.take(shuffled)
        return replace(shown, ids=np.arange(len(shown)))
    return data.take(shuffled[data.take(shuffled).order()])


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(5))
def test_a_publication_has_the_bytes_and_the_draws_of_before(shape, seed):
    data = example(shape, seed=seed)
    rngs = [np.random.default_rng(seed) for _ in range(2)]
    shown = publication(data, np.arange(len(data)), rng=rngs[0])
    assert shown.data.digest() == published_before(data, rngs[1]).digest()
    assert rngs[0].bit_generator.state == rngs[1].bit_generator.state
    if shape != "series":  # whose persons get new numbers
        assert data.take(shown.origins).digest() == shown.data.digest()


def test_deleted_rows_are_not_published():
    shop = small_shop()
    names = shop.columns["customer"].copy()
    names[2] = ""
    shop = shop.replace({"customer": names})
    shown, rows = shape_of(shop).publish(shop, rng=np.random.default_rng(0))
    assert sorted(rows.tolist()) == [0, 1, 3]
    assert not shown.deleted_rows().any()


@pytest.mark.parametrize("shape", SHAPES)
def test_data_are_seen_as_what_they_are_and_not_copied(shape):
    data = example(shape)
    views = {"table": as_table, "transactions": as_transactions, "series": as_series}
    assert is_data(data)
    assert see(data, *SHAPES) is data
    assert views.pop(shape)(data) is data
    for view in views.values():
        with pytest.raises(PartError, match=f"not (on a )?{shape}$"):
            view(data)


def test_a_data_frame_is_not_data():
    pandas, arrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    names = ("schema", "digest", "age")
    frame = pandas.DataFrame({name: [1] for name in names})
    for given in (frame, arrow.table({"age": [1]}), "people.csv", None):
        assert not is_data(given)


def test_persons_are_counted_and_not_rows():
    counts = {shape: shape_of(data).count_persons(data) for shape, data in examples()}
    assert counts == {"table": 200, "transactions": 26, "series": 20}


def examples():
    return [(shape, example(shape)) for shape in SHAPES]


def test_people_of_a_household_or_a_customer_stay_together():
    groups = {shape: shape_of(data).groups(data) for shape, data in examples()}
    table, shop = example("table"), example("transactions")
    assert (groups["table"] == np.unique(table.columns["home"], return_inverse=True)[1]).all()
    assert (groups["transactions"] == shop.person_of_row()).all()
    assert groups["series"] is None
    assert shape_of(table).groups(table.drop("home")) is None


def test_only_a_plain_table_hides_its_ids_from_sanitizers():
    private = {shape: data.schema.private.names for shape, data in examples()}
    assert private["table"] == ("colour", "size", "flag")
    assert private["transactions"][0] == "customer"
    assert private["series"][0] == "stay"


def test_a_question_shows_a_person_without_rows():
    stays = example("series")
    empty = replace(
        stays, ids=np.append(stays.ids, 99), offsets=np.append(stays.offsets, len(stays.values))
    )
    shown = target_table(empty, np.array([len(stays)]), np.array([7]))
    (record,) = shown.records()
    assert record == {"target": 7, "hour": None, "pulse": None, "fever": None}
    assert not shown.schema["target"].nullable and shown.schema["hour"].nullable


def test_transactions_are_not_shown_as_targets():
    with pytest.raises(PartError, match="expected a table with one row per person, not transac"):
        target_table(small_shop(), np.array([0]), np.array([0]))


@pytest.mark.parametrize("shape", SHAPES)
def test_a_learned_column_fits_its_shape(shape):
    columns = [
        q.Column(name="n", kind="integer", low=0),
        q.Column(name="word", kind="category", values=("a", "b")),
        q.Column(name="when", kind="time"),
        q.Column(name="who", kind="id"),
    ]
    decisions = [Decision(column.name, column, "stated", learned=True) for column in columns]
    roles = {} if shape == "table" else {"who": "person", "when": "time"}
    made = shape_decisions("people.csv", decisions, shape, roles)
    kinds = {one.name: one.column and (one.column.kind, one.column.nullable) for one in made}
    if shape == "table":
        assert made == decisions
    elif shape == "transactions":
        assert kinds["n"] == ("real", True) and kinds["word"] == ("category", True)
        assert made[0].reason == "stated; nullable, because a deleted row has no values"
    else:
        assert [one.name for one in made] == ["who", "when", "n", "word"]
        assert kinds["n"] == ("real", False) and kinds["word"] is None
        assert made[3].reason == "left out: a series has numbers only, not a category"


# --- names ---


def test_a_wrong_shape_is_refused_with_the_list():
    age = {"name": "age", "kind": "integer"}
    with pytest.raises(ValidationError, match="'trajectories', 'people' or 'model'"):
        q.Schema.model_validate({"shape": "tabel", "columns": [age]})
    with pytest.raises(ValidationError, match="Input should be"):
        q.Schema.model_validate({"shape": "table-v1", "columns": [age]})
    with pytest.raises(PartError, match="unknown shape 'tabel'; did you mean 'table'"):
        find_shape("tabel")


def test_a_shape_of_ours_is_known_before_plugins_are_loaded(monkeypatch):
    # A process that reads files of strangers has little memory, and runs no code of plugins.
    def refuse():
        raise AssertionError("plugins are loaded")

    monkeypatch.setattr(registry, "load", refuse)
    for shape, data in examples():
        assert q.Schema.model_validate(data.schema.model_dump()) == data.schema
        assert find_shape(shape).name() == shape


def test_the_json_schema_lists_the_registered_shapes():
    field = edition_schema()["$defs"]["Schema"]["properties"]["shape"]
    assert field == {"default": "table", "enum": [*OURS], "title": "Shape", "type": "string"}


# --- a shape of a plugin, as the page has it ---


@pytest.fixture
def survey(monkeypatch):
    """The parts of the page, registered for one test."""
    monkeypatch.setattr(registry, "_parts", copy_registered_parts())
    names = {"__name__": "survey"}
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL):
        exec(compile(block, PAGE.name, "exec"), names)  # the last block runs the battery
    return names


def test_a_plugin_adds_a_shape(survey, tmp_path):
    assert shape_names() == [*OURS, "survey"]
    assert "survey" in edition_schema()["$defs"]["Schema"]["properties"]["shape"]["enum"]
    data = example("survey", rows=30)
    data.to_csv(tmp_path / "answers.csv")
    assert q.read(tmp_path / "answers.csv", data.schema).digest() == data.digest()
    for part, check in battery(survey["WeightedAge"]):
        check(part)


def test_a_part_for_tables_reads_the_view_of_another_shape(survey):
    data = example("survey", rows=60)
    table = as_table(data)
    assert table.schema.shape == "table" and table.schema.names == ("age", "job")
    assert as_table(data) is table
    guess, plain = (q.attack("nearest", one, targets=one.take(range(9))) for one in (data, table))
    assert guess.table.digest() == plain.table.digest()
    assert q.measure("marginals", data, data).keys() == q.measure("marginals", table, table).keys()


def test_an_audit_reads_a_survey_as_a_table(survey):
    data = example("survey", rows=60)
    one, other = data.take(range(30)), data.take(range(30, 60))
    audited = read_inputs(one, one, other)
    assert audited.original.digest() == as_table(one).digest()
    assert audited.control.digest() == as_table(other).digest()


@pytest.mark.parametrize(
    ("states", "wanted"),
    [
        ({"also": ()}, "series"),
        ({"also": ("transactions",)}, "series"),
        ({"also": ("series",), "deletes_in_place": True}, "transactions"),
    ],
)
def test_an_audit_says_of_which_shapes_it_can_make_nothing(survey, monkeypatch, states, wanted):
    data = example("survey", rows=20)
    shape = type(find_shape("survey"))
    for name, state in ({"row_is_person": False} | states).items():
        monkeypatch.setattr(shape, name, state)
    with pytest.raises(PartError, match=f"cannot be seen as {wanted}. Give their rows") as problem:
        q.audit(data, data)
    assert "the shape survey" in str(problem.value)


def test_a_sanitizer_must_name_the_shape(survey):
    data, rng = example("survey", rows=20), np.random.default_rng(0)
    part = q.part("rr", keep=0.5)
    with pytest.raises(PartError, match=r"sanitizer/rr-v1 is for table, not for survey"):
        sanitize(part, data, rng=rng, noise=q.Noise.for_test(1))
    copied = sanitize(q.part("identity"), data, rng=rng, noise=q.Noise.for_test(1)).release.data
    assert copied.schema == data.schema
    assert copied.digest() == data.take(data.order()).digest()


def test_a_view_lives_as_long_as_its_data(survey):
    data = example("survey", rows=20)
    view = weakref.ref(as_table(data))
    assert view() is as_table(data)
    del data
    gc.collect()
    assert view() is None


def test_a_shape_without_views_says_so(monkeypatch):
    monkeypatch.setattr(registry, "_parts", copy_registered_parts())

    @q.register("blind-v1")
    class Blind(type(find_shape("table"))):
        """A shape that names a view, and does not say how it is made."""

        also = ("transactions",)

    table = example_table(rows=3)
    blind = q.Table(table.schema.model_copy(update={"shape": "blind"}), table.columns)
    with pytest.raises(PartError, match="does not say how its data are seen as transactions"):
        as_transactions(blind)
    with pytest.raises(PartError, match="has no example data; define its method example"):
        example("blind")
