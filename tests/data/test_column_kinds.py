"""Kinds of columns: one list of names, coordinates, and kinds of plugins."""

import re
from pathlib import Path
from typing import ClassVar

import numpy as np
import pyarrow.parquet as pq
import pytest
from pydantic import ValidationError

import quintain as q
from quintain import registry
from quintain.audits.reading.tables import read_inputs
from quintain.contests import load
from quintain.contests.json_schema import edition_schema
from quintain.contests.words import column_words
from quintain.data import Column, Schema, Table, learn
from quintain.data.codec import format_texts, parse_texts
from quintain.data.column import find_kind, kind_names
from quintain.data.column_kinds.identifier import Id
from quintain.data.plain import gather, plain_view
from quintain.errors import DataError, PartError, QuintainError
from quintain.kit.codabench.plan import written_columns
from quintain.runs.play import play
from quintain.testing import battery
from tests.registered import copy_registered_parts

OURS = ["category", "integer", "real", "time", "id", "coordinates"]
PAGE = Path(__file__).parents[2] / "docs/how-to/add-a-kind-of-column.md"
HOME = Column(name="home", kind="coordinates")


def test_a_column_names_a_registered_kind():
    assert kind_names() == OURS
    with pytest.raises(ValidationError, match="Input should be 'category', 'integer'"):
        Column(name="age", kind="integre")
    with pytest.raises(PartError, match="unknown kind 'integre'; did you mean 'integer'"):
        find_kind("integre")


def test_a_kind_of_ours_is_known_before_plugins_are_loaded(monkeypatch):
    # A process that reads files of strangers runs no code of plugins.
    def refuse():
        raise AssertionError("plugins are loaded")

    monkeypatch.setattr(registry, "load", refuse)
    for name in OURS:
        values = ("a",) if name == "category" else ()
        assert Schema(columns=(Column(name="x", kind=name, values=values),)).names == ("x",)


def test_the_json_schema_lists_the_registered_kinds():
    field = edition_schema()["$defs"]["Column"]["properties"]["kind"]
    assert field["enum"] == OURS


# --- coordinates ---


def homes(rows, seed):
    """A table of invented people around Paris, as the text of a CSV file."""
    rng = np.random.default_rng(seed)
    north, east = rng.normal([[48.85], [2.35]], 0.05, (2, rows))
    lines = [
        f'"{a:.4f},{b:.4f}",{rng.integers(20, 80)},town {rng.integers(4)}'
        for a, b in zip(north, east, strict=True)
    ]
    return "\n".join(["home,age,town", *lines, ""])


@pytest.fixture
def people(tmp_path):
    """The path of a table with coordinates."""
    path = tmp_path / "people.csv"
    path.write_text(homes(120, 1))
    return path


def test_coordinates_are_learned_read_and_written(people, tmp_path):
    schema = learn(people).schema
    assert schema["home"] == HOME
    table = q.read(people, schema)
    table.to_csv(tmp_path / "again.csv")
    assert q.read(tmp_path / "again.csv", schema).digest() == table.digest()
    first = people.read_text().splitlines()[1].split('"')[1]
    assert table.records()[0]["home"] == re.sub(r"0+(,|$)", r"\1", first)
    frame = q.data.to_pandas(table)
    assert q.from_frame(frame, schema).digest() == table.digest()


@pytest.mark.parametrize("text", ["1.5", "3,5 ", "91.5,2.3", "48.8;2.3", "48.8,181.0", "Paris"])
def test_a_cell_without_coordinates_gets_a_sentence(people, text):
    people.write_text(people.read_text() + f'"{text}",20,town 1\n')
    with pytest.raises(DataError, match=r"latitude and a longitude such as 48.8566,2.3522"):
        q.read(people, Schema(columns=(HOME, *learn(people).schema.columns[1:])))


def test_somebody_may_say_that_coordinates_are_words(people):
    people.write_text(people.read_text() + people.read_text().split("\n", 1)[1])
    assert learn(people).schema["home"].kind == "coordinates"
    assert learn(people, words=["home"]).schema["home"].listed


def test_the_rules_of_a_contest_name_the_corners():
    france = Column(name="home", kind="coordinates", within=("41.3,-5.2", "51.1,9.6"))
    assert column_words(france) == "coordinates from 41.3,-5.2 to 51.1,9.6"
    assert column_words(HOME) == "coordinates"


