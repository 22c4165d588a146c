"""References: check that the parts of an edition fit together, and that names refer to something.

These checks read the plain tables and not the finished edition. So they report their faults
together with all others, even if something else in the file is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any, cast

from pydantic import ValidationError

from quintain.attacks import Attack
from quintain.contests.fields import SanitizerGrid
from quintain.contests.ids import reserved_id, reserved_track
from quintain.contests.lines import KeyPath
from quintain.contests.loading.board_names import overall_names, track_names
from quintain.contests.loading.plain_tables import Mistakes, part_in, repeated_ids, tables_of
from quintain.contests.loading.submitting import submission_faults
from quintain.data.sources.source import Source
from quintain.data_part import DataPart
from quintain.errors import Fault
from quintain.guesses import Goal
from quintain.measures import GuessMeasure, ReleaseMeasure
from quintain.registry import Part
from quintain.sanitizers import Sanitizer

_ROLES = ("sanitizer", "attack")


def reference_faults(edition: Mapping[str, Any]) -> list[tuple[KeyPath, Fault]]:
    """The path of everything in an edition's tables that does not fit, and what is wrong there."""
    return [
        (path, Fault(message) if isinstance(message, str) else message)
        for path, message in _mistakes(edition)
    ]


def _mistakes(edition: Mapping[str, Any]) -> list[tuple[KeyPath, str | Fault]]:
    faults = list(repeated_ids(edition, "team", ()))
    faults += _reserved(edition, "team", (), reserved_id)
    faults += repeated_ids(edition, "track", ())
    faults += _reserved(edition, "track", (), reserved_track)
    for number, track in enumerate(tables_of(edition, "track")):
        at: KeyPath = ("track", number)
        for name in ("phase", "board", "baseline"):
            faults += repeated_ids(track, name, at)
        faults += _reserved(track, "baseline", at, reserved_id)
        faults += _clashes(edition, track, at)
        faults += _repeated_entries(track, at)
        faults += track_names(track, at)
        faults += _baselines(track, at)
        faults += _nothing_to_attack(track, at)
        faults += _refusals(track, at)
        faults += _unreadable_guesses(track, at)
        faults += _unsplit_goals(track, at)
        faults += submission_faults(track, at)
        faults += _unknown_origins(track, at)
    faults += overall_names(edition)
    return faults


def _clashes(edition: Mapping[str, Any], track: Mapping[str, Any], at: KeyPath) -> Mistakes:
    """Two players or entries under one name would share their samples, their noise or files."""
    teams, entries = _ids(edition, "team"), {name for _, name, _ in _entries(track)}
    for number, baseline in enumerate(tables_of(track, "baseline")):
        where, id = (*at, "baseline", number, "id"), baseline.get("id")
        if id in teams:
            yield where, f"a team has the id {id!r} as well; choose another"
        if id in entries and "sanitizer" in baseline:
            yield where, f"an entry has the name {id!r} as well; choose another"
    for number, id in enumerate(teams):
        if id in entries:
            yield ("team", number, "id"), f"an entry has the name {id!r} as well; choose another"


def _repeated_entries(track: Mapping[str, Any], at: KeyPath) -> Mistakes:
    """Of two sanitizers whose entries have one name, only one would be run."""
    seen: set[str] = set()
    for number, name, _ in _entries(track):
        if name in seen:
            yield (
                (*at, "sanitizer", number),
                f"the entry {name!r} appears twice; give this one a name of its own, such as "
                f'name = "{name}-2"',
            )
        seen.add(name)


def _reserved(
    table: Mapping[str, Any], name: str, at: KeyPath, rule: Callable[[str], str | None]
) -> Mistakes:
    for number, id in enumerate(_ids(table, name)):
        reason = rule(id)
        if reason is not None:
            yield (*at, name, number, "id"), reason


def _ids(table: Mapping[str, Any], name: str) -> list[str]:
    return [str(item.get("id", "")) for item in tables_of(table, name)]


