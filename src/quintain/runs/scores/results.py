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
from quintain.rankings import Results
from quintain.runs.scores.boards import all_contestants, awards, overall_boards, track_boards

_COLUMNS = ("track", "entry", "owner", "attacker", "measure", "value", "low", "high", "n", "better")


def cells_bytes(table: pa.Table) -> bytes:
    """The matrix as Parquet; see :func:`cells_table`."""
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd")
    return bytes(sink.getvalue())


def matrix_bytes(table: pa.Table) -> bytes:
    """The same rows as CSV, for spreadsheets; a blank cell was not measured."""
    for i, name in enumerate(table.column_names):
        if pa.types.is_floating(table.schema.field(i).type):
            column = table.column(i)
            blank = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
            table = table.set_column(i, name, blank)
    sink = pa.BufferOutputStream()
    options = pa_csv.WriteOptions(quoting_style="needed")
    pa_csv.write_csv(table, sink, options)
    return bytes(sink.getvalue())


def cells_table(tracks: Mapping[str, Results]) -> pa.Table:
    """One row per entry, attacker and measure."""
    parts = [_rows(track, results) for track, results in tracks.items()]
    return pa.concat_tables([_schema().empty_table(), *parts]).combine_chunks()


def _rows(track: str, results: Results) -> pa.Table:
    """The rows of a track, in order of entry, attacker and measure."""
    table, owners = results.table, {entry.id: entry.owner for entry in results.entries}
    orders = [_sorted(names) for names in (table.entries, table.attackers, table.names)]
    entry, attacker, name = (part.ravel() for part in np.broadcast_arrays(*np.ix_(*orders)))
    there = table.code[attacker, entry, name] >= 0
    entry, attacker, name = entry[there], attacker[there], name[there]
    cell = attacker, entry, name
    value, low, high, _ = (figures[cell] for figures in table.figures)
    columns = (
        _texts(np.zeros(len(entry), np.int32), [track]),
        _texts(entry, table.entries),
        _texts(entry, [owners.get(one) for one in table.entries]),
        _texts(attacker, table.attackers),
        _texts(name, table.names),
        *(value, low, high, table.n[cell]),
        _texts(table.code[cell], [words.better for words in table.words]),
    )
    return pa.Table.from_arrays([pa.array(column) for column in columns], schema=_schema())


def _sorted(names: Sequence[str]) -> Rows:
    """The places of names in order."""
    return np.array(sorted(range(len(names)), key=lambda i: names[i]), np.int64)


def _texts(places: Array, texts: Sequence[str | None]) -> pa.Array:
    """Texts by their places in a list."""
    return pa.array(texts, pa.string()).take(pa.array(places))


def _schema() -> pa.Schema:
    kinds = {"value": pa.float64(), "low": pa.float64(), "high": pa.float64(), "n": pa.int64()}
    return pa.schema([(name, kinds.get(name, pa.string())) for name in _COLUMNS])


def standings(edition: Edition, tracks: Mapping[str, Results], facts: Mapping[str, Any]) -> Any:
    """Everything a reader of the results needs: boards, entries with their readings, provenance.

    ``facts`` says what the standings depend on: commitments, the head of the ledger, whether the
    seeds were public.
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
            }
            for track in edition.track
        },
    }


def standings_bytes(
    edition: Edition, tracks: Mapping[str, Results], facts: Mapping[str, Any]
) -> bytes:
    """The content of the standings file, as JSON."""
    return canonical_json(standings(edition, tracks, facts))
