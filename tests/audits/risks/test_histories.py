"""Histories: people with several rows are recognised by all of them, and strangers are not."""

import numpy as np
import pandas as pd
import pytest
from benchmarks.audit import histories as benchmark

from quintain.audits.pool import PeoplePool
from quintain.audits.release import audit_release
from quintain.audits.report.page import release_page
from quintain.audits.report.tiles import tiles_of
from quintain.audits.results import Histories, ReleaseAudit
from quintain.audits.risks.aggregates import measure_aggregates
from quintain.audits.risks.histories import measure_histories, standing_share
from quintain.audits.verdict import Effects, judge
from quintain.data import Column, Schema, Table
from quintain.data.people import People
from quintain.errors import DataError, KnowledgeError
from quintain.measures import Reading
from quintain.measures.pooled.detectable import smallest_share

LETTERS = tuple(f"v{number:03}" for number in range(100))
SCHEMA = Schema(columns=(Column(name="code", kind="category", values=LETTERS),))


def habits(size, rows, draw):
    """Rows of people with three favourite codes."""
    person = np.repeat(np.arange(size), rows)
    own = draw.integers(100, size=(size, 3))
    return person, own[person, draw.integers(3, size=len(person))]


def pool_of(size=150, rows=8, seed=0, *, strangers=False) -> PeoplePool:
    """Members and others in random order; the release has the members, or somebody else."""
    draw = np.random.default_rng(seed)
    person, code = habits(2 * size, rows, draw)
    members = draw.permutation(2 * size) < size
    inside = np.flatnonzero(members)
    new = draw.permutation(size)
    right = np.full(2 * size, -1)
    right[inside] = new
    kept = members[person]
    released, shown = code[kept].copy(), right[person][kept]
    if strangers:
        shown, released = habits(size, rows, draw)
    changed = draw.random(len(released)) < 0.2
    released[changed] = draw.integers(100, size=changed.sum())
    mixed = draw.permutation(len(shown))
    return PeoplePool(
        People.of_rows(Table(SCHEMA, {"code": code}), person, 2 * size),
        People.of_rows(Table(SCHEMA, {"code": released[mixed]}), shown[mixed], size),
        members,
        None if strangers else right,
    )


@pytest.fixture(scope="module")
def found():
    return measure_histories(pool_of(), rng=np.random.default_rng(0))


def test_people_are_recognised_and_named_rightly(found):
    seen = found.histories
    assert seen.stands_out.value > 0.5 and seen.control.value < 0.02
    assert seen.right.value > 0.9
    assert {finding.name for finding in found.findings} == {"stands_out", "rightly_named", "auc"}
    assert all(evidence.of_people for evidence in found.evidence)
    assert "finds one pseudonym that stands out in" in seen.says


def test_more_known_rows_recognise_more_people(found):
    shares = [point.right.value for point in found.histories.known_rows]
    assert [point.rows for point in found.histories.known_rows] == [1, 2, 3, 4, 6]
    assert shares == sorted(shares) and shares[0] < 0.5 < shares[-1]
    assert found.histories.enough in (3, 4, 6, 8)


def test_strangers_are_not_recognised():
    seen = measure_histories(pool_of(strangers=True), rng=np.random.default_rng(0)).histories
    assert seen.right is None and seen.enough is None
    assert seen.stands_out.value < 0.06
    assert all(point.stands_out.value < 0.06 for point in seen.known_rows)


def test_evidence_does_not_depend_on_who_is_a_member():
    one = pool_of(60)
    other = PeoplePool(one.known, one.shown, ~one.members, one.right)
    results = [measure_histories(p, rng=np.random.default_rng(3)) for p in (one, other)]
    for first, second in zip(*(result.evidence for result in results), strict=True):
        np.testing.assert_array_equal(first.scores, second.scores)


