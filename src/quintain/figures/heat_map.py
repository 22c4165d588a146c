"""Heat map: every attacker on every entry, as a table of coloured cells.

Rows are entries and columns are attackers. It is a table and not a drawing. So long names wrap, the
names of the entries stay visible while the rest scrolls, and screen readers can read it aloud.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Literal

import numpy as np
from markupsafe import Markup

from quintain.data.arrays import Floats, Ints
from quintain.figures.axis import LARGEST, round_step
from quintain.figures.format import count, interval, interval_name, number, reading_text, spaced
from quintain.figures.matrix import Matrix, entry_name
from quintain.figures.svg import Element, add, describe, drawing, hint, html, markup, text_width
from quintain.measures import Reading
from quintain.rankings import Contestant, Entry
from quintain.wording.languages import in_context, say, say_count

# The colours of steps, safe for colour-blind readers, from "nothing leaked" to "most leaked".
# Orange shows a leak, blue shows an attack that was worse than chance. The style sheet has the
# colours, for light and for dark pages, under the names of the steps: ``leak-0`` to ``leak-5``,
# ``under-1`` to ``under-5``.


STEPS = 5


@dataclass(frozen=True, slots=True)
class Colours:
    """A scale of colours for one matrix.

    Parameters
    ----------
    zero : the value of step 0: chance if it is known, else the smallest leak.
    reach : the distance from ``zero`` to the last step; negative if lower values leak more.
    under : how many steps there are on the other side of ``zero``.
    """

    zero: float
    reach: float
    under: int

    def step(self, value: float) -> int:
        """The colour step of a value, from -5 to 5."""
        share = (value - self.zero) / self.reach
        return round(max(-self.under, min(STEPS, share * STEPS)))

    def steps(self, values: Floats) -> Ints:
        """The steps of many values; NaN has none and must be left out."""
        with np.errstate(over="ignore"):  # beyond the last step there is no further one
            shares = (values - self.zero) / self.reach
            return np.rint(np.clip(shares * STEPS, -self.under, STEPS)).astype(np.int64)

    def css(self, value: float) -> str:
        """The name of a value's colour in the style sheet."""
        return css(self.step(value))

    def decimals(self) -> int:
        """How many decimals distinguish what the colours do, and a little more."""
        power = math.floor(math.log10(abs(self.reach)) + 1e-9)
        return max(0, 2 - power if power >= 0 else 1 - power)

    def legend(self) -> list[tuple[str, str]]:
        """The colour and value of every step, from the smallest leak to the largest."""
        steps = range(-self.under, STEPS + 1)
        values = [self.zero + self.reach * step / STEPS for step in steps]
        digits = self.decimals()
        while digits < self.decimals() + 2 and any(
            abs(round(v, digits) - v) > 1e-9 for v in values
        ):
            digits += 1
        return [(self.css(value), number(value, digits)) for value in values]


def css(step: int) -> str:
    """The name of a step's colour in the style sheet."""
    return f"leak-{step}" if step >= 0 else f"under-{-step}"


def colours_of(matrix: Matrix) -> Colours:
    """A scale that includes the ends of all intervals, so that a matrix of noise stays pale."""
    grid = matrix.grid
    values = grid.value[grid.measured]
    figures = np.concatenate([values, grid.low[grid.measured], grid.high[grid.measured]])
    drawn = figures[np.abs(figures) < LARGEST]
    ends = [float(drawn.min()), float(drawn.max())] if len(drawn) else []
    sign = 1.0 if matrix.better == "lower" else -1.0
    chance = matrix.chance.expected
    if chance is not None:
        reach = max((abs(end - chance) for end in ends), default=1.0) or 1.0
        both = Colours(chance, sign * _round_up(reach), STEPS)
        return replace(both, under=max(0, -int(both.steps(values).min(initial=0))))
    least, most = (min(ends), max(ends)) if ends else (0.0, 1.0)
    reach = _round_up(most - least) if most > least else 1.0
    step = round_step(reach / 10)
    zero = math.floor(least / step) * step if sign > 0 else math.ceil(most / step) * step
    return Colours(zero, sign * reach, 0)


def _round_up(reach: float) -> float:
    """Round the reach up, so that the legend has short numbers."""
    step = round_step(reach / 10)
    return max(1, math.ceil(reach / step - 1e-9)) * step


# Of a matrix with too many cells to read, there is a picture and its most important part.
# The picture has one small square per cell and no text, with the entries that leaked most at the
# top and the strongest attackers at the left. The top left part of the matrix is also shown in
# full.


MOST_CELLS = 1200
"""Matrices with more cells than this are shown as an overview."""
SHOWN = 20
"""How many entries and how many attackers an overview shows in full."""
_FEW = 12
"""How many entries and how many attackers a small picture has."""
_WIDTH = 900
_LARGEST = 12.0
_WHITE = -1000
"""Stands for a step where nothing was measured."""


