"""An ugly table: 60 columns as people have them, made with a seed.

Dates in several formats, real numbers, missing cells in several spellings, ids, codes with leading
zeros, free text, integers written as 3.0, a constant column, an empty column.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

Texts = np.ndarray[tuple[int], np.dtype[np.str_]]
BLOCK = 50_000
TOWNS = ("Ulm", "Bonn", "Jena", "Trier", "Köln", "Baden-Baden", "Halle (Saale)", "Berlin, Mitte")
WORDS = ("patient", "reports", "mild", "severe", "pain", "since", "last", "week", "after", "lunch")


def columns(rows: int, first: int, rng: np.random.Generator) -> Iterator[tuple[str, Texts]]:
    """The names and the cells of all columns, for some rows of the table."""
    number = np.arange(first, first + rows)
    yield "patient_id", np.char.add("P", np.char.zfill(number.astype(str), 8))
    yield "row", number.astype(str)
    age = rng.integers(18, 91, rows)
    yield "age", age.astype(str)
    yield "sex", rng.choice(["f", "m", "?"], rows, p=[0.51, 0.47, 0.02])
    yield "smoker", rng.choice(["True", "False"], rows)
    yield "postcode", np.char.zfill(rng.integers(1000, 3000, rows).astype(str), 5)
    yield "town", rng.choice(TOWNS, rows)
    yield "ward", rng.choice([f"ward {n}" for n in range(40)], rows)
    yield "visits", np.char.add(rng.poisson(3, rows).astype(str), ".0")
    yield "remark", _remarks(rows, rng)
    yield "hospital", np.full(rows, "St. Mary")
    yield "unused", np.full(rows, "")
    born = np.datetime64("1930-01-01") + rng.integers(0, 25_000, rows)
    yield "born", born.astype(str)
    admitted = np.datetime64("2019-01-01") + rng.integers(0, 1500, rows)
    yield "admitted", _german(admitted)
    yield "discharged", _holes(_german(admitted + rng.integers(0, 30, rows)), 0.1, "", rng)
    stamps = admitted.astype("datetime64[s]") + rng.integers(0, 86_400, rows)
    yield "last_seen", np.char.replace(stamps.astype(str), "T", " ")
    severity = rng.normal(size=rows)
    for n in range(24):
        values = np.round(50 + 10 * severity + 8 * rng.normal(size=rows) + n, 2)
        yield (
            f"lab{n + 1:02d}",
            _holes(values.astype(str), 0.02 * (n % 6), ("", "NA", "-")[n % 3], rng),
        )
    for n in range(10):
        yield f"score{n + 1:02d}", rng.integers(0, 5 + n, rows).astype(str)
    for n in range(10):
        levels = [f"{'abcdefghij'[n]}{k}" for k in range(3 + n)]
        yield f"group{n + 1:02d}", _holes(rng.choice(levels, rows), 0.05, "NA", rng)


def _german(days: np.ndarray[tuple[int], np.dtype[np.datetime64]]) -> Texts:
    parts = np.char.partition(days.astype("datetime64[D]").astype(str), "-")
    rest = np.char.partition(parts[:, 2], "-")
    pieces = (rest[:, 2], rest[:, 0], parts[:, 0])
    return np.char.add(
        np.char.add(np.char.add(pieces[0], "."), np.char.add(pieces[1], ".")), pieces[2]
    )


def _holes(cells: Texts, share: float, word: str, rng: np.random.Generator) -> Texts:
    return np.where(rng.random(len(cells)) < share, word, cells)


def _remarks(rows: int, rng: np.random.Generator) -> Texts:
    drawn = rng.integers(0, len(WORDS), (rows, 6))
    words = np.array(WORDS)[drawn]
    cells = words[:, 0]
    for at in range(1, 6):
        cells = np.char.add(np.char.add(cells, " "), words[:, at])
    return np.char.add(np.char.add('"', cells), ', ""so they say"""')


def write_table(path: Path, rows: int, seed: int = 1, only: int | None = None) -> None:
    """Write the table; ``only`` keeps so many of its columns."""
    rng = np.random.default_rng(seed)
    with path.open("w", encoding="utf-8") as file:
        for first in range(0, rows, BLOCK):
            block = list(columns(min(BLOCK, rows - first), first, rng))[:only]
            if first == 0:
                file.write(",".join(name for name, _ in block) + "\n")
            cells = [_quoted(texts).tolist() for _, texts in block]
            file.writelines(",".join(row) + "\n" for row in zip(*cells, strict=True))


def _quoted(texts: Texts) -> Texts:
    loose = (np.char.find(texts, ",") >= 0) & ~np.char.startswith(texts, '"')
    return np.where(loose, np.char.add(np.char.add('"', texts), '"'), texts)
