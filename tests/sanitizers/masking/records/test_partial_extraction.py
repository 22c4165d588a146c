"""Partial extraction: how many records are published, each with the same probability."""

import numpy as np
import pytest
from scipy.stats import chisquare

from quintain.randomness.noise import Noise
from quintain.sanitizers.masking.deletion import PartialExtraction
from tests.sanitizers.masking.masking_cases import persons


def extracted(data, seed=1, share=0.5):
    part = PartialExtraction(share=share)
    return part.sanitize(data, rng=np.random.default_rng(0), noise=Noise.for_test(seed)).release


@pytest.mark.parametrize(("share", "rows"), [(0.001, 1), (0.1, 10), (0.335, 34), (1.0, 100)])
def test_the_share_is_published_as_it_is_and_in_order(share, rows):
    data = persons(100)
    release = extracted(data, share=share)
    kept = release.data.columns["id"]
    assert len(kept) == rows
    assert (np.diff(kept) > 0).all()
    assert release.data.equals(data.take(kept))
    (method,) = release.methods
    assert (method.name, method.rows) == ("partial record extraction", 100 - rows)
    assert release.claim is None


def test_everybody_is_as_likely_as_anybody():
    data = persons(20)
    kept = np.concatenate([extracted(data, s, 0.25).data.columns["id"] for s in range(800)])
    assert chisquare(np.bincount(kept, minlength=20)).pvalue > 1e-4
