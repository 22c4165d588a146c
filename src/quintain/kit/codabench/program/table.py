"""Table: a CSV file as rows of checked cells, with every fault at once."""

from __future__ import annotations

import csv
from typing import Any, Dict, List, Tuple

from quintain.data.files.foreign import ends_in_quotes, file_kind, lone_return
from quintain.kit.codabench.program.cells import Column, free_text_faults, missing, parser
from quintain.kit.codabench.program.faults import Faults

Form = Dict[str, Any]
"""How files are written: ``header``, ``strict``, the limits ``rows``, ``columns`` ..., and for
transactions ``person``: the column that is missing in a deleted row."""
Numbered = List[Tuple[int, str]]
BOM = b"\xef\xbb\xbf"
SEPARATORS = (";", "\t", "|")


class Rows:
    """The rows of a file; a refused cell has the value of a missing one.

    Findings about refused cells are left out, because these cells have a fault already.
    """

    def __init__(self, file: str, columns: list[Column], faults: Faults) -> None:
        self.file = file
        self.faults = faults
        self.values: dict[str, list[Any]] = {column["name"]: [] for column in columns}
        self.refused: dict[str, set[int]] = {column["name"]: set() for column in columns}
        self.lines: list[int] = []

    def __len__(self) -> int:
        return len(self.lines)

    def note(self, message: str, row: int, column: str = "") -> None:
        """Note a fault of a row or of one of its cells, unless it was refused before."""
        got = str(self.values[column][row]) if column else None
        self.note_cell(message, row, column, got)

    def note_cell(self, message: str, row: int, column: str, got: str | None) -> None:
        """Note a fault with the text of a cell, unless it was refused before."""
        looked_at = [column] if column else list(self.refused)
        if not any(row in self.refused[name] for name in looked_at):
            self.faults.add(self.file, message, self.lines[row], column, got)

    def note_repeated(self, column: str, word: str) -> None:
        """Note every cell that repeats an earlier cell of its column."""
        first: dict[Any, int] = {}
        for row, value in enumerate(self.values[column]):
            before = first.setdefault(value, row)
            if before != row:
                self.note(f"{word}, on line {self.lines[before]}", row, column)


def read_table(
    file: str, content: bytes, columns: list[Column], form: Form, faults: Faults
) -> Rows | None:
    """The rows of a CSV file; None if it is not a table with these columns."""
    lines = _lines(file, content, form, faults)
    names = None if lines is None else _header(file, lines[0], columns, form, faults)
    if lines is None or names is None:
        return None
    rows = len(lines) - form["header"]
    if rows > form["rows"]:
        faults.add(file, f"{rows} rows; the limit is {form['rows']}")
        return None
    for number, line in enumerate(lines, start=1):
        if not line:
            faults.add(file, "is a blank line; delete it", number)
    numbered = [(n, line) for n, line in enumerate(lines, start=1) if line]
    return _read_cells(file, numbered[form["header"] :], names, columns, form, faults)


def _lines(file: str, content: bytes, form: Form, faults: Faults) -> list[str] | None:
    """The lines of a text; None if the content is not text in UTF-8."""
    kind = file_kind(content)
    if not content:
        faults.add(file, "the file is empty")
    elif kind is not None:
        advice = "save it as UTF-8" if kind == "UTF-16 text" else "expected CSV text in UTF-8"
        faults.add(file, f"is {kind}; {advice}")
    elif b"\x00" in content:
        line = content.count(b"\n", 0, content.index(b"\x00")) + 1
        faults.add(file, "contains a NUL byte, so it is not a text file", line)
    else:
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError as problem:
            line = content.count(b"\n", 0, problem.start) + 1
            faults.add(file, "is not UTF-8", line, got=repr(content[problem.start : problem.end]))
            return None
        if form["strict"]:
            _check_strict(file, content, faults)
        alone = lone_return(content)
        if alone is not None:
            line = content.count(b"\n", 0, alone) + 1
            faults.add(file, "has a carriage return alone; end lines with a line feed", line)
            return None
        text = text[1:] if content.startswith(BOM) else text
        lines = text.replace("\r\n", "\n").split("\n")
        before = faults.total
        for number, line_text in enumerate(lines, start=1):
            if ends_in_quotes(line_text):
                faults.add(file, "a cell in quotation marks does not end on its line", number)
        if faults.total > before:
            return None
        return lines[:-1] if len(lines) > 1 and lines[-1] == "" else lines
    return None


