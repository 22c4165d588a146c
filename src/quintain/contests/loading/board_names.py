"""Board names: every reading and every board that a ranking or derived reading uses must exist."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, cast

from quintain.contests.lines import KeyPath
from quintain.contests.loading.plain_tables import Mistakes, part_in, repeated_ids, tables_of
from quintain.errors import Fault, PartError
from quintain.measures import GuessMeasure, Measure, ReleaseMeasure
from quintain.rankings import RankingRule
from quintain.rankings.formulas import Scope
from quintain.rankings.formulas.text import formula_faults
from quintain.rankings.rule import KnownNames
from quintain.registry import find


def track_names(track: Mapping[str, Any], at: KeyPath) -> Mistakes:
    """Faults in the names of a track's readings, and in those that its boards use."""
    names: set[str] = set()
    released: set[str] = set()
    finds = False
    for kind in ("privacy", "utility"):
        for number, table in enumerate(tables_of(track, kind)):
            measure = part_in("measure", table)
            if measure is None:
                return  # the names of readings are unknown, so the boards cannot be checked
            given = [table["name"]] if table.get("name") else cast(Measure, measure).reads
            for name in given:
                if name in names:
                    message = f"another measure has the reading {name!r}; give this one a name"
                    yield (*at, kind, number), message
                names.add(name)
            released |= set(given) if isinstance(measure, ReleaseMeasure) else set()
            finds |= isinstance(measure, GuessMeasure) and measure.finds_records
    guesses = frozenset(names - released)
    for kind in ("given", "derived"):
        for number, table in enumerate(tables_of(track, kind)):
            if table.get("name") in names:
                message = f"another reading has the name {table['name']!r}; choose another"
                yield (*at, kind, number, "name"), message
            if kind == "derived":
                yield from _derived(table, frozenset(released), (*at, kind, number))
            names.add(str(table.get("name")))
            released.add(str(table.get("name")))
    yield from _ranked(track, "board", at, KnownNames(guesses, frozenset(released), finds=finds))


def _derived(table: Mapping[str, Any], released: frozenset[str], at: KeyPath) -> Mistakes:
    for fault in formula_faults(table.get("formula"), Scope(numbers=released)):
        yield (*at, "formula"), fault
    for name in table.get("of", ()):
        if name not in released:
            message = f"unknown reading of releases {name!r}; {_available(released)}"
            yield (*at, "of"), message


def overall_names(edition: Mapping[str, Any]) -> Mistakes:
    """Faults in the names that boards over all tracks and awards use."""
    yield from repeated_ids(edition, "overall", ())
    ids = [
        f"{track.get('id', 'main')}/{board.get('id')}"
        for track in tables_of(edition, "track")
        for board in tables_of(track, "board")
    ]
    yield from _ranked(edition, "overall", (), KnownNames(boards=tuple(ids), over_tracks=True))
    known = {*ids, *(board.get("id") for board in tables_of(edition, "overall"))}
    for number, award in enumerate(tables_of(edition, "award")):
        if award.get("board") is not None and award["board"] not in known:
            yield (
                ("award", number, "board"),
                f"unknown board {award['board']!r}; {_available(known)}",
            )


def _ranked(table: Mapping[str, Any], kind: str, at: KeyPath, known: KnownNames) -> Mistakes:
    """A board may use the readings of its track, and refer only to boards before it."""
    before = known.boards
    for number, board in enumerate(tables_of(table, kind)):
        where, rule = (*at, kind, number), cast(RankingRule | None, part_in("ranking", board))
        for name in board.get("ties", ()):
            if name not in before:
                message = f"unknown board {name!r} among those before it; {_available(before)}"
                yield where, message
        for fault in _name_faults(rule, board, replace(known, boards=before)):
            yield (*where, *([fault.column] if fault.column else ())), fault
        before = (*before, str(board.get("id")))


def _name_faults(
    rule: RankingRule | None, board: Mapping[str, Any], known: KnownNames
) -> Iterator[Fault]:
    """The faults of a board's names, as far as a table that has other faults shows them."""
    if rule is not None:
        yield from rule.faults(known)
        return
    with suppress(PartError, TypeError):  # another check reports an unknown rule
        cls = cast(type[RankingRule], find("ranking", board.get("use", "")))
        yield from cls.faults_of_table(board, known)


def _available(names: Iterable[Any]) -> str:
    return f"available: {', '.join(sorted(str(name) for name in names)) or 'none'}"