@dataclass(frozen=True, slots=True)
class MatrixOverview:
    """The picture of a whole matrix, and the part of it that is shown in full.

    Parameters
    ----------
    rows, columns : which entry each row of the picture has, and which attacker each column.
    """

    drawn: Markup
    shown: Matrix
    rows: tuple[int, ...]
    columns: tuple[int, ...]


def is_large(matrix: Matrix) -> bool:
    """Whether a matrix has too many cells to be read one by one."""
    return len(matrix.entries) * len(matrix.attackers) > MOST_CELLS


def overview(matrix: Matrix, colours: Colours, name: str) -> MatrixOverview:
    """Draw the picture and choose the part to show; ``name`` must be unique on the page."""
    rows, columns = _order(matrix)
    drawn = _picture(matrix, rows, columns, colours, name)
    first = tuple(matrix.entries[i] for i in rows[:SHOWN])
    strongest = tuple(matrix.attackers[j] for j in columns[:SHOWN])
    results = replace(matrix.results, entries=first)
    shown = replace(matrix, results=results, attackers=strongest)
    return MatrixOverview(drawn, shown, tuple(rows), tuple(columns))


def _order(matrix: Matrix) -> tuple[list[int], list[int]]:
    """Entries from the one that leaked most, attackers from the strongest on average."""
    leaks, measured = matrix.leaks, matrix.grid.measured
    last = float("-inf")
    worst = np.where(measured, leaks, last).max(axis=1, initial=last)
    mean = [
        fmean(column[rows].tolist()) if rows.any() else last
        for column, rows in zip(leaks.T, measured.T, strict=True)
    ]
    return (
        sorted(range(len(matrix.entries)), key=lambda i: -worst[i]),
        sorted(range(len(matrix.attackers)), key=lambda j: -mean[j]),
    )


def small_picture(matrix: Matrix, colours: Colours, name: str) -> Markup:
    """Draw the beginning of an overview: a few entries that leaked most, and strong attackers."""
    rows, columns = (part[:_FEW] for part in _order(matrix))
    return _picture(matrix, rows, columns, colours, name, small=True)


def _picture(
    matrix: Matrix,
    entries: Sequence[int],
    attackers: Sequence[int],
    colours: Colours,
    name: str,
    *,
    small: bool = False,
) -> Markup:
    """Draw one square per cell; a square is one unit wide, which makes short paths.

    Neighbours of one colour are one shape, but in a small picture, which fills its frame.
    """
    side = min(_LARGEST, _WIDTH / max(1, len(attackers)))
    root = describe(
        drawing(
            side * len(attackers), side * len(entries), "small-matrix" if small else "overview"
        ),
        name,
        f"{spaced(matrix.name)} of every attacker on every entry",
        "One square per cell. Rows are entries, those that leaked most at the top. Columns are "
        "attackers, the strongest at the left. White squares were not attacked or not measured.",
    )
    root.set("viewBox", f"0 0 {len(attackers)} {len(entries)}")
    root.set("shape-rendering", "crispEdges")
    if small:
        root.set("preserveAspectRatio", "none")
    steps = _steps(matrix, colours)[np.ix_(entries, attackers)]
    paths: dict[str, list[str]] = {}
    for j, row in enumerate(steps):
        for step, start, length in _runs(row):
            shape = "h1v1h-1zm1 0" * length if small else f"h{length}v1h-{length}z"
            paths.setdefault(css(step), []).append(f"M{start} {j}{shape}")
    for style, parts in sorted(paths.items()):
        add(root, "path", css=style, d="".join(parts))
    return markup(root)


def _steps(matrix: Matrix, colours: Colours) -> Ints:
    """The steps of colour of all cells."""
    measured = matrix.grid.measured
    steps = np.full(measured.shape, _WHITE)
    steps[measured] = colours.steps(matrix.grid.value[measured])
    return steps


def _runs(steps: Ints) -> Iterator[tuple[int, int, int]]:
    """Neighbouring cells of one colour, as (step, first cell, number of cells)."""
    starts = np.flatnonzero(np.diff(steps, prepend=_WHITE - 1))
    lengths = np.diff(starts, append=len(steps))
    for run in zip(steps[starts].tolist(), starts.tolist(), lengths.tolist(), strict=True):
        if run[0] != _WHITE:
            yield run


DENSE = 10
"""With more columns than this, their names are rotated and the letters are smaller."""

PACKED = 20
"""With more columns than this, cells are as narrow as their figures."""


_Cell = Callable[[Element, Entry, Contestant, str], None]
"""Adds the cell of an entry and an attacker to a row; it gets the name of the entry, too."""


