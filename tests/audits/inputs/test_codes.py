"""Releases with codes in place of values: matched if halves of the release agree, else unseen."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.audits.reading.tables import read_inputs
from quintain.audits.release import audit_release
from quintain.data import Column, Schema, Table
from quintain.data.learning.matching.codes import match_codes

JOBS = ["nurse", "baker", "clerk", "smith", "teacher"]
CHANCES = np.array([0.34, 0.26, 0.2, 0.12, 0.08])


def people(seed, count=400):
    """People whose age, town and sex depend on their job."""
    rng = np.random.default_rng(seed)
    job = rng.choice(5, count, p=CHANCES)
    town = np.where(rng.random(count) < 0.7, job, rng.integers(0, 5, count))
    return pd.DataFrame(
        {
            "age": 20 + 10 * job + rng.integers(0, 15, count),
            "job": np.array(JOBS)[job],
            "town": np.array(["Ulm", "Jena", "Kiel", "Bonn", "Trier"])[town],
            "sex": np.where(rng.random(count) < 0.2 + 0.12 * job, "f", "m"),
        }
    )


ORIGINAL, CONTROL, STRANGERS = people(0), people(1), people(2)


def in_codes(frame, *columns, seed=0):
    """The frame with codes in some columns."""
    rng = np.random.default_rng(seed)
    out = frame.copy()
    for name in columns:
        values = sorted(set(frame[name]))
        codes = dict(zip(values, rng.permutation(len(values)) + 1, strict=True))
        out[name] = frame[name].map(lambda value, codes=codes: f"C{codes[value]}")
    return out


def read(release, original=ORIGINAL, control=CONTROL, **options):
    return read_inputs(original, release, control, rng=np.random.default_rng(0), **options)


@pytest.mark.parametrize("columns", [("job",), ("sex",), ("job", "town", "sex")])
@pytest.mark.parametrize("release", [ORIGINAL, STRANGERS])
def test_codes_get_the_values_that_they_stand_for(columns, release):
    inputs, plain = read(in_codes(release, *columns)), read(release)
    assert [(match.column, match.how) for match in inputs.matched] == [
        (name, "codes") for name in columns
    ]
    assert all(match.cells == 1 > match.as_written for match in inputs.matched)
    assert inputs.release.equals(plain.release)
    assert inputs.original.equals(plain.original)
    assert not inputs.simplified
    assert inputs.coverage.unseen == ()
    assert "In halves of the release" in inputs.matched[0].says


def test_codes_may_be_numbers():
    numbers = {job: 10 + place for place, job in enumerate(JOBS)}
    inputs = read(ORIGINAL.assign(job=ORIGINAL.job.map(numbers)))
    assert inputs.matched[0].how == "codes"
    assert np.array_equal(inputs.release.columns["job"], inputs.original.columns["job"])


def test_values_that_the_others_have_are_never_recoded():
    turned = dict(zip(JOBS, JOBS[1:] + JOBS[:1], strict=True))
    inputs = read(ORIGINAL.assign(job=ORIGINAL.job.map(turned)))
    assert inputs.matched == ()
    values = inputs.release.schema["job"].values
    assert [values[code] for code in inputs.release.columns["job"]] == [
        turned[job] for job in ORIGINAL.job
    ]


def test_one_option_refuses_codes():
    release = in_codes(ORIGINAL, "job", "sex")
    assert read(release, as_written=True).coverage.unseen == ("job", "sex")
    some = read(release, as_written=["sex"])
    assert [match.column for match in some.matched] == ["job"]
    assert some.coverage.unseen == ("sex",)
    assert read_inputs(ORIGINAL, release, CONTROL).coverage.unseen == ("job", "sex")


def test_the_codes_are_the_same_if_original_and_control_change_places():
    release = in_codes(STRANGERS, "job", "town")
    one, other = read(release), read(release, CONTROL, ORIGINAL)
    assert one.matched == other.matched
    assert one.original.equals(other.control)
    assert one.release.equals(other.release)


@pytest.mark.parametrize(
    ("column", "change"),
    [
        ("job", {job: "inside" if job in ("nurse", "clerk") else "other" for job in JOBS}),
        ("town", {**dict.fromkeys(["Ulm", "Jena", "Kiel", "Bonn"], "west"), "Trier": "east"}),
    ],
)
def test_coarser_values_are_no_codes(column, change):
    inputs = read(ORIGINAL.assign(**{column: ORIGINAL[column].map(change)}))
    assert inputs.matched == ()
    assert inputs.coverage.unseen == (column,)


def test_codes_of_which_nothing_tells_the_values_stay_unseen():
    rng = np.random.default_rng(5)
    tables = [
        pd.DataFrame({"coin": rng.choice(["a", "b"], 400), "age": rng.integers(20, 60, 400)})
        for _ in range(3)
    ]
    release = tables[2].assign(coin=tables[2].coin.map({"a": "x", "b": "y"}))
    inputs = read(release, *tables[:2])
    assert inputs.matched == ()
    assert inputs.coverage.unseen == ("coin",)


def test_codes_that_are_too_many_or_values_that_are_too_few_are_not_looked_at():
    release = ORIGINAL.assign(job=[f"C{row % 201}" for row in range(len(ORIGINAL))])
    assert read(release).matched == ()
    same = ORIGINAL.assign(sex="f")
    assert read(in_codes(ORIGINAL, "sex"), same, CONTROL.assign(sex="f")).matched == ()


def test_missing_and_new_codes_stay_what_they_are():
    release = in_codes(ORIGINAL, "job")
    jobs = release.job.mask(np.arange(len(release)) % 10 == 0).where(release.index > 3, "new")
    inputs = read(release.assign(job=jobs))
    codes, known = inputs.release.columns["job"], inputs.original.columns["job"]
    assert (codes[10::10] < 0).all()
    assert inputs.release.schema["job"].values[codes[1]] == "new"
    rest = (np.arange(len(release)) % 10 > 0) & (np.arange(len(release)) > 3)
    assert np.array_equal(codes[rest], known[rest])
    assert 0.98 < inputs.matched[0].cells < 1


def test_a_code_may_stand_for_a_missing_value():
    """A file says ? for a missing job, and the release has a code for it."""
    original, control, strangers = (
        table.assign(job=table.job.mask(table.sex.eq("f") & (table.age % 3 == 0), "?"))
        for table in (ORIGINAL, CONTROL, STRANGERS)
    )
    inputs, plain = (
        read(release, original.replace("?", None), control.replace("?", None))
        for release in (in_codes(strangers, "job"), strangers.replace("?", None))
    )
    assert inputs.matched[0].how == "codes"
    assert inputs.release.equals(plain.release)
    assert (inputs.release.columns["job"] < 0).sum() > 20


@pytest.mark.slow
def test_a_code_that_a_sample_of_a_large_release_lacks_keeps_its_text(monkeypatch):
    monkeypatch.setattr("quintain.data.learning.matching.codes._MOST_ROWS", 399)
    release = in_codes(ORIGINAL, "job")
    texts = set()
    for row in range(0, 400, 80):
        own = release.assign(job=release.job.where(release.index != row, "rare"))
        inputs = read(own)
        assert inputs.matched[0].how == "codes"
        texts.add(inputs.release.schema["job"].values[inputs.release.columns["job"][row]])
        assert np.delete(inputs.release.columns["job"], row).min() >= 0
    assert texts == {"rare"}


@settings(max_examples=20)
@given(st.permutations(range(4)), st.integers(0, 100))
def test_codes_of_different_shares_are_found_without_any_other_column(order, seed):
    rng = np.random.default_rng(seed)
    schema = Schema(columns=(Column(name="job", kind="category", values=tuple("abcdwxyz")),))
    shares = [0.55, 0.25, 0.13, 0.07]
    others = [Table(schema, {"job": rng.choice(4, 2000, p=shares)}) for _ in range(2)]
    own = rng.choice(4, 3000, p=shares)
    (found,) = match_codes(others, Table(schema, {"job": 4 + np.array(order)[own]}), rng=rng)
    assert found.values == {"wxyz"[code]: "abcd"[place] for place, code in enumerate(order)}


@pytest.mark.slow
def test_an_audit_sees_through_codes():
    columns = ["age", "job", "sex"]
    original, control = ORIGINAL[columns].head(100), CONTROL[columns].head(100)
    release = in_codes(original, "job", "sex").sample(frac=1, random_state=0)
    audit = audit_release(original, release.reset_index(drop=True), control, permutations=19)
    assert [match.how for match in audit.matched] == ["codes", "codes"]
    assert audit.verdict == "unsafe"
