"""Five tables with one row per person: a census, a survey, patients, customers, and a bank.

Each is real if QUINTAIN_DATA has its files, else a stand-in. Bounds and categories are those of the
whole population, so they say nothing about who is in a release.
"""

from __future__ import annotations

import csv
import os
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.audit import adult_people
from benchmarks.bench.machine import real_data
from quintain.data import Column, Schema, Table, as_table
from quintain.data.codec import missing_cells
from quintain.data.kinds import as_series, as_transactions
from quintain.data.sources.adult import Adult
from quintain.data.sources.cps import FILE, Cps
from quintain.data.sources.icu import PHYSIONET, Icu
from quintain.data.sources.retail import NAMES, Retail
from quintain.data.sources.source import DATA_FOLDER

BANK = tuple(
    f"berka/{name}.tsv"
    for name in ("account", "card", "client", "disp", "district", "loan", "order")
)
DAY, LAST_DAYS = 86_400, 60
VITALS, TESTS = 10, 4
"""How many values of a stay are kept as means, and of how many only whether they were measured."""
EDGE = 0.005
"""The share of people beyond each bound of a measured number, whose value becomes the bound."""


@dataclass(frozen=True, slots=True, eq=False)
class PersonTable:
    """A population, the column that a classifier has to guess, and whether the people are real."""

    table: Table
    label: str
    real: bool


def adult() -> PersonTable:
    """Census Income, 48,842 people; the label is whether an income is above 50,000 dollars."""
    return PersonTable(adult_people.population(), "income", real_data(*adult_people.FILES))


def cps() -> PersonTable:
    """The base table of SNAKE, 40,000 people; the label is whether somebody is married."""
    real = real_data(FILE[0])
    people = as_table(Cps(real=real, rows=40_000).data(np.random.default_rng(0)))
    names = [column.name for column in people.schema.attributes]
    return PersonTable(people.select(names), "married", real)


def health() -> PersonTable:
    """Stays in intensive care, a row each: hours, means of vital signs, which tests were made.

    The label is whether the test was made that about half of the patients had.
    """
    real = real_data(PHYSIONET[0])
    source = Icu(real=real, sets=("a", "b", "c")) if real else Icu(rows=6_000)
    stays = as_series(source.data(np.random.default_rng(0)))
    names = stays.schema.names[2:]
    starts, values = stays.offsets[:-1], stays.values[:, 1:]
    counts = np.add.reduceat(~np.isnan(values), starts)
    sums = np.add.reduceat(np.nan_to_num(values), starts)
    measured = (counts > 0).mean(axis=0)
    vital = np.argsort(-measured, kind="stable")[:VITALS]
    others = [at for at in np.argsort(abs(measured - 0.5), kind="stable") if at not in vital]
    with np.errstate(invalid="ignore"):
        means = np.where(counts > 0, sums / counts, np.nan)
    cells: dict[str, Any] = {"hours": np.round(stays.values[stays.offsets[1:] - 1, 0]).astype(int)}
    cells |= {names[at]: means[:, at].round(1) for at in sorted(vital)}
    made = {
        f"{names[at]} measured": np.where(counts[:, at] > 0, "yes", "no") for at in others[:TESTS]
    }
    return PersonTable(table_of(cells | made, EDGE), next(iter(made)), real)


