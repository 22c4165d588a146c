"""What must fit together in an edition: names that refer to each other, knowledge and needs.

These checks read the plain tables and not the finished edition, so that they find their faults
beside all others, whatever else is wrong in the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from quintain.attacks import Attack
from quintain.contests.fields import MEASURED
from quintain.contests.lines import KeyPath
from quintain.data.sources.source import Source
from quintain.errors import Rejected
from quintain.guesses import Goal
from quintain.measures import GuessMeasure, Measure, ReleaseMeasure
from quintain.rankings import RankingRule
from quintain.registry import Part, build
from quintain.sanitizers import Sanitizer
from quintain.suggestion import suggestion

Found = Iterator[tuple[KeyPath, str]]
_ROLES = ("sanitizer", "attack")
_RESERVED = {"measure": MEASURED, "ranking": ("id", "title", "ties")}


def reference_faults(edition: Mapping[str, Any]) -> list[tuple[KeyPath, str]]:
    """Every broken reference of an edition's tables."""
    found = list(_twice(edition, "team", ()))
    found += _twice(edition, "track", ())
    for number, track in enumerate(_tables(edition, "track")):
        at: KeyPath = ("track", number)
        for name in ("phase", "board", "baseline"):
            found += _twice(track, name, at)
        found += _clashes(edition, track, at)
        found += _boards(track, at)
        found += _baselines(track, at)
        found += _nothing_to_attack(track, at)
        found += _shapes(track, at)
        found += _unreadable_guesses(track, at)
    found += _overall(edition)
    return found


