"""Retail: the real transactions byte for byte, copies in other formats, and the stand-in."""

from __future__ import annotations

import hashlib
import os
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from quintain.data import Transactions
from quintain.data.sources import retail
from quintain.data.sources.retail import CSV_SHA256, Retail, canonical_csv, items, read_retail
from quintain.errors import DataError, MissingExtra
from quintain.kernels.purchases import Baskets, Purchases, compare, months_of
from quintain.measures.privacy.clear_links import weigh_items

FOLDER = Path(os.environ["QUINTAIN_DATA"])


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.fixture(scope="module")
def stand_in() -> Transactions:
    return Retail().generate(rng())


def months(table: Transactions) -> np.ndarray:
    month = months_of(Purchases.of(table).day)
    return month - month.min()


def customer_months(table: Transactions) -> int:
    return len(np.unique(table.person_of_row() * 13 + months(table)))


# --- the real files -----------------------------------------------------------------------------


def need(name: str) -> None:
    if not (FOLDER / name).is_file():
        pytest.skip(f"{name} not in {FOLDER}: set QUINTAIN_DATA to the real data")


@pytest.mark.real_data
@pytest.mark.parametrize("name", ["darc_ground_truth.parquet", "online_retail.parquet"])
def test_the_real_table_is_the_published_one_byte_for_byte(name):
    need(name)
    table = Retail(real=True, file=name).load()
    csv = canonical_csv(table)
    assert len(csv) == 11_191_906
    assert hashlib.sha256(csv).hexdigest() == CSV_SHA256
    blob = hashlib.sha1(b"blob %d\0" % len(csv) + csv).hexdigest()
    assert blob == "cc45984f281fabb5aa6ab6068d924b39b6abe710"  # as git names the organisers' file
    assert csv.splitlines()[1] == b"17850,2010/12/01,08:26,85123A,2.55,6"


@pytest.mark.real_data
def test_the_real_table_has_the_published_shape():
    need("darc_ground_truth.parquet")
    table = Retail(real=True).load()
    assert (len(table), len(table.persons())) == (307_054, 4_034)
    assert len(np.unique(table.columns["id_item"])) == len(items()) == 3_612
    assert customer_months(table) == 11_946
    assert np.bincount(months(table)).tolist() == [
        20900, 16576, 15378, 21100, 18068, 21534, 21048, 20084, 20920, 30783, 39237, 48816, 12610,
    ]  # fmt: skip


@pytest.mark.real_data
def test_a_cut_of_the_real_table_has_whole_customers_in_order():
    need("darc_ground_truth.parquet")
    whole = Retail(real=True).load()
    cut = Retail(real=True, rows=20_000).data(rng())
    assert 15_000 < len(cut) <= 20_000
    kept = np.isin(whole.columns["id_user"], cut.persons())
    assert whole.take(kept).equals(cut)
    assert len(Retail(real=True, customers=10).data(rng()).persons()) == 10
    with pytest.raises(DataError, match="no customer fits"):
        Retail(real=True, rows=1).data(rng())


@pytest.mark.real_data
def test_the_stand_in_has_the_shape_of_the_real_table(stand_in):
    need("darc_ground_truth.parquet")
    real = Retail(real=True).load()
    assert len(stand_in) == len(real)
    assert len(stand_in.persons()) == len(real.persons())
    assert customer_months(stand_in) == pytest.approx(customer_months(real), rel=0.05)
    busy, really = (np.bincount(months(table)) / len(table) for table in (stand_in, real))
    assert np.abs(busy - really).sum() / 2 < 0.05
    logs = [np.log(np.bincount(table.person_of_row())) for table in (stand_in, real)]
    assert logs[0].mean() == pytest.approx(logs[1].mean(), abs=0.1)
    assert logs[0].std() == pytest.approx(logs[1].std(), abs=0.1)
    pairs = [
        len(np.unique(table.person_of_row() * 4_000 + table.columns["id_item"]))
        for table in (stand_in, real)
    ]
    assert pairs[0] == pytest.approx(pairs[1], rel=0.1)


# --- copies -------------------------------------------------------------------------------------

HEADER = "InvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,CustomerID,Country"


@pytest.mark.parametrize(
    ("when", "customer"), [("12/1/2010 8:26", "17850"), ("2010-12-01 08:26:00", "17850.0")]
)
def test_csv_copies_are_read_however_they_write_times(tmp_path, when, customer):
    lines = [
        HEADER,
        f'536365,85123A,"LARGE, ""WHITE"" \xa3",6,{when},2.55,{customer},United Kingdom',
        f"536366,22633,,-1,{when},0,,France",
    ]
    file = tmp_path / "online_retail.csv"
    file.write_bytes("\n".join(lines).encode("latin-1"))
    first, second = read_retail(file).to_pylist()
    assert first["StockCode"] == "85123A"
    assert (first["Quantity"], first["UnitPrice"], first["CustomerID"]) == (6, 2.55, 17850)
    assert str(first["InvoiceDate"]) == "2010-12-01 08:26:00"
    assert second["CustomerID"] is None
    assert second["Quantity"] == -1


def test_a_csv_with_odd_times_gets_a_sentence(tmp_path):
    file = tmp_path / "online_retail.csv"
    file.write_text(f"{HEADER}\n1,2,x,6,yesterday,1,1,UK\n")
    with pytest.raises(DataError, match="InvoiceDate 'yesterday' is in none of the formats"):
        read_retail(file)


