"""Retail: a year of purchases, the transactions of DARC, and a stand-in for them.

In the stand-in, customers differ in how much they buy, in the kinds of items they like, in how many
units they buy at once, and in their rhythm: their trips come at fairly regular times within a part
of the year, more of them in autumn. On a trip they buy popular items, items of the kinds they like,
or items that they bought before. An item has few prices: the usual one, a lower one for many units,
and perhaps another one from some day on. Everything is drawn for all customers at once.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, ClassVar, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field, model_validator

from quintain.data.arrays import Array, Ints, distinct
from quintain.data.arrow import from_arrow, to_arrow
from quintain.data.column import Column
from quintain.data.kinds import as_transactions
from quintain.data.own_files.typed import read_workbook
from quintain.data.schema import Schema
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
    text = (files(__package__) / "retail_items.txt").read_text(encoding="ascii")
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
        table = _read_prepared(file) if file.name == PREPARED else _rebuild(file)
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


def _read_prepared(file: Path) -> Transactions:
    import pyarrow.parquet

    return _code_table(pyarrow.parquet.read_table(file), file.name)


def _rebuild(file: Path) -> Transactions:
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
    return _code_table(pa.table(columns), file.name)


def _code_table(arrow: pa.Table, name: str) -> Transactions:
    return as_transactions(from_arrow(arrow, retail_schema(), name))


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


# --- Online Retail as a Parquet file, a CSV file or the original workbook ---

COLUMNS = ("StockCode", "Quantity", "InvoiceDate", "UnitPrice", "CustomerID")
"""The columns that are read; invoice, description and country are not."""

TIME_FORMATS = ("%Y-%m-%d %H:%M:%S", "%m/%d/%Y %H:%M")
"""How copies of the table write a time in CSV."""


def read_retail(file: Path) -> pa.Table:
    """Five columns of Online Retail, with the same types for every file format."""
    readers = {".parquet": _parquet, ".csv": _csv, ".xlsx": _workbook}
    try:
        table = readers[file.suffix](file)
        return table.cast(
            pa.schema(
                {
                    "StockCode": pa.string(),
                    "Quantity": pa.int64(),
                    "InvoiceDate": pa.timestamp("s"),
                    "UnitPrice": pa.float64(),
                    "CustomerID": pa.int64(),
                }
            )
        )
    except (pa.ArrowException, ValueError, KeyError) as problem:
        message = f"is not the Online Retail table: {str(problem).splitlines()[0]}"
        raise DataError([Fault(message, file.name)]) from None


def _parquet(file: Path) -> pa.Table:
    # pyarrow's Parquet reader is slow to import and only real data needs it.
    import pyarrow.parquet

    return pyarrow.parquet.read_table(file, columns=list(COLUMNS))


def _csv(file: Path) -> pa.Table:
    import pyarrow.csv

    # Some copies have descriptions in Latin-1; the columns that are read are plain ASCII.
    table = pyarrow.csv.read_csv(
        file,
        read_options=pyarrow.csv.ReadOptions(encoding="latin-1"),
        parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True),
        convert_options=pyarrow.csv.ConvertOptions(
            include_columns=list(COLUMNS),
            column_types={
                "StockCode": pa.string(),
                "Quantity": pa.int64(),
                "InvoiceDate": pa.string(),
                "UnitPrice": pa.float64(),
                "CustomerID": pa.float64(),
            },
        ),
    )
    written = table.column("InvoiceDate").combine_chunks().dictionary_encode()
    times = pa.array([_time(text) for text in written.dictionary.to_pylist()], pa.timestamp("s"))
    place = COLUMNS.index("InvoiceDate")
    return table.set_column(place, "InvoiceDate", times.take(written.indices))


def _time(text: str) -> datetime:
    for form in TIME_FORMATS:
        try:
            return datetime.strptime(text, form)
        except ValueError:
            continue
    raise ValueError(f"InvoiceDate {text!r} is in none of the formats {', '.join(TIME_FORMATS)}")


def _workbook(file: Path) -> pa.Table:
    header, *rows = read_workbook(file)
    missing = [name for name in COLUMNS if name not in header]
    if missing:
        raise ValueError(f"the first sheet has no column named {', '.join(missing)}")
    columns = dict(zip(header, zip(*rows, strict=True), strict=True))
    codes = pa.array([str(code) for code in columns.pop("StockCode")], pa.string())
    rest = {name: pa.array(columns[name]) for name in COLUMNS[1:]}
    return pa.table({"StockCode": codes, **rest})


# --- the simulation ---

FIRST_DAY = np.datetime64("2010-12-01")
DAYS = 374
CLOSED = ("2010-12-24", "2011-01-04")
"""The shop is open from 1 December 2010 to 9 December 2011, except on Saturdays and these days."""

MONTHS = (70, 58, 61, 81, 67, 90, 83, 77, 84, 123, 137, 180, 44)
"""How much is bought in each month, relative to the others."""

WEEKDAYS = (0.95, 1.05, 1.05, 1.25, 0.9, 0.0, 0.8)
"""How much is bought on each day of the week, from Monday on; closed on Saturdays."""

SPREAD = 1.09
"""The standard deviation of the logarithm of rows per customer; LARGEST times the mean is most."""
LARGEST = 6.4

TRIPS = (0.55, -1.12, 0.6)
"""Slope, intercept and spread of the logarithm of trips, given the logarithm of rows."""

POPULAR, SECOND_KIND, AGAIN = 0.45, 0.2, 0.2
"""Shares of rows: popular items, items of the customer's second kind, items bought again."""

