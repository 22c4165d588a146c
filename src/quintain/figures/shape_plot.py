"""Shape plot: how one column is distributed in the original and in the release."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from quintain.figures.format import places, printable
from quintain.figures.svg import Element, add, describe, drawing, markup, tooltip

_WIDTH = 300
_LABEL, _ROW, _BAR = 112, 24, 9
_MOST_ROWS = 8
_HEIGHT = 130
_LETTERS = 14


def shape_plot(
    column: str,
    labels: Sequence[str],
    original: Sequence[float],
    release: Sequence[float],
    name: str,
) -> Markup:
    """Draw the shares of all values in pairs of bars; ``name`` must be unique on the page."""
    many = len(labels) > _MOST_ROWS
    height = _HEIGHT + 20 if many else max(1, len(labels)) * _ROW + 6
    root = describe(
        drawing(_WIDTH, height, "shape"),
        name,
        f"Distribution of {printable(column)}",
        "Pairs of bars: the share of records in the original and in the release.",
    )
    top = max([*original, *release, 1e-9])
    rows = list(zip(labels, original, release, strict=True))
    (_columns if many else _lines)(root, rows, top)
    return markup(root)


def swatch(kind: str) -> Markup:
    """A small square with the colour of the original or of the release, for the legend."""
    root = drawing(14, 14, "shape key")
    add(root, "rect", css=kind, x=1, y=1, width=12, height=12)
    return markup(root)


def _lines(root: Element, rows: Sequence[tuple[str, float, float]], top: float) -> None:
    """Horizontal bars, which leave room for labels."""
    full = _WIDTH - _LABEL - 44
    for i, (label, old, new) in enumerate(rows):
        y = 3 + i * _ROW
        group = add(root, "g")
        tooltip(group, label, f"original {_percent(old)}", f"release {_percent(new)}")
        add(group, "text", _short(label), css="value", x=_LABEL - 6, y=y + 13, text_anchor="end")
        for share, css, shift in ((old, "original", 0), (new, "release", _BAR)):
            add(group, "rect", css=css, x=_LABEL, y=y + shift, width=full * share / top, height=8)
        x = _LABEL + full * max(old, new) / top + 5
        add(group, "text", _percent(new), css="tick", x=x, y=y + 13)


def _columns(root: Element, rows: Sequence[tuple[str, float, float]], top: float) -> None:
    """Vertical bars for many values or bins; only the first and the last are labelled."""
    wide = (_WIDTH - 8) / len(rows)
    for i, (label, old, new) in enumerate(rows):
        x, group = 4 + i * wide, add(root, "g")
        tooltip(group, label, f"original {_percent(old)}", f"release {_percent(new)}")
        for share, css, shift in ((old, "original", 0.06), (new, "release", 0.5)):
            tall = (_HEIGHT - 8) * share / top
            left = x + shift * wide
            add(group, "rect", css=css, x=left, y=_HEIGHT - tall, width=wide * 0.42, height=tall)
    add(root, "line", css="grid", x1=4, x2=_WIDTH - 4, y1=_HEIGHT, y2=_HEIGHT)
    add(root, "text", _short(rows[0][0], 20), css="tick", x=4, y=_HEIGHT + 15)
    last = _short(rows[-1][0], 20)
    add(root, "text", last, css="tick", x=_WIDTH - 4, y=_HEIGHT + 15, text_anchor="end")


def _short(label: str, most: int = _LETTERS) -> str:
    """A label that fits; the whole one is in the tooltip."""
    text = printable(label)
    if places(text) <= most:
        return text
    while places(text) > most - 1:
        text = text[:-1]
    return f"{text}…"


def _percent(share: float) -> str:
    return f"{100 * share:.0f}\u00a0%" if share >= 0.0995 else f"{100 * share:.1f}\u00a0%"
