"""The utility panel: what it reads, and where it says that a release differs."""

import numpy as np

from quintain.audits.release_utility import measure_utility
from quintain.testing import example_table, people


def tables(*seeds, rows=400):
    return [people(example_table(rows=rows, seed=seed)) for seed in seeds]


def panel(original, release, control, seed=0):
    return measure_utility(original, release, control, rng=np.random.default_rng(seed))


def test_the_original_itself_reads_no_distance():
    original, control = tables(0, 1)
    result = panel(original, original, control)
    marginals = [f for f in result.findings if f.measure == "k-way-marginals"]
    assert [f.name for f in marginals] == ["marginals1", "marginals2", "marginals3"]
    assert all(f.reading.value == 0 for f in marginals)
    assert all(f.reference is not None and f.reference.value > 0 for f in marginals)


def test_a_fresh_sample_reads_what_the_control_reads():
    original, release, control = tables(0, 1, 2)
    for finding in panel(original, release, control).findings:
        if finding.measure == "k-way-marginals":
            assert finding.reading.low <= finding.reference.value <= finding.reading.high


def test_without_a_control_there_is_no_reference():
    original, release = tables(0, 1)
    assert all(f.reference is None for f in panel(original, release, None).findings)


def test_the_changed_column_comes_first():
    original, control = tables(0, 1)
    release = original.replace({"flag": np.zeros(len(original), np.int32)})
    worst, *others = panel(original, release, control).shapes
    share = float((original.columns["flag"] == 1).mean())
    assert worst.column == "flag"
    assert np.isclose(worst.distance, share)
    assert all(shape.distance == 0 for shape in others)


def test_the_same_seed_gives_the_same_numbers():
    original, release, control = tables(0, 1, 2)
    assert panel(original, release, control) == panel(original, release, control)
