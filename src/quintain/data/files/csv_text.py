"""CSV text: the bytes, the lines and the header of a CSV file, before its cells are read.

Nothing here costs more than a few looks at the bytes, so a file that is absurdly large or not a
text at all is refused before anything is built from it.
"""

from __future__ import annotations

import codecs
import csv

import numpy as np

from quintain.data.arrays import Rows
from quintain.data.arrow import check_columns
from quintain.data.files.foreign import recognised
from quintain.data.files.limits import Limits
from quintain.data.schema import Schema
from quintain.errors import Faults

BOM = b"\xef\xbb\xbf"
_SEPARATORS = (";", "\t", "|")
_BLOCK = 1 << 24
"""How many bytes are looked at in one step, so that looking needs little memory."""


def check_text(content: bytes, strict: bool, faults: Faults) -> bool:
    """Whether the content is text in UTF-8; notes what it is instead."""
    if not content:
        faults.add("the file is empty")
        return False
    kind = recognised(content)
    if kind is not None:
        advice = "save it as UTF-8" if kind == "UTF-16 text" else "expected CSV text in UTF-8"
        faults.add(f"is {kind}; {advice}")
        return False
    if b"\x00" in content:
        line = content.count(b"\n", 0, content.index(b"\x00")) + 1
        faults.add("contains a NUL byte, so it is not a text file", line=line)
        return False
    damage = _not_utf8(content)
    if damage is not None:
        line = content.count(b"\n", 0, damage[0]) + 1
        faults.add("is not UTF-8", line=line, got=repr(content[damage[0] : damage[1]]))
        return False
    if strict and content.startswith(BOM):
        faults.add("starts with a byte order mark; save it as UTF-8 without one", line=1)
    if strict and b"\r" in content:
        line = content.count(b"\n", 0, content.index(b"\r")) + 1
        faults.add("contains carriage returns; end lines with a line feed only", line=line)
    return True


def _not_utf8(content: bytes) -> tuple[int, int] | None:
    """Where the first bytes begin and end that are not UTF-8; None if there are none."""
    start, size = 0, len(content)
    while start < size and not content.isascii():
        block = content[start : start + _BLOCK]
        try:
            _, used = codecs.utf_8_decode(block, "strict", start + _BLOCK >= size)
        except UnicodeDecodeError as problem:
            return start + problem.start, start + problem.end
        start += used
    return None


def check_length(content: bytes, header: bool, limits: Limits, faults: Faults) -> bool:
    """Whether the file has few enough lines to be read; a blank line counts, too."""
    ends = content.count(b"\n")
    if b"\r" in content:  # the reader takes a carriage return alone for the end of a line
        ends += content.count(b"\r") - content.count(b"\r\n")
    rows = ends + (not content.endswith((b"\n", b"\r"))) - header
    if rows > limits.rows:
        faults.add(f"{rows} rows; the limit is {limits.rows}")
    return rows <= limits.rows


def blank_lines(content: bytes, faults: Faults) -> Rows:
    """The numbers of blank lines; each is a fault, since it looks like a row of missing values."""
    if not (content.startswith((b"\n", b"\r\n")) or b"\n\n" in content or b"\n\r\n" in content):
        return np.array([], np.int64)
    codes = np.frombuffer(content, np.uint8)
    feeds = np.concatenate(
        [[-1]]
        + [
            np.flatnonzero(codes[start : start + _BLOCK] == ord("\n")) + start
            for start in range(0, len(codes), _BLOCK)
        ]
    )
    lengths = np.diff(feeds) - 1
    only_return = (lengths == 1) & (codes[feeds[1:] - 1] == ord("\r"))
    blank: Rows = np.flatnonzero((lengths == 0) | only_return) + 1
    listed = blank[: faults.room()]
    for line in listed.tolist():
        faults.add("is a blank line; delete it", line=line)
    faults.count(len(blank) - len(listed))
    return blank


def check_header(
    content: bytes, schema: Schema, header: bool, limits: Limits, faults: Faults
) -> list[str] | None:
    """Column names in the order of the file; None if they are not those of the schema.

    It looks only at the first line, so that a file with hundreds of thousands of columns costs
    nothing.
    """
    end = content.find(b"\n", 0, limits.header_bytes)
    if end < 0 and len(content) > limits.header_bytes:
        faults.add(f"the first line is too long; the limit is {limits.header_bytes} bytes", line=1)
        return None
    first = content[: end if end >= 0 else len(content)].decode(errors="replace").rstrip("\r")
    if first.count(",") + 1 > max(limits.columns, len(schema.names)) * 2:
        faults.add(f"{first.count(',') + 1} columns; expected {len(schema.names)}", line=1)
        return None
    try:
        cells = next(csv.reader([first], strict=False), [])
    except csv.Error as problem:
        faults.add(f"the first line is not readable: {problem}", line=1)
        return None
    if len(cells) < len(schema.names) and (other := _separator(first, schema)):
        faults.add(f"columns are separated by {other!r}; expected ','", line=1)
        return None
    if header:
        before = faults.total
        aliases = {alias: c.name for c in schema.columns for alias in c.aliases or ()}
        cells = [cell if cell in schema else aliases.get(cell, cell) for cell in cells]
        check_columns(cells, schema, faults)
        return cells if faults.total == before else None
    if cells == list(schema.names):
        faults.add("is a header line; this format has none, so delete it", line=1)
        return None
    return list(schema.names)


def _separator(first: str, schema: Schema) -> str | None:
    """The character that separates the cells of the first line, if it is clearly not a comma."""
    wanted = len(schema.names)
    return next((mark for mark in _SEPARATORS if first.count(mark) == wanted - 1 > 0), None)
