"""Audits of people with several tables: what they see, what they say, and what they refuse."""

import json
import shutil

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from benchmarks.audit import folders as benchmark
from click.testing import CliRunner

import quintain as q
from quintain.audits.pool import Pool
from quintain.audits.reading.tables import read_inputs
from quintain.audits.release import audit_release
from quintain.audits.risks.histories import measure_histories
from quintain.audits.split import split_people
from quintain.audits.verdict import Effects, judge
from quintain.cli.main import cli
from quintain.data.learning.people import learn_people
from quintain.data.people_files import read_people
from quintain.errors import DataError, KnowledgeError
from quintain.measures import Reading
from quintain.testing.examples import example

QUICK = {"permutations": 99}


def rng(seed=0):
    return np.random.default_rng(seed)


def hospital(people, first=0, seed=0):
    return dict(benchmark.hospital(people, first, rng=rng(seed)))


def write(tables, folder):
    folder.mkdir()
    for name, table in tables.items():
        pyarrow.csv.write_csv(table, folder / f"{name}.csv")
    return folder


@pytest.fixture(scope="module")
def made():
    return benchmark.patients(60, rng=rng())


@pytest.fixture(scope="module")
def audit(made):
    """An audit as notebooks ask for it: data frames by the name of their table."""
    sides = [
        {name: table.to_pandas() for name, table in tables.items()}
        for tables in (made.original, made.release, made.control)
    ]
    return q.audit(*sides, key=made.key.to_pandas(), permutations=99).audit


@pytest.mark.slow
def test_a_perturbed_release_of_three_tables_is_unsafe_for_the_right_reason(audit):
    assert audit.verdict == "unsafe"
    assert "knows all rows of somebody" in audit.reasons[0]
    assert audit.histories.stands_out.value > 0.9 and audit.histories.right.value > 0.9
    assert audit.histories.control.value <= 0.05


def test_each_table_is_tried_alone_and_named_by_what_it_gives_away(audit):
    shares = {table.table: table.stands_out.value for table in audit.histories.tables}
    assert list(shares) == ["patients", "visits", "drugs"]
    assert min(shares["visits"], shares["drugs"]) > 0.6 > shares["patients"]
    assert "By one table alone:" in audit.reasons[0]


def test_rows_of_tables_and_aggregates_are_attacked_too(audit):
    attacks = {finding.attack for finding in audit.readings}
    assert {"nearest", "nearest on visits", "nearest on drugs", "histories"} <= attacks
    assert any("one row of aggregates" in limit for limit in audit.limits)
    assert [entry.name for entry in audit.inputs[:3]] == [
        "original/patients",
        "original/visits",
        "original/drugs",
    ]
    assert audit.release_name == "release"


def test_an_audit_of_tables_goes_into_json_and_back(audit):
    assert type(audit).model_validate_json(audit.model_dump_json()) == audit


def test_whole_people_who_are_copied_are_counted():
    copied = benchmark.pseudonyms(40, rng=rng(1))
    inputs = read(dict(copied.original), dict(copied.release), dict(copied.control))
    pool = Pool.of(inputs.original, inputs.control, rng=rng())
    histories = measure_histories(inputs.sides.pool(pool), rng=rng()).histories
    assert histories.copied.value == 1 and histories.copied_control.value == 0
    none = Reading.exact(0.0, 40, "lower")
    verdict = judge(Effects(0.5, 40, none, none, none, histories=histories, several_tables=True))
    assert verdict.verdict == "unsafe"
    assert "all rows of 40 of 40 people" in verdict.reasons[0]


@pytest.mark.slow
def test_without_a_control_it_says_that_histories_need_one(made):
    tables = dict(made.original), dict(made.release)
    audit = audit_release(*tables, **QUICK)
    assert audit.p is None and audit.verdict == "cannot-say"
    assert "histories" in {left.what for left in audit.not_computed}
    assert any("None compared people by all their rows" in limit for limit in audit.limits)
    told = audit_release(*tables, key=made.key, **QUICK)
    assert told.verdict == "unsafe" and "the right one of 60 pseudonyms" in told.reasons[0]


# --- the benchmark ---