def retail() -> PersonTable:
    """Customers of a shop: how often, when and what they bought in a year.

    The label is whether somebody bought in the last 60 days.
    """
    real = real_data(*NAMES)
    source = Retail(real=True) if real else Retail(rows=300_000)
    bought = as_transactions(source.data(np.random.default_rng(0)))
    names = {column.role or column.name: column.name for column in bought.schema.columns}
    rows = {role: bought.columns[name] for role, name in names.items()}
    kept = ~missing_cells(bought.person_column, bought.columns[bought.person_column.name])
    of = bought.person_of_row()[kept]
    day = (rows["time"][kept] // DAY).astype(int)
    hour = (rows["hours"][kept] // 60).astype(int)
    price, units = rows["price"][kept], rows["quantity"][kept]
    people = int(of.max()) + 1
    lines = np.bincount(of, minlength=people)
    visits = np.unique(np.column_stack([of, day]), axis=0)
    items = np.unique(np.column_stack([of, rows["item"][kept]]), axis=0)
    first, last = np.full(people, day.max()), np.full(people, day.min())
    np.minimum.at(first, of, day)
    np.maximum.at(last, of, day)
    weekday = np.zeros((people, 7), int)
    np.add.at(weekday, (visits[:, 0], visits[:, 1] % 7), 1)
    cells = {
        "visits": np.bincount(visits[:, 0], minlength=people),
        "lines": lines,
        "items": np.bincount(items[:, 0], minlength=people),
        "units": np.bincount(of, units, people).astype(int),
        "spent": np.bincount(of, units * price, people).round().astype(int),
        "price": (np.bincount(of, price, people) / lines).round(2),
        "hour": (np.bincount(of, hour, people) / lines).round().astype(int),
        "week": (first - day.min()) // 7,
        "weekday": np.array([f"day {at}" for at in weekday.argmax(axis=1)]),
        "lately": np.where(last > day.max() - LAST_DAYS, "yes", "no"),
    }
    return PersonTable(table_of(cells, EDGE), "lately", real)


def bank() -> PersonTable:
    """The 4,500 accounts of a bank with their owners; the label is the kind of their loan.

    Without the files, the stand-in of Census Income takes their place.
    """
    if not real_data(*BANK):
        people = as_table(Adult(rows=4_500).data(np.random.default_rng(0)))
        return PersonTable(people, "income", real=False)
    files = {Path(name).stem: _records(name) for name in BANK}
    client, district = _by(files["client"], "client_id"), _by(files["district"], "district_id")
    account, card = _by(files["account"], "account_id"), _by(files["card"], "disp_id")
    loan, orders = _by(files["loan"], "account_id"), defaultdict(list)
    for order in files["order"]:
        orders[order["account_id"]].append(float(order["amount"]))
    cells: dict[str, list[Any]] = defaultdict(list)
    for disp in files["disp"]:
        if disp["disp_type"] != "O":
            continue
        owner, own = client[disp["client_id"]], account[disp["account_id"]]
        home, paid = district[owner["district_id"]], orders[disp["account_id"]]
        cells["region"].append(home["region"])
        cells["gender"].append(owner["gender"])
        cells["born"].append(int(owner["birth_date"][:4]))
        cells["opened"].append(int(own["create_date"][:4]))
        cells["salary"].append(int(np.round(float(home["average_salary"]), -2)))
        cells["frequency"].append(own["frequency"])
        cells["card"].append(card.get(disp["disp_id"], {}).get("card_type", "none"))
        cells["loan"].append(loan.get(disp["account_id"], {}).get("status", "none"))
        cells["orders"].append(len(paid))
        cells["paid"].append(round(sum(paid) / 100))
    return PersonTable(table_of(cells), "loan", real=True)


def table_of(cells: Mapping[str, Sequence[Any] | np.ndarray], edge: float = 0.0) -> Table:
    """A table of numbers and words; numbers beyond the quantiles ``edge`` and 1 - ``edge`` move."""
    columns, contents = [], {}
    for name, given in cells.items():
        values = np.asarray(given)
        if values.dtype.kind in "US":
            kinds = tuple(sorted(set(values.tolist())))
            columns.append(Column(name=name, kind="category", values=kinds))
            contents[name] = values.tolist()
            continue
        whole, empty = values.dtype.kind == "i", bool(np.isnan(values).any())
        low, high = np.nanquantile(values, [edge, 1 - edge], method="nearest")
        kind = {"kind": "integer" if whole else "real", "nullable": empty}
        columns.append(Column(name=name, low=float(low), high=float(high), **kind))
        moved = np.clip(values, low, high).tolist()
        contents[name] = [None if value != value else value for value in moved]
    return Table.of(Schema(columns=tuple(columns)), contents)


def _records(name: str) -> list[dict[str, str]]:
    with (Path(os.environ[DATA_FOLDER]) / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def _by(records: list[dict[str, str]], key: str) -> dict[str, dict[str, str]]:
    """The first record of each key."""
    return {record[key]: record for record in reversed(records)}


PERSON_TABLES: dict[str, Callable[[], PersonTable]] = {
    "adult": adult,
    "cps": cps,
    "health": health,
    "retail": retail,
    "bank": bank,
}
