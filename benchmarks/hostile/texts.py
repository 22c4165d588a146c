"""Hostile CSV files: odd bytes, odd lines, odd cells, absurd sizes."""

from __future__ import annotations

import gzip

from benchmarks.hostile.case import Hostile, file

BOM = b"\xef\xbb\xbf"
HEADER = b"id_user,date,hours,id_item,price,qty\n"


def cell(column: int, text: bytes, row: int = 3):
    """A function that changes one cell of an honest release."""

    def change(honest: bytes) -> bytes:
        lines = honest.split(b"\n")
        cells = lines[row].split(b",")
        cells[column] = text
        return b"\n".join([*lines[:row], b",".join(cells), *lines[row + 1 :]])

    return change


def lines(line: bytes, count: int):
    """A function that appends a line many times to an honest release."""
    return lambda honest: honest + line * count


ODD_BYTES = [
    file("csv: empty", "the file is empty", lambda _: b""),
    file("csv: NUL byte", "contains a NUL byte", lambda honest: honest + b"\x00"),
    file("csv: UTF-16", "is UTF-16 text", lambda honest: honest.decode().encode("utf-16")),
    file("csv: Latin-1", "is not UTF-8", cell(0, "é".encode("latin-1"))),
    file("csv: surrogate", "is not UTF-8", cell(0, b"\xed\xa0\x80")),
    file("csv: overlong slash", "is not UTF-8", cell(0, b"\xc0\xaf")),
    file("csv: two byte order marks", "column is missing", lambda honest: BOM + BOM + honest),
    file("csv: gzip inside", "is a gzip file", gzip.compress),
    file("csv: PDF inside", "is a PDF document", lambda _: b"%PDF-1.7\n"),
    file("csv: old Excel inside", "is an old Excel workbook", lambda _: b"\xd0\xcf\x11\xe0" * 9),
    file("csv: RAR inside", "is a RAR archive", lambda _: b"Rar!\x1a\x07\x01\x00"),
    file("csv: Parquet inside", "is a Parquet file", lambda _: b"PAR1\x15\x04"),
    file("csv: binary noise", "carriage return alone", lambda _: bytes(range(1, 128)) * 1000),
]

ODD_LINES = [
    file("csv: 200,000 columns", "columns; expected 6", lambda _: b"," * 200_000 + b"\n"),
    file("csv: header of 5 MB", "first line is too long", lambda _: b"a" * 5_000_000),
    file("csv: header twice", "column appears 2 times", lambda honest: b"qty," + honest),
    file("csv: other separator", "separated by ';'", lambda honest: honest.replace(b",", b";")),
    file(
        "csv: escape in a column name",
        r"\x1b]0;owned\x07",
        lambda honest: honest.replace(b"qty", b"\x1b]0;owned\x07", 1),
    ),
    file("csv: 200,000 cells in a row", "found 200001", lines(b"," * 200_000 + b"\n", 1)),
    file("csv: 1.9 million short rows", "found 3", lines(b",,\n", 1_900_000)),
    file("csv: 1.9 million blank lines", "is a blank line", lines(b"\n", 1_900_000)),
    file("csv: 3 million blank lines", "the limit is 2000000", lines(b"\n", 3_000_000)),
    file("csv: 3 million returns", "carriage return alone", lines(b"1,,,,,\r", 3_000_000)),
    file(
        "csv: 1,000 rows of 100 kB",
        "expected 6 cells",
        lines(b"," * 100_000 + b"\n", 1000),
        large=True,
    ),
    file("csv: row of 50 MB", "is not a readable CSV", lambda _: HEADER + b"a" * 50_000_000),
    file(
        "csv: endless quote", "does not end on its line", lambda _: HEADER + b'"' + b"a\n" * 10**6
    ),
    file("csv: line feed in a cell", "does not end on its line", cell(0, b'"a\nb"')),
    file("csv: half of the rows", "rows; expected", lambda h: h[: h.index(b"\n", len(h) // 2) + 1]),
    file("csv: header alone", "rows; expected", lambda _: HEADER),
    file(
        "csv: 190 MB of line feeds", "the limit is 2000000", lines(b"\n", 190_000_000), large=True
    ),
    file(
        "csv: 189 MB of short rows", "the limit is 2000000", lines(b",,\n", 63_000_000), large=True
    ),
    file(
        "csv: 10.5 million good rows",
        "the limit is 2000000",
        lines(b"1,2011/01/06,,,,\n", 10_500_000),
        large=True,
    ),
]


def many_ids(_: bytes) -> bytes:
    """1.9 million rows, each with a long identifier of its own."""
    return HEADER + b"".join(b"%070d,2011/01/06,,,,\n" % i for i in range(1_900_000))


ODD_CELLS = [
    file("csv: infinite price", "expected a number", cell(4, b"inf")),
    file("csv: price that is no number", "expected a number", cell(4, b"nan")),
    file("csv: hexadecimal quantity", "expected an integer", cell(5, b"0x10")),
    file("csv: Arabic digits", "expected an integer", cell(5, "٣".encode())),
    file("csv: number of a million digits", "expected", cell(4, b"9" * 900_000)),
    file("csv: huge exponent", "expected a number", cell(4, b"1e" + b"9" * 50_000)),
    file("csv: impossible date", "expected a time", cell(1, b"9999/99/99")),
    file("csv: formula as pseudonym", "would run this text", cell(0, b"=1+1")),
    file("csv: link as pseudonym", "would run this text", cell(0, b'"=HYPERLINK(""http://x"")"')),
    file("csv: command as pseudonym", "would run this text", cell(0, b"@SUM(1)|calc")),
    file("csv: turned pseudonym", "cannot be seen", cell(0, "a\u202egpj".encode())),
    file("csv: escape in a pseudonym", "without control characters", cell(0, b"\x1b[2J")),
    file("csv: pseudonym of 10,000 characters", "1 to 64 printable", cell(0, b"a" * 10_000)),
    file(
        "csv: one id of 900 kB among 100,000",
        "needs more than 1.5 GB of memory",
        lambda _: HEADER + b"a" * 900_000 + b",2011/01/06,,,,\n" + b"1,2011/01/06,,,,\n" * 100_000,
    ),
    file(
        "csv: everything deleted",
        "must be kept",
        lambda honest: HEADER + b"DEL,,,,,\n" * (honest.count(b"\n") - 1),
    ),
    file("csv: 1.9 million distinct ids", "needs more than 1.5 GB of memory", many_ids, large=True),
]

TEXTS: list[Hostile] = [*ODD_BYTES, *ODD_LINES, *ODD_CELLS]
