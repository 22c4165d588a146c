"""Retail: a year of purchases, the transactions of DARC, and a stand-in for them."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, ClassVar, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field, model_validator

from quintain.data.arrays import Array, distinct
from quintain.data.arrow import from_arrow, to_arrow
from quintain.data.lines import Lines
from quintain.data.schema import Column, Schema
from quintain.data.sources.retail.files import read_retail
from quintain.data.sources.retail.simulator import simulate
from quintain.data.sources.source import Source
from quintain.data.transactions import Transactions
from quintain.errors import DataError, Fault, Faults
from quintain.registry import register

PREPARED = "darc_ground_truth.parquet"
NAMES = (PREPARED, "online_retail.parquet", "online_retail.csv", "Online Retail.xlsx")
"""The files that may have the real transactions; only the first has them ready for use."""

ROWS, CUSTOMERS, ITEMS, CUSTOMER_MONTHS = 307_054, 4_034, 3_612, 11_946
CSV_SHA256 = "3e6e3191a1b78ed6a520cb5c6e1dbb4d00a5708f08dd8d0e800dea5f123dacf9"
"""Checksum of the table as the organisers of DARC published it."""

FEWEST, MOST = 5, 500
"""How many rows a customer must have, cancelled purchases included, to be in the table."""

DAY = 86_400
MINUTES = tuple(f"{minute // 60:02d}:{minute % 60:02d}" for minute in range(1440))


@cache
def items() -> tuple[str, ...]:
    """The public list of items, sorted: the 3,612 stock codes of the real table."""
    text = (files(__package__) / "items.txt").read_text(encoding="ascii")
    return tuple(text.splitlines())


@cache
def retail_schema() -> Schema:
    """The six columns of a purchase; all of them are missing in a deleted row.

    The aliases are the names in the rules; the other names are those of the contest's file.
    """
    return Schema(
        shape="transactions",
        title="A year of shopping",
        columns=(
            Column(name="id_user", kind="id", role="customer", nullable=True),
            Column(name="date", kind="time", role="time", time_format="%Y/%m/%d", nullable=True),
            Column(
                name="hours",
                kind="category",
                values=MINUTES,
                ordered=True,
                nullable=True,
                aliases=("time",),
            ),
            Column(name="id_item", kind="category", values=items(), role="item", nullable=True),
            Column(
                name="price",
                kind="real",
                low=0.001,
                unit="GBP",
                role="price",
                nullable=True,
                aliases=("unit_price",),
            ),
            Column(
                name="qty",
                kind="integer",
                low=1,
                high=1_000_000,
                role="quantity",
                nullable=True,
                aliases=("quantity",),
            ),
        ),
    )


@register("retail-v1")
class Retail(Source):
    """A year of purchases from a British gift shop, many rows per customer: the data set of DARC.

    The real table has 307,054 rows of 4,034 customers and 3,612 items from December 2010 to
    December 2011. It is rebuilt from Online Retail in three steps: drop rows without a customer;
    drop customers with fewer than 5 or more than 500 rows, cancelled purchases included; drop
    cancelled and free rows. The result must equal the published table byte for byte. In the
    stand-in, customers with their own tastes and rhythms buy the same items, and cancel nothing.

    Parameters
    ----------
    rows : how many rows. The stand-in has exactly this many; the real table is cut to whole
        customers, drawn at random, with at most this many rows.
    real : load the real files instead of generating the stand-in.
    customers : how many customers; by default, the stand-in has one per 76 rows.
    file : the name of the real file, if it has another name than usual.

    >>> import quintain as q
    >>> purchases = q.part("retail", rows=4, customers=2).data(np.random.default_rng(1))
    >>> for row in purchases.select(["id_user", "hours", "id_item", "price", "qty"]).records():
    ...     print(row)
    {'id_user': 12346, 'hours': '14:22', 'id_item': '40016', 'price': 1.65, 'qty': 4}
    {'id_user': 12346, 'hours': '14:22', 'id_item': '22871', 'price': 4.25, 'qty': 3}
    {'id_user': 12346, 'hours': '14:22', 'id_item': '90063B', 'price': 0.72, 'qty': 1}
    {'id_user': 12347, 'hours': '11:44', 'id_item': '22743', 'price': 2.55, 'qty': 1}

    References
    ----------
    DARC rules 1.4 (2019), rule 5. Chen, Online Retail, UCI, doi 10.24432/C5BW33.
    """

    licence: ClassVar[str] = "CC BY 4.0 (Chen, Online Retail, UCI, doi 10.24432/C5BW33)"
    obtain: ClassVar[str] = (
        "Download Online Retail.xlsx of the Online Retail data set from the UCI Machine Learning "
        "Repository (doi 10.24432/C5BW33), or take a copy as online_retail.parquet or .csv."
    )

    customers: Annotated[int, Field(ge=1)] | None = None
    file: Annotated[str, Field(pattern=r"^[^/\\]+\.(parquet|csv|xlsx)$")] | None = None

    @model_validator(mode="after")
    def _enough_rows(self) -> Self:
        if self.rows is not None and self.customers is not None and self.customers > self.rows:
            raise ValueError(f"{self.customers} customers cannot share {self.rows} rows")
        return self

    def data_schema(self) -> Schema:
        """Customer, day, minute, item, price and quantity."""
        return retail_schema()

    def generate(self, rng: np.random.Generator) -> Transactions:
        """The purchases of the stand-in, in the order of time."""
        per_customer = ROWS / CUSTOMERS
        usual = ROWS if self.customers is None else round(self.customers * per_customer)
        rows = self.rows or usual
        customers = self.customers or max(1, round(rows / per_customer))
        return Transactions(retail_schema(), simulate(rows, customers, items(), rng))

    def load(self) -> Transactions:
        """The real transactions, as the organisers of DARC published them."""
        names = NAMES if self.file is None else (self.file,)
        existing = [name for name in names if (self.folder() / name).is_file()]
        file = self.find(existing[0] if existing else names[-1])
        table = _prepared(file) if file.name == PREPARED else _rebuilt(file)
        _check(table, file.name)
        return table

    def data(self, rng: np.random.Generator) -> Transactions:
        """The data set; with fewer ``rows``, whole customers of the real one in file order."""
        if not self.real:
            return self.generate(rng)
        table = self.load()
        person = table.person_of_row()
        sizes = np.bincount(person)
        drawn = rng.permutation(len(sizes))[: self.customers]
        if self.rows is not None:
            drawn = drawn[np.cumsum(sizes[drawn]) <= self.rows]
        if len(drawn) == len(sizes):
            return table
        if not len(drawn):
            message = f"no customer fits into {self.rows} rows; allow more rows"
            raise DataError([Fault(message, "retail")])
        return table.take(np.isin(person, drawn))


def canonical_csv(table: Transactions) -> bytes:
    """The table in the format of the organisers' file; the same rows give the same bytes."""
    arrow = to_arrow(table)
    day = table.columns["date"] // DAY
    days, which = np.unique(day, return_inverse=True)
    spelled = [str(d).replace("-", "/") for d in days.astype("datetime64[D]")]
    prices, price = np.unique(table.columns["price"], return_inverse=True)
    cells = (
        arrow.column("id_user").cast(pa.string()),
        pa.array(spelled).take(pa.array(which)),
        arrow.column("hours").cast(pa.string()),
        arrow.column("id_item").cast(pa.string()),
        pa.array([repr(p) for p in prices.tolist()]).take(pa.array(price)),
        arrow.column("qty").cast(pa.string()),
    )
    lines = pc.binary_join_element_wise(*cells, ",").to_pylist()
    return "\n".join([",".join(table.schema.names), *lines, ""]).encode()


