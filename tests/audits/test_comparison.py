"""Comparisons: the same people and attacks for all entries, honest luck, and work that goes on."""

import json

import numpy as np
import pytest
from benchmarks.audit.comparisons import names_a_difference
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import quintain as q
from quintain.api.comparing import contenders, read_entry
from quintain.audits.comparison import ComparedPeople, compare, paired_p
from quintain.audits.report.comparison_view import comparison_page, difference_sentences, headline
from quintain.errors import QuintainError
from quintain.jobs.executor import Executor
from quintain.randomness.seeds import SeedTree
from quintain.sanitizers import RandomizedResponse
from quintain.sanitizers.adapters import function
from quintain.testing import unique_people

KEPT, LOST = RandomizedResponse(keep=0.99), RandomizedResponse(keep=0.01)
QUICK = {"attacks": ["nearest", "exact-match"], "repetitions": 4}


@pytest.fixture(scope="module")
def table():
    return unique_people(rows=240)


@pytest.fixture(scope="module")
def compared(table):
    return compare({"kept": KEPT, "lost": LOST, "lost too": LOST}, table, **QUICK)


def test_a_copy_is_told_from_noise_and_noise_is_not_told_from_noise(compared):
    sure = {(d.attack, d.first, d.second) for d in compared.differences if d.more_than_luck}
    assert sure == {
        (attack, "kept", other) for attack in compared.attacks for other in ("lost", "lost too")
    }
    assert compared.cell("kept", "nearest").reading.low > 0.9
    assert all(d.p <= d.adjusted_p for d in compared.differences)
    assert headline(compared) == "Of 6 differences, 4 are more than luck."
    assert len(difference_sentences(compared)) == 4


def test_the_readings_are_means_of_repetitions_and_of_pairs(compared):
    cell = compared.cell("lost", "nearest")
    mean, low, high = cell.reading.value, cell.reading.low, cell.reading.high
    expected = stats.t.interval(0.95, 3, np.mean(cell.values), stats.sem(cell.values))
    assert mean == pytest.approx(np.mean(cell.values))
    assert (low, high) == pytest.approx(expected)
    difference = next(d for d in compared.differences if d.first == "lost")
    pair = [compared.cell(name, difference.attack).values for name in ("lost", "lost too")]
    assert difference.reading.value == pytest.approx(np.mean(np.subtract(*pair)))


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=12))
def test_p_is_that_of_a_paired_t_test(values):
    gap = np.array(values)
    if np.ptp(gap) > 1e-6:
        assert paired_p(gap) == pytest.approx(stats.ttest_1samp(gap, 0).pvalue)
    assert 0 <= paired_p(gap) <= 1


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes_and_workers_do_not_matter(table, compared):
    again = compare(
        {"kept": KEPT, "lost": LOST, "lost too": LOST}, table, executor=Executor(2), **QUICK
    )
    assert again.model_dump_json() == compared.model_dump_json()
    other = compare({"kept": KEPT, "lost": LOST}, table, seed=1, **QUICK)
    assert other.cell("lost", "nearest").values != compared.cell("lost", "nearest").values


def test_an_entry_does_not_depend_on_the_others(table, compared):
    alone = compare({"lost": LOST, "kept": KEPT}, table, **QUICK)
    for entry in ("lost", "kept"):
        assert alone.cell(entry, "nearest") == compared.cell(entry, "nearest")


def test_stopped_work_goes_on_and_more_repetitions_keep_the_first(tmp_path, table):
    runs = []

    def copy(frame, seed):
        runs.append(seed)
        if len(runs) == 3:
            raise KeyboardInterrupt
        return frame

    entries = {"copy": function(copy), "lost": LOST}
    with pytest.raises(KeyboardInterrupt):
        compare(entries, table, out=tmp_path, **QUICK)
    first = compare(entries, table, out=tmp_path, **QUICK)
    assert len(runs) == 5  # two before the stop, the one that stopped, and two after it
    more = compare(entries, table, out=tmp_path, **{**QUICK, "repetitions": 5})
    assert len(runs) == 6
    assert more.cell("copy", "nearest").values[:4] == first.cell("copy", "nearest").values
    compare(entries, table, out=tmp_path, seed=1, **QUICK)
    assert len(runs) == 10


def test_all_entries_get_the_same_people(table):
    seen = {"one": [], "two": []}

    def watch(name):
        def release(frame):
            seen[name].append(sorted(map(tuple, frame.itertuples(index=False))))
            return frame

        return function(release)

    compare({"one": watch("one"), "two": watch("two")}, table, **QUICK)
    assert seen["one"] == seen["two"]
    assert len({str(rows) for rows in seen["one"]}) == 4
    assert {len(rows) for rows in seen["one"]} == {120}


# --- finished releases ----------------------------------------------------------------------------


