"""How many customers are named by some of their rows in three tables: a table with 95 % intervals.

    QUINTAIN_DATA=folder-with-online_retail.parquet python -m benchmarks.goals.naming

The tables are customers with their country, their invoices with the day, and the lines of each
invoice with item, quantity and price: 1,200 customers of Online Retail with 5 to 500 lines, and the
800 items that are bought most. Without the real data they are those of the simulated clinic. A
release is made from 500 people. The attacker knows 1, 2, 4, 8 or all rows of each table but the
first one of every person in the release, and names their pseudonym by whole histories or by
aggregates.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.bench.machine import people, real_data
from quintain.attacks import Knowledge
from quintain.data import Trees
from quintain.data.people_files import read_people
from quintain.data.sources.clinic import Clinic
from quintain.data.sources.source import DATA_FOLDER
from quintain.guesses.naming import Naming
from quintain.measures import Case, Reading, reading_rng
from quintain.measures.privacy.found import PeopleNamed
from quintain.plays import Situation, play_or_raise
from quintain.randomness.noise import Noise
from quintain.registry import build
from quintain.releases import publication
from quintain.samples import Subset
from quintain.sanitizers import sanitize

FILE = "online_retail.parquet"
CUSTOMERS, FEWEST, MOST, ITEMS, RELEASED = 1200, 5, 500, 800, 500
KNOWN = (1, 2, 4, 8, None)
ATTACKS = ("histories", "aggregates")


def shop(rng: np.random.Generator) -> Trees:
    """Customers, invoices and lines of Online Retail."""
    rows = pd.read_parquet(Path(os.environ[DATA_FOLDER]) / FILE)
    rows = rows[rows.CustomerID.notna() & (rows.Quantity > 0) & (rows.UnitPrice > 0)]
    lines = rows.groupby("CustomerID").size()
    usual = lines[lines.between(FEWEST, MOST)].index.to_numpy()
    rows = rows[rows.CustomerID.isin(rng.choice(usual, CUSTOMERS, replace=False))]
    rows = rows[rows.StockCode.isin(rows.StockCode.value_counts().index[:ITEMS])]
    day = pd.to_datetime(rows.InvoiceDate).dt.strftime("%Y-%m-%d")
    rows = rows.assign(day=day, CustomerID=rows.CustomerID.astype(int))
    tables = {
        "customers": rows.drop_duplicates("CustomerID")[["CustomerID", "Country"]],
        "invoices": rows.drop_duplicates("InvoiceNo")[["InvoiceNo", "CustomerID", "day"]],
        "lines": rows[["InvoiceNo", "StockCode", "Quantity", "UnitPrice"]],
    }
    return Trees.of(read_people(tables))


def methods(data: Trees) -> Mapping[str, Mapping[str, Any]]:
    """New pseudonyms alone; and a third of the rows dropped, most columns shuffled."""
    root, *others = data.people.schema.tables
    values = [table.flat_name(column.name) for table in others for column in table.columns]
    telling = "lines.StockCode" if "lines.StockCode" in values else "visits.code"
    shuffled = [name for name in values if name != telling]
    shuffled += [root.flat_name(column.name) for column in root.columns]
    steps = [
        {"use": "row-dropping", "share": 1 / 3, "tables": [others[-1].name]},
        {"use": "value-shuffling", "columns": shuffled},
        {"use": "value-shuffling", "share": 0.1, "columns": [telling]},
    ]
    return {
        "new pseudonyms": {"use": "new-pseudonyms"},
        f"a third of {others[-1].name} dropped, all shuffled but {telling}, of which 10 %": {
            "use": "pipeline",
            "steps": steps,
        },
    }


def named(data: Trees, method: Mapping[str, Any], known: int | None, attack: str) -> Reading:
    """The share of people whose pseudonym an attack names."""
    sample = Subset(rows=min(RELEASED, len(data) // 2)).draw(data, rng=np.random.default_rng(2))
    rng, noise = np.random.default_rng(3), Noise.for_test(4)
    made = sanitize(build("sanitizer", method), sample.private, rng=rng, noise=noise)
    published = publication(made.release.data, made.trace.origins, rng=rng)
    tables = tuple(table.name for table in data.people.schema.tables[1:])
    goal = Naming(rows_known=known, tables_known=tables)
    question, truth = goal.ask_published(sample, made.release, published, rng=rng)
    situation = Situation(goal, replace(made.release, data=published.data), Knowledge(question))
    guess = play_or_raise(build("attack", {"use": attack}), situation, rng=rng)
    return PeopleNamed().measure([Case(truth, guess)], rng=reading_rng())["people_named"]


def cell(reading: Reading) -> str:
    """A reading in per cent, with its interval."""
    value, low, high = (100 * number for number in (reading.value, reading.low, reading.high))
    return f"{value:.1f} % ({low:.1f} to {high:.1f})"


def main() -> None:
    """Print one row per release and number of known rows."""
    rng, real = np.random.default_rng(1), real_data(FILE)
    data = shop(rng) if real else Clinic(rows=CUSTOMERS).generate(rng)
    print(f"{data} ({people(real)})\n")
    print(f"| release | known rows of a table | {' | '.join(ATTACKS)} |\n|---|---|---|---|")
    start = time.process_time()
    for name, method in methods(data).items():
        for known in KNOWN:
            cells = " | ".join(cell(named(data, method, known, attack)) for attack in ATTACKS)
            print(f"| {name} | {'all' if known is None else known} | {cells} |", flush=True)
    print(f"\n{time.process_time() - start:.0f} CPU seconds")


if __name__ == "__main__":
    main()
