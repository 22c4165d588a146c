"""Real people in several tables: customers of a shop, and accounts of a bank."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pc_csv
import pyarrow.parquet as pq

from quintain.data import Column
from quintain.data.people import People
from quintain.data.people_schema import PeopleSchema, TableSchema

FOLDER = Path(os.environ.get("QUINTAIN_DATA", "../shared/data"))
GROUPS = 39
"""How many items keep their own value; all others are one."""


def shop(customers: int | None = None) -> People:
    """Customers with a country, their invoices with day and hour, and the lines of these.

    UCI Online Retail without returns: 4,339 customers.
    """
    sold = pq.read_table(FOLDER / "online_retail.parquet")
    valid = pc.and_(pc.is_valid(sold["CustomerID"]), pc.greater(sold["Quantity"], 0))
    sold = sold.filter(pc.and_(valid, pc.greater(sold["UnitPrice"], 0)))
    who = sold["CustomerID"].to_numpy(zero_copy_only=False).astype(np.int64)
    if customers is not None:
        sold = sold.filter(pa.array(np.isin(who, np.unique(who)[:customers])))
    item = _frequent(sold["StockCode"].to_numpy(zero_copy_only=False).astype(np.str_))
    rows = {
        "customer": sold["CustomerID"].to_numpy(zero_copy_only=False).astype(np.int64),
        "country": sold["Country"].to_numpy(zero_copy_only=False).astype(np.str_),
        "invoice": sold["InvoiceNo"].to_numpy(zero_copy_only=False).astype(np.str_),
        "day": pc.strftime(sold["InvoiceDate"], format="%Y-%m-%d").to_numpy(zero_copy_only=False),
        "hour": np.clip(pc.hour(sold["InvoiceDate"]).to_numpy(), 6, 20),
        "item": item,
        "quantity": np.clip(sold["Quantity"].to_numpy(), 1, 1000),
        "price": np.clip(sold["UnitPrice"].to_numpy(), 0.0, 50.0),
    }
    tables = (
        TableSchema(name="customers", columns=(_category("country", rows),), key="customer"),
        TableSchema(
            name="invoices",
            columns=(
                Column(name="day", kind="time", earliest="2010-12-01", latest="2011-12-31"),
                Column(name="hour", kind="integer", low=6, high=20),
            ),
            key="invoice",
            reference="customer",
        ),
        TableSchema(
            name="lines",
            columns=(
                _category("item", rows),
                Column(name="quantity", kind="integer", low=1, high=1000),
                Column(name="price", kind="real", low=0, high=50),
            ),
            parent="invoices",
            reference="invoice",
        ),
    )
    return _read(tables, {table.name: rows for table in tables})


def bank() -> People:
    """Accounts of a Czech bank with clients and their cards, loans and standing orders.

    PKDD'99 Discovery Challenge: 4,500 accounts.
    """
    names = ("account", "client", "disp", "card", "loan", "order", "district")
    read = {name: _tsv(name) for name in names}
    region = dict(zip(*(read["district"][c] for c in ("district_id", "region")), strict=True))
    client = {key: row for row, key in enumerate(read["client"]["client_id"])}
    at = np.array([client[key] for key in read["disp"]["client_id"]])
    account = {**read["account"]}
    account["region"] = np.array([region[key] for key in account["district_id"]])
    disp = {**read["disp"], **{name: read["client"][name][at] for name in ("birth_date", "gender")}}
    disp["home"] = np.array([region[key] for key in read["client"]["district_id"][at]])
    card, loan, order = read["card"], read["loan"], read["order"]
    tables = (
        TableSchema(
            name="accounts",
            columns=(
                _category("region", account),
                _category("frequency", account),
                Column(name="create_date", kind="time", earliest="2013-01-01", latest="2017-12-31"),
            ),
            key="account_id",
        ),
        TableSchema(
            name="clients",
            columns=(
                _category("disp_type", disp),
                _category("gender", disp),
                _category("home", disp),
                Column(name="birth_date", kind="time", earliest="1930-01-01", latest="2010-12-31"),
            ),
            key="disp_id",
            reference="account_id",
        ),
        TableSchema(
            name="cards",
            columns=(
                _category("card_type", card),
                Column(name="issued_date", kind="time", earliest="2013-01-01", latest="2018-12-31"),
            ),
            parent="clients",
            reference="disp_id",
        ),
        TableSchema(
            name="loans",
            columns=(
                Column(
                    name="granted_date", kind="time", earliest="2013-01-01", latest="2018-12-31"
                ),
                Column(name="amount", kind="real", low=0, high=60_000),
                _category("duration", loan),
                Column(name="payments", kind="real", low=0, high=1_000),
                _category("status", loan),
            ),
            reference="account_id",
        ),
        TableSchema(
            name="orders",
            columns=(
                _category("bank_to", order),
                Column(name="amount", kind="real", low=0, high=1_500),
                _category("category", order),
            ),
            reference="account_id",
        ),
    )
    cells = {"accounts": account, "clients": disp, "cards": card, "loans": loan, "orders": order}
    return _read(tables, cells)


def _read(tables: tuple[TableSchema, ...], cells: dict[str, Any]) -> People:
    """People from columns of all tables; of a table with a key, the first row of each."""
    files = {}
    for table in tables:
        columns = cells[table.name]
        rows = np.arange(len(next(iter(columns.values()))))
        if table.key is not None:
            _, rows = np.unique(columns[table.key], return_index=True)
            rows = np.sort(rows)
        names = (*table.links, *(column.name for column in table.columns))
        files[table.name] = pa.table({name: columns[name][rows] for name in names})
    return People.read(PeopleSchema(tables=tables), files)


def _tsv(name: str) -> dict[str, Any]:
    """The columns of a file of the bank; identifiers, dates and words are texts."""
    path = FOLDER / "berka" / f"{name}.tsv"
    numbers = {"amount": pa.float64(), "payments": pa.float64()}
    head = path.read_text().splitlines()[0].split("\t")
    types = {column: numbers.get(column, pa.string()) for column in head}
    table = pc_csv.read_csv(
        path,
        parse_options=pc_csv.ParseOptions(delimiter="\t"),
        convert_options=pc_csv.ConvertOptions(column_types=types, strings_can_be_null=False),
    )
    return {
        column: table[column]
        .to_numpy(zero_copy_only=False)
        .astype(np.float64 if column in numbers else np.str_)
        for column in head
    }


def _frequent(values: Any) -> Any:
    """The values, of which all but the most frequent are "other"."""
    names, of, counts = np.unique(values, return_inverse=True, return_counts=True)
    common = np.argsort(-counts, kind="stable")[:GROUPS]
    return np.where(np.isin(of, common), names[of], "other")


def _category(name: str, columns: dict[str, Any]) -> Column:
    values = tuple(value or "none" for value in np.unique(columns[name]).tolist())
    columns[name] = np.where(columns[name] == "", "none", columns[name])
    return Column(name=name, kind="category", values=values)


def simulated(people: int, *, seed: int = 0) -> People:
    """Patients with an age and a ward, their visits with a place and a price."""
    rng = np.random.default_rng(seed)
    age, ward = rng.integers(18, 90, people), rng.choice(["east", "west"], people)
    visits = rng.poisson(np.where(age > 60, 4.0, 1.0))
    of = np.repeat(np.arange(people), visits)
    usual = np.where(ward[of] == "east", "river", "hill")
    place = np.where(rng.random(len(of)) < 0.7, usual, rng.choice(["river", "hill"], len(of)))
    price = np.clip(rng.gamma(2, age[of] / 4), 0, 200).round(2)
    patients = {"patient": np.arange(people), "age": age, "ward": ward}
    rows = {"patient": of, "place": place, "price": price}
    tables = (
        TableSchema(
            name="patients",
            columns=(
                Column(name="age", kind="integer", low=18, high=90),
                _category("ward", patients),
            ),
            key="patient",
        ),
        TableSchema(
            name="visits",
            columns=(
                _category("place", rows),
                Column(name="price", kind="real", low=0, high=200, bins=16),
            ),
            reference="patient",
        ),
    )
    return _read(tables, {"patients": patients, "visits": rows})


def read_people() -> Iterator[tuple[str, People, int]]:
    """Every data set with its name, and the most rows below a row that it may have."""
    if not FOLDER.joinpath("berka").exists():
        yield "Patients (simulated)", simulated(2000), 20
        return
    yield "Bank: accounts, clients, cards, loans, orders", bank(), 10
    yield "Shop: customers, invoices, lines", shop(), 200
