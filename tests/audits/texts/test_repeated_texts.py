"""Free text in audits: what released notes repeat decides, and the texts stay out of the report."""

import json

import numpy as np
import pandas as pd
import pytest
from benchmarks.audit.notes import WAYS, note, plant, search, secret
from hypothesis import given
from hypothesis import strategies as st

from quintain.audits.checks.repeated_texts import LEVELS, NAMES, PASSAGES, search_texts
from quintain.audits.reading.tables import read_inputs
from quintain.audits.reading.units import Units
from quintain.audits.release import audit_release
from quintain.audits.report import release_page
from quintain.data import Column, Schema
from quintain.measures.pooled.joint_test import chance_of_hits

PLANTED = plant(120, 60, rng=np.random.default_rng(1))


def frame(notes, **more):
    rng = np.random.default_rng(sum(map(len, notes)))
    ages = rng.integers(18, 90, len(notes))
    return pd.DataFrame(
        {"age": ages, "sex": rng.choice(["f", "m"], len(notes)), "note": notes} | more
    )


def replayed(count):
    """The notes of strangers, with the secrets of so many people of the original."""
    notes = list(PLANTED.strangers)
    for place in range(count):
        notes[place] += f" {PLANTED.secrets[place]}"
    return frame(notes)


def look(release, control=PLANTED.control, **options):
    tables = [frame(PLANTED.original), release, None if control is None else frame(control)]
    return search_texts(read_inputs(*tables).notes, rng=np.random.default_rng(0), **options)


def counts(text):
    return round(text.share.value * text.share.n), round(text.control.value * text.control.n)


def test_strangers_repeat_nobody():
    found = look(replayed(0))
    assert counts(found.searches[0]) == (0, 0)
    assert not (found.proofs or found.traces or found.notes or found.signs)
    assert [text.name for text in found.searches] == [PASSAGES, NAMES]


@pytest.mark.parametrize(
    ("count", "proofs", "traces"), [(1, 0, 1), (7, 0, 1), (9, 0, 1), (12, 1, 0)]
)
def test_many_people_are_a_proof_and_a_few_are_a_trace(count, proofs, traces):
    found = look(replayed(count))
    passages = found.searches[0]
    assert counts(passages) == (count, 0)
    assert passages.alarm == (count >= passages.smallest_detectable)
    assert sum(f"passages of {count} of 120" in proof for proof in found.proofs) == proofs
    assert sum(f"passages of {count} of 120" in trace for trace in found.traces) == traces


def test_without_a_control_passages_alone_are_reported():
    few, many = (look(replayed(count), control=None) for count in (3, 60))
    assert [text.name for text in many.searches] == [PASSAGES]
    assert many.searches[0].p is None
    assert "only as many notes of other people of the original" in many.proofs[0]
    assert not few.proofs
    assert "passages of 3 of 120 people of the original" in few.notes[0]


def test_a_release_of_everybody_was_made_with_the_control():
    found = look(frame(PLANTED.original + PLANTED.control))
    (sign,) = found.signs
    assert sign.alarm
    assert sign.name == "passages"
    assert not (found.proofs or found.traces or found.notes)


def test_passages_that_both_sides_have_from_elsewhere_accuse_nobody():
    """Everybody quotes another proverb, and so does the release."""
    rng = np.random.default_rng(5)
    quotes = [secret(rng) for _ in range(120)]
    inside, outside = (
        [f"{note(rng)} {quotes[start + place]}" for place in range(60)] for start in (0, 60)
    )
    said = [f"{note(rng)} {quote}" for quote in quotes[20:100]]
    notes = read_inputs(frame(inside), frame(said), frame(outside)).notes
    found = search_texts(notes, rng=rng)
    assert min(counts(found.searches[0])) >= 38
    assert not (found.proofs or found.traces)


