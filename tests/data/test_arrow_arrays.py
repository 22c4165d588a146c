"""Arrays between Arrow and NumPy: equal to what pyarrow itself converts, and without pandas."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

from quintain.data.arrow_arrays import fill_gaps, from_numbers, from_texts, numbers_of

KINDS = [pa.int8(), pa.uint16(), pa.int32(), pa.int64(), pa.float32(), pa.float64(), pa.bool_()]


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("parts", [[], [[]], [[1, 0, 1]], [[1], [], [0, 1]]], ids=str)
def test_numbers_are_those_of_pyarrow(kind, parts):
    cells = pa.chunked_array([pa.array(part, pa.int8()).cast(kind) for part in parts], kind)
    values, expected = numbers_of(cells), cells.to_numpy()
    assert values.tolist() == expected.tolist()
    assert values.dtype == expected.dtype


def test_a_slice_gives_its_own_values_only():
    numbers, truths = pa.array(range(20)), pa.array([n % 3 == 0 for n in range(20)])
    assert numbers_of(numbers[7:9]).tolist() == [7, 8]
    assert numbers_of(truths[9:12]).tolist() == [True, False, False]


@pytest.mark.parametrize("kind", KINDS[:-1], ids=str)
@pytest.mark.parametrize("cells", [[1, None, 3], [None], [4, 5], []], ids=str)
def test_gaps_are_filled_as_pyarrow_fills_them(kind, cells):
    chunked = pa.chunked_array([pa.array(cells, kind)])
    values, expected = fill_gaps(chunked, 9), chunked.fill_null(9).to_numpy()
    assert values.tolist() == expected.tolist()
    assert values.dtype == expected.dtype


@pytest.mark.parametrize("kind", ["i4", "i8", "f8", "u1"])
@pytest.mark.parametrize("missing", [None, [False] * 9, [True] * 9, [n % 4 == 1 for n in range(9)]])
def test_arrays_become_those_of_pyarrow(kind, missing):
    values = np.arange(18).astype(kind)[::2]  # not contiguous
    mask = None if missing is None else np.array(missing)
    cells = from_numbers(values, mask)
    assert cells.equals(pa.array(values, mask=mask))
    assert cells.null_count == pa.array(values, mask=mask).null_count
    cells.validate(full=True)


@pytest.mark.parametrize("texts", [[], [""], ["a", "", "é𝄞", "two words"]], ids=str)
def test_texts_become_those_of_pyarrow(texts):
    cells = from_texts(texts)
    assert cells.equals(pa.array(texts, pa.string()))
    cells.validate(full=True)


def test_no_conversion_loads_pandas():
    code = (
        "import sys; import numpy as np\n"
        "from quintain.data.arrow_arrays import fill_gaps, from_numbers, from_texts, numbers_of\n"
        "cells = from_numbers(np.arange(3), np.array([True, False, False]))\n"
        "numbers_of(cells.is_null()), fill_gaps(cells, 0), from_texts(['a'])\n"
        "print('pandas' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