def test_another_parquet_file_gets_a_sentence(tmp_path):
    file = tmp_path / "online_retail.parquet"
    pq.write_table(pa.table({"a": [1]}), file)
    with pytest.raises(DataError, match="is not the Online Retail table"):
        read_retail(file)


def test_a_workbook_needs_its_reader(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(MissingExtra, match=r"needs python-calamine"):
        read_retail(tmp_path / "Online Retail.xlsx")


def test_a_workbook_is_read(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(HEADER.split(","))
    when = np.datetime64("2010-12-01T08:26").astype(object)
    book.active.append([536365, 22633, "x", 6, when, 2.55, 17850, "UK"])
    book.active.append([536365, "85123A", "x", 6, when, 2.55, None, "UK"])
    book.save(tmp_path / "Online Retail.xlsx")
    first, second = read_retail(tmp_path / "Online Retail.xlsx").to_pylist()
    assert (first["StockCode"], second["StockCode"]) == ("22633", "85123A")
    assert (first["CustomerID"], second["CustomerID"]) == (17850, None)


def test_missing_files_and_other_tables_are_told_apart(tmp_path, monkeypatch):
    monkeypatch.setenv("QUINTAIN_DATA", str(tmp_path))
    with pytest.raises(DataError, match="UCI Machine Learning Repository"):
        Retail(real=True).load()
    columns = {
        "StockCode": items()[:7],
        "Quantity": [1] * 7,
        "InvoiceDate": pa.array(np.arange(7) * 86_400, pa.timestamp("s")),
        "UnitPrice": [1.0] * 7,
        "CustomerID": [1] * 7,
    }
    pq.write_table(pa.table(columns), tmp_path / "online_retail.parquet")
    with pytest.raises(DataError, match="7 rows, expected 307054") as refused:
        Retail(real=True).load()
    assert "1 customers, expected 4034" in str(refused.value)


def test_one_changed_price_is_noticed(tmp_path, monkeypatch):
    need("darc_ground_truth.parquet")
    arrow = pq.read_table(FOLDER / "darc_ground_truth.parquet")
    price = arrow["price"].to_numpy().copy()
    price[1000] += 0.01
    arrow = arrow.set_column(arrow.column_names.index("price"), "price", pa.array(price))
    pq.write_table(arrow, tmp_path / "darc_ground_truth.parquet")
    monkeypatch.setenv("QUINTAIN_DATA", str(tmp_path))
    with pytest.raises(DataError, match="as CSV its SHA-256 is"):
        Retail(real=True).load()


def test_a_file_is_a_name_and_no_path():
    with pytest.raises(ValueError, match="pattern"):
        Retail(file="../secret.csv")


# --- the stand-in -------------------------------------------------------------------------------


@pytest.mark.parametrize(("rows", "customers"), [(1, 1), (7, 7), (1000, 3), (5000, None)])
def test_as_many_rows_and_customers_as_asked_for(rows, customers):
    table = Retail(rows=rows, customers=customers).generate(rng())
    assert len(table) == rows
    assert len(table.persons()) == (customers or round(rows * 4034 / 307054))


def test_customers_alone_bring_their_usual_rows():
    table = Retail(customers=100).generate(rng())
    assert (len(table), len(table.persons())) == (7_612, 100)
    with pytest.raises(ValueError, match="8 customers cannot share 7 rows"):
        Retail(rows=7, customers=8)


def test_rows_are_in_order_of_time_on_days_the_shop_is_open(stand_in):
    when = stand_in.columns["date"] + stand_in.columns["hours"] * 60
    assert (np.diff(when) >= 0).all()
    days = (stand_in.columns["date"] // retail.DAY).astype("datetime64[D]")
    assert str(days.min()) >= "2010-12-01"
    assert str(days.max()) <= "2011-12-09"
    assert not ((days.astype(np.int64) + 3) % 7 == 5).any()  # Saturdays


def test_items_have_few_prices_and_quantities_are_packs(stand_in):
    pairs = np.unique(
        np.column_stack([stand_in.columns["id_item"], stand_in.columns["price"]]), axis=0
    )
    assert len(pairs) / len(np.unique(pairs[:, 0])) < 3
    quantity = Purchases.of(stand_in).quantity
    assert quantity.min() == 1
    common = np.isin(quantity, [1, 2, 3, 4, 6, 8, 10, 12, 24, 48])
    assert 0.8 < common.mean() < 0.95


def test_people_buy_again_what_they_bought_before(stand_in):
    pair = stand_in.person_of_row() * 4_000 + stand_in.columns["id_item"]
    _, first = np.unique(pair, return_index=True)
    assert 0.2 < 1 - len(first) / len(pair) < 0.35


def test_baskets_of_a_month_single_people_out(stand_in):
    known = Baskets.of(Purchases.of(stand_in))
    vectors = weigh_items(known, known)
    alike = np.zeros(len(known.person), int)
    for rows, _, block in compare(vectors, known.month, vectors, known.month):
        row = np.repeat(np.arange(block.shape[0]), np.diff(block.indptr))
        alike[rows] += np.bincount(row[block.data > 1 - 1e-9], minlength=block.shape[0])
    assert (alike == 1).mean() > 0.99


def test_a_million_rows_take_seconds():
    start = time.process_time()
    table = Retail(rows=1_000_000, customers=10_000).generate(rng())
    assert time.process_time() - start < 6
    assert len(table.persons()) == 10_000
