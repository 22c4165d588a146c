"""Several tables in a notebook: frames by name or a folder, sanitized and attacked."""

import numpy as np
import pandas as pd
import pytest

import quintain as q
from quintain.data.learning.learn import LearnedSchema
from quintain.data.people_files import SCHEMA_FILE, write_people
from quintain.data.sources.clinic import Clinic, clinic_schema
from quintain.errors import DataError, KnowledgeError, PartError


@pytest.fixture(scope="module")
def frames():
    trees = Clinic(rows=60).data(np.random.default_rng(1))
    named = trees.with_keys([f"Ms {number}" for number in range(len(trees))])
    return {name: _frame(table) for name, table in named.to_tables().items()}


def _frame(table):
    return q.data.to_pandas(table).astype({"patient": str} if "patient" in table.schema else {})


def test_a_release_has_the_tables_and_no_names(frames):
    release = q.sanitize("row-dropping", frames, schema=clinic_schema(), share=0.3, seed=2)
    tables = release.to_frames()
    assert list(tables) == ["patients", "visits", "prescriptions"]
    assert set(tables["patients"].patient) == {str(n) for n in range(1, 61)}
    assert set(tables["visits"].patient) <= set(tables["patients"].patient)
    assert set(tables["prescriptions"].visit) <= set(tables["visits"].visit)
    assert len(tables["visits"]) < len(frames["visits"])
    assert sorted(release.published_rows.tolist()) == list(range(60))


def test_a_folder_is_sanitized_by_the_schema_in_it(tmp_path):
    trees = Clinic(rows=30).data(np.random.default_rng(1))
    write_people(trees, tmp_path)
    release = q.sanitize("new-pseudonyms", tmp_path, schema=tmp_path / SCHEMA_FILE, seed=1)
    assert len(release.data) == 30


def test_a_learned_schema_is_told(frames):
    with pytest.warns(LearnedSchema, match="the schema is learned from the tables"):
        release = q.sanitize("new-pseudonyms", frames, seed=1)
    assert len(release.data) == 60


def test_people_are_named_by_a_few_rows(frames):
    release = q.sanitize("new-pseudonyms", frames, schema=clinic_schema(), seed=2)
    known = {"visits": frames["visits"], "prescriptions": frames["prescriptions"]}
    guess = q.attack("histories", release, targets=known, goal="naming", seed=0)
    people = pd.unique(known["visits"].patient)
    place = {name: number for number, name in enumerate(frames["patients"].patient)}
    right = [str(release.published_rows[place[name]] + 1) for name in people]
    assert q.measure("people-named", guess, right)["people_named"].value > 0.9
    with pytest.raises(PartError, match="expected 60 values of 'pseudonym', one per target"):
        q.measure("people-named", guess, right[:5])


def test_members_are_told_from_others(frames):
    inside = dict(frames)
    half = set(frames["patients"].patient[:30])
    inside["patients"] = frames["patients"][:30]
    inside["visits"] = frames["visits"][frames["visits"].patient.isin(half)]
    kept = set(inside["visits"].visit)
    inside["prescriptions"] = frames["prescriptions"][frames["prescriptions"].visit.isin(kept)]
    for attack in ("histories", "aggregates"):
        guess = q.attack(attack, inside, targets=frames, schema=clinic_schema(), seed=0)
        scores = guess.table.columns["probability"]
        assert scores[:30].mean() > scores[30:].mean() + 0.2, attack


def test_what_cannot_be_asked_is_told(frames):
    with pytest.raises(KnowledgeError, match="naming asks about targets: give targets="):
        q.attack("histories", frames, goal="naming", schema=clinic_schema())
    with pytest.raises(DataError, match="several tables need a schema of people"):
        q.sanitize(
            "new-pseudonyms", frames, schema=q.Schema(columns=(q.Column(name="a", kind="id"),))
        )
    with pytest.raises(
        PartError, match=r"is for table, not for people; .* row-dropping, time-shift"
    ):
        q.sanitize("rr", frames, schema=clinic_schema())
    broken = {**frames, "visits": frames["visits"].assign(patient="nobody")}
    with pytest.raises(DataError, match="expected a key of patients; no row there has this one"):
        q.sanitize("new-pseudonyms", broken, schema=clinic_schema())