@pytest.mark.slow
def test_a_contest_is_played_on_coordinates(tmp_path):
    (tmp_path / "people.csv").write_text(homes(400, 1))
    (tmp_path / "mine.toml").write_text("""
        id = "mine"
        title = "Homes"
        goal = "membership"
        sample = { use = "targets", targets = 20, background = 100 }
        privacy = [{ use = "auc" }]
        utility = [{ use = "marginals" }]
        board = [{ id = "attackers", use = "count-wins", measure = "auc" }]
        sanitizer = [{ use = "identity" }, { use = "mst", epsilon = 9.0 }]
        baseline = [{ id = "nearest", attack = { use = "nearest" } }]
        [dataset]
        use = "file"
        path = "people.csv"
    """)
    play(load(tmp_path / "mine.toml"), tmp_path / "run", seed=1)
    cells = pq.read_table(tmp_path / "run/results/cells.parquet").to_pylist()
    values = {c["entry"]: c["value"] for c in cells if c["measure"] == "auc"}
    assert values["identity"] > 0.9
    assert "coordinates" in (tmp_path / "run/results/report.html").read_text()


@pytest.mark.slow
def test_an_audit_of_a_sanitizer_plays_with_coordinates(people):
    audit = q.audit_sanitizer("swapping", people, runs=100, seed=1, attacks=False)
    assert audit.audit.settings


def test_a_program_on_codabench_gets_no_column_that_it_cannot_read():
    age = Column(name="age", kind="integer")
    assert written_columns(Schema(columns=(age,)))[0]["kind"] == "integer"
    with pytest.raises(QuintainError, match="cannot read coordinates, which 'home' has"):
        written_columns(Schema(columns=(age, HOME)))


def test_two_numbers_with_decimal_commas_are_no_coordinates(people):
    people.write_text("x,y\n" + "".join(f'"{n},5","{n}.5,{n}.25"\n' for n in range(50)))
    kinds = [column.kind for column in learn(people).schema.columns]
    assert kinds[0] != "coordinates" == kinds[1]


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"within": ("41.3,-5.2", "Lyon")}, "'Lyon', which is no latitude,longitude"),
        ({"within": ("51.1,9.6", "41.3,-5.2")}, "the south-western corner first"),
        ({"low": 3}, "it cannot have low"),
        ({"values": ("48.8,2.3",)}, "is not a category"),
    ],
)
def test_a_domain_that_makes_no_sense_is_refused(facts, words):
    with pytest.raises(ValidationError, match=words):
        Column(name="home", kind="coordinates", **facts)


def test_only_coordinates_lie_within_corners():
    with pytest.raises(ValidationError, match="has no coordinates, so it cannot have within"):
        Column(name="age", kind="integer", within=("41.3,-5.2", "51.1,9.6"))
    france = Column(name="home", kind="coordinates", within=("41.3,-5.2", "51.1,9.6"))
    _, bad = parse_texts(france, ["48.8566,2.3522", "40.4,-3.7", "41.3,-5.2", "51.1,9.6001"])
    assert bad.tolist() == [False, True, False, True]


def test_the_view_with_plain_columns_leads_back_to_the_same_places():
    column = Column(name="home", kind="coordinates", nullable=True)
    texts = ["-90,-180", "90,180", "0,0", "-0.0000001,0.0000001", "", "48.8566,2.3522"]
    stored, bad = parse_texts(column, texts)
    assert not bad.any()
    table = Table(Schema(columns=(column,)), {"home": stored})
    view = plain_view(table)
    assert view is plain_view(table)
    assert view.numbers("home.latitude")[[0, 1, 5]].tolist() == [-90, 90, 48.8566]
    assert gather(view, table.schema).digest() == table.digest()
    assert format_texts(column, stored) == texts
    with pytest.raises(PartError, match="coordinates, which are no numbers"):
        table.numbers("home")


def test_attacks_measures_and_sanitizers_see_latitude_and_longitude(people):
    table = q.read(people, learn(people).schema)
    rng = np.random.default_rng(2)
    moved = table.columns["home"] + rng.integers(-9, 9, len(table))  # a few centimetres
    release = table.replace({"home": moved}).take(np.arange(60))
    guess = q.attack("nearest", release, targets=table)
    auc = q.measure("auc", guess, np.arange(120) < 60)["auc"].value
    assert auc > 0.95  # age and town alone give less
    alone = [data.drop("home") for data in (release, table)]
    blind = q.attack("nearest", alone[0], targets=alone[1])
    assert q.measure("auc", blind, np.arange(120) < 60)["auc"].value < auc
    assert q.measure("marginals", table, table)["tv1"].value == 0
    swapped = q.sanitize("swapping", table, seed=1)
    assert swapped.data.schema == table.schema


def test_k_anonymity_coarsens_coordinates_or_says_their_names(people):
    table = q.read(people, learn(people).schema)
    names = ["home.latitude", "home.longitude"]
    coarse = q.sanitize("k-anonymity", table, k=5, columns=names, seed=1).data
    counts = np.unique(coarse.columns["home"], return_counts=True)[1]
    assert len(coarse) and counts.min() >= 5
    with pytest.raises(PartError, match=r"unknown column 'home'; available: home\.latitude"):
        q.sanitize("k-anonymity", table, k=5, columns=["home"], seed=1)


