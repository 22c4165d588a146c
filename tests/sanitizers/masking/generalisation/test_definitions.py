"""The definitions of k-anonymity, l-diversity and t-closeness hold for every release."""

from collections import Counter, defaultdict
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain.errors import PartError
from quintain.randomness.noise import Noise
from quintain.sanitizers import sanitize
from quintain.sanitizers.masking.generalisation.generaliser import (
    KAnonymity,
    LDiversity,
    TCloseness,
)
from quintain.testing.strategies import schemas, tables

METHODS = st.sampled_from([{"method": "local"}, {"method": "global"},
                           {"method": "global", "suppress": 0.3}])  # fmt: skip
MIXED = schemas(min_columns=2, max_columns=4, kinds=("category", "integer", "real", "time"))
TABLES = MIXED.flatmap(lambda schema: tables(schema, min_rows=1, max_rows=14))


def released(table, part, **parameters):
    sanitizer = part(**parameters)
    return sanitize(sanitizer, table, rng=np.random.default_rng(0), noise=Noise.for_test(1))


def classes(table, names, secret=None):
    """The records by their values in some columns; of each record the value in another one."""
    out = defaultdict(list)
    for record in table.records():
        out[tuple(record[name] for name in names)].append(record[secret] if secret else None)
    return list(out.values())


@pytest.mark.slow
@given(TABLES, st.integers(1, 4), METHODS)
def test_k_anonymity(table, k, method):
    names = table.schema.names[1:]
    if len(table) < k:
        with pytest.raises(PartError, match="does not even hold for all"):
            released(table, KAnonymity, k=k, columns=names, **method)
        return
    release = released(table, KAnonymity, k=k, columns=names, **method).release.data
    assert all(len(records) >= k for records in classes(release, names))
    assert len(table) - len(release) <= method.get("suppress", 0) * len(table)
    assert len(release)


def diversity(values, kind, constant, most):
    """Whether a class with these sensitive values is diverse, by the formulas of the paper."""
    counts = sorted(Counter(values).values(), reverse=True)
    if kind == "entropy":
        shares = [count / len(values) for count in counts]
        return -sum(p * log(p) for p in shares) >= log(most) - 1e-9
    if kind == "recursive":
        return counts[0] < constant * sum(counts[most - 1 :])
    return len(counts) >= most


@pytest.mark.slow
@given(
    TABLES, st.integers(1, 3), METHODS, st.sampled_from(["distinct", "entropy", "recursive"]),
    st.sampled_from([0.5, 1.5, 4.0]),
)  # fmt: skip
def test_l_diversity(table, most, method, kind, constant):
    secret, *names = table.schema.names
    parameters = {"l": most, "kind": kind, "c": constant, "sensitive": secret, **method}
    if not diversity([record[secret] for record in table.records()], kind, constant, most):
        with pytest.raises(PartError, match="does not even hold for all"):
            released(table, LDiversity, **parameters)
        return
    release = released(table, LDiversity, **parameters).release.data
    groups = classes(release, names, secret)
    assert all(diversity(values, kind, constant, most) for values in groups)


def earth_mover(values, everyone, ordered):
    """The distance of two lists of values: in order by steps, else one for different values."""
    present = sorted(set(everyone), key=lambda value: (value is None, value))
    gaps = [values.count(v) / len(values) - everyone.count(v) / len(everyone) for v in present]
    if ordered:
        return sum(map(abs, np.cumsum(gaps))) / max(1, len(present) - 1)
    return sum(map(abs, gaps)) / 2


@given(TABLES, st.sampled_from([0.0, 0.2, 0.5]), METHODS, st.booleans())
def test_t_closeness(table, t, method, ordered):
    secret, *names = table.schema.names
    distance = "ordered" if ordered else "equal"
    parameters = {"t": t, "k": 1, "sensitive": secret, "distance": distance, **method}
    release = released(table, TCloseness, **parameters).release.data
    rank = {value: code for code, value in enumerate(release.schema[secret].values)}
    groups = [[rank.get(v, v) for v in values] for values in classes(release, names, secret)]
    everyone = [value for values in groups for value in values]
    assert all(earth_mover(values, everyone, ordered) <= t + 1e-8 for values in groups)


@pytest.mark.slow
@given(TABLES, st.integers(1, 3), METHODS)
def test_sensitive_columns_and_origins_are_true(table, k, method):
    if len(table) < k:
        return
    secret, *names = table.schema.names
    result = released(table, KAnonymity, k=k, columns=names, **method)
    release, origins = result.release.data, result.trace.origins
    np.testing.assert_array_equal(release.columns[secret], table.columns[secret][origins])
    assert len(set(origins.tolist())) == len(origins)
    for name in names:  # a released value is one that occurs, or missing
        column, new = table.schema[name], set(release.select([name]).csv_bytes().split(b"\n"))
        old = set(table.select([name]).csv_bytes().split(b"\n"))
        assert new <= (old | {b"", b'""'} if column.nullable else old)