@pytest.mark.parametrize("design", benchmark.DESIGNS)
def test_the_nulls_are_people_whom_nobody_knows(design):
    made = benchmark.nulls(12, rng=rng(), design=design)
    inputs = read(dict(made.original), dict(made.release), dict(made.control))
    assert inputs.sides.known.size == 24 and inputs.sides.shown.size == 12
    assert inputs.sides.right is None
    lengths = inputs.sides.known.tables["visits"].lengths()
    assert (lengths.min(), lengths.max()) == {"one visit": (1, 1)}.get(
        design, (12, 12) if design != "unequal" else (lengths.min(), lengths.max())
    )


def test_many_people_have_three_tables():
    tables = benchmark.flat(5, 4, 100, rng=rng())
    assert {name: len(table) for name, table in tables.items()} == {
        "rows0": 20,
        "rows1": 20,
        "rows2": 20,
    }


# --- reading ---


def read(original, release, control=None, **options):
    return read_inputs(original, release, control, rng=rng(), **options)


def test_data_of_people_are_read_with_their_own_schema():
    people = example("people", rows=400)
    parts = [people.take(range(start, start + 12)) for start in (0, 12, 24)]
    inputs = read(parts[0], parts[1], parts[2])
    assert inputs.sides.known.size == 24
    assert list(inputs.sides.known.tables) == list(people.people.tables)


@pytest.mark.slow
def test_the_release_may_lack_a_table_and_the_verdict_says_so():
    original, release = hospital(30), hospital(30, 10**6, 1)
    del release["patients"]
    inputs = read(original, release)
    assert set(inputs.sides.known.tables) == {"visits", "drugs"}
    assert "the table 'patients'" in {left.what for left in inputs.not_computed}


@pytest.mark.slow
def test_a_released_table_without_its_link_is_not_seen():
    original, release = hospital(30), hospital(30, 10**6, 1)
    release["drugs"] = release["drugs"].drop_columns(["visit_id"])
    inputs = read(original, release)
    assert "all of drugs" in inputs.coverage.unseen


@pytest.mark.slow
def test_a_table_with_another_key_of_people_is_said_to_be_unseen():
    sides = hospital(30), hospital(30, 10**6, 1)
    for tables in sides:
        patients = tables["patients"]
        card = pa.array([f"card {name}" for name in patients["patient_id"].to_pylist()])
        tables["patients"] = patients.append_column("insurance_no", card)
        tables["claims"] = pa.table({"insurance_no": card.take(pa.array([0, 0, 5, 9]))})
    inputs = read(*sides)
    assert "all of claims" in inputs.coverage.unseen


@pytest.mark.slow
@pytest.mark.parametrize(
    "called",
    [
        {"patients": "PATIENTS", "visits": "Visits"},
        {"patients": "patients_public", "visits": "public visits", "drugs": "drugs2"},
    ],
)
def test_tables_of_the_release_may_have_other_names(called):
    original, shown = hospital(30), hospital(30, 10**6, 1)
    release = {called.get(name, name): table for name, table in shown.items()}
    inputs = read(original, release)
    assert set(inputs.sides.known.tables) == {"patients", "visits", "drugs"}
    assert {match.column for match in inputs.matched} >= {f"table {name}" for name in called}
    with pytest.raises(DataError, match="its tables are: "):
        read(original, dict.fromkeys(("other", "tables"), shown["drugs"]))


@pytest.mark.slow
def test_columns_of_the_release_may_have_other_names():
    original, release = hospital(30), hospital(30, 10**6, 1)
    for name, table in release.items():
        names = [
            column_name.replace("patient_id", "pseudonym").upper()
            for column_name in table.column_names
        ]
        release[name] = table.rename_columns(names)
    inputs = read(original, release)
    assert set(inputs.sides.known.tables) == {"patients", "visits", "drugs"}
    assert not inputs.coverage.unseen
    told = {match.column: match.says for match in inputs.matched}
    assert "Its column 'PSEUDONYM' is taken for it" in told["visits.patient_id"]
    with pytest.raises(DataError, match="nobody can tell whose rows"):
        read_inputs(original, release, as_written=True, rng=rng())


@pytest.mark.slow
def test_rows_without_a_key_of_their_own_still_belong_to_people():
    original, release = hospital(30), hospital(30, 10**6, 1)
    visits = release["visits"].drop_columns(["visit_id"])
    case = pa.array([f"c{n // 2}" for n in range(len(visits))])
    release["visits"] = visits.append_column("case_no", case)  # no key: it repeats
    inputs = read(original, release)
    assert set(inputs.sides.known.tables) == {"patients", "visits"}
    assert "all of drugs" in inputs.coverage.unseen
    reasons = {left.what: left.reason for left in inputs.not_computed}
    assert "whose key the release does not have" in reasons["the table 'drugs'"]


