"""Checks of kinds of columns: values go to texts and back, and a kind says what it is."""

from __future__ import annotations

import numpy as np

from quintain.data import Schema, Table
from quintain.data.codec import (
    decode_values,
    encode_values,
    format_texts,
    missing_cells,
    missing_value,
    parse_texts,
)
from quintain.data.column import ColumnKind

_ROWS = 50


def check_spelling(part: ColumnKind) -> None:
    """Drawn values come back from the cells of a file, and from plain values, as they were."""
    column = part.example()
    assert column.kind == part.name(), f"{part.id}: its example is of another kind"
    stored = part.draw(column, _ROWS, rng=np.random.default_rng(3))
    again = part.draw(column, _ROWS, rng=np.random.default_rng(3))
    assert np.array_equal(stored, again), f"{part.id}: the same seed draws other values"
    assert not missing_cells(column, stored).any(), f"{part.id} draws missing values"
    if column.discrete:
        assert set(stored.tolist()) <= set(range(column.size)), f"{part.id}: codes out of range"
    texts = format_texts(column, stored)
    contents, bad = parse_texts(column, texts)
    assert not bad.any(), f"{part.id} refuses what it writes: {texts[int(bad.argmax())]!r}"
    assert np.array_equal(contents, stored), f"{part.id}: cells do not give the same values"
    assert format_texts(column, contents) == texts, f"{part.id} writes a value in two ways"
    plain = encode_values(column, decode_values(column, stored))
    assert np.array_equal(plain, stored), f"{part.id}: plain values do not give the same values"


def check_stored(part: ColumnKind) -> None:
    """Tables hold its values with one that is missing, sort them, and find equal rows."""
    column = part.example()
    stored = part.draw(column, _ROWS, rng=np.random.default_rng(4))
    if not column.identifying:
        column = column.model_copy(update={"nullable": True})
        stored = np.append(stored, np.array([missing_value(column)], stored.dtype))
    table = Table(Schema(columns=(column,)), {column.name: np.concatenate([stored, stored])})
    held = table.columns[column.name]
    assert Table.of(table.schema, {column.name: decode_values(column, held)}).equals(table), part.id
    assert missing_cells(column, held).sum() == 2 * (not column.identifying), part.id
    assert len(set(table.row_keys().tolist())) == len(set(map(str, held[: len(stored)].tolist())))


def check_words(part: ColumnKind) -> None:
    """Sentences can say what a cell must be, and what to do about a column without bounds."""
    column = part.example()
    assert column.expected.startswith("expected "), f"{part.id}: no words for its values"
    assert part.plural, f"{part.id}: no word for several values"
    lacking = not column.bounded and not part.advice
    assert not lacking, f"{part.id}: no advice for a column without bounds"