def test_pseudonyms_that_merely_look_like_ids_are_not_counted_as_right():
    pool = pool_of()
    shifted = np.where(pool.right >= 0, (pool.right + 1) % 150, -1)
    wrong = PeoplePool(pool.known, pool.shown, pool.members, shifted)
    result = measure_histories(wrong, rng=np.random.default_rng(0))
    assert result.histories.right is None
    assert all(point.right is None for point in result.histories.known_rows)
    assert "those of other people" in result.not_computed[0].reason


def test_exact_rows_are_told_where_nothing_in_the_release_repeats():
    draw, size, rows = np.random.default_rng(5), 80, 3
    person = np.repeat(np.arange(2 * size), rows)
    names = ("age", "zip", "code")
    table = Table(
        Schema(columns=tuple(Column(name=n, kind="integer", low=0, high=99) for n in names)),
        {
            "age": draw.integers(100, size=2 * size)[person],
            "zip": draw.integers(100, size=2 * size)[person],
            "code": draw.integers(100, size=len(person)),
        },
    )
    kept = person < size
    release = People.of_rows(table.take(np.flatnonzero(kept)), person[kept], size)
    known = People.of_rows(table, person, 2 * size)
    pool = PeoplePool(known, release, np.arange(2 * size) < size, None)
    says = measure_histories(pool, rng=np.random.default_rng(0)).histories.says
    assert "one pseudonym has exactly their rows, and for 0 of 100 outside the data" in says


def test_one_pseudonym_says_nothing():
    pool = pool_of(20)
    one = People.of_rows(Table(SCHEMA, {"code": [1, 2]}), np.array([0, 0]), 1)
    result = measure_histories(
        PeoplePool(pool.known, one, pool.members), rng=np.random.default_rng(0)
    )
    assert result.histories is None and "fewer than two" in result.not_computed[0].reason


def test_equal_margins_stand_out_for_nobody():
    share, control = standing_share(np.arange(200) < 100, np.zeros(200))
    assert share.value == control.value == 0


def test_every_attack_on_tables_plays_on_aggregates():
    pool = pool_of(60)
    one = measure_aggregates(pool, rng=np.random.default_rng(0))
    assert {"nearest on aggregates", "tree-ratio on aggregates"} <= {e.attack for e in one.evidence}
    assert all(e.of_people and len(e.scores) == 120 for e in one.evidence)
    relabelled = PeoplePool(pool.known, pool.shown, ~pool.members, pool.right)
    other = measure_aggregates(relabelled, rng=np.random.default_rng(0))
    for first, second in zip(one.evidence, other.evidence, strict=True):
        np.testing.assert_array_equal(first.scores, second.scores)
    best = max(f.reading.value for f in one.findings if f.name == "auc")
    assert best > 0.6


# --- the whole audit ---


@pytest.fixture(scope="module")
def made():
    return benchmark.patients(120, rng=np.random.default_rng(0))


@pytest.fixture(scope="module")
def audit(made):
    return audit_release(
        made.original, made.release, made.control, unit="person", key=made.key, permutations=99
    )


@pytest.mark.slow
def test_perturbed_visits_under_new_pseudonyms_are_unsafe(audit):
    assert audit.verdict == "unsafe"
    assert audit.histories.says == audit.reasons[0]
    assert audit.histories.right.value > 0.95
    about = [limit for limit in audit.limits if "'person'" in limit]
    assert all("looked for 'person'" in limit for limit in about)  # and none says "not compared"
    assert ReleaseAudit.model_validate_json(audit.model_dump_json()) == audit


def test_the_report_draws_how_many_rows_are_enough(audit):
    page = release_page(audit)
    assert "What do all rows of a person give away together?" in page
    assert 'id="histories-curve' in page
    assert "known rows of a person" in page
    assert "Can somebody who knows rows of a person find all rows of that person?" in page


def test_the_first_page_counts_people_and_not_their_rows(audit):
    counts = {table.role: table.rows for table in audit.inputs}
    assert audit.laid_bare.people < counts["original"]
    shown = " ".join(f"{tile.figure} {tile.says}" for tile in tiles_of(audit))
    assert f"of {audit.laid_bare.people:,}" in shown
    assert f"of {counts['original']:,}" not in shown