KINDS = 20
PRICES = (
    0.29, 0.39, 0.42, 0.55, 0.65, 0.85, 1.25, 1.45, 1.65, 1.95, 2.1, 2.55, 2.95, 3.75, 4.25, 4.95,
    5.95, 7.95, 9.95, 12.75,
)  # fmt: skip
PRICE_SHARES = (2, 4, 7, 3, 3, 8, 14, 5, 11, 6, 6, 5, 8, 6, 3, 5, 3, 2, 2, 1)
PACKS = np.array([24, 12, 12, 12, 10, 10, 12, 8, 6, 6, 6, 6, 4, 4, 3, 2, 2, 1])
"""Usual units per pack, from cheap items to expensive ones."""

UNITS = (1, 2, 3)
TIMES = (1, 2, 4, 8, 16, 32)
BORDERS = (-1.08, -0.68, -0.55, 0.75, 1.28, 1.75, 2.3, 2.8)
"""A row is for so many UNITS or so many packs (TIMES); BORDERS of a normal draw decide."""

HABIT, ODD = 0.6, 0.08
"""How much that draw depends on the customer; share of rows with another number of units."""

FIRST_CUSTOMER = 12_346

Indices = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class _Stock:
    """The items of the shop, in the order of their kinds."""

    item: Ints
    upto: npt.NDArray[np.float64]  # popularity, summed up to each item, from 0 on
    first: Ints  # of each kind, and the end
    pack: Ints
    price: npt.NDArray[np.float64]  # item by: usual, for many, later
    many: Ints  # units from which the price for many is given
    later: Ints  # day from which the later price is asked


@dataclass(frozen=True, slots=True, eq=False)
class _Trips:
    """The trips of all customers, customer by customer in the order of time."""

    customer: Ints
    day: Ints
    minute: Ints
    rows: Ints


def simulate(
    rows: int, customers: int, items: tuple[str, ...], rng: np.random.Generator
) -> dict[str, Array]:
    """Exactly ``rows`` purchases by exactly ``customers``, in the order of time, coded."""
    stock = _stock(len(items), rng)
    trips = _trips(_rows_by_customer(rows, customers, rng), rng)
    trip = np.repeat(np.arange(len(trips.rows), dtype=np.int32), trips.rows)
    customer = trips.customer[trip]
    place = _places(stock, customer, rng)[_sources(trips, trip, rng)]
    units = _units(stock, place, customer, rng)
    level = np.where(trips.day[trip] >= stock.later[place], 2, 0)
    level[units >= stock.many[place]] = 1
    order = _by_time(trips)
    name = FIRST_CUSTOMER + rng.permutation(customers)
    day = (FIRST_DAY + trips.day).astype("datetime64[s]").astype(np.int64)
    return {
        "id_user": name[customer[order]],
        "date": day[trip[order]],
        "hours": trips.minute[trip[order]],
        "id_item": stock.item[place[order]],
        "price": stock.price[place, level][order],
        "qty": units[order] - 1,
    }


