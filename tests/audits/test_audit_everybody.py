"""The audit of a release about everybody: leaks are seen without a control, and strangers pass."""

import json

import numpy as np
import pyarrow as pa
import pytest

import quintain as q
from quintain.audits.everybody import _deal, audit_everybody
from quintain.audits.report import notebook_view, release_page
from quintain.data.frames import to_frame
from quintain.errors import PartError, QuintainError
from quintain.randomness.seeds import SeedTree
from quintain.sanitizers.adapters import function
from quintain.testing import example
from tests.audits.audit_tables import people

QUICK = {"permutations": 199}


def strangers(copied=0.0):
    """A sanitizer that releases other people, and copies of a share of its own."""
    others = to_frame(people(2000, seed=9), "pyarrow")

    def release(private, seed):
        rng = np.random.default_rng(seed)
        copies = round(copied * len(private))
        rest = others.take(rng.choice(len(others), len(private) - copies, replace=False))
        own = private.take(rng.choice(len(private), copies, replace=False))
        return pa.concat_tables([own.cast(rest.schema), rest])

    return function(release, "pyarrow")


def made(sanitizer, table):
    """The release of everybody."""
    from quintain.randomness.noise import Noise
    from quintain.sanitizers import sanitize

    rng = np.random.default_rng(5)
    return sanitize(sanitizer, table, rng=rng, noise=Noise.for_test(5)).release.data


@pytest.fixture(scope="module")
def table():
    return people(150)


@pytest.fixture(scope="module")
def leaky(table):
    sanitizer = strangers(0.3)
    return audit_everybody(sanitizer, table, made(strangers(), table), **QUICK)


@pytest.fixture(scope="module")
def honest(table):
    return audit_everybody(strangers(), table, made(strangers(), table), **QUICK)


@pytest.mark.slow
def test_a_sanitizer_that_copies_is_seen_without_a_control(leaky):
    assert leaky.verdict in ("unsafe", "some-leakage")
    assert leaky.p == 1 / 200
    told = "told the people in a run of the sanitizer from those who were left out"
    assert any(told in reason for reason in leaky.reasons)
    assert leaky.folds.left_out == (30,) * 5
    assert leaky.folds.attack_p[leaky.folds.strongest] == 1 / 200
    auc = {one.attack: one for one in leaky.readings if one.name == "auc"}
    assert auc["near-copies"].reading.low > 0.5
    assert auc["near-copies"].smallest_detectable > 0.5


@pytest.mark.slow
def test_a_sanitizer_that_knows_nobody_passes(honest):
    assert honest.verdict in ("nothing-found", "cannot-say")
    assert honest.p > 0.05
    assert not any("control must be drawn" in limit for limit in honest.limits)
    assert any("same sanitizer with the same settings" in limit for limit in honest.limits)


@pytest.mark.slow
def test_the_file_to_publish_is_searched_for_copies(table):
    shuffled = table.take(np.random.default_rng(0).permutation(len(table)))
    audit = audit_everybody(strangers(), table, shuffled, permutations=19)
    assert audit.verdict == "unsafe"
    assert "exactly the rows of the original" in audit.reasons[0]
    few = made(strangers(0.4), table)
    audit = audit_everybody(strangers(), table, few, permutations=19)
    assert audit.verdict == "unsafe"
    assert "copies or near copies" in audit.reasons[0]


def test_numbers_and_report_say_what_was_done(leaky, honest):
    plain = json.loads(leaky.model_dump_json())
    assert plain["format"] == "quintain.release-audit/1"
    assert plain["folds"]["sanitizer"] == "function"
    assert {"attribute inference", "linkability"} <= {one["what"] for one in plain["not_computed"]}
    page = release_page(leaky)
    assert "How everybody was audited" in page
    assert "ran 5 times, each time without 30 people" in page
    assert "Was the release made with the control?" not in page
    assert "Audit everybody again" in page
    calm = honest.model_copy(update={"verdict": "nothing-found"})
    assert "the release of everybody, made by the same sanitizer" in release_page(calm)
    assert "an audit of everybody asks who is in the data" in notebook_view(honest)


