"""The audit of a release, end to end: what is known of the truth is what it says."""

import json

import numpy as np
import pytest

from quintain.audits.release import audit_release
from quintain.errors import DataError, KnowledgeError
from tests.audits.audit_tables import people, three, written

QUICK = {"permutations": 199}


@pytest.fixture(scope="module")
def tables():
    return three()


@pytest.fixture(scope="module")
def copied(tables):
    original, strangers, control = tables
    release = original.take(range(150)).concat(strangers.take(range(150)))
    return audit_release(original, release, control, show_exposed=5, **QUICK)


@pytest.mark.slow
def test_copies_are_unsafe_and_named(copied):
    assert copied.verdict == "unsafe"
    assert copied.p == 1 / 200
    assert copied.exposed_share.low > 0.2
    assert copied.nameable_records.low >= 10
    assert "name" in copied.reasons[0]


def test_the_most_exposed_people_are_copied_ones(copied, tables):
    assert len(copied.exposed) == 5
    original = tables[0].records()
    for one in copied.exposed:
        assert one.row < 150
        assert one.values == original[one.row]


@pytest.mark.slow
def test_an_independent_release_raises_no_alarm(tables):
    audit = audit_release(*tables, **QUICK)
    assert audit.verdict in ("nothing-found", "cannot-say")
    assert audit.p > 0.05
    assert audit.exposed is None


def test_the_json_has_what_pipelines_read(copied):
    plain = json.loads(copied.model_dump_json())
    expected = {
        "verdict", "p", "exposed_share", "nameable_records", "smallest_detectable", "readings",
        "not_computed", "inputs", "seed", "versions", "limits", "reasons", "utility",
    }  # fmt: skip
    assert expected <= set(plain)
    assert {"value", "low"} <= set(plain["exposed_share"])
    risks = {one["risk"] for one in plain["readings"]}
    assert risks == {"membership", "inference", "linkability", "singling-out"}
    assert all(one["threat"] for one in plain["readings"])


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes(tables, tmp_path):
    original, strangers, control = (table.take(range(60)) for table in tables)
    paths = written(tmp_path, original=original, release=strangers, control=control)
    first, again = (audit_release(**paths, seed=4, permutations=19) for _ in range(2))
    other = audit_release(**paths, seed=5, permutations=19)
    assert first.model_dump_json() == again.model_dump_json()
    assert first.model_dump_json() != other.model_dump_json()


def test_few_people_say_little():
    audit = audit_release(*three(30, seed=3), **QUICK)
    assert audit.verdict == "cannot-say"


def test_without_a_control_copies_are_proved_and_nothing_else(tables):
    original, strangers, _ = tables
    release = original.take(range(60)).concat(strangers.take(range(240)))
    audit = audit_release(original, release)
    assert audit.verdict == "unsafe"
    assert audit.p is None
    assert "assumption" in audit.reasons[0]
    fresh = audit_release(original, strangers)
    assert fresh.verdict == "cannot-say"
    assert any("quintain audit split" in limit for limit in fresh.limits)
    assert {"membership inference", "linkability"} <= {one.what for one in fresh.not_computed}


@pytest.mark.slow
def test_the_original_itself_is_unsafe_with_and_without_a_control(tables):
    original, _, control = tables
    shuffled = original.take(np.random.default_rng(0).permutation(len(original)))
    for given in ((), (control,)):
        audit = audit_release(original, shuffled, *given, permutations=19)
        assert audit.verdict == "unsafe"
        assert "exactly the rows of the original" in audit.reasons[0]


def test_files_that_are_mixed_up_are_refused(tables):
    original, release, control = tables
    with pytest.raises(DataError, match="exactly the rows of the original; are the files mixed"):
        audit_release(original, release, original.take(np.arange(len(original))[::-1]))
    with pytest.raises(DataError, match="exactly the rows of the release"):
        audit_release(original, control, control)


@pytest.mark.slow
def test_a_control_with_people_of_the_original_is_no_control(tables):
    original, release, control = tables
    mixed = control.take(range(150)).concat(original.take(range(150)))
    audit = audit_release(original, release, mixed, **QUICK)
    assert audit.verdict != "nothing-found"
    assert any("seems to be in the original" in limit for limit in audit.limits)


@pytest.mark.slow
def test_a_control_from_elsewhere_proves_nothing(tables):
    original, release, _ = tables
    elsewhere = people(900, seed=9)
    old = elsewhere.take(np.flatnonzero(elsewhere.columns["age"] > 60))
    audit = audit_release(original, release, old, **QUICK)
    assert audit.verdict == "cannot-say"
    assert any("age" in limit and "another population" in limit for limit in audit.limits)


@pytest.mark.slow
def test_a_leak_is_seen_although_the_control_is_older(tables):
    original, _, control = tables
    elsewhere = control.concat(people(600, seed=9))
    age = elsewhere.numbers("age")
    order = np.random.default_rng(3).permutation(len(age))
    older = elsewhere.take(np.sort(order[np.argsort(-age[order] - 30 * (order % 3))][:300]))
    audit = audit_release(original, original, older, **QUICK)
    assert audit.verdict == "unsafe"


def test_what_attackers_know_and_want_is_the_users_choice(tables):
    original, release, control = (table.take(range(60)) for table in tables)
    audit = audit_release(
        original, release, control, known=["age", "sex"], secrets=["ill"], permutations=19
    )
    asked = {one.columns for one in audit.readings if one.risk == "inference" and one.columns}
    assert asked == {("ill",)}
    with pytest.raises(KnowledgeError, match="no column 'agee'; did you mean 'age'"):
        audit_release(original, release, control, known=["agee"])


def test_columns_that_the_release_lacks_are_named(tables):
    original, release, control = (table.take(range(60)) for table in tables)
    audit = audit_release(original, release.drop("income"), control, permutations=19)
    assert any("income" in one.what for one in audit.not_computed)