def heat_map(matrix: Matrix, colours: Colours, *, spans: bool = False) -> Markup:
    """Draw the matrix as a table of coloured cells; with ``spans``, intervals are in the cells."""

    def cell(row: Element, entry: Entry, attacker: Contestant, name: str) -> None:
        _cell(row, matrix, entry, attacker, colours, name, spans)

    return html(_table(matrix, cell))


def light_heat_map(matrix: Matrix, colours: Colours) -> Markup:
    """Draw the same table with few bytes per cell, in the language that is spoken now.

    It is for a page whose script says what a cell is. The title of a cell is its reading; what
    most cells share, such as the number of observations, stands once: ``data-usual`` of the table.
    """
    readings = {
        (entry.id, attacker.id): reading
        for entry in matrix.entries
        for attacker in matrix.attackers
        if (reading := matrix.reading(entry, attacker)) is not None and reading.measured
    }
    counted = Counter(map(_basis, readings.values())).most_common(1)
    usual = counted[0][0] if counted else ""

    def cell(row: Element, entry: Entry, attacker: Contestant, _name: str) -> None:
        reading = readings.get((entry.id, attacker.id))
        if reading is None:
            _empty_cell(row, matrix, entry, attacker)
            return
        luck = " luck" if matrix.luck(entry, reading) else ""
        text = number(reading.value, colours.decimals())
        css = f"{colours.css(reading.value)}{luck}"
        basis = "" if _basis(reading) == usual and not reading.note else _basis(reading)
        hint(add(row, "td", text, css=css), reading_text(reading), basis, reading.note)

    table = _table(matrix, cell)
    table.set("data-measure", spaced(matrix.name))
    table.set("data-usual", usual)
    return html(table)


def _basis(reading: Reading) -> str:
    """What the interval of a reading is, and how many observations it rests on."""
    method = f" ({reading.method})" if reading.method else ""
    seen = say_count("%(n)s observation", "%(n)s observations", reading.n)
    return f"{interval_name([reading])}{method}; {seen}" if interval(reading) else seen


def _table(matrix: Matrix, cell: _Cell) -> Element:
    """The table with its heads; ``cell`` fills its cells."""
    wide = len(matrix.attackers)
    density = " dense packed" if wide > PACKED else " dense" if wide > DENSE else ""
    root = Element("table", {"class": f"heat{density}"})
    add(root, "caption", f"{spaced(matrix.name)}: {_size(matrix)}", css="hidden")
    head = add(add(root, "thead"), "tr")
    add(head, "th", say("Entry"), scope="col")
    for attacker in matrix.attackers:
        column = add(head, "th", scope="col")
        hint(column, "" if attacker.competing else say("not competing"))
        add(column, "bdi", matrix.names[attacker.id])
    body = add(root, "tbody")
    for entry in matrix.entries:
        row = add(body, "tr")
        name = _row_head(row, matrix, entry)
        for attacker in matrix.attackers:
            cell(row, entry, attacker, name)
    return root


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
    """How many entries and attackers there are."""
    return say(
        "%(entries)s by %(attackers)s",
        entries=say_count("%(n)s entry", "%(n)s entries", len(matrix.entries)),
        attackers=say_count("%(n)s attacker", "%(n)s attackers", len(matrix.attackers)),
    )


def _row_head(row: Element, matrix: Matrix, entry: Entry) -> str:
    """Add the name of an entry to its row; returns the name."""
    css, mark = ("", "") if entry.accepted else ("bad", "✕ ")
    head = add(row, "th", mark, scope="row", css=css)
    hint(head, *entry.faults)
    name = entry_name(entry, matrix.names)
    add(head, "bdi", name)
    return name


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
    if reading is None or not reading.measured:
        why = _empty_cell(row, matrix, entry, attacker)
        hint(row[-1], pair, why)
        return
    luck = " luck" if matrix.luck(entry, reading) else ""
    text = number(reading.value, colours.decimals())
    cell = add(row, "td", text, css=f"{colours.css(reading.value)}{luck}")
    hint(cell, pair, *_facts(matrix, entry, reading))
    if spans and interval(reading):
        low, high = (number(end, colours.decimals()) for end in (reading.low, reading.high))
        add(cell, "span", f"{low} – {high}", css="span")


def _empty_cell(row: Element, matrix: Matrix, entry: Entry, attacker: Contestant) -> str:
    """Add a cell without a figure; returns why there is none."""
    reading, refusal = matrix.reading(entry, attacker), matrix.refusal(entry, attacker)
    own = reading is None and entry.owner == attacker.id
    why = say("refused: %(reason)s", reason=refusal) if refusal else _why(reading, own=own)
    text = "–" if own else say(in_context("an attack", "refused")) if refusal else ""
    cell = add(row, "td", text, css="own" if own else "missing")
    if not own:
        add(cell, "span", refusal or why, css="hidden")
    return why


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
    return say("not attacked: this is the attacker's own entry") if own else say("not attacked")
