"""Residuals: the file that tells organisers who may have had friends among the teams."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from quintain.commitment import canonical_json
from quintain.contests import Edition, Track
from quintain.contests.fields import EditionMeasure
from quintain.measures import Direction
from quintain.rankings import Results
from quintain.rankings.collusion import ResidualPair, residual_pairs, stands_out
from quintain.runs.folder import paths

_SHOWN = 20
"""How many pairs of a track and goal the file has at least, if there are so many."""


def residual_files(edition: Edition, scores: Mapping[str, Results]) -> dict[str, bytes]:
    """The file with the largest residuals of each track; none if no team releases."""
    tables = [
        (track, aim.id) for track in edition.track for aim in track.attack_aims if _asks(track)
    ]
    if not tables:
        return {}
    tracks: dict[str, list[dict[str, Any]]] = {}
    for track, goal in tables:
        table = _table(track, goal, scores[track.id], len(tables))
        tracks.setdefault(track.id, []).append(table)
    content = canonical_json({"format": "quintain.collusion/1", "tracks": tracks})
    return {paths.COLLUSION: content}


def _asks(track: Track) -> bool:
    return track.teams_release and bool(track.guess_measures)


def _table(track: Track, goal: str, results: Results, tables: int) -> dict[str, Any]:
    measured = track.measures_for(goal)[0]
    name = next(iter(measured.reads))
    pairs = residual_pairs(results, name, learned_ends(measured), tables=tables)
    shown = [pair for i, pair in enumerate(pairs) if i < _SHOWN or stands_out(pair)]
    return {"goal": goal, "measure": name, "pairs": [_json(pair) for pair in shown]}


def learned_ends(measured: EditionMeasure) -> tuple[float, float]:
    """The first reading of an attacker who learned nothing, and of one who learned everything."""
    better = next(iter(measured.reads.values()))
    worst, best = finite_ends(measured.measure.within, better)
    return best, worst


def finite_ends(within: tuple[float, float], better: Direction) -> tuple[float, float]:
    """The worst and the best value of a reading; 0 and 1 stand for ends that are open."""
    low, high = (x if math.isfinite(x) else end for x, end in zip(within, (0.0, 1.0), strict=True))
    return (low, high) if better == "higher" else (high, low)


def _json(pair: ResidualPair) -> dict[str, Any]:
    return {
        "attacker": pair.attacker,
        "entry": pair.entry,
        "owner": pair.owner,
        "value": pair.value,
        "expected": pair.expected,
        "chance": pair.chance,
        "stands_out": stands_out(pair),
    }
