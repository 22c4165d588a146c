"""Three tables of people, and which of their columns are known and which are to be rebuilt."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.audit import adult_people
from benchmarks.bench.machine import real_data
from quintain.data import Column, Schema, Table, as_table
from quintain.data.codec import parse_texts
from quintain.data.sources.adult import Adult
from quintain.data.sources.cps import Cps
from quintain.data.sources.source import DATA_FOLDER

BANK = tuple(f"berka/{name}.tsv" for name in ("account", "card", "client", "disp", "district"))


@dataclass(frozen=True, slots=True, eq=False)
class RebuiltPeople:
    """A population, with the columns that attackers know and those that they must rebuild."""

    table: Table
    known: tuple[str, ...]
    hidden: tuple[str, ...]


def adult() -> RebuiltPeople:
    """Census Income: five columns about work and family are hidden."""
    known = ("age", "education", "race", "sex", "hours-per-week")
    hidden = ("workclass", "marital-status", "occupation", "relationship", "income")
    people = adult_people.population()
    names = people.schema.names
    kept = tuple(name for name in hidden if name in names)  # the stand-in has fewer columns
    return RebuiltPeople(people, tuple(name for name in known if name in names), kept)


def cps() -> RebuiltPeople:
    """The base table of SNAKE: family, income and work are hidden."""
    people = Cps(rows=40_000).data(np.random.default_rng(0))
    table = people.select([column.name for column in people.schema.attributes])
    known = ("age", "citistat", "female", "wbhaom", "gradeatn", "statefips")
    hidden = ("married", "cow1", "ftptstat", "faminc", "mind16", "mocc10")
    return RebuiltPeople(table, known, hidden)


def bank() -> RebuiltPeople:
    """The 4,500 accounts of a bank with their owners: what they use is hidden.

    Without the files, the stand-in of Census Income takes their place.
    """
    if not real_data(*BANK, "berka/loan.tsv", "berka/order.tsv"):
        people = as_table(Adult(rows=4_500).data(np.random.default_rng(0)))
        names = people.schema.names
        return RebuiltPeople(people, names[:4], names[4:])
    folder = Path(os.environ[DATA_FOLDER]) / "berka"
    read = {path.stem: pd.read_csv(path, sep="\t") for path in folder.glob("*.tsv")}
    owners = read["disp"].query("disp_type == 'O'").merge(read["client"], on="client_id")
    cards = read["card"].drop_duplicates("disp_id")
    frame = owners.merge(cards[["disp_id", "card_type"]], on="disp_id", how="left")
    accounts = read["account"].drop(columns="district_id")
    frame = frame.merge(accounts, on="account_id").merge(read["district"], on="district_id")
    loans = read["loan"].drop_duplicates("account_id")[["account_id", "status", "duration"]]
    frame = frame.merge(loans, on="account_id", how="left")
    orders = read["order"].groupby("account_id")["amount"].agg(["size", "sum"])
    frame = frame.merge(orders, left_on="account_id", right_index=True, how="left")
    cells = {
        "region": frame["region"],
        "gender": frame["gender"],
        "born": frame["birth_date"].str[:4].astype(int),
        "opened": frame["create_date"].str[:4].astype(int),
        "salary": frame["average_salary"].round(-2).astype(int),
        "frequency": frame["frequency"],
        "card": frame["card_type"].fillna("none"),
        "loan": frame["status"].fillna("none"),
        "orders": frame["size"].fillna(0).astype(int),
        "paid": (frame["sum"].fillna(0) / 100).round().astype(int),
    }
    names = tuple(cells)
    return RebuiltPeople(_table(cells), names[:5], names[5:])


def _table(cells: Mapping[str, pd.Series]) -> Table:
    columns, contents = [], {}
    for name, values in cells.items():
        texts = [str(value) for value in values]
        if pd.api.types.is_integer_dtype(values):
            bounds = {"low": int(values.min()), "high": int(values.max())}
            column = Column(name=name, kind="integer", **bounds)
        else:
            column = Column(name=name, kind="category", values=tuple(sorted(set(texts))))
        columns.append(column)
        contents[name] = parse_texts(column, texts)[0]
    return Table(Schema(columns=tuple(columns)), contents)


DATA = {"Adult": adult, "CPS": cps, "bank": bank}
