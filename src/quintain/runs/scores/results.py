"""Result files: the matrix as Parquet and as CSV, the standings as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from quintain.commitment import canonical_json
from quintain.contests import Edition
from quintain.rankings import Results
from quintain.runs.scores.boards import all_contestants, awards, overall_boards, track_boards

_COLUMNS = ("track", "entry", "owner", "attacker", "measure", "value", "low", "high", "n", "better")


def cells_bytes(tracks: Mapping[str, Results]) -> bytes:
    """The matrix as Parquet: one row for each entry, attacker and measure."""
    sink = pa.BufferOutputStream()
    pq.write_table(_cells(tracks), sink, compression="zstd")
    return bytes(sink.getvalue())


def matrix_bytes(tracks: Mapping[str, Results]) -> bytes:
    """The same rows as CSV, for spreadsheets; what was not measured is a blank cell."""
    sink = pa.BufferOutputStream()
    options = pa_csv.WriteOptions(quoting_style="needed")
    pa_csv.write_csv(_cells(tracks, blank=True), sink, options)
    return bytes(sink.getvalue())


def _cells(tracks: Mapping[str, Results], *, blank: bool = False) -> pa.Table:
    rows: list[dict[str, Any]] = []
    for track, results in tracks.items():
        owners = {entry.id: entry.owner for entry in results.entries}
        for (entry, attacker), readings in sorted(results.cells.items()):
            for measure, reading in sorted(readings.items()):
                head = {"track": track, "entry": entry, "owner": owners[entry]}
                facts = reading.model_dump(include={"value", "low", "high", "n", "better"})
                rows.append({**head, "attacker": attacker, "measure": measure, **facts})
    if blank:
        rows = [{k: None if v != v else v for k, v in row.items()} for row in rows]
    return pa.Table.from_pylist(rows, schema=_schema())


def _schema() -> pa.Schema:
    kinds = {"value": pa.float64(), "low": pa.float64(), "high": pa.float64(), "n": pa.int64()}
    return pa.schema([(name, kinds.get(name, pa.string())) for name in _COLUMNS])


def standings(edition: Edition, tracks: Mapping[str, Results], facts: Mapping[str, Any]) -> Any:
    """Everything a reader of the results needs: boards, entries with their readings, provenance.

    ``facts`` says what the standings rest on: commitments, the head of the ledger, whether the
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
    """The standings file."""
    return canonical_json(standings(edition, tracks, facts))