def _entries(track: Mapping[str, Any]) -> Iterator[tuple[int, str, Sanitizer]]:
    """The organisers' entries, as far as their tables are right: table, name and sanitizer."""
    for number, table in enumerate(tables_of(track, "sanitizer")):
        with suppress(ValidationError):
            for name, entry in SanitizerGrid.model_validate(table).entries():
                yield number, name, entry


def _baselines(track: Mapping[str, Any], at: KeyPath) -> Mistakes:
    knowledge = track.get("knowledge")
    gives = knowledge.get("gives") if isinstance(knowledge, Mapping) else None
    goal = part_in("goal", track.get("goal"))
    for number, baseline in enumerate(tables_of(track, "baseline")):
        attack = part_in("attack", baseline.get("attack"))
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
            others = f"quintain parts attack --goal {goal.name()}"
            yield (
                where,
                f"{attack.id} cannot answer the goal {goal.id}; for those that can: {others}",
            )


def _refusals(track: Mapping[str, Any], at: KeyPath) -> Mistakes:
    """Every part of a track must work on the columns of the track's data."""
    source = part_in("source", track.get("dataset"))
    if source is None:
        return
    schema = cast(Source, source).data_schema()
    population = track.get("population")
    generator = population.get("generator") if isinstance(population, Mapping) else None
    whole: list[tuple[KeyPath, Part | None]] = [
        (("population", "generator"), part_in("sanitizer", generator)),
        (("goal",), part_in("goal", track.get("goal"))),
    ]
    places: list[tuple[KeyPath, Part | None]] = [
        (("sanitizer", number), entry) for number, _, entry in _entries(track)
    ]
    for name, family in (("rule", "rule"), ("privacy", "measure"), ("utility", "measure")):
        places += [((name, i), part_in(family, t)) for i, t in enumerate(tables_of(track, name))]
    for i, baseline in enumerate(tables_of(track, "baseline")):
        places += [(("baseline", i, role), part_in(role, baseline.get(role))) for role in _ROLES]
    for columns, parts in ((schema, whole), (schema.private, places)):
        for where, part in parts:
            reason = part.refusal(columns) if isinstance(part, DataPart) else ""
            if reason:
                yield (*at, *where), reason


def _unreadable_guesses(track: Mapping[str, Any], at: KeyPath) -> Mistakes:
    """Every measure of guesses must read guesses at the goal of the track."""
    goal = cast(Goal | None, part_in("goal", track.get("goal")))
    measures = [part_in("measure", table) for table in tables_of(track, "privacy")]
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
    feedback, goal = track.get("feedback"), cast(Goal | None, part_in("goal", track.get("goal")))
    if goal is None or goal.by_target or not isinstance(feedback, Mapping):
        return
    if feedback.get("shown_on") is not None:
        where = (*at, "feedback", "shown_on")
        yield where, f"{goal.id} has no single targets to split; leave shown_on out"


def _unknown_origins(track: Mapping[str, Any], at: KeyPath) -> Mistakes:
    """A goal about the rows of people needs sanitizers that make rows from people's records."""
    goal = cast(Goal | None, part_in("goal", track.get("goal")))
    if goal is None or not goal.needs_origins:
        return
    places: list[tuple[KeyPath, Part | None]] = [
        (("sanitizer", number), entry) for number, _, entry in _entries(track)
    ]
    for i, baseline in enumerate(tables_of(track, "baseline")):
        places.append(
            (("baseline", i, "sanitizer"), part_in("sanitizer", baseline.get("sanitizer")))
        )
    for where, part in places:
        if isinstance(part, Sanitizer) and not part.tells_origins():
            reason = f"its records stand for nobody, and {goal.id} asks whose they are"
            yield (*at, *where), f"{part.id}: {reason}"


def _nothing_to_attack(track: Mapping[str, Any], at: KeyPath) -> Mistakes:
    releases = any(phase.get("submit") == "release" for phase in tables_of(track, "phase"))
    if not releases and not track.get("sanitizer"):
        yield at, 'nothing to attack: add a [[sanitizer]], or a [[phase]] with submit = "release"'