@pytest.mark.slow
def test_without_pseudonyms_no_claim_is_made_about_histories(made):
    release = made.release.drop_columns("person")
    audit = audit_release(made.original, release, made.control, unit="person", permutations=99)
    assert audit.histories is not None and not audit.histories.tried
    assert audit.histories.says in audit.limits
    assert not any(finding.risk == "histories" for finding in audit.readings)
    page = release_page(audit)
    assert "histories-curve" not in page and "no attack compared people" in page


def effects(**more):
    none = Reading.exact(0.0, 2000, "lower")
    return Effects(0.4, 1000, none, none, smallest_share(1000, 1000), **more)


def test_what_would_have_been_noticed_is_said_of_single_rows_alone():
    untried = Histories(tried=False, says="Nobody tried.")
    for facts in ({"one_row": False}, {"one_row": False, "histories": untried}):
        verdict = judge(effects(**facts))
        assert "a leak in single rows that touches" in verdict.reasons[0]
        assert any("leak in single rows" in limit for limit in verdict.limits)
    tried = Histories(tried=True, says="All is well.")
    for facts in ({}, {"one_row": False, "histories": tried}):
        assert "in single rows" not in judge(effects(**facts)).reasons[0]


def test_a_share_of_recognised_people_is_an_alarm():
    share = Reading(value=0.5, low=0.2, high=0.6, n=100, better="lower")
    control = Reading(value=0.01, low=0.0, high=0.05, n=100, better="lower")
    seen = Histories(tried=True, says="Half of the people.", stands_out=share, control=control)
    leak = Effects(0.01, 100, *[Reading.exact(0.0, 100, "lower")] * 2, smallest_share(100, 100))
    from dataclasses import replace

    assert judge(replace(leak, histories=seen)).verdict == "unsafe"
    less = seen.model_copy(update={"stands_out": share.model_copy(update={"low": 0.14})})
    assert judge(replace(leak, histories=less)).verdict == "some-leakage"


def test_kept_ids_say_who_is_right(made):
    """Nobody gave a key, but the release has the ids of the original."""
    from quintain.audits.reading.tables import read_inputs

    units = read_inputs(made.original, made.original, made.control, unit="person").units
    assert units.pseudonym_of[units.original].tolist() == units.original.tolist()
    assert (
        read_inputs(made.original, made.release, made.control, unit="person").units.pseudonym_of
        is None
    )


def test_every_fault_of_a_key_is_told(made):
    given = (made.original, made.release, made.control)
    with pytest.raises(DataError, match="one column of pseudonyms, not 2 others"):
        key = pd.DataFrame({"person": ["a"], "x": ["b"], "y": ["c"]})
        audit_release(*given, unit="person", key=key)
    with pytest.raises(DataError, match="the key has no such column"):
        audit_release(*given, unit="person", key=pd.DataFrame({"x": ["b"]}))
    with pytest.raises(KnowledgeError, match="needs unit"):
        audit_release(*given, key=made.key)


@pytest.mark.parametrize("part", ["pseudonyms", "strangers", "nulls"])
def test_the_benchmark_makes_tables_that_an_audit_reads(part):
    made = benchmark.MAKE[part](20, rng=np.random.default_rng(0))
    assert made.original.column_names == made.control.column_names == made.release.column_names
    assert made.release["person"].to_pylist() != made.original["person"].to_pylist()


def test_the_benchmark_reads_real_customers():
    if not (benchmark.FOLDER / "online_retail.parquet").exists():
        pytest.skip("online_retail.parquet is not there; QUINTAIN_DATA says where it is")
    made = benchmark.customers(30, rng=np.random.default_rng(0))
    assert len(set(made.original["item"].to_pylist())) <= benchmark.GROUPS + 1
    assert len(made.release) == 2 * len(made.original) // 3
    assert len(made.key) == 30