def _tables(table: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    value = table.get(name, ())
    items = value if isinstance(value, list | tuple) else ()
    return [item if isinstance(item, Mapping) else {} for item in items]


def _part(family: str, table: object) -> Part | None:
    """The part a table describes, or None if it does not build (another check says why)."""
    if isinstance(table, Mapping):
        nested = table.get("measure" if family == "measure" else "rule")
        skip = _RESERVED.get(family, ())
        table = nested or {key: value for key, value in table.items() if key not in skip}
    if not isinstance(table, str | Mapping):
        return None
    try:
        return build(family, table)
    except Rejected:
        return None


def _twice(table: Mapping[str, Any], name: str, at: KeyPath) -> Found:
    seen: set[Any] = set()
    for number, item in enumerate(_tables(table, name)):
        given = item.get("id")
        if isinstance(given, str) and given in seen:
            yield (*at, name, number, "id"), f"there is another {name} {given!r}"
        seen.add(given)


def _clashes(edition: Mapping[str, Any], track: Mapping[str, Any], at: KeyPath) -> Found:
    teams = {team.get("id") for team in _tables(edition, "team")}
    for number, baseline in enumerate(_tables(track, "baseline")):
        if baseline.get("id") in teams:
            yield (*at, "baseline", number, "id"), f"{baseline['id']!r} is also a team"


def _boards(track: Mapping[str, Any], at: KeyPath) -> Found:
    names: set[str] = set()
    released: set[str] = set()
    for kind in ("privacy", "utility"):
        for number, table in enumerate(_tables(track, kind)):
            measure = _part("measure", table)
            if measure is None:
                return  # the names are not known, so nothing can be said of the boards
            given = [table["name"]] if table.get("name") else cast(Measure, measure).reads
            for name in given:
                if name in names:
                    yield (*at, kind, number), f"another measure reads {name!r} already; name it"
                names.add(name)
            released |= set(given) if isinstance(measure, ReleaseMeasure) else set()
    for number, table in enumerate(_tables(track, "derived")):
        for name in table.get("of", ()):
            if name not in released:
                message = f"nothing reads {name!r} from releases; {_available(released)}"
                yield (*at, "derived", number, "of"), message
        released.add(str(table.get("name")))
    names |= released
    yield from _earlier(track, "board", at, [])
    for number, table in enumerate(_tables(track, "board")):
        rule = _part("ranking", table)
        for name in cast(RankingRule, rule).uses if rule else ():
            if name not in names:
                message = f"ranks by {name!r}, which nothing reads{suggestion(name, names)}"
                yield (*at, "board", number), message


def _overall(edition: Mapping[str, Any]) -> Found:
    yield from _twice(edition, "overall", ())
    ids = [
        f"{track.get('id', 'main')}/{board.get('id')}"
        for track in _tables(edition, "track")
        for board in _tables(track, "board")
    ]
    yield from _earlier(edition, "overall", (), ids)
    known = {*ids, *(board.get("id") for board in _tables(edition, "overall"))}
    for number, award in enumerate(_tables(edition, "award")):
        if award.get("board") is not None and award["board"] not in known:
            yield (
                ("award", number, "board"),
                f"unknown board {award['board']!r}; {_available(known)}",
            )


def _earlier(table: Mapping[str, Any], kind: str, at: KeyPath, known: list[str]) -> Found:
    """A board may look only at boards that stand before it."""
    before: list[Any] = list(known)
    for number, board in enumerate(_tables(table, kind)):
        rule = _part("ranking", board)
        ties = board.get("ties", ())
        wanted = [*(cast(RankingRule, rule).follows if rule else ()), *ties]
        for name in wanted:
            if name not in before:
                yield (
                    (*at, kind, number),
                    f"no board {name!r} stands before it; {_available(before)}",
                )
        before.append(board.get("id"))


def _available(names: Iterable[Any]) -> str:
    return f"available: {', '.join(sorted(str(name) for name in names)) or 'none'}"


def _baselines(track: Mapping[str, Any], at: KeyPath) -> Found:
    knowledge = track.get("knowledge")
    gives = knowledge.get("gives") if isinstance(knowledge, Mapping) else None
    goal = _part("goal", track.get("goal"))
    for number, baseline in enumerate(_tables(track, "baseline")):
        attack = _part("attack", baseline.get("attack"))
        if attack is None:
            continue
        needs = cast(Attack, attack).needs
        missing = sorted(needs - set(gives)) if isinstance(gives, list | tuple) else []
        if missing:
            where = (*at, "baseline", number, "attack")
            yield where, f"{attack.id} needs {', '.join(missing)}, which attackers are not given"
        if goal is not None and not issubclass(cast(Goal, goal).asks, cast(Attack, attack).answers):
            where = (*at, "baseline", number, "attack")
            yield where, f"{attack.id} cannot answer the goal {goal.id}"


def _shapes(track: Mapping[str, Any], at: KeyPath) -> Found:
    """Every part of a track must be able to work on its kind of data."""
    source = _part("source", track.get("dataset"))
    if source is None:
        return
    shape = cast(Source, source).data_schema().shape
    places: list[tuple[KeyPath, str, object]] = [(("goal",), "goal", track.get("goal"))]
    for name, family in (("rule", "rule"), ("privacy", "measure"), ("utility", "measure")):
        places += [((name, i), family, t) for i, t in enumerate(_tables(track, name))]
    for i, baseline in enumerate(_tables(track, "baseline")):
        places += [(("baseline", i, role), role, baseline.get(role)) for role in _ROLES]
    for where, family, table in places:
        part = _part(family, table)
        shapes = getattr(part, "shapes", (shape,))
        fits = part.takes(shape) if isinstance(part, Sanitizer) else shape in shapes
        if part is not None and not fits:
            yield (*at, *where), f"{part.id} is for {' or '.join(shapes)}, not for {shape}"


def _unreadable_guesses(track: Mapping[str, Any], at: KeyPath) -> Found:
    """Every measure of guesses must be able to read the guesses at the track's goal."""
    goal = cast(Goal | None, _part("goal", track.get("goal")))
    measures = [_part("measure", table) for table in _tables(track, "privacy")]
    for number, measure in enumerate(measures):
        if goal is None or not isinstance(measure, GuessMeasure):
            continue
        if not isinstance(goal, measure.reads_goal):
            goals = " or ".join(one.id for one in measure.reads_goal) or "no goal"
            yield (
                (*at, "privacy", number),
                f"{measure.id} reads guesses at {goals}, not at {goal.id}",
            )
    if measures and all(isinstance(measure, ReleaseMeasure) for measure in measures):
        yield (*at, "privacy"), "nothing reads the attackers' guesses: add a measure that does"


def _nothing_to_attack(track: Mapping[str, Any], at: KeyPath) -> Found:
    releases = any(phase.get("submit") == "release" for phase in _tables(track, "phase"))
    if not releases and not track.get("sanitizer"):
        yield at, "nothing to attack: give a [[sanitizer]], or a [[phase]] in which teams release"
