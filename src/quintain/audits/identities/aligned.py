"""Aligned rows: does the place of a released row tell whose it is?

Rows that follow the original, or the original sorted by an id or a name, say so wherever a released
column agrees with one of the original from row to row, and no longer if it is moved by a row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from quintain.audits.identities.forms import SPELLINGS, squeeze
from quintain.audits.identities.numbers import as_numbers
from quintain.data.arrays import Array, Rows

PLACE = "the place of the row"
_FEWEST = 10
_ROWS = 2_000
"""So many rows are compared."""
_MOVED = [step for step in range(-10, 11) if step]
_TIMES_MOVED = 3.0
_SORTED = 0.9
"""A column that rises with the rows says nothing about their order."""
_MOST_ORDERS = 10
_UNIQUE = 0.8
"""A column sorts rows if so many of its values are different."""


@dataclass(frozen=True, slots=True)
class AlignedRows:
    """A released column that agrees with the original row by row.

    Parameters
    ----------
    released, known : the columns.
    release_order, original_order : the columns by which the rows are sorted; empty as in the file.
    hits, rows : in how many rows they agree, of how many.
    moved : in how many at most if one is moved by a few rows.
    p : how probable this is by chance.
    """

    released: str
    known: str
    release_order: str
    original_order: str
    hits: int
    rows: int
    moved: int
    p: float


def aligned_rows(
    original: Mapping[str, Sequence[str]],
    release: Mapping[str, Sequence[str]],
    control: Mapping[str, Sequence[str]] | None = None,
) -> AlignedRows | None:
    """The columns that agree most row by row in any order; None if none do beyond chance.

    Files that are made alike agree, too, if days or visits come again and again. So rows of the
    control must not agree in the same way.

    >>> phones = [str(7919 * n * n % 100_003) for n in range(60)]
    >>> row = aligned_rows({"phone": phones}, {"end": [phone[-2:] for phone in phones]})
    >>> row.hits, row.known
    (60, 'phone')
    """
    from scipy.stats import binom

    count = len(next(iter(original.values()), ()))
    if not release or count < 2 * len(_MOVED):
        return None
    if any(len(cells) != count for cells in release.values()):
        return None
    some = np.unique(np.linspace(0, count - 1, min(count, _ROWS)).astype(int))
    codes: dict[str, int] = {}
    known = _Side.of(original, codes)
    places = _code(_places(count), codes)
    shown = [(name, _code(_plain(cells), codes, _NOTHING_SHOWN)) for name, cells in release.items()]
    shown.append((PLACE, places))
    orders = list(product(_orders(release, turned=True).items(), known.orders.items()))
    tried = len(orders) * len(shown) * len(known.views)
    best: tuple[AlignedRows, Array, _Order, _View] | None = None
    for ((by, _), there), (order, here) in orders:
        moved = [there[(some + step) % count] for step in _MOVED]
        rising = {view[0] for view, (_, ranks) in known.views.items() if _rises(ranks[here])}
        for (released, own), (view, (other, _)) in product(shown, known.views.items()):
            name = view[0]
            if released == by or (released == PLACE and not by) or name in rising:
                continue
            values = other[here[some]]
            hits = int((own[there[some]] == values).sum())
            if hits < _FEWEST or (best is not None and hits <= best[0].hits):
                continue
            most = max(int((own[rows] == values).sum()) for rows in moved)
            p = float(binom.sf(hits - 1, len(some), (most + 1) / len(some))) * tried
            if hits >= _TIMES_MOVED * most and p <= 1 and hits - most >= _FEWEST:
                row = AlignedRows(released, name, by, order[0], hits, len(some), most, p)
                best = row, own[there], order, view
    if best is None:
        return None
    row, own, order, view = best
    alike = 0 if control is None else _Side.of(control, codes).agree(own, order, view)
    return row if alike <= row.hits / row.rows / _TIMES_MOVED else None


_Order = tuple[str, str]
"""The column by which rows are sorted, and how its cells are written."""
_View = tuple[str, int]
"""A column, and which part of its cells is compared."""


@dataclass(frozen=True, slots=True)
class _Side:
    """People in the orders of their columns, with parts of their cells as codes and as ranks."""

    orders: Mapping[_Order, Rows]
    views: Mapping[_View, tuple[Array, Array]]

    @classmethod
    def of(cls, columns: Mapping[str, Sequence[str]], codes: dict[str, int]) -> _Side:
        count = len(next(iter(columns.values())))
        views = {
            (name, place): texts
            for name, cells in columns.items()
            for place, texts in enumerate(_views(cells))
        }
        views[PLACE, 0] = _places(count)
        return cls(
            _orders(columns),
            {
                view: (_code(texts, codes), _ranks(texts))
                for view, texts in views.items()
                if len({*texts}) > 1
            },
        )

    def agree(self, shown: Array, order: _Order, view: _View) -> float:
        """In which share of the rows people have the code that is shown."""
        if order not in self.orders or view not in self.views:
            return 0.0
        codes = self.views[view][0][self.orders[order]]
        rows = min(len(codes), len(shown))
        return float((codes[:rows] == shown[:rows]).mean())


def _rises(ranks: Array) -> bool:
    """Whether cells rise or fall with the rows."""
    return abs(float(np.corrcoef(ranks, np.arange(len(ranks)))[0, 1])) > _SORTED


def _places(count: int) -> list[str]:
    return [str(place) for place in range(1, count + 1)]


def _orders(columns: Mapping[str, Sequence[str]], *, turned: bool = False) -> dict[_Order, Rows]:
    """The rows as in the file, and sorted by each column that nearly tells them apart."""
    count = len(next(iter(columns.values())))
    out = {("", ""): np.arange(count)}
    for name, cells in columns.items():
        if len({*cells}) < _UNIQUE * count or len(out) > _MOST_ORDERS:
            continue
        numbers, _ = as_numbers(cells)
        if np.isnan(numbers).any():
            out[name, "as it is"] = _sort([squeeze(cell) for cell in cells])
            last = [squeeze(SPELLINGS["last part first"](cell)) for cell in cells]
            if all(last):
                out[name, "last part first"] = _sort(last)
        else:
            out[name, "as it is"] = np.argsort(numbers, kind="stable")
    if turned:
        out |= {(name, f"{how}, turned"): rows[::-1] for (name, how), rows in out.items() if name}
    return out


def _sort(texts: Sequence[str]) -> Rows:
    return np.argsort(np.array(texts), kind="stable")


def _plain(cells: Sequence[str]) -> list[str]:
    return [_without_zeros(squeeze(cell)) for cell in cells]


def _without_zeros(text: str) -> str:
    return (text.lstrip("0") or "0") if text.isdecimal() else text


def _views(cells: Sequence[str]) -> Iterator[list[str]]:
    """The cells, and parts of them that people keep of an identity."""
    plain = [squeeze(cell) for cell in cells]
    for start, end in ((0, None), (0, 1), (0, 2), (0, 4), (-2, None), (-3, None), (-4, None)):
        yield [_without_zeros(text[start:end]) for text in plain]
    initials = SPELLINGS["initials"]
    yield [squeeze(initials(cell)) for cell in cells]


_NOTHING_KNOWN, _NOTHING_SHOWN = -1, -2


def _code(texts: Sequence[str], codes: dict[str, int], empty: int = _NOTHING_KNOWN) -> Array:
    """Equal texts, equal numbers; nothing on one side is not equal to nothing on the other."""
    return np.array([codes.setdefault(text, len(codes)) if text else empty for text in texts])


def _ranks(texts: Sequence[str]) -> Array:
    """The place of each text among them all, numbers by their size."""
    key = {text: (int(text) if text.isdecimal() else -1, text) for text in texts}
    places = {text: place for place, text in enumerate(sorted(key, key=key.__getitem__))}
    return np.array([places[text] for text in texts])