def test_a_release_without_any_link_is_refused():
    original, release = hospital(30), hospital(30, 10**6, 1)
    bare = {"visits": release["visits"].drop_columns(["patient_id", "visit_id"])}
    with pytest.raises(DataError, match="no table that tells whose row"):
        read(original, bare)


def test_people_on_both_sides_are_refused():
    original = hospital(30)
    with pytest.raises(DataError, match="30 people of the original"):
        read(original, hospital(30, 10**6, 1), original)


def test_every_fault_comes_with_table_row_and_column_and_the_next_command(tmp_path):
    tables = hospital(30)
    drugs = tables["drugs"]
    cells = drugs["visit_id"].to_pylist()
    cells[3] = "v nobody"
    tables["drugs"] = drugs.set_column(0, "visit_id", pa.array(cells))
    patients = tables["patients"]
    tables["patients"] = pa.concat_tables([patients, patients.slice(2, 1)])
    folder = write(tables, tmp_path / "hospital")
    with pytest.raises(DataError) as error:
        read(folder, write(hospital(30, 10**6, 1), tmp_path / "release"))
    words = str(error.value)
    assert "hospital/drugs.csv:5 visit_id='v nobody': expected a key of visits" in words
    assert "hospital/patients.csv:32 patient_id='p 2': expected each key once" in words
    assert f"quintain schema learn {folder} > people.json" in words


def test_tables_whose_people_are_not_clear_get_the_next_command(tmp_path):
    folder = tmp_path / "unclear"
    folder.mkdir()
    (folder / "a.csv").write_text("x,y\n1,2\n1,3\n")
    with pytest.raises(DataError, match=r"no column says whose row(?s:.*)quintain schema learn"):
        read(folder, folder)


def test_a_schema_of_one_table_does_not_fit_several(tmp_path):
    file = tmp_path / "schema.json"
    file.write_text(json.dumps({"format": "quintain.schema/1", "columns": []}))
    with pytest.raises(KnowledgeError, match="single table"):
        audit_release(hospital(5), hospital(5, 10**6), schema=file)


@pytest.mark.slow
def test_a_stated_schema_decides(tmp_path):
    original, release = hospital(30), hospital(30, 10**6, 1)
    file = tmp_path / "people.json"
    both = {name: pa.concat_tables([original[name], release[name]]) for name in original}
    file.write_text(learn_people(both).to_json())
    inputs = read(original, release, schema=file)
    assert list(inputs.sides.known.tables) == ["patients", "visits", "drugs"]


@pytest.mark.slow
def test_zips_and_parquet_are_read_like_folders(tmp_path):
    import zipfile

    tables = hospital(20)
    with zipfile.ZipFile(tmp_path / "tables.zip", "w") as archive:
        for name, table in tables.items():
            path = tmp_path / f"{name}.parquet"
            pyarrow.parquet.write_table(table, path)
            archive.write(path, f"tables/{name}.parquet")
    folder = write(hospital(20, 10**6, 1), tmp_path / "release")
    inputs = read(tmp_path / "tables.zip", folder)
    assert inputs.sides.known.size == 20


# --- splitting ---


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::quintain.data.learning.learn.LearnedSchema")
def test_a_folder_is_split_by_person(tmp_path):
    folder = write(hospital(40), tmp_path / "hospital")
    (folder / "wards.csv").write_text(
        "ward,floor\n" + "".join(f"w {i},{i % 3}\n" for i in range(30))
    )
    parts = split_people(folder, tmp_path / "parts", share=0.25, seed=3)
    assert [part.units for part in parts] == [30, 10]
    sides = [read_people(part.path, person="patient_id") for part in parts]
    assert not set(sides[0].keys) & set(sides[1].keys)
    whole = read_people(folder, person="patient_id")
    for name in ("patients", "visits", "drugs"):
        assert sum(len(side.tables[name]) for side in sides) == len(whole.tables[name])
    texts = [(part.path / "wards.csv").read_text() for part in parts]
    assert texts[0] == texts[1] == (folder / "wards.csv").read_text()
    again = split_people(folder, tmp_path / "again", share=0.25, seed=3)
    files = [sorted(part.path.iterdir()) for part in (parts[0], again[0])]
    assert [f.read_bytes() for f in files[0]] == [f.read_bytes() for f in files[1]]


