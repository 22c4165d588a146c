"""HTML for notebooks: static tables, everything escaped, no script."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def html_table(head: Sequence[str], rows: Iterable[Sequence[object]], note: str = "") -> str:
    """An HTML table with a line of text below it; None becomes an empty cell.

    >>> html_table(["a<b"], [[None], ["&"]])
    '<table><tr><th>a&lt;b</th></tr><tr><td></td></tr><tr><td>&amp;</td></tr></table>'
    """
    lines = [_line("th", head), *(_line("td", row) for row in rows)]
    below = f"<p>{escape(note)}</p>" if note else ""
    return f"<table>{''.join(lines)}</table>{below}"


def _line(tag: str, cells: Sequence[object]) -> str:
    texts = ("" if cell is None else escape(str(cell)) for cell in cells)
    return "<tr>" + "".join(f"<{tag}>{text}</{tag}>" for text in texts) + "</tr>"
