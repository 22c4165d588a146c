"""References: check that the parts of an edition fit together, and that names refer to something.

These checks read the plain tables and not the finished edition. So they report their faults
together with all others, even if something else in the file is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, cast

from pydantic import ValidationError

from quintain.attacks import Attack
from quintain.contests.fields import MEASURED, SanitizerGrid
from quintain.contests.ids import reserved_id, reserved_track
from quintain.contests.lines import KeyPath
from quintain.contests.submitting.fitting import hand_in_faults
from quintain.data.sources.source import Source
from quintain.data_part import DataPart
from quintain.errors import Rejected
from quintain.guesses import Goal
from quintain.measures import GuessMeasure, Measure, ReleaseMeasure
from quintain.rankings import RankingRule
from quintain.registry import Part, build
from quintain.sanitizers import Sanitizer
from quintain.suggestion import suggestion

Mistakes = Iterator[tuple[KeyPath, str]]
_ROLES = ("sanitizer", "attack")
_RESERVED = {"measure": MEASURED, "ranking": ("id", "title", "ties")}


def reference_faults(edition: Mapping[str, Any]) -> list[tuple[KeyPath, str]]:
    """The path and the message of everything in an edition's tables that does not fit."""
    faults = list(_twice(edition, "team", ()))
    faults += _reserved(edition, "team", (), reserved_id)
    faults += _twice(edition, "track", ())
    faults += _reserved(edition, "track", (), reserved_track)
    for number, track in enumerate(_tables(edition, "track")):
        at: KeyPath = ("track", number)
        for name in ("phase", "board", "baseline"):
            faults += _twice(track, name, at)
        faults += _reserved(track, "baseline", at, reserved_id)
        faults += _clashes(edition, track, at)
        faults += _boards(track, at)
        faults += _baselines(track, at)
        faults += _nothing_to_attack(track, at)
        faults += _refusals(track, at)
        faults += _unreadable_guesses(track, at)
        faults += _unsplit_goals(track, at)
        faults += hand_in_faults(track, at)
        faults += _unknown_origins(track, at)
    faults += _overall(edition)
    return faults