def test_the_command_splits_and_prints_the_whole_next_command(tmp_path):
    folder = write(hospital(20), tmp_path / "hospital")
    done = CliRunner().invoke(
        cli, ["audit", "split", "--data", str(folder), "--out", str(tmp_path / "parts")]
    )
    assert done.exit_code == 0, done.output
    assert "10 people" in done.output
    first, control = tmp_path / "parts" / "to-sanitize", tmp_path / "parts" / "control"
    command = f"quintain audit release --original {first} --release r --control {control}"
    assert f"{command} --out audited" in done.output


@pytest.mark.slow
def test_the_command_audits_folders(tmp_path):
    strange = benchmark.strangers(30, rng=rng(6))
    folders = [
        write(tables, tmp_path / name)
        for name, tables in (
            ("o", strange.original),
            ("r", strange.release),
            ("c", strange.control),
        )
    ]
    options = zip(("--original", "--release", "--control"), map(str, folders), strict=True)
    words = ["audit", "release", *(word for pair in options for word in pair), "--json"]
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 0, done.output
    audit = json.loads(done.stdout)
    assert audit["command"].startswith(
        "quintain audit release --original o --release r --control c"
    )
    assert audit["p"] > 0.05 and audit["verdict"] in ("nothing-found", "cannot-say")
    assert [row["table"] for row in audit["histories"]["tables"]] == ["patients", "visits", "drugs"]


@pytest.mark.slow
def test_people_without_rows_and_rows_out_of_order_are_told(made):
    visits = made.original["visits"]
    inputs = read(dict(made.original), dict(made.release), dict(made.control))
    assert not [limit for limit in inputs.limits if "have no row in" in limit]
    gone = visits.filter(pa.compute.not_equal(visits["patient_id"], visits["patient_id"][0]))
    kept = pa.compute.is_in(made.original["drugs"]["visit_id"], gone["visit_id"])
    turned = gone.take(np.arange(len(gone))[::-1])
    original = dict(made.original) | {
        "visits": turned,
        "drugs": made.original["drugs"].filter(kept),
    }
    inputs = read(original, dict(made.release), dict(made.control))
    told = [limit for limit in inputs.limits if "of the original" in limit]
    assert told[0] == (
        "1 of 60 people of the original have no row in visits: that table alone says nothing of "
        "them."
    )
    late = next(limit for limit in told if limit.startswith("In visits, "))
    days = turned["day"].to_numpy()
    people = turned["patient_id"].to_pylist()
    last = {}
    rows = []
    for row, (person, day) in enumerate(zip(people, days, strict=True), 1):
        if person in last and day < last[person]:
            rows.append(row)
        last[person] = day
    assert f"{len(rows):,} rows of the original have an earlier day than the row above" in late
    assert f"the first is row {rows[0]:,}." in late


@pytest.mark.slow
def test_files_of_a_release_that_are_no_tables_are_told(made, tmp_path):
    folder = write(made.release, tmp_path / "release")
    sides = dict(made.original), folder, dict(made.control)
    assert not [limit for limit in read(*sides).limits if "no tables of it" in limit]
    (folder / "notes.pdf").write_bytes(b"%PDF")
    (folder / ".DS_Store").write_bytes(b"")
    (folder / "schema.json").write_text('{"tables": []}')  # `quintain sanitize` writes one
    (folder / "visits.csv.parts").mkdir()
    told = (
        "The release has files that are no tables of it: notes.pdf, visits.csv.parts/. The audit "
        "does not look at what they give away."
    )
    assert told in read(*sides).limits
    archive = shutil.make_archive(str(tmp_path / "release"), "zip", folder)
    limits = read(dict(made.original), archive, dict(made.control)).limits
    assert [limit for limit in limits if "notes.pdf" in limit]


def test_a_table_of_the_release_without_rows_is_left_out(made):
    release = {**made.release, "drugs": made.release["drugs"].slice(0, 0)}
    inputs = read_inputs(made.original, release, made.control, rng=rng())
    (left,) = (left for left in inputs.not_computed if left.what == "the table 'drugs'")
    assert left.reason == "the release has no row of it"
    assert "drugs" not in inputs.sides.tables
