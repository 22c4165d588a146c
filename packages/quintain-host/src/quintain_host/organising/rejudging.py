"""Re-judging: judge a contest a second time beside the first, look at the difference, then decide.

A worker scores a copy of the edition folder from nothing, if wanted under other rules. Teams and
the public see nothing of it until it is applied. The difference stays in the database.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from sqlalchemy import select
from sqlalchemy.orm import Session

from quintain.commitment import sha256
from quintain.contests import Edition
from quintain.journal.state import require_running
from quintain.runs.folder import paths
from quintain.runs.folder.rules import changed_keys
from quintain.runs.organising.amend import checked_reason
from quintain.wording.languages import tell
from quintain_host.access import Conflict, NotThere, Visitor
from quintain_host.audit_log import log
from quintain_host.database.contests import Rejudging
from quintain_host.editions.shown import contest_state
from quintain_host.languages.states import tell_state
from quintain_host.organising.steps import checked_rules, require_fixed
from quintain_host.queue import enqueue
from quintain_host.site import Site


def start(site: Site, visitor: Visitor, edition: str, reason: str, text: str = "") -> int:
    """Ask for a second judgement; returns its number.

    Parameters
    ----------
    text : the edition file of the rules to try; empty means the rules in force.
    """
    account = visitor.require_organiser(edition)
    reason = checked_reason(reason)
    if text.strip():
        require_running(contest_state(site, edition))
        checked_rules(site, edition, text)
    with site.database.writing(edition) as session:
        require_fixed(session, edition)
        row = Rejudging(
            edition=edition,
            toml=text if text.strip() else "",
            reason=reason,
            difference={},
            created=site.clock.now(),
        )
        session.add(row)
        session.flush()
        _enqueue(session, site, row, "rejudge", account)
        log(session, site, visitor, "rejudging.start", edition, rejudging=row.id, reason=reason)
        return row.id


def rejudgings(site: Site, visitor: Visitor, edition: str) -> list[Rejudging]:
    """All second judgements of a contest, the newest first."""
    visitor.require_organiser(edition)
    with site.database.reading() as session:
        own = select(Rejudging).where(Rejudging.edition == edition)
        return list(session.scalars(own.order_by(Rejudging.id.desc())))


def rejudging(site: Site, visitor: Visitor, edition: str, number: int) -> Rejudging:
    """One second judgement, with the difference that it would make."""
    visitor.require_organiser(edition)
    with site.database.reading() as session:
        return _row(session, edition, number)


def apply(site: Site, visitor: Visitor, edition: str, number: int) -> None:
    """Make a second judgement the one that counts; after the reveal, the results are final."""
    account = visitor.require_organiser(edition)
    if contest_state(site, edition).revealed is not None:
        raise Conflict(tell("the results are final: their hash was published with the reveal"))
    with site.database.writing(edition) as session:
        row = _row(session, edition, number)
        if row.state != "ready":
            raise Conflict(
                tell(
                    "only a second judgement that is ready applies (this one: %(state)s)",
                    state=tell_state(row.state, "judgement"),
                )
            )
        row.state = "applying"
        _enqueue(session, site, row, "apply-rejudging", account)
        log(session, site, visitor, "rejudging.apply", edition, rejudging=number)


def drop(site: Site, visitor: Visitor, edition: str, number: int) -> None:
    """Forget a second judgement; what it would have changed stays readable."""
    account = visitor.require_organiser(edition)
    with site.database.writing(edition) as session:
        row = _row(session, edition, number)
        if row.state not in ("waiting", "ready", "failed"):
            raise Conflict(
                tell(
                    "this second judgement cannot be dropped any more (%(state)s)",
                    state=tell_state(row.state, "judgement"),
                )
            )
        row.state = "dropped"
        _enqueue(session, site, row, "drop-rejudging", account)
        log(session, site, visitor, "rejudging.drop", edition, rejudging=number)


def _enqueue(session: Session, site: Site, row: Rejudging, kind: str, account: int) -> None:
    enqueue(
        session,
        row.edition,
        "scoring",
        kind,
        now=site.clock.now(),
        account=account,
        arguments={"rejudging": row.id},
    )


def _row(session: Session, edition: str, number: int) -> Rejudging:
    row = session.get(Rejudging, number)
    if row is None or row.edition != edition:
        raise NotThere(tell("there is no such second judgement"))
    return row


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
        sides = [_places(boards.get(key)) for boards in (old, new)]
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
