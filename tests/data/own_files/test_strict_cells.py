"""Cells that Arrow reads are the cells that the codec reads."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from quintain.data import Column
from quintain.data.codec import parse_texts
from quintain.data.own_files.reading import strict_cells

COLUMNS = [
    Column(name="x", kind="integer", low=-20, high=90),
    Column(name="x", kind="integer", low=-20, high=90, nullable=True, missing="NA"),
    Column(name="x", kind="integer"),
    Column(name="x", kind="integer", low=5),
    Column(name="x", kind="real"),
    Column(name="x", kind="real", low=-1.5, high=1e6, nullable=True),
    Column(name="x", kind="category", values=("a", "-", "1"), nullable=True),
    Column(name="x", kind="category", values=("a", "")),
    Column(name="x", kind="time"),
    Column(name="x", kind="time", time_format="%d.%m.%Y %H:%M", nullable=True, missing="?"),
    Column(name="x", kind="time", earliest="1999-12-31", latest="2020-01-01"),
    Column(name="x", kind="time", time_format="%d %b %Y"),
    Column(name="x", kind="time", time_format="%Y-%m"),
    Column(name="x", kind="id"),
    Column(name="x", kind="id", nullable=True, missing="NA"),
]
ODD = [
    "", "0", "-0", "007", "40.0", "+5", " 5", "5 ", "nan", "inf", "-inf", "1e5", "1e999", ".5",
    "5.", "-.5e-3", "0x10", "1_000", "999999999999999999", "9999999999999999999", "NA", "?", "-",
    "a", "1", "1.7976931348623157e308", "5e-324", "0.1", "3.141592653589793238462643383279", "a\nb",
    "é", "2011-01-02", "2011-1-2", "2011-02-31", "0999-01-01", "02.01.2011 03:04", "2.1.2011 3:04",
    "02 Jan 2011", "02 jan 2011", "2011-13", "2011-12", "1" * 70, "٣", "1999-12-30", "2020-01-02",
]  # fmt: skip
TEXTS = st.one_of(
    st.sampled_from(ODD),
    st.integers(-(10**19), 10**19).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.dates().map(str),
    st.text(st.characters(codec="utf-8"), max_size=6),
)


def same(column, texts):
    contents, bad = strict_cells(column, pa.array(texts, pa.string()))
    expected, refused = parse_texts(column, texts)
    assert bad.tolist() == refused.tolist()
    good = ~refused
    assert np.array_equal(contents[good], expected[good], equal_nan=contents.dtype.kind == "f")


@pytest.mark.parametrize("column", COLUMNS, ids=lambda c: f"{c.kind}-{c.time_format}")
@given(st.lists(TEXTS, max_size=12))
@example(ODD)
@settings(max_examples=25, deadline=None)
def test_arrow_reads_what_the_codec_reads(column, texts):
    same(column, texts)