def test_finished_releases_and_sanitizers_meet_beside_a_control(table):
    original, control = table.take(np.arange(120)), table.take(np.arange(120, 240))
    strangers = unique_people(rows=400).take(np.arange(280, 400))
    found = compare(
        {"copy": original, "strangers": strangers, "kept": KEPT}, original, control, **QUICK
    )
    assert found.people == "parts"
    assert found.cell("copy", "nearest").reading.value == 1
    assert found.cell("strangers", "nearest").reading.value == pytest.approx(0.5, abs=0.15)
    told = {
        tuple(sorted((d.first, d.second)))
        for d in found.differences
        if d.attack == "nearest" and d.more_than_luck
    }
    assert told == {("copy", "strangers"), ("kept", "strangers")}
    roles = [read.role for read in found.inputs]
    assert roles == ["original", "control", "copy", "strangers"]


@given(st.integers(20, 90), st.integers(20, 90), st.integers(2, 9))
def test_parts_are_disjoint_and_cover_everybody(inside, outside, repetitions):
    table = unique_people(rows=inside + outside)
    people = ComparedPeople(table, inside, 0.5, repetitions, SeedTree.from_int(0))
    asked = np.stack([people.asks_about(number) for number in range(repetitions)])
    assert (asked.sum(axis=0) == 1).all()
    for side in (people.members(0), ~people.members(0)):
        sizes = (asked & side).sum(axis=1)
        assert sizes.max() - sizes.min() <= 1


def test_the_benchmark_sees_a_large_difference():
    assert names_a_difference(0.99, 0.01, "parts", 0)


# --- what goes wrong ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entries", "options", "words"),
    [
        ({"kept": KEPT}, {}, "at least two"),
        ({"kept": KEPT, "file": "r"}, {}, "file: a finished release can only be compared with"),
        ({"kept": KEPT, "lost": LOST}, {"repetitions": 1}, "1 repetitions show no spread"),
        ({"kept": KEPT, "lost": LOST}, {"share": 0.99}, "about 2 people of the original"),
        ({"kept": KEPT, "lost": LOST}, {"attacks": ["majority"]}, "majority"),
    ],
)
def test_a_comparison_that_cannot_work_says_why(table, entries, options, words):
    with pytest.raises(QuintainError, match=words):
        compare(entries, table, **{**QUICK, **options})


def test_parts_that_are_too_small_ask_for_fewer_repetitions(table):
    with pytest.raises(QuintainError, match="ask for fewer repetitions"):
        compare(
            {"kept": KEPT, "lost": LOST},
            table.take(np.arange(120)),
            table.take(np.arange(120, 240)),
            **{**QUICK, "repetitions": 20},
        )


def test_a_sanitizer_that_refuses_is_left_out_of_the_differences(table):
    def refuse(frame):
        raise ValueError("not today")

    entries = {"never": function(refuse), "kept": KEPT, "lost": LOST}
    found = compare(entries, table, **QUICK)
    assert not found.cell("never", "nearest").reading.measured
    assert {d.first for d in found.differences} == {"kept"}
    assert any("not today" in missing.reason for missing in found.not_computed)
    page = comparison_page(found)
    assert "not measured" in page and "not today" in page


# --- entries as texts, and what comes out ---------------------------------------------------------


def test_entries_are_read_from_texts(tmp_path):
    release = tmp_path / "mine.csv"
    release.write_text("a\n1\n")
    assert read_entry(str(release)) == ("mine.csv", release)
    assert read_entry(f"ours: {release}") == ("ours", release)
    name, part = read_entry("tool: sh -c 'cp {input} {output} x=1'")
    assert (name, part.text, part.settings) == ("tool", "sh -c 'cp {input} {output} x=1'", {})
    assert read_entry("rr keep=0.25")[1].keep == 0.25
    assert list(contenders({"a": "rr keep=0.5", "b": KEPT})) == ["a", "b"]
    with pytest.raises(QuintainError, match="several entries have this name"):
        contenders(["rr keep=0.5", "rr keep=0.5"])
    with pytest.raises(QuintainError, match="unknown sanitizer 'no-such-part'"):
        contenders(["no-such-part", "rr"])
    with pytest.raises(QuintainError, match="there is no such file"):
        contenders([str(tmp_path / "other.csv"), "rr"])


def test_a_notebook_gets_frames_and_files(tmp_path, table):
    compared = q.compare({"kept": KEPT, "lost": LOST}, table, out=tmp_path / "work", **QUICK)
    frame = compared.to_frame()
    assert list(frame.columns) == ["entry", "attack", "repetition", "auc"] and len(frame) == 16
    assert list(compared.differences_frame()["more_than_luck"]) == [True, True]
    for name in ("c.json", "c.csv", "c.html"):
        compared.save(tmp_path / name)
    assert json.loads((tmp_path / "c.json").read_text())["format"] == "quintain.comparison/1"
    assert len((tmp_path / "c.csv").read_text().splitlines()) == 17
    assert "<svg" in (tmp_path / "c.html").read_text()
    assert "2 are more than luck" in repr(compared) and "<table" in compared._repr_html_()
