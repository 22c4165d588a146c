"""Difference: what a second judgement changes, in boards and in cells."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from quintain.commitment import sha256
from quintain.contests import Edition
from quintain.runs.folder import paths
from quintain.runs.folder.rules import changed_keys

SHOWN_CELLS = 200
"""How many changed cells are stored one by one; all are counted."""

Cell = tuple[str, str, str, str]
"""Track, entry, attacker and measure."""


def difference(before: Path, after: Path, rules: tuple[Edition, Edition]) -> dict[str, Any]:
    """What differs between the results of two edition folders, as plain values for JSON.

    Parameters
    ----------
    rules : the rules in force in each of them.
    """
    cells = [_cells(root / paths.CELLS) for root in (before, after)]
    changed = [key for key in sorted(cells[0].keys() | cells[1].keys()) if _differ(key, *cells)]
    standings = [(root / paths.STANDINGS).read_bytes() for root in (before, after)]
    return {
        "rules": changed_keys(*rules),
        "standings": {"before": sha256(standings[0]), "after": sha256(standings[1])},
        "boards": list(_boards(*map(json.loads, standings))),
        "cells": {
            "all": len(cells[1]),
            "changed": len(changed),
            "shown": [_change(key, *cells) for key in changed[:SHOWN_CELLS]],
        },
    }


def moves(difference: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The places on all boards whose rank or score is another one."""
    return [
        {"board": board["title"], "track": board["track"], **place}
        for board in difference.get("boards", ())
        for place in board["places"]
        if place["before"] != place["after"]
    ]


def _cells(path: Path) -> dict[Cell, float | None]:
    columns = pq.read_table(path).to_pydict()
    keys = zip(*(columns[name] for name in ("track", "entry", "attacker", "measure")), strict=True)
    return dict(zip(keys, map(_number, columns["value"]), strict=True))


def _number(value: float | None) -> float | None:
    """A number that JSON can have."""
    return None if value is None or not math.isfinite(value) else float(value)


def _differ(key: Cell, before: Mapping[Cell, Any], after: Mapping[Cell, Any]) -> bool:
    return (key in before, before.get(key)) != (key in after, after.get(key))


def _change(key: Cell, before: Mapping[Cell, Any], after: Mapping[Cell, Any]) -> dict[str, Any]:
    names = dict(zip(("track", "entry", "attacker", "measure"), key, strict=True))
    return {**names, "before": before.get(key), "after": after.get(key)}


def _boards(before: Any, after: Any) -> Iterator[dict[str, Any]]:
    """Every board of either side, with the place of each team before and after."""
    old, new = _by_id(before), _by_id(after)
    for key in dict.fromkeys([*old, *new]):
        track, name = key
        sides = [_places(one.get(key)) for one in (old, new)]
        teams = dict.fromkeys([*sides[1], *sides[0]])
        places = [
            {"team": team, "before": sides[0].get(team), "after": sides[1].get(team)}
            for team in teams
        ]
        title = (new.get(key) or old[key]).get("title") or name
        yield {"track": track, "board": name, "title": title, "places": places}


def _by_id(standings: Any) -> dict[tuple[str, str], Any]:
    boards = {("", board["id"]): board for board in standings["overall"]}
    for track, content in standings["tracks"].items():
        boards |= {(track, board["id"]): board for board in content["boards"]}
    return boards


def _places(board: Any) -> dict[str, dict[str, Any]]:
    if board is None:
        return {}
    return {
        place["team"]: {"rank": place["rank"], "score": _score(place.get("score"))}
        for place in board["places"]
    }


def _score(score: Any) -> float | None:
    """The value of a score, which may be a reading with an interval."""
    value = score.get("value") if isinstance(score, Mapping) else score
    return _number(value) if isinstance(value, int | float) else None
