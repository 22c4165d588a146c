"""Checks of risks: their words have the places that reports fill, and same seed, same result."""

from __future__ import annotations

import numpy as np

from quintain.audits.pool import Pool, RecordPool
from quintain.audits.risk import AuditedRelease, Risk
from quintain.data import Data, as_table, shape_of
from quintain.randomness.seeds import SeedTree
from quintain.releases import Release
from quintain.testing.examples import example, people


def check_risk(part: Risk) -> None:
    """A risk tells its question in words, and finds the same with the same seed."""
    assert part.words.title and part.words.question, f"{part.id} has no words"
    for text in (part.words.success, part.words.more):
        text.format(total=100, found=1, about="a secret", more="more")
    audited = _strangers(part)
    first, again = (part.measure(audited, rng=np.random.default_rng(0)) for _ in range(2))
    assert first.findings == again.findings, f"{part.id} finds other things with the same seed"
    assert all(finding.risk == part.harm for finding in first.findings)
    for before, after in zip(first.evidence, again.evidence, strict=True):
        assert np.array_equal(before.scores, after.scores, equal_nan=True)


def _strangers(part: Risk) -> AuditedRelease:
    """A release of strangers, with the data that the risk is for."""
    data: Data = example(part.shapes[0], rows=60)
    rng, seeds, shape = np.random.default_rng(0), SeedTree.from_int(0), shape_of(data)
    if shape.row_is_person:
        table = people(as_table(data))
        inside, outside, strangers = (table.take(range(i, i + 20)) for i in (0, 20, 40))
        rows = Pool.of(inside, outside, rng=rng)
        return AuditedRelease(inside, Release(strangers), seeds, rows)
    if shape.deletes_in_place:
        return AuditedRelease(data, Release(data), seeds)
    half = len(data) // 2
    original, control = data.take(range(half)), data.take(range(half, len(data)))
    pool = RecordPool.of(original, control, rng=rng)
    return AuditedRelease(original, Release(original), seeds, pool)