def _prepared(file: Path) -> Transactions:
    import pyarrow.parquet

    return _coded(pyarrow.parquet.read_table(file), file.name)


def _rebuilt(file: Path) -> Transactions:
    """The table of DARC, rebuilt from Online Retail in the order of its file."""
    table = read_retail(file)
    table = table.filter(table.column("CustomerID").is_valid())
    original: dict[str, Array] = {
        name: table.column(name).to_numpy() for name in table.column_names
    }
    _, person, sizes = np.unique(original["CustomerID"], return_inverse=True, return_counts=True)
    rows = sizes[person]  # cancelled purchases included, as the organisers counted
    kept = (
        (rows >= FEWEST)
        & (rows <= MOST)
        & (original["Quantity"] > 0)
        & (original["UnitPrice"] != 0)
    )
    original = {name: values[kept] for name, values in original.items()}
    seconds = original["InvoiceDate"].astype("datetime64[s]").astype(np.int64)
    minutes = pa.DictionaryArray.from_arrays(
        pa.array(((seconds % DAY) // 60).astype(np.int32)), pa.array(MINUTES)
    )
    columns = {
        "id_user": original["CustomerID"],
        "date": pa.array(seconds // DAY * DAY).cast(pa.timestamp("s")),
        "hours": minutes,
        "id_item": pa.array(original["StockCode"], pa.string()),
        "price": original["UnitPrice"],
        "qty": original["Quantity"],
    }
    return _coded(pa.table(columns), file.name)


def _coded(arrow: pa.Table, name: str) -> Transactions:
    faults = Faults(name)
    table = from_arrow(arrow, retail_schema(), faults, Lines(0))
    faults.raise_if_any(DataError)
    assert isinstance(table, Transactions)
    return table


def _check(table: Transactions, name: str) -> None:
    """Refuse a table that is not the published one, and say in which figure it differs."""
    person, item = table.person_of_row(), table.columns["id_item"]
    month = (table.columns["date"] // DAY).astype("datetime64[D]").astype("datetime64[M]")
    pairs = person * 10_000 + month.astype(np.int64)
    counts = (len(table), *(len(distinct(codes)) for codes in (person, item, pairs)))
    expected = (ROWS, CUSTOMERS, ITEMS, CUSTOMER_MONTHS)
    words = ("rows", "customers", "items", "pairs of a customer and a month")
    faults = Faults(name)
    for word, count, wanted in zip(words, counts, expected, strict=True):
        if count != wanted:
            faults.add(f"{count} {word}, expected {wanted}")
    faults.raise_if_any(DataError)
    digest = hashlib.sha256(canonical_csv(table)).hexdigest()
    if digest != CSV_SHA256:
        faults.add(f"as CSV its SHA-256 is {digest}, expected {CSV_SHA256}")
    faults.raise_if_any(DataError)
