"""Small shops for tests of sanitizers of transactions."""

from functools import cache

import numpy as np

from quintain.data import Column, Schema, Transactions
from quintain.data.sources.retail import Retail
from quintain.errors import Faults
from quintain.kernels.purchases import Purchases, months_of
from quintain.randomness.noise import Noise
from quintain.registry import build
from quintain.releases.kept_rows import KeptRows
from quintain.sanitizers import sanitize

SCHEMA = Schema(
    shape="transactions",
    columns=(
        Column(name="who", kind="id", role="customer", nullable=True),
        Column(name="day", kind="time", role="time", nullable=True),
        Column(name="till", kind="category", values=("left", "right"), nullable=True),
        Column(name="item", kind="category", values=tuple("abcdefgh"), role="item", nullable=True),
        Column(name="price", kind="real", low=0.001, role="price", nullable=True),
        Column(name="number", kind="integer", low=1, high=999, role="quantity", nullable=True),
    ),
)


def shop(*rows):
    """A table from (who, day, item, price, number)."""
    person, day, item, price, number = zip(*rows, strict=True)
    till = ["left" if i % 2 else "right" for i in range(len(rows))]
    values = {
        "who": person,
        "day": day,
        "till": till,
        "item": item,
        "price": price,
        "number": number,
    }
    return Transactions.of(SCHEMA, values)


@cache
def stand_in(customers=40, rows=2000, seed=0):
    """A year of shopping of a few customers."""
    return Retail(customers=customers, rows=rows).data(np.random.default_rng(seed))


def sanitized(use, data, seed=1, rule=0, **parameters):
    """The release of a sanitizer, checked against the rules of DARC."""
    part = build("sanitizer", {"use": use, **parameters})
    rng = np.random.default_rng(0)
    release = sanitize(part, data, rng=rng, noise=Noise.for_test(seed)).release
    faults = Faults("release")
    KeptRows(kept=rule).check(data, release.data, faults)
    assert not faults, faults.findings[:3]
    return release


def both(use, data, seed=1, **parameters):
    """Original and release as purchases."""
    return Purchases.of(data), Purchases.of(sanitized(use, data, seed, **parameters).data)


def unchanged(before, after, *names):
    """Whether these columns did not change."""
    return all((getattr(before, name) == getattr(after, name)).all() for name in names)


def cells_of(bought):
    """For every row its person and month."""
    return list(zip(bought.person.tolist(), months_of(bought.day).tolist(), strict=True))
