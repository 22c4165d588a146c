"""Loose files: the measures and rankings of an edition, without a folder."""

from __future__ import annotations

import csv
from pathlib import Path

from quintain.contests import Track
from quintain.data import Data, Schema, as_table
from quintain.data.files import read
from quintain.errors import DataError, Faults, Rejected
from quintain.measures import Case, Reading
from quintain.rankings import Board, Contestant, Entry, Results
from quintain.runs.scoring import boards


def measure_files(
    track: Track,
    *,
    original: Path | None = None,
    release: Path | None = None,
    test: Path | None = None,
    truth: Path | None = None,
    guess: Path | None = None,
) -> dict[str, Reading]:
    """Every reading the given files allow, under the names of the edition."""
    schema = track.dataset.data_schema()
    attributes = schema.select([c.name for c in schema.attributes])
    if schema.shape != "table":
        attributes = schema
    faults = Faults()
    loaded = {
        name: _load(path, wanted, track, faults)
        for name, path, wanted in (
            ("original", original, attributes),
            ("release", release, attributes),
            ("test", test, attributes),
            ("truth", truth, track.goal.truth_schema(schema)),
            ("guess", guess, track.goal.guess_schema(schema)),
        )
        if path is not None
    }
    for one, other in (("original", "release"), ("truth", "guess")):
        if (one in loaded) != (other in loaded):
            faults.add(f"--{one} and --{other} belong together")
    if not loaded:
        faults.add("give --original and --release, or --truth and --guess")
    faults.raise_if_any(Rejected)
    return _readings(track, {name: data for name, data in loaded.items() if data is not None})


def _load(path: Path, schema: Schema, track: Track, faults: Faults) -> Data | None:
    try:
        return read(path, schema, header=track.files.header, strict=track.files.strict)
    except DataError as error:
        faults.extend(error.faults)
        return None


def _readings(track: Track, data: dict[str, Data]) -> dict[str, Reading]:
    out: dict[str, Reading] = {}
    if "release" in data:
        for utility in track.utility:
            found = utility.measure.measure(data["original"], data["release"], data.get("test"))
            out |= utility.named(found)
    if "guess" in data:
        goal = track.goal
        case = Case(goal.truth(as_table(data["truth"])), goal.guess(as_table(data["guess"])))
        for privacy in track.privacy:
            out |= privacy.named(privacy.measure.measure([case]))
    return out


def rank_matrix(track: Track, path: Path) -> list[Board]:
    """Boards from a matrix of the edition's first privacy reading.

    The file has entries in its first line and attackers in its first column; a blank cell was not
    attacked. An entry called like an attacker belongs to that team.
    """
    with path.open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.reader(file) if row]
    faults = Faults(path.name)
    if len(rows) < 2 or len(rows[0]) < 2:
        faults.add("needs a line of entries and a line for each attacker")
        faults.raise_if_any(DataError)
    entries = [name.strip() for name in rows[0][1:]]
    teams = [row[0].strip() for row in rows[1:]]
    name, better = next(iter(track.privacy[0].reads.items()))
    cells = {}
    for line, row in enumerate(rows[1:], start=2):
        if len(row) != len(rows[0]):
            faults.add(f"expected {len(rows[0])} cells, found {len(row)}", line=line)
            continue
        for entry, text in zip(entries, row[1:], strict=True):
            if text.strip():
                value = _number(text, line, entry, faults)
                cells[entry, row[0].strip()] = {name: Reading.exact(value, 1, better)}
    faults.raise_if_any(DataError)
    known = [Contestant(team) for team in dict.fromkeys((*teams, *entries)) if team in teams]
    columns = tuple(Entry(entry, entry if entry in teams else None) for entry in entries)
    return boards(track, Results(columns, tuple(known), cells))


def _number(text: str, line: int, column: str, faults: Faults) -> float:
    try:
        return float(text)
    except ValueError:
        faults.add("expected a number or an empty cell", line=line, column=column, got=text)
        return 0.0
