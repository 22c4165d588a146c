"""Whole calls on neighbouring data: faults outside the algorithm show, and honest calls do not."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from benchmarks.audit.planted.histograms import (
    BudgetNotSplit,
    ColumnWithoutNoise,
    Histograms,
    SeedFixed,
    people,
    people_of_common_values,
)

import quintain as q
from quintain.api.parts import choose_sanitizer
from quintain.audits.games.calls import PlayedCall
from quintain.audits.games.design import refuting_share, smallest_refuted
from quintain.audits.games.neighbours import make_pairs
from quintain.audits.games.pair_runs import _decode, _encode
from quintain.audits.games.published import PublishedCall, Seen, SoughtPerson, facts_of
from quintain.audits.games.records import CallCells, StatedRecords
from quintain.audits.sanitizer import audit_sanitizer
from quintain.data import Schema, Table, as_table, shape_of
from quintain.data.columns import Columns
from quintain.data.learning.input_table import InputTable
from quintain.measures.epsilon.joint_exact import JointExact
from quintain.measures.epsilon.method import Counts, cautious_epsilon, error_tail, upper_rates
from quintain.randomness.noise import Noise
from quintain.releases import Claim, Method, Release, Sanitized
from quintain.sanitizers import Sanitizer
from quintain.testing import example, example_table
from quintain.testing import people as without_ids

QUICK = {"runs": 60, "targets": 10, "attacks": False, "seed": 1}


def pair_bound(audit):
    (bound,) = [b for b in audit.settings[0].bounds if b.target == "neighbours"]
    return bound


# --- planted copies of faults that algorithms alone do not show ---


class RowsInCard(Histograms):
    """Its card has the exact number of private records."""

    id = "sanitizer/rows-in-card-v1"

    def sanitize(self, data, *, rng, noise):
        release = super().sanitize(data, rng=rng, noise=noise).release
        return Sanitized(Release(release.data, release.claim, (Method(name="x", rows=len(data)),)))


class NearestCode(Histograms):
    """A rare value becomes the nearest kept one, counted in values that occur: of others, too."""

    id = "sanitizer/nearest-code-v1"

    def sanitize(self, data, *, rng, noise):
        table, cells = as_table(data), {}
        for name in table.schema.names:
            counts = np.bincount(table.columns[name], minlength=table.schema[name].size)
            kept = np.flatnonzero(counts > 150)
            places = np.abs(np.arange(len(counts))[:, None] - kept).argmin(axis=1)
            cells[name] = kept[places][table.columns[name]]
        return super().sanitize(Table(table.schema, cells), rng=rng, noise=noise)


class CopiedTimes(Sanitizer):
    """It releases a point at every time that anybody has."""

    id = "sanitizer/copied-times-v1"
    shapes = ("trajectories",)

    def sanitize(self, data, *, rng, noise):
        times = np.unique(shape_of(data).to_rows(data).columns["time"])
        nothing = np.zeros(len(times), np.int32)
        cells = {"person": nothing.astype(np.int64), "time": times, "x": nothing, "y": nothing}
        made = shape_of(data).from_rows(Columns(data.schema, cells))
        return Sanitized(Release(made, Claim(epsilon=1.0, unit="person")))


def graded(rare=True):
    cells = pd.Series(["a"] * 400 + ["c"] * 100 + ["d"] * 400 + (["b"] if rare else []))
    grades = pd.Categorical(cells, sorted(cells.unique()), ordered=True)
    return pd.DataFrame({"grade": grades})


@pytest.mark.slow
def test_the_exact_number_of_records_in_a_card_is_seen():
    audit = audit_sanitizer(RowsInCard(), people(), **QUICK)
    assert audit.verdict == "unsafe" and pair_bound(audit).bound.value > 2
    assert pair_bound(audit).attack.startswith("card: methods 0: rows")


@pytest.mark.parametrize("rare", [True, False])
def test_a_mapping_by_the_values_that_occur_is_seen(rare):
    """With the rare value in the data, and with a made-up person who brings it."""
    audited = q.audit_sanitizer(NearestCode(), graded(rare), claims=1, domain="learned", **QUICK)
    assert audited.verdict == "unsafe"


@pytest.mark.slow
def test_the_same_table_does_not_refute_a_sanitizer_of_ours():
    audited = q.audit_sanitizer("privbayes", graded(), epsilon=1, **QUICK)
    assert pair_bound(audited.audit).bound.value <= 1


def test_copied_times_are_seen_though_no_table_has_them():
    audit = audit_sanitizer(CopiedTimes(), example("trajectories", rows=480), **QUICK)
    assert audit.verdict == "unsafe"
    assert audit.not_computed[0].what == "the game of coins, about average people"


def test_kinds_and_columns_learned_from_cells_are_seen():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"dose": rng.integers(0, 9, 300), "sex": rng.choice(["f", "m"], 300), "hiv": [None] * 300}
    )
    call = PlayedCall(Histograms(), "learned")
    records = CallCells.of(InputTable.of(frame))
    data = records.read().data
    pairs = {p.name: p for p in make_pairs(records, data, "add-remove", rng=rng)}
    odd = pairs["a made-up person with cells of other kinds"]
    before, after = (call.ready(side).data.schema for side in (odd.without, odd.with_it))
    assert before["dose"].kind == "integer" and after["dose"].kind == "real"
    assert "hiv" not in before and "hiv" in after
    words = pairs["a made-up person with values of nobody else"].with_it.read().data.schema
    assert "a value of nobody else" in words["sex"].values


class Renamed(Sanitizer):
    """It releases one column as it is, under another name."""

    id = "sanitizer/renamed-v1"

    def sanitize(self, data, *, rng, noise):
        column = data.schema["c1"].model_copy(update={"name": "first"})
        made = Table(Schema(columns=(column,)), {"first": as_table(data).columns["c1"]})
        return Sanitized(Release(made, Claim(epsilon=1.0)))


def test_a_sanitizer_with_other_columns_is_audited():
    audit = audit_sanitizer(Renamed(), people(), **QUICK)
    assert audit.verdict == "unsafe"
    assert "releases no column as it was" in audit.not_computed[0].reason


def test_a_model_is_audited_by_its_numbers():
    table = without_ids(example_table(rows=60))
    part = choose_sanitizer("train-dp-sgd", {"label": "flag", "epsilon": 1.0})
    ready = PlayedCall(part).ready(StatedRecords(table))
    shown = ready.publish(rng=np.random.default_rng(0), noise=Noise.for_test(0))
    seen = facts_of(shown, SoughtPerson({}), aligned=False)
    assert seen.texts["what is released"] == "model"
    assert any(name.startswith("number 0 of the model") for name in seen.numbers)


# --- planted bugs in the noise ---


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bug", "table"),
    [(SeedFixed(), people), (ColumnWithoutNoise(), people_of_common_values)],
    ids=lambda x: getattr(x, "id", ""),
)
def test_bugs_in_the_noise_are_refuted(bug, table):
    audit = audit_sanitizer(bug, table(), **(QUICK | {"runs": 1000}))
    assert audit.verdict == "unsafe" and pair_bound(audit).bound.value > 1


@pytest.mark.slow
def test_a_budget_that_is_not_split_is_refuted_and_a_split_one_is_not():
    broken = audit_sanitizer(BudgetNotSplit(), people(), **(QUICK | {"runs": 1000}))
    assert pair_bound(broken).bound.value > 1
    honest = audit_sanitizer(Histograms(), people(), **(QUICK | {"runs": 1000}))
    assert pair_bound(honest).bound.value <= 1
    assert "Nothing contradicts the claimed epsilon 1" in " ".join(honest.reasons)


def test_few_runs_cannot_say():
    audit = audit_sanitizer(Histograms(), people(), **QUICK)
    (setting,) = audit.settings
    assert setting.refutes > 2 and audit.verdict == "cannot-say"
    assert "cannot say whether the claimed epsilon 1 holds" in audit.reasons[0]
    assert "if the true epsilon is" in audit.reasons[0]


# --- the design ---


def test_what_a_design_refutes_is_what_the_best_attack_refutes():
    """Simulated audits of randomized response, whose attack cannot be better."""
    runs, level, claimed = 60, 0.975, 1.0
    least = smallest_refuted(claimed, runs, delta=0.0, level=level)
    rate, rng = 1 / (1 + np.exp(least)), np.random.default_rng(2)
    errors = rng.binomial(runs, rate, (600, 2))
    known = {}
    for missed, false in errors.tolist():
        if (missed, false) not in known:
            counts = Counts(runs - missed, runs, false, runs)
            known[missed, false] = JointExact().of_counts(counts, level=level) > claimed
    share = np.mean([known[pair] for pair in map(tuple, errors.tolist())])
    assert 0.75 < share < 0.88


def test_the_share_of_refutations_grows_with_epsilon():
    rates = upper_rates(np.array([2]), 40, error_tail(0.95))
    telling = float(cautious_epsilon(rates, rates, 0.0)[0])
    shares = [refuting_share(e, telling, 40, delta=0.0, level=0.95) for e in (0.5, 1.5, 3.0, 6.0)]
    assert shares == sorted(shares) and shares[0] < 0.01 and shares[-1] > 0.99


# --- cells, and what is published ---


def test_a_dictionary_loses_the_values_that_leave_unless_somebody_stated_more():
    grades = pa.array(["low", "mid", "high"]).dictionary_encode()
    cells = CallCells.of(InputTable.of(pa.table({"grade": grades, "n": [1, 2, 3]})))
    left = cells.take([0, 2]).table.column("grade").combine_chunks()
    assert left.dictionary.to_pylist() == ["low", "high"] and left.to_pylist() == ["low", "high"]
    stated = pa.DictionaryArray.from_arrays(pa.array([0, 1, 1]), ["low", "mid", "high"])
    whole = CallCells.of(InputTable.of(pa.table({"grade": stated})))
    kept = whole.take([0]).table.column("grade").combine_chunks()
    assert kept.dictionary.to_pylist() == ["low", "mid", "high"]


def test_cells_of_a_text_file_are_learned_as_texts(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("age,town\n40,bath\n17,york\n99,bath\n")
    cells = CallCells.of(InputTable.of(path))
    assert cells.read().data.schema["age"].bounds == (17.0, 99.0)
    assert cells.take([0, 1]).read().data.schema["age"].bounds == (17.0, 40.0)
    added = cells.add({"age": "2.5", "town": "kent"}).read().data.schema
    assert added["age"].kind == "real" and "kent" in added["town"].values


def test_everything_that_is_published_is_a_fact():
    table = people(30)
    method = Method(name="m", rows=7)
    person = SoughtPerson.of(table, 0)
    seen = facts_of(
        PublishedCall(Release(table, Claim(epsilon=2), (method,)), ("mind this",)),
        person,
        aligned=False,
    )
    assert seen.numbers["card: methods 0: rows"] == 7
    assert seen.numbers["card: claim: epsilon"] == 2
    assert seen.numbers["it says: mind this"] == 1
    assert seen.numbers["rows of the release"] == 30
    counts = np.bincount(table.columns["c0"], minlength=6)
    assert seen.numbers["c0 = 'a'"] == counts[0]
    alike = [(table.columns[name] == table.columns[name][0]) for name in table.schema.names]
    assert seen.numbers["person: c0"] == alike[0].sum()
    assert seen.numbers["person: c0 and c1"] == (alike[0] & alike[1]).sum()
    assert seen.numbers["records that equal the person"] == np.logical_and.reduce(alike).sum()
    refused = facts_of(PublishedCall(None, ("refused: why",)), person, aligned=False)
    assert refused.numbers == {"it says: refused: why": 1.0}


def test_files_give_back_the_facts():
    runs = [Seen({"a": 1.5}, {"t": "x"}), Seen({"b": 2.0}, {"t": "y"})]
    back = _decode(_encode(runs))
    assert back.names == ("a", "b") and back.numbers.tolist() == [[1.5, 0.0], [0.0, 2.0]]
    assert len(set(back.texts[:, 0].tolist())) == 2
    assert sorted(back.words.values()) == ["x", "y"]
