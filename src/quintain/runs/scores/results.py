"""Result files: the matrix as Parquet and as CSV, the standings as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from quintain.commitment import canonical_json
from quintain.contests import Edition
from quintain.data.arrays import Array, Rows
from quintain.data.arrow_arrays import from_numbers, from_texts
from quintain.rankings import Refusals, Results
from quintain.runs.scores.scores import all_contestants, awards, overall_boards, track_boards

_COLUMNS = ("track", "entry", "owner", "attacker", "measure", "value", "low", "high", "n", "better")
_FIGURES = ("value", "low", "high")
_KINDS = dict.fromkeys(_FIGURES, pa.float64()) | {"n": pa.int64()}
_BATCH = 16_384
"""How many rows are written at once; with fewer, CSV takes longer."""


def cells_bytes(table: pa.Table) -> bytes:
    """The matrix as Parquet; see :func:`cells_table`."""
    sink = pa.BufferOutputStream()
    # Few texts repeat on many rows; figures do not repeat, and a dictionary of them costs time.
    # Readers get plain text, because the schema of the table in memory is left out.
    repeated = [name for name in _COLUMNS if name not in _FIGURES]
    pq.write_table(table, sink, compression="zstd", use_dictionary=repeated, store_schema=False)
    return bytes(sink.getvalue())


def matrix_bytes(table: pa.Table) -> bytes:
    """The same rows as CSV, for spreadsheets; a blank cell was not measured."""
    for i, name in enumerate(table.column_names):
        column = table.column(i)
        if name in _FIGURES and pc.any(pc.is_nan(column)).as_py():
            blank = pc.if_else(pc.is_nan(column), pa.nulls(1, column.type)[0], column)
            table = table.set_column(i, name, blank)
    sink = pa.BufferOutputStream()
    options = pa_csv.WriteOptions(quoting_style="needed", batch_size=_BATCH)
    pa_csv.write_csv(table, sink, options)
    return bytes(sink.getvalue())


def cells_table(tracks: Mapping[str, Results]) -> pa.Table:
    """One row per entry, attacker and measure."""
    parts = [_rows(track, results) for track, results in tracks.items()]
    if len(parts) == 1:
        return parts[0]
    table = pa.concat_tables(parts) if parts else _schema().empty_table()
    return table.unify_dictionaries().combine_chunks()


def _rows(track: str, results: Results) -> pa.Table:
    """The rows of a track, in order of entry, attacker and measure."""
    table, owners = results.table, {entry.id: entry.owner for entry in results.entries}
    entries, names = len(table.entries), len(table.names)
    a, e, m = map(_sort_order, (table.attackers, table.entries, table.names))
    rows = ((a[None, :, None] * entries + e[:, None, None]) * names + m[None, None, :]).ravel()
    rows = rows[table.code.ravel()[rows] >= 0]
    pair, name = np.divmod(rows, max(1, names))
    attacker, entry = np.divmod(pair, max(1, entries))
    value, low, high, n, code = (
        array.ravel()[rows] for array in (*table.figures[:3], table.n, table.code)
    )
    columns = [
        _texts(np.zeros(len(entry), np.int32), [track]),
        _texts(entry, table.entries),
        _texts(entry, [owners.get(entry_id) for entry_id in table.entries]),
        _texts(attacker, table.attackers),
        _texts(name, table.names),
        *map(from_numbers, (value, low, high, n)),
        _texts(code, [words.better for words in table.words]),
    ]
    return pa.Table.from_arrays(columns, schema=_schema())


def _sort_order(names: Sequence[str]) -> Rows:
    """The places of names in order."""
    return np.array(sorted(range(len(names)), key=lambda i: names[i]), np.int64)


def _texts(places: Array, texts: Sequence[str | None]) -> pa.Array:
    """Texts by their places in a list."""
    known = list(dict.fromkeys(text for text in texts if text is not None))
    numbers = {text: i for i, text in enumerate(known)}
    codes = np.array([numbers.get(text, -1) if text else -1 for text in texts], np.int32)[places]
    return pa.DictionaryArray.from_arrays(from_numbers(codes, codes < 0), from_texts(known))


def _schema() -> pa.Schema:
    text = pa.dictionary(pa.int32(), pa.string())
    return pa.schema([(name, _KINDS.get(name, text)) for name in _COLUMNS])


def standings(edition: Edition, tracks: Mapping[str, Results], facts: Mapping[str, Any]) -> Any:
    """Everything a reader of the results needs: boards, entries with their readings, provenance.

    ``facts`` says what the standings depend on: commitments, the root of the journal, whether
    the seeds were public.
    """
    boards = {track.id: track_boards(track, tracks[track.id]) for track in edition.track}
    overall = overall_boards(edition, boards, all_contestants(tracks))
    return {
        "format": "quintain.standings/1",
        "edition": edition.id,
        "title": edition.title,
        **facts,
        "overall": [board.model_dump() for board in overall],
        "awards": [asdict(prize) for prize in awards(edition, boards, overall)],
        "tracks": {
            track.id: {
                "title": track.title,
                "boards": [board.model_dump() for board in boards[track.id]],
                "fresh": {k: r.model_dump() for k, r in tracks[track.id].fresh.items()},
                "entries": [
                    {
                        "id": entry.id,
                        "owner": entry.owner,
                        "accepted": entry.accepted,
                        "faults": list(entry.faults),
                        "readings": {k: r.model_dump() for k, r in entry.readings.items()},
                    }
                    for entry in tracks[track.id].entries
                ],
                **_refusals_json(tracks[track.id].refused),
            }
            for track in edition.track
        },
    }


def _refusals_json(refusals: Refusals) -> dict[str, Any]:
    """What parts refused, and why; nothing if none did."""
    if not refusals:
        return {}
    releases = [{"id": entry, "reason": why} for entry, why in refusals.releases.items()]
    attacks = [
        {"entry": entry, "attacker": attacker, "reason": why}
        for (entry, attacker), why in refusals.attacks.items()
    ]
    return {"refused": {"releases": releases, "attacks": attacks}}


def standings_bytes(
    edition: Edition, tracks: Mapping[str, Results], facts: Mapping[str, Any]
) -> bytes:
    """The content of the standings file, as JSON."""
    return canonical_json(standings(edition, tracks, facts))
