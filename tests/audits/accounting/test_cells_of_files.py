"""The replay on a table of a user reads files as well as frames."""

import pyarrow as pa

from quintain.audits.accounting.neighbours import plain_cells


def test_a_csv_file_gives_the_cells_that_a_frame_gives(tmp_path):
    (tmp_path / "people.csv").write_text("age;sex\n30;f\n;m\n")
    frame = pa.table({"age": ["30", None], "sex": ["f", "m"]})
    assert plain_cells(tmp_path / "people.csv") == plain_cells(frame)