def _tables(table: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    value = table.get(name, ())
    items = value if isinstance(value, list | tuple) else ()
    return [item if isinstance(item, Mapping) else {} for item in items]


def _part(family: str, table: object) -> Part | None:
    """The part that a table describes; None if it cannot be built, which another check reports."""
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


def _twice(table: Mapping[str, Any], name: str, at: KeyPath) -> Mistakes:
    seen: set[Any] = set()
    for number, item in enumerate(_tables(table, name)):
        given = item.get("id")
        if isinstance(given, str) and given in seen:
            yield (*at, name, number, "id"), f"the id {given!r} appears twice under [[{name}]]"
        seen.add(given)


def _clashes(edition: Mapping[str, Any], track: Mapping[str, Any], at: KeyPath) -> Mistakes:
    """Two players or entries under one name would share their samples, their noise or files."""
    teams, entries = _ids(edition, "team"), {name for _, name, _ in _entries(track)}
    for number, baseline in enumerate(_tables(track, "baseline")):
        where, id = (*at, "baseline", number, "id"), baseline.get("id")
        if id in teams:
            yield where, f"a team has the id {id!r} as well; choose another"
        if id in entries and "sanitizer" in baseline:
            yield where, f"an entry has the name {id!r} as well; choose another"
    for number, id in enumerate(teams):
        if id in entries:
            yield ("team", number, "id"), f"an entry has the name {id!r} as well; choose another"


def _reserved(
    table: Mapping[str, Any], name: str, at: KeyPath, rule: Callable[[str], str | None]
) -> Mistakes:
    for number, id in enumerate(_ids(table, name)):
        reason = rule(id)
        if reason is not None:
            yield (*at, name, number, "id"), reason


def _ids(table: Mapping[str, Any], name: str) -> list[str]:
    return [str(item.get("id", "")) for item in _tables(table, name)]


def _entries(track: Mapping[str, Any]) -> Iterator[tuple[int, str, Sanitizer]]:
    """The organisers' entries, as far as their tables are right: table, name and sanitizer."""
    for number, table in enumerate(_tables(track, "sanitizer")):
        with suppress(ValidationError):
            for name, entry in SanitizerGrid.model_validate(table).entries():
                yield number, name, entry


def _boards(track: Mapping[str, Any], at: KeyPath) -> Mistakes:
    names: set[str] = set()
    released: set[str] = set()
    for kind in ("privacy", "utility"):
        for number, table in enumerate(_tables(track, kind)):
            measure = _part("measure", table)
            if measure is None:
                return  # the names of readings are unknown, so the boards cannot be checked
            given = [table["name"]] if table.get("name") else cast(Measure, measure).reads
            for name in given:
                if name in names:
                    message = f"another measure has the reading {name!r}; give this one a name"
                    yield (*at, kind, number), message
                names.add(name)
            released |= set(given) if isinstance(measure, ReleaseMeasure) else set()
    for number, table in enumerate(_tables(track, "derived")):
        for name in table.get("of", ()):
            if name not in released:
                message = f"unknown reading of releases {name!r}; {_available(released)}"
                yield (*at, "derived", number, "of"), message
        released.add(str(table.get("name")))
    names |= released
    yield from _earlier(track, "board", at, [])
    for number, table in enumerate(_tables(track, "board")):
        rule = _part("ranking", table)
        for name in cast(RankingRule, rule).uses if rule else ():
            if name not in names:
                message = f"ranks by the unknown reading {name!r}{suggestion(name, names)}"
                yield (*at, "board", number), message
            elif name in released and name in cast(RankingRule, rule).uses_guesses:
                message = f"ranks attackers by {name!r}, which is read from releases"
                yield (*at, "board", number), f"{message}; {_available(names - released)}"


def _overall(edition: Mapping[str, Any]) -> Mistakes:
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


def _earlier(table: Mapping[str, Any], kind: str, at: KeyPath, known: list[str]) -> Mistakes:
    """A board may refer only to boards before it."""
    before: list[Any] = list(known)
    for number, board in enumerate(_tables(table, kind)):
        rule = _part("ranking", board)
        ties = board.get("ties", ())
        wanted = [*(cast(RankingRule, rule).follows if rule else ()), *ties]
        for name in wanted:
            if name not in before:
                yield (
                    (*at, kind, number),
                    f"unknown board {name!r} among those before it; {_available(before)}",
                )
        before.append(board.get("id"))


def _available(names: Iterable[Any]) -> str:
    return f"available: {', '.join(sorted(str(name) for name in names)) or 'none'}"


def _baselines(track: Mapping[str, Any], at: KeyPath) -> Mistakes:
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
            facts = ", ".join(missing)
            yield where, f"{attack.id} needs {facts}, which [knowledge] does not give to attackers"
        if goal is not None and not issubclass(cast(Goal, goal).asks, cast(Attack, attack).answers):
            where = (*at, "baseline", number, "attack")
            yield where, f"{attack.id} cannot answer the goal {goal.id}"


def _refusals(track: Mapping[str, Any], at: KeyPath) -> Mistakes:
    """Every part of a track must work on the columns of the track's data."""
    source = _part("source", track.get("dataset"))
    if source is None:
        return
    schema = cast(Source, source).data_schema()
    population = track.get("population")
    generator = population.get("generator") if isinstance(population, Mapping) else None
    whole: list[tuple[KeyPath, Part | None]] = [
        (("population", "generator"), _part("sanitizer", generator)),
        (("goal",), _part("goal", track.get("goal"))),
    ]
    places: list[tuple[KeyPath, Part | None]] = [
        (("sanitizer", number), entry) for number, _, entry in _entries(track)
    ]
    for name, family in (("rule", "rule"), ("privacy", "measure"), ("utility", "measure")):
        places += [((name, i), _part(family, t)) for i, t in enumerate(_tables(track, name))]
    for i, baseline in enumerate(_tables(track, "baseline")):
        places += [(("baseline", i, role), _part(role, baseline.get(role))) for role in _ROLES]
    for columns, parts in ((schema, whole), (schema.private, places)):
        for where, part in parts:
            reason = part.refusal(columns) if isinstance(part, DataPart) else ""
            if reason:
                yield (*at, *where), reason


def _unreadable_guesses(track: Mapping[str, Any], at: KeyPath) -> Mistakes:
    """Every measure of guesses must read guesses at the goal of the track."""
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
        yield (*at, "privacy"), "no measure reads the attackers' guesses: add one that does"


def _unsplit_goals(track: Mapping[str, Any], at: KeyPath) -> Mistakes:
    """Only the answers to questions about single targets can be split into two parts."""
    feedback, goal = track.get("feedback"), cast(Goal | None, _part("goal", track.get("goal")))
    if goal is None or goal.by_target or not isinstance(feedback, Mapping):
        return
    if feedback.get("shown_on") is not None:
        where = (*at, "feedback", "shown_on")
        yield where, f"{goal.id} has no single targets to split; leave shown_on out"


def _unknown_origins(track: Mapping[str, Any], at: KeyPath) -> Mistakes:
    """A goal about the rows of people needs sanitizers that make rows from people's records."""
    goal = cast(Goal | None, _part("goal", track.get("goal")))
    if goal is None or not goal.needs_origins:
        return
    places: list[tuple[KeyPath, Part | None]] = [
        (("sanitizer", number), entry) for number, _, entry in _entries(track)
    ]
    for i, baseline in enumerate(_tables(track, "baseline")):
        places.append((("baseline", i, "sanitizer"), _part("sanitizer", baseline.get("sanitizer"))))
    for where, part in places:
        if isinstance(part, Sanitizer) and not part.tells_origins():
            reason = f"its records stand for nobody, and {goal.id} asks whose they are"
            yield (*at, *where), f"{part.id}: {reason}"


def _nothing_to_attack(track: Mapping[str, Any], at: KeyPath) -> Mistakes:
    releases = any(phase.get("submit") == "release" for phase in _tables(track, "phase"))
    if not releases and not track.get("sanitizer"):
        yield at, 'nothing to attack: add a [[sanitizer]], or a [[phase]] with submit = "release"'
