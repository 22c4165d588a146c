"""Whatever stands in the cells of CSV files: an audit says something, or refuses in words."""

import csv
import string

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import quintain as q
from quintain.data.learning.facts import _lone_word
from quintain.errors import QuintainError

ODD = [
    "", " ", "nan", "NaN", "NA", "null", "inf", "-inf", "1e400", "-0", "0", "1", "1.50", "1,5",
    "1 000", "0x1F", "9" * 40, "1e-320", "=1+1", "@x", "2024-02-30", "2024-03-06 06:00", "true",
    '"', "'", ";", "\t", "a\nb", "a\r\nb", "\ufeff", "\u202e", "\U0001f600", "é", "e\u0301", "\x00",
    "\x1b[31m", "<b>", "{{ 7 }}", "x" * 5000, "²", "3 m²", "①", "١٢",
]  # fmt: skip
CELLS = st.one_of(
    st.sampled_from(ODD),
    st.integers(-(10**20), 10**20).map(str),
    st.floats().map(repr),
    st.text(string.printable, max_size=6),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=4),
)


@st.composite
def tables(draw):
    """Three tables with the same columns, each drawn from a few cells of its own kind."""
    width = draw(st.integers(1, 3))
    kinds = [draw(st.lists(CELLS, min_size=1, max_size=5)) for _ in range(width)]
    names = draw(st.lists(CELLS, min_size=width, max_size=width))
    rows = st.tuples(*(st.sampled_from(kind) for kind in kinds))
    return [[tuple(names), *draw(st.lists(rows, max_size=9))] for _ in range(3)]


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(tables())
@example(
    [[("nan", "NaN"), ("", "-0")], [("nan", "NaN"), ("", "-0")], [("nan", "NaN"), ("", "a\nb")]]
)
def test_any_cells_are_audited_or_refused_in_words(tmp_path_factory, drawn):
    folder = tmp_path_factory.mktemp("cells")
    paths = []
    for name, rows in zip(("original", "release", "control"), drawn, strict=True):
        paths.append(folder / f"{name}.csv")
        with paths[-1].open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(rows)
    try:
        audit = q.audit(*paths, permutations=19)
    except QuintainError as problem:
        assert str(problem) and "Traceback" not in str(problem)
    else:
        assert audit.verdict in ("unsafe", "some-leakage", "nothing-found", "cannot-say")
        assert all(reason.endswith(".") for reason in audit.reasons)


def test_a_word_that_nobody_can_see_stands_for_no_missing_value():
    for word, expected in (("a\nb", ""), ("\x01", ""), ("gone", "gone"), ("no 1", "")):
        assert _lone_word(pa.array(["1", "2", "3", word])) == expected