def test_a_person_with_several_rows_counts_once():
    original, release = frame(PLANTED.original), replayed(12)
    notes = read_inputs(original, release, frame(PLANTED.control)).notes
    pairs = Units(np.arange(120) // 2, 200 + np.arange(120) // 2)
    found = search_texts(notes, pairs, rng=np.random.default_rng(0))
    assert found.searches[0].share.n == 60
    assert counts(found.searches[0]) == (6, 0)


@pytest.mark.slow
def test_the_audit_says_it_and_keeps_the_texts_to_itself():
    tables = frame(PLANTED.original), replayed(12), frame(PLANTED.control)
    audit = audit_release(*tables, permutations=19)
    assert audit.verdict == "unsafe"
    assert "repeats passages of 12 of 120 people" in audit.reasons[0]
    assert any("in other words" in limit for limit in audit.limits)
    assert not any("No attack looked at" in limit for limit in audit.limits)
    plain = json.loads(audit.model_dump_json())["repeated_texts"]
    assert [text["name"] for text in plain] == [PASSAGES, NAMES]
    assert plain[0]["shown"] is None
    page = release_page(audit)
    assert "What do the released texts repeat?" in page
    name = PLANTED.secrets[0].split()[1]
    assert name not in page
    assert name not in audit.model_dump_json()


@pytest.mark.slow
def test_exposed_passages_are_shown_on_request():
    shown = look(replayed(12), show=12).searches[0].shown
    assert len(shown) == 12
    assert {passage.row for passage in shown} == set(range(12))
    assert all(PLANTED.secrets[passage.row] in passage.passage for passage in shown)
    tables = frame(PLANTED.original), replayed(12), frame(PLANTED.control)
    page = release_page(audit_release(*tables, permutations=19, show_exposed=3))
    assert sum(passage.passage in page for passage in shown) == 3
    assert "personal data of real people" in page


@pytest.mark.slow
def test_a_trace_is_some_leakage():
    tables = frame(PLANTED.original), replayed(4), frame(PLANTED.control)
    audit = audit_release(*tables, permutations=19)
    assert audit.p > 0.05
    assert audit.verdict == "some-leakage"


def test_tables_without_notes_say_nothing_of_texts():
    table = frame(PLANTED.original).drop(columns="note")
    other = frame(PLANTED.control[:50]).drop(columns="note")
    audit = audit_release(table, other.sample(frac=0.5, random_state=1), other, permutations=19)
    assert "repeated_texts" not in json.loads(audit.model_dump_json())
    assert "released texts" not in release_page(audit)


def test_a_schema_without_the_notes_does_not_hide_them():
    age = Column(name="age", kind="integer", low=0, high=120)
    schema = Schema(columns=(age, Column(name="sex", kind="category", values=("f", "m"))))
    tables = frame(PLANTED.original), replayed(12), frame(PLANTED.control)
    read = read_inputs(*tables, schema=schema)
    assert read.notes.columns == ("note",)
    assert read.coverage.searched == ("note",)


def test_several_columns_of_notes_are_searched_together():
    swapped = replayed(12)
    swapped["plan"], swapped["note"] = swapped["note"], PLANTED.strangers
    plans = [note(np.random.default_rng(place)) for place in range(240)]
    original, control = (
        frame(PLANTED.original, plan=plans[:120]),
        frame(PLANTED.control, plan=plans[120:]),
    )
    found = search_texts(
        read_inputs(original, swapped, control).notes, rng=np.random.default_rng(0), show=1
    )
    assert counts(found.searches[0]) == (12, 0)
    assert "In 'note' and 'plan'" in found.searches[0].says
    assert found.searches[0].shown[0].column == "note"


@given(st.integers(0, 8), st.integers(0, 8), st.integers(1, 30), st.integers(1, 30))
def test_the_chance_of_hits_is_that_of_scipy(hits, false, members, controls):
    from scipy.stats import hypergeom

    hits, false = min(hits, members), min(false, controls)
    expected = hypergeom.sf(hits - 1, members + controls, members, hits + false)
    assert chance_of_hits(hits, false, members, controls) == pytest.approx(min(1.0, expected))


def test_the_test_keeps_its_level():
    """A release that takes notes of both sides alike, whoever is in the original."""
    rng, alarms = np.random.default_rng(3), 0
    for _ in range(400):
        labels = rng.permutation(200) < 100
        hits = int(labels[:40].sum())
        alarms += chance_of_hits(hits, 40 - hits, 100, 100) <= LEVELS[PASSAGES]
    assert alarms <= 16  # 8 are expected at most


def test_the_benchmark_finds_secrets_in_a_small_crowd():
    found, mistakes, strangers = search(0, people=300, secrets=12)
    assert {way: sum(hits) for way, hits in found.items()} == dict.fromkeys(WAYS, 3)
    assert (mistakes, strangers) == (0, 0)
