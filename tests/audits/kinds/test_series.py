"""Audits of time series: the figures of Hide-and-Seek, and verdicts."""

import numpy as np
import pytest

import quintain as q
from quintain.audits.pool import RecordPool
from quintain.audits.release import audit_release
from quintain.audits.risks.series_membership import measure_series_membership
from quintain.audits.shapes.series import SeriesAudit
from quintain.data import as_series, shape_of
from quintain.errors import DataError
from quintain.releases import Release
from quintain.testing import example
from tests.audits.kinds.played import cells, played, sample_and_release

EDITION = """
include = "hide-and-seek"
id = "small-series"
utility = []
[dataset]
use = "icu"
rows = 60
steps = 12
features = 4
[[baseline]]
id = "add-noise"
sanitizer = { use = "add-noise" }
[[baseline]]
id = "series-knn"
attack = { use = "series-knn", scaled_by = "robust" }
[[baseline]]
id = "series-length"
attack = { use = "series-length" }
[[baseline]]
id = "fingerprint"
attack = { use = "fingerprint", scaled_by = "robust" }
[[baseline]]
id = "row-density"
attack = { use = "row-density" }
"""
ATTACKERS = ("series-knn", "series-length", "fingerprint", "row-density")


@pytest.fixture(scope="module")
def contest(tmp_path_factory):
    return played(tmp_path_factory.mktemp("contest"), EDITION)


def findings(readings, name):
    """The first finding of each attack under this name."""
    return {f.attack: f.reading.value for f in reversed(readings) if f.name == name}


def test_the_audit_reads_what_the_contest_reads(contest):
    sample, release = sample_and_release(contest, "add-noise", "add-noise")
    others = np.setdiff1d(np.arange(len(sample.population)), sample.private_rows)
    audit = audit_release(sample.private, release, sample.population.take(others), permutations=19)
    for attacker in ATTACKERS:
        score = cells(contest)[attacker, "reidentification"]
        assert findings(audit.readings, "accuracy")[attacker] == score
        area = cells(contest)[attacker, "auc"]
        assert findings(audit.readings, "auc")[attacker] == pytest.approx(area, abs=1e-12)


def test_in_the_order_of_the_contest_the_figures_are_equal_to_the_last_bit(contest):
    sample, release = sample_and_release(contest, "add-noise", "add-noise")
    people = sample.population.take(sample.target_rows)
    pool = RecordPool(people, sample.members, np.arange(len(people)))
    panel = measure_series_membership(pool, Release(release), rng=np.random.default_rng(0))
    for attacker in ATTACKERS:
        assert findings(panel.findings, "auc")[attacker] == cells(contest)[attacker, "auc"]


def test_one_far_out_value_per_feature_does_not_blind_the_audit(contest):
    sample, _ = sample_and_release(contest, "add-noise", "add-noise")
    people = sample.population.take(sample.target_rows)
    pool = RecordPool(people, sample.members, np.arange(len(people)))
    hider = q.part("sanitizer/pipeline", steps=[{"use": "add-noise"}, {"use": "far-out"}])
    rng, noise = np.random.default_rng(1), q.Noise.for_test(1)
    release = hider.sanitize(sample.private, rng=rng, noise=noise).release
    panel = measure_series_membership(pool, release, rng=np.random.default_rng(0))
    accuracy = findings(panel.findings, "accuracy")
    assert accuracy["greedy-matching"] >= 0.9
    assert accuracy["row-density"] > 0.7


def people(rows=400):
    """Original, control and fresh people."""
    both = example("series", rows=rows)
    third = len(both) // 3
    return [both.take(range(i * third, (i + 1) * third)) for i in range(3)]


def test_repeated_series_are_unsafe_and_fresh_ones_are_not():
    original, control, fresh = people(1200)
    leak = q.audit(original, original, control, permutations=99)
    assert leak.verdict == "unsafe" and leak.p == 0.01
    assert q.audit(original, fresh, control, permutations=99).verdict != "unsafe"


def test_without_a_control_only_copies_are_seen():
    original, _, fresh = people()
    copies = audit_release(original, original)
    assert copies.verdict == "unsafe" and "repeats the series" in copies.reasons[0]
    assert audit_release(original, fresh).verdict == "cannot-say"
    assert SeriesAudit().count_repeated(original, fresh) == 0


def test_files_with_a_schema_are_audited(tmp_path):
    original, control, _ = people()
    files = {}
    for name, data in {"original": original, "release": original, "control": control}.items():
        files[name] = tmp_path / f"{name}.csv"
        data.to_csv(files[name])
    schema = tmp_path / "schema.json"
    schema.write_text(original.schema.model_dump_json())
    audit = audit_release(*files.values(), schema=schema, permutations=19)
    assert audit.verdict == "unsafe"
    assert [one.name for one in audit.inputs] == ["original.csv", "release.csv", "control.csv"]
    assert {len(one.sha256) for one in audit.inputs} == {64}
    assert {"linkability", "singling out"} <= {one.what for one in audit.not_computed}


def test_a_table_beside_series_is_refused():
    with pytest.raises(DataError, match="needs a schema"):
        audit_release(people()[0], q.Table.of(q.Schema(columns=(AGE,)), {"age": [1]}))


AGE = q.Column(name="age", kind="integer", low=0, high=9)


def test_a_release_that_repeats_a_few_series_of_the_control_is_not_called_safe():
    people = as_series(example("series", rows=9000, seed=1))
    original, control, others = (people.take(part) for part in np.split(np.arange(900), 3))
    known = np.flatnonzero(control.lengths >= 3)[:10]
    strangers = others.take(np.arange(len(others) - len(known)))
    release = shape_of(people).join(strangers, control.take(known))
    audit = audit_release(original, release, control, permutations=99)
    (sign,) = audit.control_signs
    assert sign.alarm and sign.only_release == len(known)
    assert audit.verdict == "cannot-say" and "made with the control" in audit.doubt
