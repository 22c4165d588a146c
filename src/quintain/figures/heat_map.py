"""Heat map: every attacker on every entry, as a table of coloured cells.

Rows are entries and columns are attackers. It is a table and not a drawing. So long names wrap, the
names of the entries stay visible while the rest scrolls, and screen readers can read it aloud.
"""

from __future__ import annotations

from typing import Literal

from markupsafe import Markup

from quintain.figures.colours import Colours
from quintain.figures.counts import count
from quintain.figures.format import interval, interval_name, number, reading_text, spaced
from quintain.figures.matrix import Matrix, entry_name
from quintain.figures.svg import Element, add, drawing, hint, html, markup, text_width
from quintain.measures import Reading
from quintain.rankings import Contestant, Entry

DENSE = 10
"""With more columns than this, their names are rotated and the letters are smaller."""


def heat_map(matrix: Matrix, colours: Colours, *, spans: bool = False) -> Markup:
    """Draw the matrix as a table of coloured cells; with ``spans``, intervals are in the cells."""
    root = Element("table", {"class": "heat dense" if len(matrix.attackers) > DENSE else "heat"})
    add(root, "caption", f"{spaced(matrix.name)}: {_size(matrix)}", css="hidden")
    head = add(add(root, "thead"), "tr")
    add(head, "th", "Entry", scope="col")
    for attacker in matrix.attackers:
        cell = add(head, "th", scope="col")
        hint(cell, "" if attacker.competing else "not competing")
        add(cell, "bdi", matrix.names[attacker.id])
    body = add(root, "tbody")
    for entry in matrix.entries:
        _row(add(body, "tr"), matrix, entry, colours, spans)
    return html(root)


def legend(colours: Colours) -> Markup:
    """Draw the scale of colours as a strip with values."""
    steps = colours.legend()
    width = max(46, *(text_width(label, 12) + 8 for _, label in steps))
    root = drawing(width * len(steps), 38, "legend")
    for i, (css, label) in enumerate(steps):
        group = add(root, "g", css=css)
        add(group, "rect", x=i * width, y=0, width=width - 1, height=16)
        add(root, "text", label, css="tick", x=(i + 0.5) * width, y=32, text_anchor="middle")
    return markup(root)


def sign(kind: Literal["luck", "missing", "own"]) -> Markup:
    """Draw a small copy of a mark of a cell, for the legend."""
    styles = {"luck": "leak-0 luck", "missing": "missing", "own": "own"}
    return html(Element("span", {"class": f"sign {styles[kind]}", "aria-hidden": "true"}))


def _size(matrix: Matrix) -> str:
    entries = count(len(matrix.entries), "entry", "entries")
    return f"{entries} by {count(len(matrix.attackers), 'attacker')}"


def _row(row: Element, matrix: Matrix, entry: Entry, colours: Colours, spans: bool) -> None:
    css, mark = ("", "") if entry.accepted else ("bad", "✕ ")
    head = add(row, "th", mark, scope="row", css=css)
    hint(head, *entry.faults)
    name = entry_name(entry, matrix.names)
    add(head, "bdi", name)
    for attacker in matrix.attackers:
        _cell(row, matrix, entry, attacker, colours, name, spans)


def _cell(
    row: Element,
    matrix: Matrix,
    entry: Entry,
    attacker: Contestant,
    colours: Colours,
    name: str,
    spans: bool,
) -> None:
    reading = matrix.reading(entry, attacker)
    pair = f"{matrix.names[attacker.id]} on {name}"
    if reading is not None and reading.measured:
        luck = " luck" if matrix.luck(entry, reading) else ""
        text = number(reading.value, colours.decimals())
        cell = add(row, "td", text, css=f"{colours.css(reading.value)}{luck}")
        hint(cell, pair, *_facts(matrix, entry, reading))
        if spans and interval(reading):
            low, high = (number(end, colours.decimals()) for end in (reading.low, reading.high))
            add(cell, "span", f"{low} – {high}", css="span")
        return
    own, refusal = reading is None and entry.owner == attacker.id, matrix.refusal(entry, attacker)
    why = f"refused: {refusal}" if refusal else _why(reading, own=own)
    text = "–" if own else "refused" if refusal else ""
    cell = add(row, "td", text, css="own" if own else "missing")
    hint(cell, pair, why)
    if not own:
        add(cell, "span", refusal or why, css="hidden")


def _facts(matrix: Matrix, entry: Entry, reading: Reading) -> list[str]:
    span = interval(reading)
    method = f" ({reading.method})" if reading.method else ""
    return [
        f"{spaced(matrix.name)} {number(reading.value)}",
        f"{interval_name([reading])}: {span}{method}" if span else "",
        count(reading.n, "observation"),
        reading.note,
        "could be luck" if matrix.luck(entry, reading) else "",
    ]


def _why(reading: Reading | None, *, own: bool) -> str:
    """Say why a cell is empty."""
    if reading is not None:
        return reading_text(reading)
    return "not attacked: this is the attacker's own entry" if own else "not attacked"
