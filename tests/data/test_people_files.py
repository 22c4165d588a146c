"""People from files: folders, archives, files and frames, and what is wrong with them."""

import os
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.cli.main import cli
from quintain.data.files.limits import Limits
from quintain.data.learning.learn import LearnedSchema
from quintain.data.learning.people import learn_people
from quintain.data.people_files import open_tables, read_people, read_people_schema
from quintain.errors import DataError

CUSTOMERS = "customer_id,country\nc,FR\na,DE\nb,FR\nd,FR\ne,DE\n"
INVOICES = (
    "invoice_no,customer_id,day\n7,a,2011-03-01\n3,b,2011-01-01\n9,a,2011-02-01\n4,e,2011-01-05\n"
)
LINES = "invoice_no,item,count\n9,tea,1\n7,jam,2\n3,tea,1\n7,ink,5\n4,jam,1\n"
FILES = {"customers.csv": CUSTOMERS, "invoices.csv": INVOICES, "lines.csv": LINES}
LINKS = [
    ("customers", "", "customer_id", None, ()),
    ("invoices", "", "invoice_no", "customer_id", ("day",)),
    ("lines", "invoices", None, "invoice_no", ()),
]


def folder(path: Path, **changes: str) -> Path:
    for name, text in (FILES | {f"{name}.csv": text for name, text in changes.items()}).items():
        (path / name).write_text(text)
    return path