def _check_strict(file: str, content: bytes, faults: Faults) -> None:
    if content.startswith(BOM):
        faults.add(file, "starts with a byte order mark; save it as UTF-8 without one", 1)
    if b"\r" in content:
        line = content.count(b"\n", 0, content.index(b"\r")) + 1
        faults.add(file, "contains carriage returns; end lines with a line feed only", line)


def _header(
    file: str, first: str, columns: list[Column], form: Form, faults: Faults
) -> list[str] | None:
    """The names of the columns in the order of the file; None if they are not those of the plan."""
    names = [column["name"] for column in columns]
    if len(first.encode()) > form["header_bytes"]:
        limit = form["header_bytes"]
        faults.add(file, f"the first line is too long; the limit is {limit} bytes", 1)
        return None
    if first.count(",") + 1 > max(form["columns"], len(names)) * 2:
        faults.add(file, f"{first.count(',') + 1} columns; expected {len(names)}", 1)
        return None
    cells = _cells(first)
    other = next((mark for mark in SEPARATORS if first.count(mark) == len(names) - 1 > 0), None)
    if len(cells) < len(names) and other:
        faults.add(file, f"columns are separated by {other!r}; expected ','", 1)
        return None
    if form["header"]:
        before = faults.total
        aliases = {alias: c["name"] for c in columns for alias in c.get("aliases", ())}
        cells = [cell if cell in names else aliases.get(cell, cell) for cell in cells]
        _check_names(file, cells, names, faults)
        return cells if faults.total == before else None
    if cells == names:
        faults.add(file, "is a header line; this format has none, so delete it", 1)
        return None
    return names


def _check_names(file: str, cells: list[str], names: list[str], faults: Faults) -> None:
    for name in names:
        if name not in cells:
            faults.add(file, "this column is missing", column=name)
    for name in dict.fromkeys(cells):
        if name not in names:
            faults.add(file, "this column is not in the schema", column=name)
        if cells.count(name) > 1:
            faults.add(file, f"this column appears {cells.count(name)} times", column=name)


def _read_cells(
    file: str,
    lines: Numbered,
    names: list[str],
    columns: list[Column],
    form: Form,
    faults: Faults,
) -> Rows:
    """Check every cell of numbered lines; the fault of a ragged line is the fault of its cells."""
    rows = Rows(file, columns, faults)
    readers = [(names.index(column["name"]), _Reader(rows, column)) for column in columns]
    person = next((column for column in columns if column["name"] == form.get("person")), None)
    for row, (number, line) in enumerate(lines):
        rows.lines.append(number)
        cells = _cells(line)
        ragged = len(cells) != len(names)
        if ragged:
            faults.add(file, f"expected {len(names)} cells, found {len(cells)}", number)
            cells = (cells + [""] * len(names))[: len(names)]
        elif person is not None and _is_deleted(cells[names.index(person["name"])], person):
            for place, reader in readers:
                cells[place] = reader.blanked(cells[place])
        for place, reader in readers:
            reader.read(row, cells[place], ragged)
    for column in columns:
        if column["kind"] == "id":
            _check_free_text(rows, column["name"])
    return rows


def _is_deleted(cell: str, person: Column) -> bool:
    """Whether a row of transactions is deleted: nobody is in it, and its cells do not matter."""
    return bool(person["nullable"] and cell == person["missing"])


class _Reader:
    """Reads the cells of one column; each text is looked at once, however often it occurs."""

    def __init__(self, rows: Rows, column: Column) -> None:
        self.rows, self.column = rows, column
        self.values, self.refused = rows.values[column["name"]], rows.refused[column["name"]]
        self.parse = parser(column)
        self.known: dict[str, Any] = {}

    def blanked(self, text: str) -> str:
        """The text of the cell in a deleted row."""
        return str(self.column["missing"]) if self.column["nullable"] else text

    def read(self, row: int, text: str, ragged: bool) -> None:
        """Take over a cell, or refuse it."""
        if text not in self.known:
            self.known[text] = self.parse(text)
        value = self.known[text]
        if value is None or ragged:
            self.refused.add(row)
        if value is None and not ragged:
            line, name = self.rows.lines[row], self.column["name"]
            self.rows.faults.add(self.rows.file, self.column["expected"], line, name, text)
        self.values.append(missing(self.column) if value is None else value)


def _check_free_text(rows: Rows, name: str) -> None:
    for row, value in enumerate(rows.values[name]):
        for message in free_text_faults(value):
            rows.note(message, row, name)


def _cells(line: str) -> list[str]:
    try:
        return next(csv.reader([line]), [])
    except csv.Error:
        return []
