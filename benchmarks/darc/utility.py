"""What it costs to measure a release of transactions, in one thread; prints three tables.

    QUINTAIN_DATA=folder-with-darc_ground_truth.parquet python -m benchmarks.darc.utility [--large]

The release gives everybody a new pseudonym every month and changes nothing else. The first table is
about the data of DARC (without the real file, about a stand-in of that size), the second about
stand-ins of growing size, and the third shows the readings. Every line runs in its own process, so
that its peak memory is its own. The CPU seconds do not include making the data, except in the
column named so. S7 and the content link compare everybody with everybody in a month, so the
benchmark leaves them out above a million rows. ``--large`` adds ten million rows of 100,000
customers.

For comparison: the organisers' public evaluator took 159 CPU seconds and 1,627 MB for E1 to E6 and
F1 to F6 of one submission of the real size, and about 300 CPU seconds more for S7 (Python 3.6.15,
pandas 1.1.5, on another machine).
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.bench.machine import peak, people, real_data, run_alone
from quintain.data import Transactions
from quintain.data.sources.retail import NAMES, Retail
from quintain.kernels.purchases import Purchases, months_of
from quintain.measures import ReleaseMeasure, reading_rng
from quintain.measures.privacy.content_link import ContentLink
from quintain.measures.privacy.row_baselines import ShoppingBaselines
from quintain.measures.privacy.unicity import Unicity
from quintain.measures.utility.shopping import ShoppingUtility
from quintain.releases.pseudonyms import pseudonym_table

PARTS: dict[str, tuple[ReleaseMeasure, ...]] = {
    "E1 to E6": (ShoppingUtility(),),
    "E1 to E6, norms over co-buyers": (ShoppingUtility(norm="co_buyers"),),
    "F and F1 to F6": (ShoppingBaselines(basket="left_out"),),
    "F, F1 to F6 and S7": (ShoppingBaselines(),),
    "a submission: E1 to E6, F, F1 to F6, S7": (ShoppingUtility(), ShoppingBaselines()),
    "content link": (ContentLink(),),
    "unicity": (Unicity(),),
}
SHOWN = {
    "item known by two characters": (ShoppingUtility(), ShoppingBaselines(), ContentLink()),
    "item known in full": (ShoppingBaselines(item_prefix=0),),
    "item known in full, F6 by price": (ShoppingBaselines(item_prefix=0, sixth="price"),),
}
SIZES = ((10_000, 130), (100_000, 1_314), (1_000_000, 10_000))
LARGE = (10_000_000, 100_000)
COMPARED = 1_000_000
"""Up to this number of rows, the benchmark compares everybody with everybody."""


def original(rows: int, customers: int) -> Transactions:
    """The stand-in of a size, or what DARC used if no size is given."""
    if rows:
        return Retail(rows=rows, customers=customers).generate(np.random.default_rng(0))
    return Retail(real=real_data(*NAMES)).data(np.random.default_rng(0))


def renamed(data: Transactions) -> Transactions:
    """A new pseudonym for everybody in every month."""
    purchases = Purchases.of(data)
    month = months_of(purchases.day)
    width = int(month.max() - month.min()) + 1
    code = purchases.person.astype(np.int64) * width + month - month.min()
    names = np.random.default_rng(0).permutation(len(purchases.persons) * width)
    return data.replace({data.person_column.name: names[code]})


def run_one(name: str, rows: int, customers: int) -> dict[str, Any]:
    """Seconds, memory and readings of one line."""
    start = time.process_time()
    data = original(rows, customers)
    made = {"seconds": time.process_time() - start, "memory": peak(), "read": {}}
    if name == "making":
        return made
    release = renamed(data)
    if name == "pseudonym table":
        pair = Purchases.of(data), Purchases.of(release)
        start = time.process_time()
        pseudonym_table(*pair)
        return {"seconds": time.process_time() - start, "memory": peak(), "read": {}}
    read: dict[str, float] = {}
    start = time.process_time()
    for part in {**PARTS, **SHOWN}[name]:
        readings = part.measure(data, release, None, rng=reading_rng())
        read |= {key: reading.value for key, reading in readings.items()}
    return {"seconds": time.process_time() - start, "memory": peak(), "read": read}


def line(name: str, rows: int = 0, customers: int = 0) -> dict[str, Any]:
    """The figures of one line, measured in its own process."""
    figures: dict[str, Any] = json.loads(run_alone(__file__, "--one", name, rows, customers))
    return figures


def print_real_size() -> None:
    """Print what each measure costs on the data of DARC."""
    kind = people(real_data(*NAMES))
    print(f"DARC's data, 307,054 rows of 4,034 customers ({kind})")
    print("\n| what | CPU s | peak RSS MB |\n|---|---|---|", flush=True)
    for name in ("pseudonym table", *PARTS):
        figures = line(name)
        print(f"| {name} | {figures['seconds']:.2f} | {figures['memory']:.0f} |", flush=True)


def print_growing(sizes: tuple[tuple[int, int], ...]) -> None:
    """Print how costs grow with the data."""
    names = ("making", "E1 to E6", "F and F1 to F6", "F, F1 to F6 and S7", "content link")
    print("\nStand-ins: CPU s (peak RSS MB)\n")
    print(f"| rows | customers | {' | '.join(names)} |\n|---|---|{'---|' * len(names)}")
    for rows, customers in sizes:
        cells = []
        for name in names:
            if rows > COMPARED and name in names[3:]:
                cells.append("not run")
                continue
            figures = line(name, rows, customers)
            cells.append(f"{figures['seconds']:.2f} ({figures['memory']:.0f})")
        print(f"| {rows:,} | {customers:,} | {' | '.join(cells)} |", flush=True)


def print_readings() -> None:
    """Print the readings on the data of DARC."""
    print("\nReadings for new pseudonyms every month\n")
    print("| attackers | readings |\n|---|---|")
    for name in SHOWN:
        read = line(name)["read"]
        words = ", ".join(f"{key} {value:.4f}" for key, value in read.items())
        print(f"| {name} | {words} |", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--large", action="store_true", help="also ten million rows: minutes")
    parser.add_argument("--one", nargs=3, metavar=("WHAT", "ROWS", "CUSTOMERS"))
    options = parser.parse_args()
    if options.one:
        name, rows, customers = options.one
        print(json.dumps(run_one(name, int(rows), int(customers))))
        return
    print_real_size()
    print_growing((*SIZES, LARGE) if options.large else SIZES)
    print_readings()


if __name__ == "__main__":
    main()
