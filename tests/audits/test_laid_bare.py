"""A few people laid bare are found among strangers; copies that everybody has accuse nobody."""

import json
from functools import partial

import numpy as np
import pytest
from benchmarks.audit import few_people, thresholds, weak_leaks
from benchmarks.audit.adult_people import population
from benchmarks.audit.generators import copies
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from quintain.audits.checks import laid_bare
from quintain.audits.checks.laid_bare import (
    LEVELS,
    lay_bare,
    tail_alarms,
    tail_limit,
    tail_traces,
)
from quintain.audits.release import audit_release
from quintain.audits.report import release_page
from quintain.audits.verdict import joint_level
from quintain.data import Table
from quintain.measures.pooled.joint_test import chance_of_hits
from quintain.measures.pooled.tail_tests import repetition_chance, run_chance
from tests.audits.audit_tables import three


def alarms(found):
    return {sign.name for sign in found.signs if sign.alarm}


def look(original, release, control, seed=0):
    return lay_bare(original, release, control, rng=np.random.default_rng(seed))


def rare(table, rows):
    """These people alone earn so much, each another sum."""
    income = table.columns["income"].copy()
    income[rows] = 150_000 + 20_000 * np.arange(len(rows))
    return Table(table.schema, {**table.columns, "income": income})


def slow_signs(original, release, control):
    """The three p-values, pair by pair."""
    pool = original.concat(control)
    sides = [
        {name: [record[name] for record in table.records()] for name in table.schema.names}
        for table in (pool, release)
    ]
    spread = {n: np.std(sides[0][n]) or 1.0 for n in ("age", "income")}

    def squared(one, other, i, j):
        total = sum(one[n][i] != other[n][j] for n in ("town", "sex", "ill"))
        return total + sum(((one[n][i] - other[n][j]) / s) ** 2 for n, s in spread.items())

    n, m, released = len(original), len(control), len(release)
    near = [[squared(sides[0], sides[0], i, j) for j in range(n + m)] for i in range(n + m)]
    away = [[squared(sides[0], sides[1], i, j) for j in range(released)] for i in range(n + m)]
    scores = [np.log(sorted(near[i])[5]) - np.log(min(away[i]) + 0.01) for i in range(n + m)]
    run = sum(score > max(scores[n:]) for score in scores[:n])
    alone = [sum(d == 0 for d in near[i]) == 1 and min(away[i]) == 0 for i in range(n + m)]
    copies = [sum(d == 0 for d in away[i]) for i in range(n + m)]
    best, counted = 1.0, {tuple(r.values()) for i, r in enumerate(original.records()) if copies[i]}
    for i in range(n):
        if copies[i] >= 2:
            close = sum(d <= 0.25 for d in near[i])
            best = min(best, len(counted) * repetition_chance(copies[i], close, n + m, released))
    return (
        run_chance(run, n, m),
        chance_of_hits(sum(alone[:n]), sum(alone[n:]), n, m),
        min(1.0, best),
    )


@pytest.mark.parametrize("seed", range(3))
def test_the_signs_are_those_of_the_definition(seed):
    original, strangers, control = three(40, seed)
    rows = [*range(6), *[7] * 9]
    release = original.take(rows).concat(strangers.take(range(30)))
    found = look(original, release, control)
    assert [sign.p for sign in found.signs] == pytest.approx(slow_signs(original, release, control))
    assert (found.copied, found.copied_control) == (7, 0)


def test_the_rarest_people_are_found_among_strangers():
    original, strangers, control = three(300)
    original = rare(original, range(12))
    release = original.take(range(12)).concat(strangers.take(range(288)))
    found = look(original, release, control)
    assert alarms(found) == {"run", "uniques"}
    assert (found.copied, found.isolated_copied, found.isolated_copied_control) == (12, 12, 0)
    assert found.signs[0].people >= 12
    assert "people who stand out most are all in the original" in tail_alarms(found)[0]
    near = Table(release.schema, {**release.columns, "age": release.columns["age"] + 1})
    assert alarms(look(original, near, control)) == {"run"}


def test_nine_copies_are_a_trace_and_five_are_not_seen():
    original, strangers, control = three(300)
    for count, traces in ((9, 1), (5, 0)):
        changed = rare(original, range(count))
        release = changed.take(range(count)).concat(strangers.take(range(290)))
        found = look(changed, release, control)
        assert sum(f"copies of {count} of 300" in trace for trace in tail_traces(found)) == traces
        assert not any("verbatim" in alarm for alarm in tail_alarms(found))
    assert not alarms(found)
    assert "fewer than 8 people" in tail_limit(found)
    assert "0.031 at best" in tail_limit(found)


def test_one_person_many_times_is_found_unless_the_release_repeats_others_as_often():
    original, strangers, control = three(300)
    often = original.take([3] * 40).concat(strangers.take(range(260)))
    assert alarms(look(original, often, control)) == {"multiplicity"}
    assert "40 times" in tail_alarms(look(original, often, control))[0]
    everybody = often.take(np.repeat(np.arange(len(often)), 7))  # 280 times, and others seven times
    assert alarms(look(original, everybody, control)) == {"multiplicity"}
    invented = often.concat(strangers.take([299] * 41))
    assert not alarms(look(original, invented, control))
    repeated = strangers.take(np.repeat(np.arange(300), 40)).concat(original.take([3] * 40))
    assert not alarms(look(original, repeated, control))