def test_the_order_of_the_people_does_not_depend_on_the_deal(table):
    """Equal scores follow the order, so an order that depends on folds would not be exact."""
    seeds = SeedTree.from_int(3)
    two, five = (_deal(table, None, count, seeds) for count in (2, 5))
    np.testing.assert_array_equal(two.order, five.order)
    names = [
        dealt.pool(table, number).records.digest() for dealt in (two, five) for number in (0, 1)
    ]
    assert len(set(names)) == 1
    left_out = [np.setdiff1d(np.arange(len(table)), five.rows_in(j)) for j in range(5)]
    assert sorted(np.concatenate(left_out).tolist()) == list(range(len(table)))


@pytest.mark.slow
def test_people_with_several_rows_are_left_out_whole():
    table, who = people(90), np.repeat(np.arange(30), 3)
    dealt = _deal(table, who, 5, SeedTree.from_int(0))
    for number in range(5):
        inside = set(who[dealt.rows_in(number)].tolist())
        outside = set(np.delete(who, dealt.rows_in(number)).tolist())
        assert not inside & outside
        assert len(outside) == 6
    frame = to_frame(table, "pyarrow").append_column("who", pa.array(who))
    audit = audit_everybody(
        strangers(), frame, made(strangers(), table), unit="who", permutations=19
    )
    assert audit.folds.left_out == (6,) * 5
    assert any("A person counts once" in limit for limit in audit.limits)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes():
    table = people(40)
    release = made(strangers(), table)
    first, again, other = (
        audit_everybody(strangers(), table, release, folds=2, seed=seed, permutations=19)
        for seed in (1, 1, 2)
    )
    assert first.model_dump_json() == again.model_dump_json()
    assert first.model_dump_json() != other.model_dump_json()


def test_a_sanitizer_may_generalise_its_columns():
    table = people(60)
    audited = q.audit_everybody(
        "k-anonymity", table, q.sanitize("k-anonymity", table, seed=1), folds=2, permutations=19
    )
    assert audited.p is not None
    assert audited.audit.folds.sanitizer == "k-anonymity"


def test_what_cannot_be_audited_is_refused_in_words(table):
    with pytest.raises(QuintainError, match="200 folds: choose from 2 to 75"):
        audit_everybody(strangers(), table, table, folds=200)
    with pytest.raises(PartError, match="needs a table"):
        audit_everybody(strangers(), example("series", rows=40), table)
    with pytest.raises(PartError, match="asks who is in the data"):
        audit_everybody(strangers(), table, table, attacks=["majority-given-known"])


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    """Patients with visits and prescriptions, as trees and in a folder."""
    from quintain.data.people_files import write_people
    from quintain.data.sources.clinic import Clinic

    trees = Clinic(rows=40).data(np.random.default_rng(3))
    folder = tmp_path_factory.mktemp("clinic")
    write_people(trees, folder)
    return trees, folder


def released_clinic(clinic, folder, sanitizer, **parameters):
    """The release of everybody in a folder."""
    from quintain.data.people_files import write_people

    trees, _ = clinic
    release = q.sanitize(sanitizer, trees, seed=1, **parameters)
    write_people(release.data, folder)
    return folder


@pytest.mark.slow
def test_people_of_several_tables_are_recognised_by_their_rows(clinic, tmp_path):
    release = released_clinic(clinic, tmp_path, "row-dropping", share=0.2)
    part = q.part("row-dropping", share=0.2)
    schema = clinic[1] / "schema.json"
    audit = audit_everybody(part, clinic[1], release, folds=2, schema=schema, permutations=99)
    assert audit.verdict == "unsafe" and audit.p <= 0.05
    assert audit.folds.left_out == (20, 20)
    assert "histories" in {finding.attack for finding in audit.readings}
    assert audit.folds.attack_p["histories"] <= 0.05


@pytest.mark.slow
def test_several_tables_with_a_promise_per_person_pass(clinic, tmp_path):
    promise = {"epsilon": 0.5, "rows": 20}
    release = released_clinic(clinic, tmp_path, "people-marginals", **promise)
    part = q.part("people-marginals", **promise)
    audit = audit_everybody(part, clinic[0], release, folds=2, permutations=99)
    assert audit.verdict != "unsafe" and audit.p > 0.05


def test_several_tables_need_a_schema_of_several_tables(clinic, tmp_path):
    release = released_clinic(clinic, tmp_path, "new-pseudonyms")
    with pytest.raises(QuintainError, match="it is one of a single table"):
        audit_everybody(q.part("new-pseudonyms"), clinic[1], release, schema=people(3).schema)