def test_an_audit_looks_at_coordinates(people, tmp_path):
    for name, text in (("release", homes(120, 1)), ("control", homes(120, 2))):
        (tmp_path / f"{name}.csv").write_text(text)
    inputs = read_inputs(people, tmp_path / "release.csv", tmp_path / "control.csv")
    assert inputs.original.schema.names == ("home.latitude", "home.longitude", "age", "town")
    assert inputs.coverage.compared == 3 and not inputs.coverage.uncompared


def test_coordinates_that_the_release_writes_with_fewer_digits_are_compared(people, tmp_path):
    rounded = re.sub(r"(\.\d)\d*", r"\1", homes(120, 1))
    (tmp_path / "release.csv").write_text(rounded)
    inputs = read_inputs(people, tmp_path / "release.csv")
    assert inputs.release.schema["home.latitude"].numeric
    assert not inputs.coverage.uncompared


# --- kinds of plugins ---


@pytest.fixture
def money(monkeypatch):
    """The kind of the page, registered for one test."""
    monkeypatch.setattr(registry, "_parts", copy_registered_parts())
    names = {"__name__": "money"}
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL):
        exec(compile(block, PAGE.name, "exec"), names)  # the last block runs the battery
    return names["Money"]


def wages(rows, seed):
    """A table of invented wages, as the text of a CSV file."""
    rng = np.random.default_rng(seed)
    lines = [f"{pay:.2f} EUR,{rng.integers(20, 80)}" for pay in rng.lognormal(7, 0.5, rows)]
    return "\n".join(["pay,age", *lines, ""])


def test_a_plugin_takes_a_kind_from_the_schema_to_a_measure(money, tmp_path):
    assert kind_names() == [*OURS, "money"]
    path = tmp_path / "pay.csv"
    path.write_text(wages(100, 1))
    schema = learn(path).schema
    assert schema["pay"].kind == "money"
    assert Schema.model_validate_json(schema.model_dump_json()) == schema
    table = q.read(path, schema)
    assert table.csv_bytes() == path.read_bytes()
    release = q.sanitize("cart", table, seed=1)
    (pay, _) = release.data.csv_bytes().splitlines()[1].split(b",")
    assert re.fullmatch(rb"-?\d+\.\d\d EUR", pay)
    assert q.measure("marginals", table, release)["tv1"].value < 0.4
    path.write_text(wages(100, 1) + "12.5 EUR,30\n")
    with pytest.raises(DataError, match=r"expected an amount such as 12\.50 EUR"):
        q.read(path, schema)


def test_an_audit_compares_the_amounts_of_a_plugin(money, tmp_path):
    paths = [tmp_path / f"{name}.csv" for name in ("original", "release", "control")]
    for path, seed in zip(paths, (1, 1, 2), strict=True):
        path.write_text(wages(100, seed))
    inputs = read_inputs(*paths)
    assert inputs.coverage.compared == 2 and not inputs.coverage.unseen
    assert np.array_equal(inputs.original.numbers("pay"), inputs.release.numbers("pay"))


class Phrase(Id):
    """Words that describe people, and that no part can see.

    >>> Column(name="motto", kind="phrase").identifying
    False
    """

    identifying: ClassVar[bool] = False
    plural: ClassVar[str] = "phrases"
    spelling: ClassVar[str] = "^say "


@pytest.fixture
def phrase(monkeypatch):
    monkeypatch.setattr(registry, "_parts", copy_registered_parts())
    registry.register("phrase-v1")(Phrase)
    for part, check in battery(Phrase):
        check(part)


def test_parts_refuse_a_kind_that_they_cannot_see(phrase):
    motto, age = Column(name="motto", kind="phrase"), Column(name="age", kind="integer")
    rows = {"motto": ["say a", "say b"], "age": [1, 2]}
    table = Table.of(Schema(columns=(motto, age)), rows)
    reason = "'motto' has phrases, and kind/phrase-v1 does not say how other parts see them"
    with pytest.raises(PartError, match=reason):
        q.sanitize("swapping", table, seed=1)
    with pytest.raises(PartError, match=reason):
        q.attack("nearest", table, targets=table)
    with pytest.raises(PartError, match=reason):
        q.measure("marginals", table, table)
    assert q.part("swapping").refusal(table.schema).startswith(reason)


def test_an_audit_says_that_nothing_looked_at_such_a_kind(phrase, tmp_path):
    paths = [tmp_path / f"{name}.csv" for name in ("original", "release", "control")]
    for path, seed in zip(paths, (1, 2, 3), strict=True):
        lines = homes(80, seed).splitlines()
        more = ["motto", *(f"say {row % 7}" for row in range(80))]
        joined = (f"{line},{own}" for line, own in zip(lines, more, strict=True))
        path.write_text("\n".join([*joined, ""]))
    inputs = read_inputs(*paths)
    assert "motto" not in inputs.original.schema.names
    assert inputs.coverage.unseen == ("motto",)
    (left,) = (left for left in inputs.not_computed if "motto" in left.what)
    assert "does not say how attacks see them" in left.reason