def test_many_repeated_people_cost_one_pass_and_not_one_search_each(monkeypatch):
    """A search per repeated person made an audit of 100,000 people stand still."""
    original, strangers, control = three(300)
    searched = []

    class Counted(laid_bare.Neighbours):
        def __init__(self, *given):
            searched.append(given)
            super().__init__(*given)

    monkeypatch.setattr(laid_bare, "Neighbours", Counted)
    look(original, strangers, control)
    plain, often = len(searched), np.repeat(np.arange(20), 5)
    look(original, original.take(often).concat(strangers.take(range(260))), control)
    assert len(searched) == 2 * plain


def test_strangers_and_what_both_sides_have_accuse_nobody():
    original, strangers, control = three(200)
    assert not alarms(look(original, strangers, control))
    both = original.take(range(100)).concat(control.take(range(100)))
    assert not alarms(look(original, both, control))
    assert tail_limit(look(*(table.take(range(3)) for table in three(3)))).startswith("So few")


def test_false_alarms_are_as_rare_as_the_levels_say():
    count = 0
    for seed in range(120):
        original, strangers, control = three(60, seed)
        count += bool(alarms(look(original, strangers, control, seed)))
    assert binomtest(count, 120, sum(LEVELS.values()), alternative="greater").pvalue > 0.01, count


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 100), st.integers(0, 20), st.integers(0, 20))
def test_neither_the_order_of_people_nor_that_of_records_matters(seed, inside, outside):
    original, strangers, control = three(30, seed)
    release = original.take(range(inside)).concat(control.take(range(outside))).concat(strangers)
    rng = np.random.default_rng(seed)
    mixed = (table.take(rng.permutation(len(table))) for table in (original, release, control))
    one, other = look(original, release, control), look(*mixed)
    assert [sign.p for sign in one.signs] == pytest.approx([sign.p for sign in other.signs])
    assert one.copied >= inside


def test_the_levels_of_all_tests_add_up_to_that_of_the_audit():
    found = look(*three(20))
    assert joint_level(found) + sum(sign.level for sign in found.signs) == pytest.approx(0.05)
    assert joint_level(None) == 0.05


@pytest.mark.slow
def test_the_audit_calls_ten_rare_people_unsafe_and_shows_the_copies():
    original, strangers, control = three(300)
    original = rare(original, range(12))
    release = original.take(range(12)).concat(strangers.take(range(288)))
    audit = audit_release(original, release, control, permutations=19)
    assert audit.verdict == "unsafe"
    assert "stand out most" in audit.reasons[0]
    assert audit.level == pytest.approx(0.04)
    plain = json.loads(audit.model_dump_json())["laid_bare"]
    assert plain["copied"] == plain["isolated_copied"] == 12
    page = release_page(audit)
    assert "Verbatim copies: 12 people of the original, 0 of the control" in page
    assert "Are a few people laid bare?" in page


def test_the_benchmarks_count_alarms_and_effects(monkeypatch):
    monkeypatch.delenv("QUINTAIN_DATA", raising=False)
    everybody = population().take(range(1500))
    cells = few_people.count(
        everybody, few_people.SOMEBODY["one person 50 times"], 0, range(1), 120
    )
    assert cells.startswith("1 of 1 ") and cells.endswith("| 1 | 1")
    monkeypatch.setattr(thresholds, "RELEASES", {"averages of five": thresholds.averages})
    (line,) = thresholds.lines(everybody, range(1), 60)
    assert line.startswith("| averages of five | ") and line.count("|") == 5


@pytest.mark.slow
def test_the_benchmark_of_weak_leaks_goes_on_and_counts(tmp_path, monkeypatch):
    monkeypatch.delenv("QUINTAIN_DATA", raising=False)
    monkeypatch.setattr(weak_leaks, "peers", lambda: None)
    monkeypatch.setattr(weak_leaks, "LEAKS", {"copies 50 %": partial(copies, 0.5)})
    everybody = population().take(range(1500))
    for seed in range(2):
        kinds = [weak_leaks.NULL, "copies 50 %"]
        weak_leaks.judge(everybody, seed, 60, kinds, tmp_path / str(seed))
    _, _, null, leak = weak_leaks.lines([tmp_path / "0", tmp_path / "1"])
    assert null.startswith("| strangers | 0 [") and null.count("not run") == 2
    assert leak.startswith("| copies 50 % | 1 [")


@pytest.mark.parametrize(
    ("run", "copies", "isolated", "proved"),
    [
        (0.0009, 0.5, 0, False),
        (0.0009, 0.01, 0, True),
        (0.0009, 0.5, 10, True),
        (0.00001, 0.5, 0, True),
    ],
)
def test_ten_who_stand_out_need_a_second_witness(run, copies, isolated, proved):
    original, strangers, control = three(40, 0)
    bare = look(original, strangers, control)
    signs = [
        sign.model_copy(update={"p": p, "people": 12, "others": 0, "alarm": p <= sign.level})
        for sign, p in zip(bare.signs, (run, copies, 1.0), strict=True)
    ]
    alone = {"isolated_copied": isolated, "isolated_copied_control": 0}
    shown = bare.model_copy(update={"signs": tuple(signs), **alone})
    assert bool(tail_alarms(shown)) is proved
    assert bool(tail_traces(shown)) is not proved
