"""Heat map: every attacker on every entry, as a matrix of coloured cells."""

from __future__ import annotations

from typing import Literal

from markupsafe import Markup

from quintain.figures.colours import Colours, colours_of
from quintain.figures.counts import count
from quintain.figures.format import interval, number, shortened, spaced, told
from quintain.figures.heat_layout import LONGEST, Layout, layout
from quintain.figures.labels import Box
from quintain.figures.matrix import Matrix, entry_name
from quintain.figures.svg import (
    Element,
    add,
    described,
    drawing,
    markup,
    text_width,
    tooltip,
)
from quintain.measures import Reading
from quintain.rankings import Contestant, Entry


def heat_map(matrix: Matrix, name: str) -> Markup:
    """The matrix as a drawing; ``name`` is unique on the page."""
    colours = colours_of(matrix)
    at = _layout(matrix, colours)
    root = described(
        drawing(at.width, at.height, "heat dense" if at.dense else "heat"),
        name,
        f"{spaced(matrix.name)}: {count(len(matrix.entries), 'entry', 'entries')} "
        f"by {count(len(matrix.attackers), 'attacker')}",
        "Rows are entries, columns are attackers. The stronger the colour, the more the attacker "
        "found out. The same figures stand in the table below.",
    )
    for i, attacker in enumerate(matrix.attackers):
        _column_name(root, at, i, matrix.names[attacker.id], attacker)
    for j, entry in enumerate(matrix.entries):
        _row_name(root, at, j, entry_name(entry, matrix.names), entry)
        for i, attacker in enumerate(matrix.attackers):
            group, reading, box = add(root, "g"), matrix.reading(entry, attacker), at.box(i, j)
            who = f"{matrix.names[attacker.id]} on {entry_name(entry, matrix.names)}"
            if reading is not None and reading.measured:
                group.set("class", colours.css(reading.value))
                _full(group, box, _shown(reading, colours), matrix.luck(entry, reading))
                tooltip(group, who, *_facts(matrix, entry, reading))
            else:
                own = reading is None and entry.owner == attacker.id
                _empty(group, box, own=own)
                tooltip(group, who, _why(reading, own=own))
    return markup(root)


def legend(matrix: Matrix) -> Markup:
    """The scale of colours, as a strip with values."""
    steps = colours_of(matrix).legend()
    width = max(46, *(text_width(label, 12) + 8 for _, label in steps))
    root = drawing(width * len(steps), 38, "heat legend")
    for i, (css, label) in enumerate(steps):
        group = add(root, "g", css=css)
        add(group, "rect", x=i * width, y=0, width=width - 1, height=16)
        add(root, "text", label, css="tick", x=(i + 0.5) * width, y=32, text_anchor="middle")
    return markup(root)


def sign(kind: Literal["luck", "missing", "own"]) -> Markup:
    """A small copy of a mark that cells carry, for the legend."""
    root = drawing(22, 16, "heat sign")
    group = add(root, "g", css="leak-0")
    box = Box(0.5, 0.5, 21.5, 15.5)
    if kind == "luck":
        _full(group, box, "", luck=True)
    else:
        _empty(group, box, own=kind == "own")
    return markup(root)


def _layout(matrix: Matrix, colours: Colours) -> Layout:
    return layout(
        rows=[_row_label(matrix, entry) for entry in matrix.entries],
        columns=[shortened(matrix.names[a.id], LONGEST) for a in matrix.attackers],
        texts=[_shown(reading, colours) for _, _, reading in matrix.measured()],
    )


def _row_label(matrix: Matrix, entry: Entry) -> str:
    name = shortened(entry_name(entry, matrix.names), LONGEST)
    return name if entry.accepted else f"✕ {name}"


def _column_name(root: Element, at: Layout, i: int, full: str, attacker: Contestant) -> None:
    x, y = at.left + (i + 0.5) * at.cell, at.top - 9
    turn = {"transform": f"rotate(-45 {x:.1f} {y:.1f})"} if at.slanted else {}
    anchor = "start" if at.slanted else "middle"
    text = add(root, "text", at.columns[i], css="name", x=x, y=y, text_anchor=anchor, **turn)
    tooltip(text, full, "" if attacker.competing else "not competing")


def _row_name(root: Element, at: Layout, j: int, full: str, entry: Entry) -> None:
    y = at.top + (j + 0.5) * at.row + 4.5
    css = "name" if entry.accepted else "name out"
    text = add(root, "text", at.rows[j], css=css, x=at.left - 10, y=y, text_anchor="end")
    tooltip(text, full, *(f"disqualified: {fault}" for fault in entry.faults))


def _full(group: Element, box: Box, text: str, luck: bool) -> None:
    _rect(group, box)
    _text(group, box, text)
    if luck:
        add(group, "path", css="luck", d=f"M{box.right - 8:.1f} {box.top:.1f}h8v8z")


def _empty(group: Element, box: Box, *, own: bool) -> None:
    group.set("class", "empty")
    _rect(group, box)
    if own:
        _text(group, box, "–")
    else:
        add(group, "path", css="hatch", d=_hatch(box))


def _rect(group: Element, box: Box) -> None:
    width, height = box.right - box.left, box.bottom - box.top
    add(group, "rect", x=box.left, y=box.top, width=width, height=height, rx=2)


def _text(group: Element, box: Box, text: str) -> None:
    x, y = (box.left + box.right) / 2, (box.top + box.bottom) / 2 + 4.5
    add(group, "text", text, x=x, y=y, text_anchor="middle")


def _hatch(box: Box) -> str:
    """Diagonal lines from edge to edge, every eight points."""
    width, height = box.right - box.left, box.bottom - box.top
    lines = []
    for start in range(8, int(width + height), 8):
        x1, y1 = box.left + max(0.0, start - height), box.top + min(start, height)
        x2, y2 = box.left + min(start, width), box.top + max(0.0, start - width)
        lines.append(f"M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}")
    return "".join(lines)


def _shown(reading: Reading, colours: Colours) -> str:
    return number(reading.value, colours.decimals())


def _facts(matrix: Matrix, entry: Entry, reading: Reading) -> list[str]:
    span = interval(reading)
    method = f" ({reading.method})" if reading.method else ""
    return [
        f"{spaced(matrix.name)} {number(reading.value)}",
        f"95 % interval {span}{method}" if span else "",
        count(reading.n, "observation"),
        reading.note,
        "could be luck" if matrix.luck(entry, reading) else "",
    ]


def _why(reading: Reading | None, *, own: bool) -> str:
    """Why a cell is empty."""
    if reading is not None:
        return told(reading)
    return "its own entry: not attacked" if own else "not attacked"
