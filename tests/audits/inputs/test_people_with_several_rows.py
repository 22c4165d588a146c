"""People with several rows: they are what counts, if the audit is told whose row it is."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from benchmarks.audit import visits
from click.testing import CliRunner

from quintain.audits.pool import Evidence, PersonScores, Pool
from quintain.audits.reading.tables import read_inputs
from quintain.audits.release import audit_release
from quintain.audits.results import ReleaseAudit
from quintain.cli.main import cli
from quintain.data import Column, Schema, Table
from quintain.errors import DataError, KnowledgeError
from quintain.testing.examples import example

QUICK = {"permutations": 99}


def frame(first: int, *, rng: np.random.Generator) -> pd.DataFrame:
    """The visits of 90 patients."""
    return pd.DataFrame(dict(visits.visits(90, first, rng=rng).columns))


@pytest.fixture(scope="module")
def tables() -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    rng = np.random.default_rng(1)
    return frame(0, rng=rng), frame(1000, rng=rng), frame(2000, rng=rng)


@pytest.mark.slow
def test_visits_of_strangers_raise_an_alarm_only_if_rows_are_taken_for_people(tables):
    original, control, strangers = tables
    release = strangers.drop(columns="patient_id")
    rows = audit_release(original, release, control, **QUICK)
    people = audit_release(original, release, control, unit="patient_id", **QUICK)
    assert rows.p <= 0.05 < people.p
    assert any("'patient_id'" in limit and "unit" in limit for limit in rows.limits)
    assert any("A person counts once" in limit for limit in people.limits)


@pytest.mark.slow
def test_rows_of_one_person_on_both_sides_ask_for_the_unit_and_do_not_blame_the_control(tables):
    """Somebody split by rows: every visit is there twice, once on each side."""
    visited, _, strangers = tables
    original, control = visited, visited[:-1]
    release = strangers.drop(columns="patient_id")
    audit = audit_release(original, release, control, **QUICK)
    assert audit.verdict == "cannot-say"
    assert "--unit patient_id" in audit.reasons[0]
    assert not any("seems to be in the original" in limit for limit in audit.limits)
    bare = [table.drop(columns="patient_id") for table in (original, control)]
    blamed = audit_release(bare[0], release, bare[1], **QUICK)
    assert any("seems to be in the original" in limit for limit in blamed.limits)


@pytest.mark.slow
def test_copied_visits_give_patients_away(tables):
    original, control, _ = tables
    release = original.drop(columns="patient_id")[::2]
    audit = audit_release(
        original, release, control, unit="patient_id", show_exposed=5, seed=3, **QUICK
    )
    assert audit.verdict == "unsafe"
    assert audit.exposed_share.n == 180
    assert audit.nameable_records.value <= 90
    patients = original["patient_id"].to_numpy()[[one.row for one in audit.exposed]]
    assert len(set(patients)) == 5
    assert ReleaseAudit.model_validate_json(audit.model_dump_json()) is not None


def test_scores_are_gathered_by_person():
    schema = Schema(columns=(Column(name="a", kind="integer", low=0, high=9),))
    one, other = (Table(schema, {"a": np.arange(3)}) for _ in range(2))
    units = np.array([7, 7, 3, 5, 4, 4])
    pool = Pool.of(one, other, units, rng=np.random.default_rng(0))
    scores = np.where(pool.members, pool.rows + 1.0, -1.0 - pool.rows)
    scores[pool.units == 5] = np.nan
    people = PersonScores.of(pool, [Evidence("x", scores)])
    assert people.members.tolist() == [True, False, False, True]  # persons 3, 4, 5, 7
    mean, highest = (evidence.scores.tolist() for evidence in people.evidence)
    assert mean[:2] == [3.0, -2.5] and np.isnan(mean[2]) and mean[3] == 1.5
    assert highest[:2] == [3.0, -2.0] and np.isnan(highest[2]) and highest[3] == 2.0
    assert pool.units[people.records[1]].tolist() == [3, 4, 5, 7]


def test_every_fault_of_a_unit_is_told(tables):
    original, control, _ = tables
    release = original.drop(columns="patient_id")
    with pytest.raises(DataError) as error:
        audit_release(original, release, control, unit="patient")
    assert len(error.value.faults) == 2
    with pytest.raises(DataError, match="90 people of the original"):
        audit_release(original, release, original, unit="patient_id")


def test_options_that_series_do_not_heed_are_refused():
    series = example("series")
    with pytest.raises(KnowledgeError, match="unit: only an audit of a table takes this"):
        audit_release(series, series, unit="person")
    with pytest.raises(KnowledgeError, match="known, header, show_exposed: only"):
        audit_release(series, series, known=["age"], header=False, show_exposed=3)


@pytest.mark.slow
def test_the_command_takes_a_unit(tables, tmp_path):
    files = [tmp_path / f"{name}.csv" for name in ("original", "control", "release")]
    for file, table in zip(files, tables, strict=True):
        table.to_csv(file, index=False)
    words = ["audit", "release", "--original", files[0], "--control", files[1]]
    words += ["--release", files[2], "--unit", "patient_id", "--json"]
    result = CliRunner().invoke(cli, [str(word) for word in words])
    assert result.exit_code == 0, result.output
    audit = ReleaseAudit.model_validate_json(result.stdout)
    assert audit.p > 0.05
    assert "--unit patient_id" in audit.command


@pytest.mark.slow
def test_the_benchmark_counts_people():
    assert 0 < visits.draw(0, 20, "patient_id") <= 1


@pytest.mark.parametrize(
    ("name", "people", "asks"),
    [("person", 60, True), ("Patient", 60, True), ("client", 3, False), ("town", 60, False)],
)
def test_a_column_that_names_people_asks_for_a_unit(name, people, asks):
    rng = np.random.default_rng(0)
    tables = [
        pa.table(
            {
                name: [f"{side}{n}" for n in rng.integers(0, people, 200)],
                "age": rng.integers(20, 80, 200),
                "cost": rng.integers(0, 9000, 200),
            }
        )
        for side in "orc"
    ]
    assert bool(read_inputs(*tables).repeated) is asks