def _stock(count: int, rng: np.random.Generator) -> _Stock:
    """Draw the items; popularity falls like a power of the rank, and faster at the end."""
    rank = rng.permutation(count)
    popularity = (rank + 20.0) ** -0.4 * np.exp(-rank / 1100)
    kind = rng.integers(KINDS, size=count)
    item = np.argsort(kind, kind="stable")
    shares = np.array(PRICE_SHARES) / sum(PRICE_SHARES)
    dear = rng.choice(len(PRICES), count, p=shares)
    usual = np.array(PRICES)[dear]
    price = np.column_stack([usual, usual * 0.85, usual * rng.choice([0.85, 1.15], count)]).round(2)
    spot = np.clip(dear + rng.normal(0, 3, count).round(), 0, len(PRICES) - 1)
    pack = PACKS[(spot * len(PACKS) // len(PRICES)).astype(np.int64)]
    changes = rng.random(count) < 0.2
    return _Stock(
        item=item,
        upto=np.concatenate([[0.0], np.cumsum(popularity[item])]),
        first=np.searchsorted(kind[item], np.arange(KINDS + 1)),
        pack=pack,
        price=price,
        many=pack * 8,
        later=np.where(changes, rng.integers(DAYS, size=count), DAYS),
    )


def _rows_by_customer(rows: int, customers: int, rng: np.random.Generator) -> Ints:
    """The number of rows of each customer: at least one, and ``rows`` in total."""
    weight = np.exp(rng.normal(0, SPREAD, customers))
    weight = np.minimum(weight, LARGEST * weight.mean())
    return 1 + _divide(rows - customers, np.cumsum(weight) / weight.sum())


def _divide(total: int, upto: npt.NDArray[np.float64]) -> Ints:
    """Divide a total by cumulative shares, and round so that the sum is exact."""
    parts = np.diff(np.floor(total * upto + 0.5), prepend=0.0).astype(np.int64)
    parts[-1] += total - parts.sum()
    return parts


def _trips(rows: Ints, rng: np.random.Generator) -> _Trips:
    """When each customer comes, and how many rows each trip has: at least one."""
    slope, intercept, spread = TRIPS
    wish = slope * np.log(rows) + intercept + rng.normal(0, spread, len(rows))
    count = np.clip(np.exp(wish).round().astype(np.int64), 1, rows)
    customer = np.repeat(np.arange(len(rows)), count)
    end = np.cumsum(count)
    number = np.arange(len(customer)) - (end - count)[customer]

    weight = rng.gamma(1.5, size=len(customer))
    upto = np.cumsum(weight)
    before = np.concatenate([[0.0], upto])[end - count]
    share = (upto - before[customer]) / (upto[end - 1] - before)[customer]
    share[end - 1] = 1.0
    filled = np.floor((rows - count)[customer] * share + 1e-9).astype(np.int64)
    filled -= np.where(number > 0, np.concatenate([[0], filled[:-1]]), 0)

    start, part = rng.random(len(rows)), 0.15 + 0.85 * rng.random(len(rows))
    step = (number + rng.random(len(customer))) / count[customer]
    when = (start[customer] + part[customer] * step) % 1.0
    order = np.lexsort((when, customer))
    minute = np.clip(rng.normal(765, 125, len(customer)), 420, 1215).astype(np.int64)
    return _Trips(customer, _days(when[order]), minute, filled + 1)


def _days(when: npt.NDArray[np.float64]) -> Ints:
    """The days of the year on which the shop has done these shares of its business."""
    days = FIRST_DAY + np.arange(DAYS)
    month = days.astype("datetime64[M]").astype(np.int64)
    weekday = (days.astype(np.int64) + 3) % 7  # 1 January 1970 was a Thursday
    busy = np.array(WEEKDAYS)[weekday]
    busy[(days >= np.datetime64(CLOSED[0])) & (days < np.datetime64(CLOSED[1]))] = 0
    _, month = np.unique(month, return_inverse=True)
    busy = busy / np.bincount(month, busy)[month] * np.array(MONTHS)[month]
    return np.searchsorted(np.cumsum(busy) / busy.sum(), when, side="right")


def _places(stock: _Stock, customer: Ints, rng: np.random.Generator) -> Indices:
    """The item of every row, as a position in the stock."""
    count, rows = int(customer[-1]) + 1, len(customer)
    kinds = rng.integers(KINDS, size=(2, count))
    motive = rng.random(rows)
    kind = np.where(motive < POPULAR + SECOND_KIND, kinds[1, customer], kinds[0, customer])
    low, high = stock.upto[stock.first[kind]], stock.upto[stock.first[kind + 1]]
    popular = motive < POPULAR
    low[popular], high[popular] = 0.0, stock.upto[-1]
    low += rng.random(rows) * (high - low)
    drawn = np.searchsorted(stock.upto, low, side="right") - 1
    places: Indices = np.minimum(drawn, len(stock.item) - 1).astype(np.int32)
    return places


def _sources(trips: _Trips, trip: Indices, rng: np.random.Generator) -> Indices:
    """For every row its own number, or that of an earlier row with an item that is bought again."""
    own = np.arange(len(trip), dtype=np.int32)
    start = (np.cumsum(trips.rows) - trips.rows).astype(np.int32)
    first = start[np.searchsorted(trips.customer, trips.customer)]
    earlier = first[trip] + (rng.random(len(own)) * (start - first)[trip]).astype(np.int32)
    again = (rng.random(len(own)) < AGAIN) & (start > first)[trip]
    source = np.where(again, earlier, own)
    while True:  # the earlier row may itself be a repeated purchase
        further = source[source]
        if np.array_equal(further, source):
            return source
        source = further


def _units(stock: _Stock, place: Indices, customer: Ints, rng: np.random.Generator) -> Ints:
    """The units of each row: some customers buy single units, others many packs."""
    habit = rng.normal(0, HABIT, int(customer[-1]) + 1)
    wish = habit[customer] + rng.normal(0, (1 - HABIT**2) ** 0.5, len(customer))
    choice = np.searchsorted(BORDERS, wish)
    few = np.broadcast_to(UNITS, (len(stock.pack), len(UNITS)))
    units: Ints = np.hstack([few, stock.pack[:, None] * np.array(TIMES)])[place, choice]
    odd = rng.random(len(units)) < ODD
    units[odd] = rng.geometric(0.1, np.count_nonzero(odd))
    return units


def _by_time(trips: _Trips) -> Ints:
    """The order of rows in which the trips of all customers follow each other in time."""
    order = np.argsort(trips.day * 1440 + trips.minute, kind="stable")
    first = np.cumsum(trips.rows) - trips.rows
    rows = trips.rows[order]
    start = np.repeat(first[order] - (np.cumsum(rows) - rows), rows)
    return start + np.arange(len(start))
