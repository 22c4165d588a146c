"""Feedback: what teams may see of the scores before the end.

Each score reveals a little: with enough of them, a team can compute hidden labels without any
attack. The edition's policy decides what is shown, and the public board keeps everything shown.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from quintain.commitment import canonical_json
from quintain.contests import Feedback
from quintain.rankings import Results
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder, parsed

Shown = dict[str, dict[str, dict[str, float]]]


def public_board(folder: Folder, tracks: Mapping[str, Results]) -> bytes:
    """The public board after this scoring, given what was shown before."""
    path = folder.at(paths.BOARD)
    before = parsed(path, json.loads)["tracks"] if path.is_file() else {}
    edition = folder.edition()
    shown = {
        track.id: visible(track.feedback, tracks[track.id], before.get(track.id, {}))
        for track in edition.track
    }
    policies = {track.id: track.feedback.model_dump() for track in edition.track}
    board = {"format": "quintain.board/1", "feedback": policies, "tracks": shown}
    return canonical_json(board)


def visible(policy: Feedback, results: Results, before: Mapping[str, Any]) -> Shown:
    """The readings that a policy lets teams see, by attacker, entry and measure."""
    out: Shown = {}
    if policy.show == "none":
        return out
    table = results.table
    values = table.figures[0].tolist()
    for entry, attacker in sorted(table):
        a, e = table.place(entry, attacker)
        last = before.get(attacker, {}).get(entry, {})
        for name, number in sorted(zip(table.names, values[a][e], strict=True)):
            value = allowed(policy, number, last.get(name))
            if value is not None:
                out.setdefault(attacker, {}).setdefault(entry, {})[name] = value
    return out


def allowed(policy: Feedback, value: float, last: float | None) -> float | None:
    """What a policy shows of one score, given what it showed of that score last.

    >>> allowed(Feedback(show="ladder", step=0.1), 0.34, last=0.3)
    0.3
    >>> allowed(Feedback(show="ladder", step=0.1), 0.47, last=0.3)
    0.5
    """
    if policy.show == "none" or math.isnan(value):
        return None
    if policy.show == "full":
        return value
    if policy.show == "rounded":
        return round(value, policy.digits)
    if last is not None and value <= last + policy.step:
        return last
    return round(round(value / policy.step) * policy.step, 10)
