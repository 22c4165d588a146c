"""References: check that the parts of an edition fit together, and that names refer to something.

These checks read the plain tables and not the finished edition. So they report their faults
together with all others, even if something else in the file is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, cast

from pydantic import ValidationError

from quintain.attacks import Attack
from quintain.contests.fields import MEASURED, RANKED, SanitizerGrid
from quintain.contests.ids import reserved_id, reserved_track
from quintain.contests.submitting import CARD, Artefact
from quintain.data.sources.source import Source
from quintain.data_part import DataPart
from quintain.errors import Fault, PartError, Rejected
from quintain.guesses import Goal
from quintain.lines import KeyPath
from quintain.measures import GuessMeasure, Measure, ReleaseMeasure
from quintain.rankings import RankingRule
from quintain.rankings.formulas import Scope
from quintain.rankings.formulas.text import formula_faults
from quintain.rankings.rule import KnownNames
from quintain.registry import Part, build, find
from quintain.sanitizers import Sanitizer

Mistakes = Iterator[tuple[KeyPath, str | Fault]]


_ROLES = ("sanitizer", "attack")


_RESERVED = {"measure": MEASURED, "ranking": RANKED}


def reference_faults(edition: Mapping[str, Any]) -> list[tuple[KeyPath, Fault]]:
    """The path of everything in an edition's tables that does not fit, and what is wrong there."""
    return [
        (path, Fault(message) if isinstance(message, str) else message)
        for path, message in _mistakes(edition)
    ]


def _mistakes(edition: Mapping[str, Any]) -> list[tuple[KeyPath, str | Fault]]:
    faults = list(repeated_ids(edition, "team", ()))
    faults += _reserved_ids(edition, "team", (), reserved_id)
    faults += repeated_ids(edition, "track", ())
    faults += _reserved_ids(edition, "track", (), reserved_track)
    for number, track in enumerate(tables_of(edition, "track")):
        at: KeyPath = ("track", number)
        for name in ("phase", "board", "baseline"):
            faults += repeated_ids(track, name, at)
        faults += _reserved_ids(track, "baseline", at, reserved_id)
        faults += _clashes(edition, track, at)
        faults += _repeated_entries(track, at)
        faults += track_names(track, at)
        faults += _baselines(track, at)
        faults += _nothing_to_attack(track, at)
        faults += _refusals(track, at)
        faults += _unreadable_guesses(track, at)
        faults += _attacks_on_nothing(track, at)
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


def _reserved_ids(
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
        (("sample",), part_in("sample", track.get("sample"))),
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
            goals = " or ".join(kind.id for kind in measure.reads_goal) or "no goal"
            yield (
                (*at, "privacy", number),
                f"{measure.id} reads guesses at {goals}, not at {goal.id}",
            )
    if goal is not None and goal.asks_nothing:
        return
    if not measures and not track.get("privacy"):
        yield (*at, "privacy"), 'is required; only a track with goal = "none" has no attackers'
    if measures and all(isinstance(measure, ReleaseMeasure) for measure in measures):
        yield (*at, "privacy"), "no measure reads the attackers' guesses: add one that does"


def _attacks_on_nothing(track: Mapping[str, Any], at: KeyPath) -> Mistakes:
    """Where nobody attacks there is no phase for guesses, and no baseline with an attack."""
    goal = cast(Goal | None, part_in("goal", track.get("goal")))
    if goal is None or not goal.asks_nothing:
        return
    if "phase" not in track:
        yield at, 'nobody attacks in this track: add a [[phase]] with submit = "release"'
    for number, phase in enumerate(tables_of(track, "phase")):
        if phase.get("submit") == "guess":
            yield (*at, "phase", number), "nobody attacks in this track: leave this phase out"
    for number, baseline in enumerate(tables_of(track, "baseline")):
        if baseline.get("attack") is not None:
            where = (*at, "baseline", number, "attack")
            yield where, "nobody attacks in this track: leave the attack out"


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
                yield from _derived_faults(table, frozenset(released), (*at, kind, number))
            names.add(str(table.get("name")))
            released.add(str(table.get("name")))
    yield from _board_faults(
        track, "board", at, KnownNames(guesses, frozenset(released), finds=finds)
    )


def _derived_faults(table: Mapping[str, Any], released: frozenset[str], at: KeyPath) -> Mistakes:
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
    yield from _board_faults(
        edition, "overall", (), KnownNames(boards=tuple(ids), over_tracks=True)
    )
    known = {*ids, *(board.get("id") for board in tables_of(edition, "overall"))}
    for number, award in enumerate(tables_of(edition, "award")):
        if award.get("board") is not None and award["board"] not in known:
            yield (
                ("award", number, "board"),
                f"unknown board {award['board']!r}; {_available(known)}",
            )


def _board_faults(table: Mapping[str, Any], kind: str, at: KeyPath, known: KnownNames) -> Mistakes:
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


def submission_faults(track: Mapping[str, Any], at: KeyPath) -> Mistakes:
    """Everything about submissions that does not fit the phases or the file names of a track."""
    phases = tables_of(track, "phase")
    files = table_of(track, "files")
    releases = [phase for phase in phases if phase.get("submit") == "release"]
    as_files = [phase for phase in releases if phase.get("contract") is None]
    several = track.get("samples", 1) != 1
    if (several and as_files != releases) or (several and not releases):
        yield (*at, "samples"), "samples is for tracks in which teams submit releases as files"
    if not several and "{sample}" in str(files.get("release") or ""):
        yield (*at, "files", "release"), "the name has {sample}, but samples is 1"
    if table_of(track, "feedback").get("releases", "none") != "none" and not as_files:
        message = "releases is for tracks in which teams submit releases as files"
        yield (*at, "feedback", "releases"), message
    for number, phase in enumerate(phases):
        if phase.get("submit") == "guess":
            names = [str(files.get("guess") or "{task}.csv")]
        else:
            names = [str(files.get("release") or "release.csv"), CARD]
        for place, table in enumerate(tables_of(phase, "artefact")):
            artefact = _artefact(table)
            if artefact is not None and any(map(artefact.fits, names)):
                where = (*at, "phase", number, "artefact", place, "file")
                yield where, f"{artefact.file!r} could be another file of the same submission"


def _artefact(table: Mapping[str, Any]) -> Artefact | None:
    """The artefact of a table; None if it has a fault, which another check reports."""
    try:
        return Artefact.model_validate(table)
    except ValidationError:
        return None


def tables_of(table: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """The tables of an array; what is not a table counts as an empty one."""
    value = table.get(name, ())
    items = value if isinstance(value, list | tuple) else ()
    return [item if isinstance(item, Mapping) else {} for item in items]


def table_of(table: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The table under a key; what is not a table counts as an empty one."""
    value = table.get(name)
    return value if isinstance(value, Mapping) else {}


def part_in(family: str, table: object) -> Part | None:
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


def repeated_ids(table: Mapping[str, Any], name: str, at: KeyPath) -> Mistakes:
    """A fault for every id that two tables of an array have."""
    seen: set[Any] = set()
    for number, item in enumerate(tables_of(table, name)):
        given = item.get("id")
        if isinstance(given, str) and given in seen:
            yield (*at, name, number, "id"), f"the id {given!r} appears twice under [[{name}]]"
        seen.add(given)
