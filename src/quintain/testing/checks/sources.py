"""Checks of data sources: their stand-ins are reproducible and keep to the schema."""

from __future__ import annotations

import numpy as np

from quintain.data.files import read_bytes, to_bytes
from quintain.data.sources.source import Source
from quintain.errors import Faults


def check_source(part: Source) -> None:
    """The stand-in keeps to the schema, and the same seed gives the same data."""
    small = part.model_copy(update={"rows": 500})
    once, again = (small.generate(np.random.default_rng(2)) for _ in range(2))
    assert once.digest() == again.digest(), f"{part.id} is not reproducible"
    assert once.schema == part.data_schema(), f"{part.id}: data and schema differ"
    assert len(once) == 500, f"{part.id} gave {len(once)} records, not 500"
    assert part.licence and part.obtain
    faults = Faults("stand-in.csv")
    read_bytes(to_bytes(once, ".csv"), "stand-in.csv", part.data_schema(), faults=faults)
    assert not faults, f"{part.id} leaves its domain: {faults.findings[:3]}"