def archive(path: Path, files: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as made:
        for name, text in files.items():
            made.writestr(name, text)
    return path


def links(schema):
    return [(t.name, t.parent, t.key, t.reference, t.order) for t in schema.tables]


def trees(people):
    """Every person with the cells of all tables, as plain values."""
    return {
        key: {
            name: branch.rows.take(branch.index().rows(person)).records()
            for name, branch in people.tables.items()
        }
        for person, key in enumerate(people.keys.tolist())
    }


def faults_of(source, **given):
    with pytest.raises(DataError) as error:
        read_people(source, **given)
    return [str(fault) for fault in error.value.faults]


# --- where people come from ---


def test_a_folder_an_archive_and_frames_are_the_same_people(tmp_path):
    (tmp_path / "shop").mkdir()
    shop = folder(tmp_path / "shop")
    (shop / "README.txt").write_text("not a table")
    (shop / ".hidden.csv").write_text("not,looked,at\n")
    people = read_people(shop)
    assert links(people.schema) == LINKS
    assert people.size == 5 and people.keys.tolist() == list("cabde")
    assert people.tables["lines"].person.tolist() == [1, 1, 2, 1, 4]
    zipped = archive(tmp_path / "shop.zip", {f"shop/{n}": t for n, t in FILES.items()})
    frames = {Path(name).stem: pd.read_csv(shop / name) for name in FILES}
    frames["invoices"]["day"] = pd.to_datetime(frames["invoices"]["day"])
    for other in (zipped, str(zipped), frames):
        assert trees(read_people(other)) == trees(people)
    for name, frame in frames.items():
        (shop / f"{name}.csv").unlink()
        pq.write_table(pa.Table.from_pandas(frame), shop / f"{name}.parquet")
    assert trees(read_people(shop)) == trees(people)


def test_one_file_with_an_owner_column_is_people(tmp_path):
    (tmp_path / "visits.csv").write_text("patient_id,ward\n9,A\n8,B\n9,B\n7,A\n")
    people = read_people(tmp_path / "visits.csv")
    assert links(people.schema) == [("visits", "", None, "patient_id", ())]
    assert trees(people) == {
        "9": {"visits": [{"ward": "A"}, {"ward": "B"}]},
        "8": {"visits": [{"ward": "B"}]},
        "7": {"visits": [{"ward": "A"}]},
    }
    assert trees(read_people(tmp_path)) == trees(people)
    assert trees(read_people(pd.read_csv(tmp_path / "visits.csv"), person="patient_id")).keys() == {
        "7", "8", "9",
    }  # fmt: skip


def test_a_schema_in_a_file_decides(tmp_path):
    (tmp_path / "shop").mkdir()
    shop = folder(tmp_path / "shop")
    with open_tables(shop) as tables:
        learned = learn_people(tables)
    path = tmp_path / "schema.json"
    path.write_text(learned.to_json())
    assert read_people_schema(path) == learned.schema
    own = learned.to_json().replace('"order": [\n        "day"\n      ],\n', "")
    assert own != learned.to_json()
    path.write_text(own)
    people = read_people(shop, schema=path)
    assert people.schema["invoices"].order == ()
    assert people.tables["invoices"].index().rows(1).tolist() == [0, 2]
    path.write_text('{"format": "quintain.schema/2", "tables": [{"name": 3}], "more": 1}')
    with pytest.raises(DataError) as error:
        read_people_schema(path)
    assert error.value.total == 3
    with pytest.raises(DataError, match="cannot be read"):
        read_people_schema(tmp_path / "nothing.json")


# --- what is learned, and why ---


def test_every_decision_has_a_reason(tmp_path):
    with open_tables(folder(tmp_path)) as tables:
        learned = learn_people(tables)
    assert learned.who == (
        "the column customer_id of customers names people, as its name says, "
        "one in each row of customers"
    )
    assert [table.place for table in learned.tables] == [
        "it has one row per person",
        "its rows belong to people by customer_id: its name says so, and 100% of its values are "
        "keys there",
        "its rows belong to rows of invoices by invoice_no: its name says so, and 100% of its "
        "values are keys there",
    ]
    assert [table.order for table in learned.tables] == [
        "one row per person needs no order",
        "ordered by day: it is a time",
        "in the order of the file: it has no time",
    ]
    assert all(made.reason for table in learned.tables for made in table.decisions)


def test_a_plain_id_names_what_its_table_is_about():
    people = pd.DataFrame({"id": [11, 12, 13], "sex": ["f", "m", "f"]})
    visits = pd.DataFrame({"id": [1, 2, 3], "person_id": [12, 11, 12], "hour": [5, 2, 1]})
    learned = learn_people({"visits": visits, "people": people})
    assert links(learned.schema) == [
        ("people", "", "id", None, ()),
        ("visits", "", None, "person_id", ("hour",)),
    ]
    assert [column.name for column in learned.schema["visits"].columns][-1] == "hour"


def test_contents_speak_where_names_do_not():
    top = pd.DataFrame({"code": [f"x{i}" for i in range(30)], "size": [1, 2] * 15})
    rows = pd.DataFrame({"of": [f"x{i % 25}" for i in range(90)], "n": [4, 5, 6] * 30})
    learned = learn_people({"rows": rows, "top": top})
    assert links(learned.schema) == [("top", "", "code", None, ()), ("rows", "", None, "of", ())]
    assert learned.who.startswith("no name says who the people are; most tables lead to")
    assert "all of its values are keys there" in learned.tables[1].place


def test_numbers_that_happen_to_be_keys_are_no_references():
    loans = pd.DataFrame({"loan_id": range(50, 60), "client_id": range(10), "months": [12, 24] * 5})
    clients = pd.DataFrame({"client_id": range(100), "age": [30, 40] * 50})
    learned = learn_people({"loans": loans, "clients": clients})
    assert links(learned.schema)[1] == ("loans", "", None, "client_id", ())
    assert [column.name for column in learned.schema["loans"].columns] == ["months"]


def test_a_row_belongs_to_the_nearest_table_and_names_of_people_are_no_attributes():
    owners = pd.DataFrame({"customer_id": [1, 2, 3], "country": ["FR", "DE", "FR"]})
    bills = pd.DataFrame({"bill_id": [5, 6, 7], "customer_id": [1, 1, 2]})
    lines = pd.DataFrame({"bill_id": [5, 5, 7], "customer_id": [1, 1, 2], "item": ["a", "b", "a"]})
    learned = learn_people({"lines": lines, "bills": bills, "owners": owners})
    assert links(learned.schema)[2] == ("lines", "bills", None, "bill_id", ())
    assert [column.name for column in learned.schema["lines"].columns] == ["item"]
    (reason,) = [made.reason for made in learned.tables[2].decisions if made.name == "customer_id"]
    assert reason.startswith("left out: it names people")


def test_a_table_that_many_people_share_is_left_out_with_a_reason():
    clients = pd.DataFrame({"client_id": range(40), "district_id": [1, 2] * 20})
    districts = pd.DataFrame({"district_id": [1, 2, 3], "region": ["N", "S", "N"]})
    shops = pd.DataFrame({"shop_id": [8, 9], "district_id": [1, 1], "size": [3, 4]})
    frames = {"clients": clients, "districts": districts, "shops": shops}
    with pytest.warns(LearnedSchema, match="a row can belong to several people"):
        people = read_people(frames)
    assert set(people.tables) == {"clients"}
    column = people.schema["clients"].columns[0]
    assert (column.name, column.kind) == ("district_id", "category")  # a code is not a number
    left_out = learn_people(frames).left_out
    assert left_out["shops"] == "its rows belong to rows of districts, which is left out, too"
    assert set(read_people(frames, person="district_id").tables) == set(frames)


def test_a_table_has_one_key():
    roots = pd.DataFrame({"person_id": [1, 2], "sex": ["f", "m"]})
    stays = pd.DataFrame({"stay_id": [4, 5], "person_id": [1, 2], "bed_id": [8, 9]})
    tests = pd.DataFrame({"stay_id": [4, 4, 5], "value": [1, 2, 3]})
    beds = pd.DataFrame({"bed_id": [8, 8, 9], "floor": [1, 2, 1]})
    learned = learn_people({"person": roots, "stays": stays, "tests": tests, "sheets": beds})
    assert "a table has one key" in learned.left_out["sheets"]


# --- what can be wrong ---


def test_all_faults_of_all_tables_are_told_at_once_with_file_line_and_column(tmp_path):
    shop = folder(
        tmp_path,
        customers=CUSTOMERS + "a,FR\n",
        invoices=INVOICES + "5,z,2011-01-07\n",
        lines=LINES + "\n8,tea,1\n",
    )
    assert faults_of(shop) == [
        "customers.csv:7 customer_id='a': expected each key once; customers.csv:3 has it, too",
        "invoices.csv:6 customer_id='z': expected a key of customers; no row there has this one",
        "lines.csv:8 invoice_no='8': expected a key of invoices; no row there has this one",
    ]


def test_an_empty_key_is_a_fault(tmp_path):
    shop = folder(tmp_path, customers=CUSTOMERS + ",FR\n")
    assert faults_of(shop) == [
        "customers.csv:7 customer_id='': expected a key, the cell is empty",
    ]


def test_faults_that_are_not_listed_are_counted():
    frames = {
        "person": pd.DataFrame({"person_id": range(3000), "sex": ["f", "m"] * 1500}),
        "visits": pd.DataFrame({"person_id": range(1000, 5500), "n": [1, 2, 3] * 1500}),
    }
    with pytest.raises(DataError) as error:
        read_people(frames)
    assert len(error.value.faults) == 1000 and error.value.total == 2500


def test_tables_that_refer_to_each_other_are_a_fault(tmp_path):
    (tmp_path / "a.csv").write_text("a_id,b_id\n1,7\n2,8\n")
    (tmp_path / "b.csv").write_text("b_id,a_id\n7,2\n8,1\n")
    around = "which leads back to it; expected that one of these tables belongs to people"
    assert [fault.split(" and not")[0] for fault in faults_of(tmp_path)] == [
        f"a.csv b_id: refers to b, {around}",
        f"b.csv a_id: refers to a, {around}",
    ]
    (tmp_path / "person.csv").write_text("person_id,sex\n1,f\n2,m\n3,m\n")
    assert len(faults_of(tmp_path)) == 2
    (tmp_path / "a.csv").write_text("a_id,b_id,person_id\n1,7,3\n2,8,3\n")
    people = read_people(tmp_path)  # one of the two belongs to people now
    assert links(people.schema)[1:] == [
        ("a", "", "a_id", "person_id", ()),
        ("b", "a", None, "a_id", ()),
    ]


def test_a_table_that_belongs_to_nobody_is_a_fault(tmp_path):
    shop = folder(tmp_path, weather="day,rain\n2011-01-01,3\n2011-01-02,4\n")
    (fault,) = faults_of(shop)
    assert fault.startswith(
        "weather.csv: has no column 'customer_id', and no column that names rows"
    )


def test_a_table_without_its_reference_is_a_fault_and_what_leads_to_it_is_none(tmp_path):
    numbers = [line.split(",")[0] for line in INVOICES.splitlines()]
    shop = folder(tmp_path, invoices="".join(f"{number},x\n" for number in numbers))
    (fault,) = faults_of(shop)
    assert fault.startswith("invoices.csv: has no column 'customer_id'")


def test_somebody_must_say_who_the_people_are(tmp_path):
    (tmp_path / "table.csv").write_text("age,ward\n40,A\n40,B\n17,B\n")
    (fault,) = faults_of(tmp_path)
    assert "no column says whose row it is; expected a name such as person_id" in fault
    (fault,) = faults_of(tmp_path, person="agee")
    assert "has no column 'agee' that could name people; did you mean 'age'?" in fault


def test_an_empty_child_is_left_out_with_a_reason_and_kept_with_a_schema(tmp_path):
    shop = folder(tmp_path)
    whole = read_people(shop)
    folder(tmp_path, lines="invoice_no,item,count\n")
    with pytest.warns(LearnedSchema, match=r"lines \(it has no rows"):
        people = read_people(shop)
    assert set(people.tables) == {"customers", "invoices"}
    people = read_people(shop, schema=whole.schema)
    assert len(people.tables["lines"]) == 0
    assert people.tables["lines"].lengths().tolist() == [0] * 5
    for name, text in FILES.items():
        (shop / name).write_text(text.splitlines()[0] + "\n")
    assert [fault.split(": ")[1] for fault in faults_of(shop)] == ["has no records"] * 3


def test_people_without_rows_and_rows_without_people_are_kept(tmp_path):
    people = read_people(folder(tmp_path, invoices=INVOICES + "5,,2011-01-07\n"))
    assert people.tables["invoices"].lengths().tolist() == [0, 2, 1, 0, 1]
    assert people.tables["invoices"].person.tolist() == [1, 2, 1, 4, -1]


def test_numbers_with_a_point_refer_to_those_without(tmp_path):
    clients = pd.DataFrame({"client_id": [1, 2, 3], "sex": ["f", "m", "f"]})
    loans = pd.DataFrame({"client_id": [3, None, 3, 1], "sum": [5, 6, 7, 8]})  # 3.0, as pandas has
    people = read_people({"clients": clients, "loans": loans})
    assert people.tables["loans"].person.tolist() == [2, -1, 2, 0]
    clients.to_csv(tmp_path / "clients.csv", index=False)
    loans.to_csv(tmp_path / "loans.csv", index=False)
    assert read_people(tmp_path).tables["loans"].person.tolist() == [2, -1, 2, 0]


def test_times_out_of_order_are_put_in_order_and_rows_stay_in_place(tmp_path):
    people = read_people(folder(tmp_path))
    days = people.tables["invoices"]
    assert days.index().rows(1).tolist() == [2, 0]
    months = [record["day"].month for record in days.rows.records()]
    assert months == [3, 1, 2, 1]


def test_many_rows_of_one_person():
    count = 100_000
    rows = pa.table({"patient_id": pa.array(np.ones(count, int)), "code": np.arange(count) % 7})
    roots = pa.table({"patient_id": [1, 2, 3], "sex": ["f", "m", "f"]})
    people = read_people({"patients": roots, "rows": rows})
    assert people.tables["rows"].lengths().tolist() == [count, 0, 0]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"../customers.csv": CUSTOMERS}, "leads out of the archive"),
        ({"a/rows.csv": LINES, "b/rows.csv": LINES}, "has the name of a/rows.csv"),
        ({"README.txt": "nothing"}, "has no table; expected files that end with .csv"),
        ({f"t{i}.csv": LINES for i in range(9)}, "the limit is 8"),
        ({"rows.csv": "person_id\n" + "1\n" * 2000}, "unpacks to 4010 bytes; the limit is 4000"),
    ],
)
def test_an_archive_is_checked_before_it_is_unpacked(tmp_path, files, message):
    path = archive(tmp_path / "tables.zip", files)
    before = set(os.listdir(tmp_path))
    faults = faults_of(path, limits=Limits(archive_members=8, archive_bytes=4000))
    assert any(message in fault for fault in faults), faults
    assert set(os.listdir(tmp_path)) == before


