"""A further format of files is a further line of one table: every writer knows it at once."""

import pyarrow as pa
import pyarrow.feather
import pytest

from quintain.audits.split import split_file
from quintain.cli.one_part import require_ending
from quintain.data.arrow import to_arrow
from quintain.data.files import formats, write
from quintain.data.files.formats import DataFormat
from quintain.errors import DataError
from quintain.testing import example_table


def feather(rows):
    sink = pa.BufferOutputStream()
    pyarrow.feather.write_feather(rows, sink, compression="uncompressed")
    return bytes(sink.getvalue())


@pytest.fixture
def arrow(monkeypatch):
    line = DataFormat(lambda data, _: feather(to_arrow(data)), feather)
    monkeypatch.setitem(formats.FORMATS, ".arrow", line)


def test_a_format_that_nobody_writes_is_refused_with_those_that_are(tmp_path):
    with pytest.raises(DataError, match=r"\.arrow files are not written here"):
        write(example_table(rows=9), tmp_path / "r.arrow")
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("arrow")
def test_data_are_written_in_a_further_format(tmp_path):
    write(example_table(rows=9), tmp_path / "r.arrow")
    assert pyarrow.feather.read_table(tmp_path / "r.arrow").num_rows == 9
    require_ending(tmp_path / "r.arrow", *formats.endings())
    assert "or .arrow" in str(formats.wrong_ending(tmp_path / "r.xlsx", *formats.endings()))
    assert formats.ending_of(tmp_path / "R.ARROW") == ".arrow"


@pytest.mark.parametrize(("name", "made"), [("p.parquet", ".parquet"), ("p.csv", ".csv")])
def test_halves_of_a_file_have_its_format(tmp_path, name, made):
    write(example_table(rows=40), tmp_path / name)
    parts = split_file(tmp_path / name, tmp_path / "halves")
    assert [part.path.suffix for part in parts] == [made, made]
    assert sum(part.rows for part in parts) == 40
