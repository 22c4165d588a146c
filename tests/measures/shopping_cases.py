"""Small shopping transactions for tests: drawn by Hypothesis, or the real ones under new names."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from quintain.data import Column, Schema, Transactions
from quintain.data.sources.retail import PREPARED, Retail
from quintain.kernels.purchases import Purchases, months_of
from quintain.measures import ReleaseMeasure, reading_rng

ITEMS = ("22B", "10A", "10B", "30", "21X", "22")
"""Not in the order of their names, and two pairs share their first two characters."""

SCHEMA = Schema(
    shape="transactions",
    columns=(
        Column(name="who", kind="id", role="customer", nullable=True, missing="DEL"),
        Column(name="day", kind="time", role="time", nullable=True),
        Column(name="item", kind="category", values=ITEMS, role="item", nullable=True),
        Column(name="price", kind="real", role="price", nullable=True),
        Column(name="count", kind="integer", low=1, high=99, role="quantity", nullable=True),
    ),
)
DAYS = ("2010-12-01", "2010-12-31", "2011-01-01", "2011-01-05", "2011-02-28")

Record = dict[str, Any]


def table(records: list[Record]) -> Transactions:
    """Transactions from dictionaries; a name alone makes the rest missing."""
    return Transactions.of(SCHEMA, {n: [r.get(n) for r in records] for n in SCHEMA.names})


def record(who: str, day: str, item: str, price: float = 1.0, count: int = 1) -> Record:
    """One purchase."""
    return {"who": who, "day": day, "item": item, "price": price, "count": count}


def readings(
    part: ReleaseMeasure, original: list[Record], release: list[Record]
) -> dict[str, float]:
    """What a measure reads of a release, without the intervals."""
    measured = part.measure(table(original), table(release), None, rng=reading_rng())
    return {name: reading.value for name, reading in measured.items()}


def _purchase(days: tuple[str, ...] = DAYS) -> st.SearchStrategy[Record]:
    return st.fixed_dictionaries(
        {
            "day": st.sampled_from(days),
            "item": st.sampled_from(ITEMS),
            "price": st.sampled_from([0.5, 1.0, 2.5]),
            "count": st.integers(1, 8),
        }
    )


@st.composite
def releases(draw: st.DrawFn, *, max_rows: int = 14) -> tuple[list[Record], list[Record]]:
    """An original and a release of it: pseudonyms by month, some rows changed, some deleted.

    Different persons may get the same pseudonym, and a person the same one in several months.
    """
    original, release = [], []
    names: dict[tuple[str, str], str] = {}
    for _ in range(draw(st.integers(1, max_rows))):
        one = {"who": draw(st.sampled_from("abc")), **draw(_purchase())}
        original.append(one)
        month = one["day"][:7]
        if (one["who"], month) not in names:
            names[one["who"], month] = draw(st.sampled_from(["p", "q", "r", "s"]))
        if draw(st.integers(0, 4)) == 0:
            release.append({"who": "DEL"})
            continue
        other = {**one, "who": names[one["who"], month]}
        if draw(st.booleans()):
            same = tuple(day for day in DAYS if day[:7] == month)
            other |= draw(_purchase(same))
        release.append(other)
    return original, release


def live(records: list[Record]) -> list[Record]:
    """The rows that were not deleted."""
    return [r for r in records if r["who"] != "DEL"]


def true_pseudonyms(original: list[Record], release: list[Record]) -> dict[tuple[str, str], str]:
    """The pseudonym table the slow way: by person and month."""
    pairs = zip(original, release, strict=True)
    return {(o["who"], o["day"][:7]): r["who"] for o, r in pairs if r["who"] != "DEL"}


@cache
def real_transactions() -> Transactions:
    """The real transactions; tests that ask for them are skipped where they are not."""
    folder = Path(os.environ["QUINTAIN_DATA"])
    if not (folder / PREPARED).is_file():
        pytest.skip(f"{PREPARED} not in {folder}: set QUINTAIN_DATA to the real data")
    return Retail(real=True).load()


@cache
def real_pseudonyms() -> Transactions:
    """The real transactions with a new pseudonym for each person and month, nothing else done."""
    original = real_transactions()
    purchases = Purchases.of(original)
    month = months_of(purchases.day)
    codes = purchases.person.astype(np.int64) * 13 + month - month.min()
    names = np.random.default_rng(0).permutation(int(codes.max()) + 1)
    return original.replace({"id_user": np.char.add("p", names[codes].astype(str))})
