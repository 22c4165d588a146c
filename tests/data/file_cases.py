"""Small files, read the way the library reads them; shared by the tests of data files."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import HealthCheck, settings

from quintain.data import Column, Schema
from quintain.data.files import read_bytes
from quintain.errors import Faults

SCHEMA = Schema(
    columns=(
        Column(name="sex", kind="category", values=("f", "m")),
        Column(name="age", kind="integer", low=17, high=90),
        Column(name="pay", kind="real", low=0, high=10, nullable=True),
    )
)
GOOD = b"sex,age,pay\nf,40,1.5\nm,17,\n"
BOM = b"\xef\xbb\xbf"

quick = settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])


def parse(content, schema=SCHEMA, name="people.csv", **options):
    """The data in a file, and its faults."""
    faults = Faults(name)
    return read_bytes(content, name, schema, faults=faults, **options), faults


def records(content, schema=SCHEMA, name="people.csv", **options):
    data, faults = parse(content, schema, name, **options)
    assert not faults, faults.findings
    return data.records()


def sentences(content, schema=SCHEMA, name="people.csv", **options):
    """What is wrong with a file, in the words a person reads."""
    data, faults = parse(content, schema, name, **options)
    assert data is None
    assert faults.total == len(faults.findings) > 0
    return [str(fault) for fault in faults]


def parquet(**columns):
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue()


def ids_as_text(table):
    """A CSV file cannot tell the id 7 from the id "7"."""
    names = [column.name for column in table.schema.columns if column.kind == "id"]
    return [{**r, **{name: str(r[name]) for name in names}} for r in table.records()]
