"""Feedback of a folder: what each team was shown of its scores, and what it may see now.

What is shown depends on when the organisers score, so it is remembered in a secret file beside
the results. A team's own board has its own cells only: the scores of others, and those of
deterministic baselines, would be answers to further questions about the hidden truth.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import TypeAdapter

from quintain.commitment import canonical_json
from quintain.contests import Track
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder, parse_file
from quintain.runs.scores.scores import Scores
from quintain.runs.scores.stored import read_readings

FORMAT = "quintain.feedback/1"


@dataclass(frozen=True, slots=True)
class Shown:
    """What a team was shown of one entry.

    Parameters
    ----------
    key : stands for the guesses that the values are about; nothing new is shown while it stays.
    spent : the bits that were spent.
    values : the values shown last, by name of the reading.
    """

    key: str = ""
    spent: float = 0.0
    values: Mapping[str, float] = field(default_factory=dict)


Board = dict[str, dict[str, Shown]]
"""What was shown, by team and entry."""

_boards: TypeAdapter[dict[str, Board]] = TypeAdapter(dict[str, Board])


def feedback_files(folder: Folder, scores: Scores) -> dict[str, bytes]:
    """The boards after this scoring, and what to remember, which must be written first."""
    edition = folder.edition()
    policies = {track.id: track.feedback.model_dump() for track in edition.track}
    before = _read(folder)
    boards = {t.id: _board(folder, t, scores, before.get(t.id, {})) for t in edition.track}
    files = {}
    if any(boards.values()):
        state = {"format": FORMAT, "tracks": _boards.dump_python(boards)}
        files[paths.FEEDBACK] = canonical_json(state)
    about = {"format": "quintain.board/1", "feedback": policies}
    files[paths.BOARD] = canonical_json({**about, "tracks": {name: {} for name in boards}})
    for team in sorted({team for board in boards.values() for team in board}):
        files[paths.team_board(team)] = canonical_json({**about, **_own(team, boards)})
    return files


def _read(folder: Folder) -> dict[str, Board]:
    path = folder.at(paths.FEEDBACK)
    return parse_file(path, _parse) if path.is_file() else {}


def _parse(content: bytes) -> dict[str, Board]:
    state = json.loads(content)
    if not isinstance(state, dict) or state.get("format") != FORMAT:
        raise ValueError(f"expected a file of format {FORMAT!r}")
    return _boards.validate_python(state.get("tracks"))


def _own(team: str, boards: Mapping[str, Board]) -> dict[str, object]:
    """A team's own cells, and the bits that it spent on each entry."""
    cells = {track: board.get(team, {}) for track, board in boards.items()}
    return {
        "tracks": {
            track: {team: {entry: dict(cell.values) for entry, cell in by_cell.items()}}
            if by_cell
            else {}
            for track, by_cell in cells.items()
        },
        "spent": {
            track: {entry: cell.spent for entry, cell in by_cell.items()}
            for track, by_cell in cells.items()
        },
    }


def _board(folder: Folder, track: Track, scores: Scores, before: Board) -> Board:
    """What the teams of a track see after this scoring; baselines see nothing."""
    if track.feedback.show == "none":
        return before
    out = {name: dict(shown) for name, shown in before.items()}
    for team in folder.edition().team:
        for entry, key in scores.cell_keys(track.id, team.id).items():
            last = before.get(team.id, {}).get(entry, Shown())
            if key != last.key:
                readings = _readings(folder, track, scores, entry, team.id)
                out.setdefault(team.id, {})[entry] = shown_next(track, last, key, readings)
    return out


def _readings(
    folder: Folder, track: Track, scores: Scores, entry: str, team: str
) -> Mapping[str, float]:
    """The readings of a cell on the targets that shown scores are about."""
    if track.feedback.shown_on is not None:
        path = folder.at(paths.cached_shown_cell(track.id, entry, team))
        return {name: reading.value for name, reading in read_readings(path).items()}
    table = scores[track.id].table
    a, e = table.place(entry, team)
    return dict(zip(table.names, table.figures[0, a, e].tolist(), strict=True))


def shown_next(track: Track, last: Shown, key: str, readings: Mapping[str, float]) -> Shown:
    """What a team sees of an entry after its readings were measured again.

    Whether the budget is enough depends only on what the team was shown before, so it tells
    nothing new. The measures are served in the order of the rules.
    """
    policy, values, spent = track.feedback, dict(last.values), last.spent
    for measured in track.guess_measures:
        for name in measured.reads if policy.shows(measured) else ():
            within, before = measured.measure.within, values.get(name)
            stays, changes = policy.costs(before, within)
            if spent + max(stays, changes) > policy.budget:
                continue
            value = policy.value(readings.get(name, math.nan), before, within)
            spent += stays if value == before else changes
            if value is not None:
                values[name] = value
    return Shown(key, spent, values)
