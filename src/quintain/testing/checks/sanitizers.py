"""Checks of sanitizers: reproducible, inside the domain, and honest about test noise."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from quintain.data import Data, shape_of
from quintain.data.files import read_bytes, to_bytes
from quintain.errors import Faults
from quintain.randomness.noise import Noise
from quintain.randomness.seeds import SeedTree
from quintain.releases import Release, Sanitized
from quintain.sanitizers import Sanitizer, sanitize
from quintain.sanitizers.sanitizer import Shadow
from quintain.testing.examples import inputs


def _run(part: Sanitizer, data: Data) -> Sanitized:
    rng = SeedTree.from_int(1).rng("check")
    return sanitize(part, data, rng=rng, noise=Noise.for_test(1))


def _sanitize(part: Sanitizer, data: Data) -> Release:
    return _run(part, data).release


def _inputs_of(part: Sanitizer) -> Iterator[Data]:
    return (data for data in inputs(part.shapes) if not part.refusal(data.schema))


def check_same_seed_same_bytes(part: Sanitizer) -> None:
    """The same seed gives the same release."""
    for data in _inputs_of(part):
        once, again = _sanitize(part, data), _sanitize(part, data)
        assert once.data.digest() == again.data.digest(), f"{part.id} is not reproducible"


def check_input_unchanged(part: Sanitizer) -> None:
    """Sanitizing does not touch the private data."""
    for data in _inputs_of(part):
        before = data.digest()
        _sanitize(part, data)
        assert data.digest() == before, f"{part.id} changed its input"


def check_domain_kept(part: Sanitizer) -> None:
    """A release has the schema that the sanitizer announces, and only values of its domain."""
    for data in _inputs_of(part):
        release, schema = _sanitize(part, data), part.release_schema(data.schema)
        assert release.data.schema == schema, f"{part.id} changed the schema"
        suffix = ".csv"
        faults = Faults("release.csv")
        read_bytes(to_bytes(release.data, suffix), "release.csv", schema, faults=faults)
        assert not faults, f"{part.id} left the domain: {faults.findings[:3]}"


def check_order_irrelevant(part: Sanitizer) -> None:
    """The order of the input does not matter, unless record i stands for original record i."""
    for data in _inputs_of(part):
        if part.aligned or shape_of(data).hidden_order(data) is None:
            continue
        shuffled = data.take(np.random.default_rng(5).permutation(len(data)))
        once, again = _sanitize(part, data), _sanitize(part, shuffled)
        assert once.data.digest() == again.data.digest(), f"{part.id} depends on the row order"


def check_test_noise_marked(part: Sanitizer) -> None:
    """A release that was made with repeatable noise is marked as a test."""
    for data in _inputs_of(part):
        assert _sanitize(part, data).test, f"{part.id} does not mark a release with test noise"


def check_structure_told(part: Sanitizer) -> None:
    """A sanitizer that chooses what to preserve tells its choice without a run, too."""
    for data in _inputs_of(part):
        chosen = _run(part, data).trace.focal_points
        structure = Shadow(part).structure(data)
        assert bool(structure) == bool(chosen), f"{part.id} tells {structure}, not {chosen}"


def check_origins_told(part: Sanitizer) -> None:
    """A trace has origins exactly if the sanitizer says so, at most one record per person."""
    for data in _inputs_of(part):
        result = _run(part, data)
        origins = result.trace.origins
        assert (origins is not None) == part.tells_origins(), f"{part.id} tells no true origins"
        if origins is not None:
            assert len(origins) == len(result.release.data), f"{part.id} misses some origins"
            true = origins[origins >= 0]
            assert len(np.unique(true)) == len(true), f"{part.id} released a record twice"
            assert true.max(initial=0) < len(data), f"{part.id} names unknown records"
