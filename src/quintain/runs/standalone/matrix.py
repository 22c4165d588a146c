"""Matrix: rank results that were measured elsewhere by the rules of an edition."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from quintain.contests import Edition, Track
from quintain.contests.fields import MeasuredPrivacy
from quintain.data.files import file_content
from quintain.data.files.subprocess_reader import rows_apart
from quintain.errors import DataError, Fault, Faults, NoSuchBoard, Refused
from quintain.measures import Direction, Reading
from quintain.rankings import Board, Candidate, Contestant, Entry, Results, order
from quintain.rankings.results import pack_finds
from quintain.runs.scores.cells import blind_laws
from quintain.runs.scores.scores import (
    Prize,
    awards,
    overall_boards,
    teams_aside,
    track_boards,
)
from quintain.wording.suggestion import suggestion

_FINDER = ["attacker", "entry"]


@dataclass(frozen=True, slots=True)
class Ranked:
    """The boards of one track, the boards over all tracks as far as possible, and the awards."""

    boards: list[Board]
    overall: list[Board]
    awards: list[Prize]
    percent: bool
    """Whether the cells were read as percentages."""


def rank_matrix(
    edition: Edition,
    track: Track,
    path: Path | None,
    *,
    readings: Mapping[str, Path] | None = None,
    utility: Path | None = None,
    finds: Path | None = None,
    given: Mapping[str, Path] | None = None,
    aside: Collection[str] = (),
    of: float | None = None,
) -> Ranked:
    """Boards from a matrix of the edition's first reading of guesses.

    The file has entries in its first line and attackers in its first column; a blank cell was not
    attacked. An entry with the name of an attacker, or of a team of the edition, belongs to that
    team. Without a matrix, every line of ``utility`` is the release of a team.

    Parameters
    ----------
    readings : further matrices by the names of their readings, such as "attr.accuracy".
    utility : the readings of the entries themselves: a line of names, then one line per entry.
        Any reading of releases may be given, also a derived one. A blank cell was not measured.
    finds : which records were found: one line with attacker, entry and record for each find, and
        the goal between entry and record if the track has several. An attacker on an entry of the
        matrix without a line found nothing there.
    given : further boards, "track/board", from files with a team and its score on each line.
    aside : teams that take part without competing, beside those that the edition names.
    of : the total behind the cells: 10000 for counts of 10,000 records, 100 for percentages.
        Without it, cells that can only be percentages are read as percentages.
    """
    if edition.cohorts is not None:
        raise Refused("teams have cohorts, and a matrix does not say to which a team belongs")
    names = [name for measured in track.guess_measures for name in measured.reads]
    if not names and (path is not None or readings):
        raise Refused(f"nobody attacks in track {track.id}: there is no matrix to read")
    matrices = ({} if path is None else {names[0]: path}) | dict(readings or {})
    for name in matrices:
        if name not in names:
            message = f"unknown reading of guesses {name!r}{suggestion(name, names)}"
            raise DataError([Fault(message)])
    if matrices:
        results, percent = _results(edition, track, matrices, aside, of)
    elif utility is not None:
        results, percent = _releases_alone(edition, utility, aside), False
    else:
        raise ValueError("give a matrix, readings of the entries, or both")
    if utility is not None:
        results = _with_utility(track, results, utility)
    if finds is not None:
        results = replace(results, finds=read_finds(finds, track, results))
    boards = track_boards(track, results)
    known = {track.id: boards}
    for name, file in (given or {}).items():
        other, _, board = name.rpartition("/")
        known.setdefault(other, []).append(_given_board(edition, other, board, file, results))
    overall = overall_boards(edition, known, results.contestants)
    return Ranked(boards, overall, awards(edition, known, overall), percent)


def _results(
    edition: Edition,
    track: Track,
    matrices: Mapping[str, Path],
    aside: Collection[str],
    of: float | None,
) -> tuple[Results, bool]:
    """Results from one matrix per reading, and whether any of them has percentages."""
    read = {name: _matrix(track, name, path, of) for name, path in matrices.items()}
    entries = list(dict.fromkeys(entry for matrix in read.values() for entry in matrix.entries))
    attackers = dict.fromkeys(name for matrix in read.values() for name in matrix.attackers)
    cells: dict[tuple[str, str], dict[str, Reading]] = {}
    for name, matrix in read.items():
        for pair, reading in matrix.cells.items():
            cells.setdefault(pair, {})[name] = reading
    teams = {team.id: team.competing for team in edition.team}
    out = teams_aside(edition).union(aside)
    baselines = {b.id for b in track.baseline} if teams else set()
    team_entries = (entry for entry in entries if entry in teams or entry in aside)
    names = dict.fromkeys((*attackers, *team_entries))
    known = tuple(
        Contestant(id, competing=teams.get(id, id not in baselines) and id not in out)
        for id in names
    )
    owners = {*names}
    columns = tuple(
        Entry(entry, entry if entry in owners else None, competing=entry not in out)
        for entry in entries
    )
    laws = blind_laws(track, track.population_size)
    return Results(columns, known, cells, laws), any(matrix.percent for matrix in read.values())


class _Matrix(NamedTuple):
    """One reading of all attackers on all entries, from a file."""

    entries: list[str]
    attackers: list[str]
    cells: dict[tuple[str, str], Reading]
    percent: bool


def _matrix(track: Track, name: str, path: Path, of: float | None) -> _Matrix:
    rows, faults = read_rows(path), Faults(path.name)
    if len(rows) < 2 or len(rows[0]) < 2:
        faults.add("expected one line with the entries, then one line per attacker")
        faults.raise_if_any(DataError)
    entries = [name.strip() for name in rows[0][1:]]
    attackers = [row[0].strip() for row in rows[1:]]
    for kind, listed in (("entry", entries), ("attacker", attackers)):
        for label in dict.fromkeys(label for label in listed if listed.count(label) > 1):
            faults.add(f"this {kind} appears twice", got=label)
    values: dict[tuple[str, str], float] = {}
    lines: dict[str, int] = {}
    for line, row in enumerate(rows[1:], start=2):
        if len(row) != len(rows[0]):
            faults.add(f"expected {len(rows[0])} cells, found {len(row)}", line=line)
            continue
        lines[row[0].strip()] = line
        for entry, text in zip(entries, row[1:], strict=True):
            if text.strip():
                values[entry, row[0].strip()] = _number(text, line, entry, faults)
    measured = next(guessed for guessed in track.guess_measures if name in guessed.reads)
    most = measured.measure.within[1]
    percent = of is None and most < max(values.values(), default=0) <= 100 * most
    divisor = 100 if percent else of or 1
    _check_possible(measured, name, values, lines, divisor, faults)
    faults.raise_if_any(DataError)
    better = measured.reads[name]
    cells = {key: Reading.exact(value / divisor, 1, better) for key, value in values.items()}
    return _Matrix(entries, attackers, cells, percent)


def _check_possible(
    measured: MeasuredPrivacy,
    name: str,
    values: Mapping[tuple[str, str], float],
    lines: Mapping[str, int],
    divisor: float,
    faults: Faults,
) -> None:
    """Note every cell with a value that the measure cannot have."""
    low, high = (bound * divisor for bound in measured.measure.within)
    counts = "" if divisor != 1 else "; for counts or percentages, give the total with --of"
    for (entry, attacker), value in values.items():
        if not low <= value <= high:
            message = f"{name} is from {low:g} to {high:g}{counts}"
            faults.add(message, line=lines[attacker], column=entry, got=f"{value:g}")


def _releases_alone(edition: Edition, path: Path, aside: Collection[str]) -> Results:
    """Results in which every line of a file of readings is the release of a team."""
    teams = list(dict.fromkeys(row[0].strip() for row in read_rows(path)[1:] if row))
    out = teams_aside(edition).union(aside)
    contestants = tuple(Contestant(team, competing=team not in out) for team in teams)
    entries = tuple(Entry(team, team, competing=team not in out) for team in teams)
    return Results(entries, contestants, {})


def _with_utility(track: Track, results: Results, path: Path) -> Results:
    """Results with the readings of the entries themselves, and with gates applied."""
    rows, faults = read_rows(path), Faults(path.name)
    better = track.directions()
    names = [name.strip() for name in rows[0][1:]] if rows else []
    for name in names:
        if name not in better:
            faults.add(f"unknown reading; available: {', '.join(better)}", column=name)
    known = {entry.id for entry in results.entries}
    by_entry: dict[str, dict[str, Reading]] = {}
    for line, row in enumerate(rows[1:], start=2):
        entry = row[0].strip()
        if entry not in known:
            faults.add("unknown entry: it is not in the matrix", line=line, got=entry)
        if entry in by_entry:
            faults.add("this entry appears twice", line=line, got=entry)
        if len(row) != len(names) + 1:
            faults.add(f"expected {len(names) + 1} cells, found {len(row)}", line=line)
            continue
        by_entry[entry] = {
            name: _reading(text, line, name, better.get(name, "higher"), faults)
            for name, text in zip(names, row[1:], strict=True)
        }
    for entry in (entry.id for entry in results.entries if entry.id not in by_entry):
        faults.add("this entry of the matrix has no line here", got=entry)
    faults.raise_if_any(DataError)
    completed = {entry: track.with_derived(read) for entry, read in by_entry.items()}
    entries = tuple(
        replace(entry, readings=read, faults=tuple(track.gate_failures(read)))
        for entry in results.entries
        for read in [completed.get(entry.id, {})]
    )
    return replace(results, entries=entries)


def _given_board(edition: Edition, track: str, board: str, path: Path, results: Results) -> Board:
    ids = {f"{track.id}/{ranked.id}" for track in edition.track for ranked in track.board}
    if f"{track}/{board}" not in ids:
        raise NoSuchBoard(f"unknown board {track}/{board}; available: {', '.join(sorted(ids))}")
    faults = Faults(path.name)
    scores = {}
    for line, row in enumerate(read_rows(path), start=1):
        if len(row) != 2:
            faults.add("expected a team and its score", line=line)
        elif not (line == 1 and row[1].strip() == "score"):
            value = _number(row[1], line, "score", faults)
            scores[row[0].strip()] = Candidate(Reading.exact(value, 1, "higher"))
    faults.raise_if_any(DataError)
    return Board(id=board, places=order(scores, results.contestants, highest_first=True))


def read_finds(path: Path, track: Track, results: Results) -> dict[tuple[str, ...], bytes]:
    """The finds by entry, attacker and, if there are several, goal; the file has a line per find.

    A pair of the matrix without a line found nothing.
    """
    goals: list[tuple[str, ...]] = [(aim.id,) if aim.id else () for aim in track.aims]
    header = [*_FINDER, *(["goal"] if any(goals) else []), "record"]
    rows, faults = read_rows(path), Faults(path.name)
    if not rows or [name.strip() for name in rows[0]] != header:
        faults.add(f"expected the columns {', '.join(header)}", line=1)
        faults.raise_if_any(DataError)
    finds: dict[tuple[str, ...], set[int]] = {
        (*pair, *goal): set() for pair in results.table for goal in goals
    }
    records: dict[tuple[str, ...], dict[str, int]] = {}
    for line, row in enumerate(rows[1:], start=2):
        if len(row) != len(header):
            faults.add(f"expected {len(header)} cells, found {len(row)}", line=line)
            continue
        attacker, entry, *goal, record = (text.strip() for text in row)
        if (entry, attacker) not in results.table:
            message = "the matrix has no attack of this attacker on this entry"
            faults.add(message, line=line, got=f"{attacker}, {entry}")
        elif tuple(goal) not in goals:
            known = suggestion(goal[0], [name for names in goals for name in names])
            faults.add(f"the track has no such goal{known}", line=line, column="goal", got=goal[0])
        else:
            numbers = records.setdefault((entry, *goal), {})
            number = numbers.setdefault(record, len(numbers))
            if number in finds[entry, attacker, *goal]:
                faults.add("this find appears twice", line=line, got=record)
            finds[entry, attacker, *goal].add(number)
    faults.raise_if_any(DataError)
    return {
        (entry, attacker, *goal): pack_finds(
            np.isin(np.arange(len(records.get((entry, *goal), ()))), sorted(numbers))
        )
        for (entry, attacker, *goal), numbers in finds.items()
    }


def _reading(text: str, line: int, name: str, better: Direction, faults: Faults) -> Reading:
    if not text.strip():
        return Reading.missing(better, "the cell is blank")
    return Reading.exact(_number(text, line, name, faults), 1, better)


def _number(text: str, line: int, column: str, faults: Faults) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        faults.add("expected a number or an empty cell", line=line, column=column, got=text)
        return 0.0
    return value


def read_rows(path: Path) -> list[list[str]]:
    """The rows of a CSV file, read in a process apart; raises with every fault."""
    faults = Faults(path.name)
    rows = rows_apart(file_content(path), faults)
    faults.raise_if_any(DataError)
    return rows