def test_what_is_not_a_folder_of_tables_is_refused(tmp_path):
    (tmp_path / "broken.zip").write_text("no archive")
    assert "cannot be read as a zip file" in faults_of(tmp_path / "broken.zip")[0]
    assert "there is no such folder or zip archive" in faults_of(tmp_path / "nothing.zip")[0]
    (tmp_path / "both").mkdir()
    (tmp_path / "both" / "rows.csv").write_text(LINES)
    (tmp_path / "both" / "rows.tsv").write_text(LINES)
    assert "makes the table 'rows', as rows.csv does" in faults_of(tmp_path / "both")[0]


# --- properties ---


@st.composite
def shops(draw):
    """Customers, their invoices and lines, in any order of rows."""
    size = draw(st.integers(3, 8))
    owner = draw(st.lists(st.integers(0, size - 1), min_size=3, max_size=12))
    bill = draw(st.lists(st.integers(0, len(owner) - 1), min_size=3, max_size=20))
    names = draw(st.permutations(range(100, 100 + size)))
    numbers = draw(st.permutations(range(500, 500 + len(owner))))
    return names, numbers, owner, bill


@settings(max_examples=15, deadline=None)
@given(shops())
def test_every_row_goes_to_the_person_that_its_references_name(shop):
    names, numbers, owner, bill = shop
    frames = {
        "lines": pd.DataFrame({"bill_id": [numbers[b] for b in bill], "n": range(len(bill))}),
        "bills": pd.DataFrame({"bill_id": numbers, "client_id": [names[o] for o in owner]}),
        "clients": pd.DataFrame({"client_id": names, "age": range(len(names))}),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        people = read_people(frames, person="client_id")
    assert people.keys.tolist() == [str(name) for name in names]
    assert people.tables["bills"].person.tolist() == owner
    assert people.tables["lines"].person.tolist() == [owner[b] for b in bill]
    assert people.tables["lines"].parent.tolist() == bill


# --- what people hand in by mistake ---


def test_tables_whose_names_differ_in_capitals_are_one_too_many(tmp_path):
    shop = folder(tmp_path, Customers=CUSTOMERS)
    assert faults_of(shop) == [
        f"{tmp_path.name} 'customers.csv': makes the table 'customers', as Customers.csv does"
    ]


def test_a_folder_whose_tables_lie_deeper_says_where(tmp_path):
    (tmp_path / "more").mkdir()
    folder(tmp_path / "more")
    (found,) = faults_of(tmp_path)
    assert found.endswith("; more inside it is not read")


def test_an_archive_in_an_archive_is_named(tmp_path):
    archive(tmp_path / "inner.zip", FILES)
    with zipfile.ZipFile(tmp_path / "outer.zip", "w") as outer:
        outer.write(tmp_path / "inner.zip", "inner.zip")
    packed, nothing = faults_of(tmp_path / "outer.zip")
    assert packed.startswith("outer.zip 'inner.zip': is packed, and its tables would be missing")
    assert nothing.startswith("outer.zip: has no table")


@pytest.mark.parametrize("name", ["more.zip", "visits.csv.gz", "VISITS.CSV.XZ"])
def test_a_packed_table_beside_others_is_not_overlooked(tmp_path, name):
    for file, text in FILES.items():
        (tmp_path / file).write_text(text)
    (tmp_path / name).write_bytes(b"packed")
    (found,) = faults_of(tmp_path)
    assert "is packed, and its tables would be missing: unpack it, or take it away" in found
    assert name in found


def test_a_table_that_is_cut_off_is_named_with_column_and_value(tmp_path):
    invoices = "".join(INVOICES.splitlines(keepends=True)[:2])
    assert faults_of(folder(tmp_path, invoices=invoices)) == [
        "lines.csv invoice_no='9': 3 of its 4 values are not in the column invoice_no of invoices, "
        "which has 1; expected keys of invoices, to say whose row it is"
    ]


def test_a_table_that_lacks_the_name_of_people_is_not_said_to_belong_to_its_own_returns(tmp_path):
    tables = {
        "customers": "CustomerID,city\n" + "".join(f"{n},x{n % 3}\n" for n in range(40)),
        "orders": "order_no,cust\n" + "".join(f"{n + 100},{n % 40}\n" for n in range(90)),
        "returns": "order_no,reason\n" + "".join(f"{3 * n + 100},r{n % 2}\n" for n in range(25)),
    }
    for name, text in tables.items():
        (tmp_path / f"{name}.csv").write_text(text)
    (found,) = faults_of(tmp_path)
    assert "all values of its column 'cust' are in 'CustomerID' of customers" in found


def test_a_table_without_rows_between_two_others_is_named(tmp_path):
    (found,) = faults_of(folder(tmp_path, invoices="invoice_no,customer_id,day\n"))
    assert found.startswith("lines.csv: has no column 'customer_id'")
    assert found.endswith("(invoices without any row cannot be it)")


def test_dates_in_two_formats_say_which_cell_is_different(tmp_path):
    odd = INVOICES.replace("2011-01-01", "01.01.2011")
    with open_tables(folder(tmp_path, invoices=odd)) as tables:
        learned = learn_people(tables)
    reasons = [
        made.reason for table in learned.tables for made in table.decisions if made.name == "day"
    ]
    assert "most cells are times written %Y-%m-%d, but not '01.01.2011'" in reasons[0]


def test_a_file_in_another_encoding_or_with_semicolons_is_the_same_table(tmp_path):
    (tmp_path / "plain").mkdir()
    (tmp_path / "odd").mkdir()
    plain, odd = folder(tmp_path / "plain"), folder(tmp_path / "odd")
    (odd / "customers.csv").write_bytes(CUSTOMERS.encode("utf-16"))
    (odd / "invoices.csv").write_bytes(b"\xef\xbb\xbf" + INVOICES.encode())
    (odd / "lines.csv").write_text(LINES.replace(",", ";"))
    assert trees(read_people(odd)) == trees(read_people(plain))


def test_several_columns_may_name_people():
    rows = {"subject_no": [7, 7, 9] * 20, "item": list("abc") * 20}
    frames = {
        "people": pd.DataFrame({"id": range(12), "sex": ["f", "m"] * 6}),
        "stays": pd.DataFrame(rows),
        "labs": pd.DataFrame({"pat": [1, 2, 2] * 20, "value": list("xyz") * 20}),
    }
    with pytest.raises(DataError) as unclear:
        learn_people(frames)
    assert "if it names people, say so: --unit people.id,labs.pat" in str(unclear.value)
    schema = learn_people(frames, "people.id, stays.subject_no,labs.pat").schema
    assert {t.name: t.reference for t in schema.tables} == {
        "people": None,
        "stays": "subject_no",
        "labs": "pat",
    }
    with pytest.raises(DataError) as unknown:
        learn_people(frames, "people.id,labs.pta,nobody")
    assert len(unknown.value.faults) == 2


def test_a_name_that_another_program_wrote_otherwise_is_pointed_out():
    frames = {
        "patients": pd.DataFrame({"patient_id": ["0007", "0012"], "sex": ["f", "m"]}),
        "visits": pd.DataFrame({"patient_id": ["7", "0012", "8"], "code": ["a", "b", "a"]}),
    }
    with pytest.raises(DataError) as error:
        read_people(frames)
    first, second = map(str, error.value.faults)
    assert first.endswith("no row there has this one, but one has '0007': write both alike")
    assert second.endswith("no row there has this one")


def test_a_learned_folder_says_what_does_not_fit(tmp_path):
    place = folder(tmp_path, lines=LINES + "777,tea,1\n")
    run = CliRunner().invoke(cli, ["schema", "learn", str(place)])
    assert run.exit_code == 0
    told = run.stderr.partition("mend these first")[2].splitlines()
    assert told[1].startswith("lines.csv:") and "'777': expected a key of invoices" in told[1]
