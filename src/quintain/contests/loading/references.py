"""References: check that the parts of an edition fit together, and that names refer to something.

These checks read the plain tables and not the finished edition. So they report their faults
together with all others, even if something else in the file is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple, cast

from pydantic import ValidationError

from quintain.attacks import Attack
from quintain.contests.edition import MODEL_FILE
from quintain.contests.fields import MEASURED, RANKED, SanitizerGrid
from quintain.contests.file_names import CARD_FILE
from quintain.contests.ids import reserved_id, reserved_track
from quintain.contests.submitting import QUERIES, Artefact, ModelRule, Phase
from quintain.contests.track_goal import AIMED
from quintain.data import Schema
from quintain.data.data_part import DataPart
from quintain.data.files.toml_lines import KeyPath
from quintain.data.models import form_fault, model_schema
from quintain.data.shape import find_shape
from quintain.data.sources.source import Source
from quintain.errors import Fault, PartError, Rejected
from quintain.guesses import Goal
from quintain.measures import Direction, GuessMeasure, Measure, ReleaseMeasure
from quintain.measures.subgroups import Subgroups, columns_of_records, columns_of_targets
from quintain.programs import AnswerContract
from quintain.rankings import RankingRule, TieRule
from quintain.rankings.formulas import Scope
from quintain.rankings.formulas.text import formula_faults
from quintain.rankings.rule import KnownNames
from quintain.rankings.ties import RankOn
from quintain.registry import Part, build, find
from quintain.sanitizers import Sanitizer

Mistakes = Iterator[tuple[KeyPath, str | Fault]]


_TEXTS = ("id", "name", "use")
_ROLES = ("sanitizer", "attack")


_RESERVED = {"measure": MEASURED, "ranking": RANKED, "goal": AIMED}
_NESTED = {"measure": "measure", "ranking": "rule", "goal": "goal"}
"""The keys under which fixed rules have the part of a table that has keys of its own."""


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
        for name in ("goal", "phase", "board", "baseline"):
            faults += repeated_ids(track, name, at)
        faults += _reserved_ids(track, "baseline", at, reserved_id)
        faults += _clashes(edition, track, at)
        faults += _repeated_entries(track, at)
        faults += track_names(track, at)
        faults += _baselines(track, at)
        faults += _nothing_to_attack(track, at)
        faults += _refusals(track, at)
        faults += _black_boxes(track, at)
        faults += _unreadable_guesses(track, at)
        faults += _unmeasured_goals(track, at)
        faults += _target_shares(track, at)
        faults += _unknown_groups(track, at)
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


class WrittenGoal(NamedTuple):
    """A goal as the tables of a track have it.

    Parameters
    ----------
    at : where it is, below the track.
    id : its id; empty for the only goal of a track.
    goal : None if it cannot be built, which another check reports.
    gives : the facts that its attackers get; None if the tables do not say.
    """

    at: KeyPath
    id: str
    goal: Goal | None
    gives: frozenset[str] | None


def written_goals(track: Mapping[str, Any]) -> list[WrittenGoal]:
    """The goals of a track, as far as its tables are right."""
    shared, value = _gives(track), track.get("goal")
    if not isinstance(value, list | tuple):
        return [WrittenGoal(("goal",), "", cast(Goal | None, part_in("goal", value)), shared)]
    return [
        WrittenGoal(
            ("goal", number),
            str(table.get("id", "")),
            cast(Goal | None, part_in("goal", table)),
            shared if (own := _gives(table)) is None else own,
        )
        for number, table in enumerate(tables_of(track, "goal"))
    ]


def _gives(table: Mapping[str, Any]) -> frozenset[str] | None:
    """The facts that a table gives to attackers; None if it does not say."""
    gives = table_of(table, "knowledge").get("gives")
    return frozenset(map(str, gives)) if isinstance(gives, list | tuple) else None


def _baselines(track: Mapping[str, Any], at: KeyPath) -> Mistakes:
    """A baseline attacks every goal that it can answer; it must know enough for each of them."""
    goals = [written for written in written_goals(track) if written.goal is not None]
    for number, baseline in enumerate(tables_of(track, "baseline")):
        attack = cast(Attack | None, part_in("attack", baseline.get("attack")))
        if attack is None:
            continue
        where = (*at, "baseline", number, "attack")
        fitting = [w for w in goals if issubclass(cast(Goal, w.goal).asks, attack.answers)]
        # If releases are models, the rules for models say who gets their weights.
        needed = attack.needs - {"weights"} if "model" in track else attack.needs
        missing = {w.gives and tuple(sorted(needed - w.gives)) for w in fitting or goals}
        for facts in filter(None, missing):
            given = f"{attack.id} needs {', '.join(facts)}, which [knowledge] does not give to"
            yield where, f"{given} attackers"
        if goals and not fitting:
            named = " or ".join(f"the goal {cast(Goal, w.goal).id}" for w in goals)
            others = f"quintain parts attack --goal {cast(Goal, goals[0].goal).name()}"
            yield where, f"{attack.id} cannot answer {named}; for those that can: {others}"


def _black_boxes(track: Mapping[str, Any], at: KeyPath) -> Mistakes:
    """Attackers who see answers alone have no weights; a program that answers has none to give."""
    model = track.get("model")
    queries = model.get("queries") if isinstance(model, Mapping) else None
    if model is not None and "weights" in (_gives(track) or ()):
        message = "the key model says whether attackers get weights; leave weights out"
        yield (*at, "knowledge", "gives"), message
    for number, phase in enumerate(tables_of(track, "phase")):
        contract = part_in("contract", phase.get("contract"))
        if isinstance(contract, AnswerContract) and queries is None:
            message = 'add model = { label = "...", queries = ... } to the track'
            where = (*at, "phase", number, "contract")
            yield where, f"{contract.id} answers in place of a model: {message}"
    for number, baseline in enumerate(tables_of(track, "baseline")):
        attack = cast(Attack | None, part_in("attack", baseline.get("attack")))
        if attack is not None and "weights" in attack.needs and queries is not None:
            message = "model.queries lets attackers see answers alone"
            yield (*at, "baseline", number, "attack"), f"{attack.id} needs the weights; {message}"
    if isinstance(model, Mapping) and model.get("own_queries") is not None:
        yield from _own_queries(track, at)


def _own_queries(track: Mapping[str, Any], at: KeyPath) -> Mistakes:
    """Queries are submitted as files beside answers, and no answer may have the name of one."""
    for phase in tables_of(track, "phase"):
        if phase.get("submit") == "guess" and phase.get("contract") is not None:
            message = "a program guesses in one call, so no attacker could ask: leave it out"
            yield (*at, "model", "own_queries"), message
    if str(table_of(track, "files").get("guess", "")).upper().startswith(QUERIES):
        message = f"begins with {QUERIES}, as the files of queries do: choose another name"
        yield (*at, "files", "guess"), message


def _refusals(track: Mapping[str, Any], at: KeyPath) -> Mistakes:
    """Every part of a track must work on the columns of the track's data."""
    source = part_in("source", track.get("dataset"))
    if source is None:
        return
    schema = cast(Source, source).data_schema()
    released, fault = _columns_of_releases(track, schema.private)
    if fault:
        yield (*at, "model", "label"), fault
    population = track.get("population")
    generator = population.get("generator") if isinstance(population, Mapping) else None
    whole: list[tuple[KeyPath, Part | None]] = [
        (("population", "generator"), part_in("sanitizer", generator)),
        *((written.at, written.goal) for written in written_goals(track)),
        (("sample",), part_in("sample", track.get("sample"))),
    ]
    before: list[tuple[KeyPath, Part | None]] = [
        (("sanitizer", number), entry) for number, _, entry in _entries(track)
    ]
    after: list[tuple[KeyPath, Part | None]] = []
    for name, family in (("rule", "rule"), ("privacy", "measure"), ("utility", "measure")):
        after += [((name, i), part_in(family, t)) for i, t in enumerate(tables_of(track, name))]
    for i, baseline in enumerate(tables_of(track, "baseline")):
        for role, places in zip(_ROLES, (before, after), strict=True):
            places.append((("baseline", i, role), part_in(role, baseline.get(role))))
    for columns, parts in ((schema, whole), (schema.private, before), (released, after)):
        for where, part in parts:
            reason = part.refusal(columns) if isinstance(part, DataPart) else ""
            if reason:
                yield (*at, *where), reason
            elif isinstance(part, Sanitizer) and parts is before:
                for message in _other_releases(part, schema.private, released):
                    yield (*at, *where), message


def _columns_of_releases(track: Mapping[str, Any], private: Schema) -> tuple[Schema, str]:
    """The columns of releases, and why no model can be one; other checks report a wrong table."""
    table = track.get("model")
    try:
        rule = ModelRule.model_validate(table)
    except ValidationError:
        return private, ""
    lacking = find_shape("table").lacks(private)
    if lacking:
        return private, f"a model learns from a table: {lacking}"
    return model_schema(rule.form(private)), form_fault(rule.label, private)


def _other_releases(part: Sanitizer, private: Schema, wanted: Schema) -> Iterator[str]:
    """Why the releases of a sanitizer are not what the track takes."""
    made = part.release_schema(private)
    if made.model is None or wanted.model is None:
        if made.model is not wanted.model:
            yield (
                f"{part.id} releases {made.shape}, and this track takes {wanted.shape}: "
                + ("leave model out" if made.model is None else 'add model = { label = "..." }')
            )
    elif made.model.label != wanted.model.label:
        labels = f"{made.model.label!r}, and model asks for {wanted.model.label!r}"
        yield f"{part.id} predicts {labels}"


def _unreadable_guesses(track: Mapping[str, Any], at: KeyPath) -> Mistakes:
    """Every measure of guesses must read guesses at a goal of the track."""
    goals = {written.id: written.goal for written in written_goals(track)}
    for number, table in enumerate(tables_of(track, "privacy")):
        measure, id = part_in("measure", table), str(table.get("goal", ""))
        where = (*at, "privacy", number)
        if isinstance(measure, ReleaseMeasure) and id:
            yield (*where, "goal"), f"{measure.id} reads releases, not guesses: leave goal out"
        if not isinstance(measure, GuessMeasure):
            continue
        if id not in goals:
            yield (*where, "goal"), _no_such_goal(id, goals)
            continue
        goal = goals[id]
        if goal is not None and not isinstance(goal, measure.reads_goal):
            kinds = " or ".join(kind.id for kind in measure.reads_goal) or "no goal"
            yield where, f"{measure.id} reads guesses at {kinds}, not at {goal.id}"


def _no_such_goal(id: str, goals: Iterable[str]) -> str:
    """Why the id of a goal does not fit the goals of a track."""
    known = [goal for goal in goals if goal]
    if not known:
        return "the track has one goal, without an id: leave goal out"
    names = " or ".join(f'goal = "{goal}"' for goal in known)
    problem = f"unknown goal {id!r}" if id else "the track has several goals"
    return f"{problem}; write {names}"


def _unmeasured_goals(track: Mapping[str, Any], at: KeyPath) -> Mistakes:
    """Every goal needs a measure of the guesses at it."""
    tables = tables_of(track, "privacy")
    measures = [(part_in("measure", table), str(table.get("goal", ""))) for table in tables]
    if any(measure is None for measure, _ in measures):
        return  # another check reports a measure that cannot be built
    measured = {id for measure, id in measures if isinstance(measure, GuessMeasure)}
    for written in written_goals(track):
        if written.id in measured or (written.goal is not None and written.goal.asks_nothing):
            continue
        if written.id:
            message = f'add a [[privacy]] with goal = "{written.id}"'
            yield (*at, *written.at), f"no measure reads the guesses at {written.id}: {message}"
        elif not track.get("privacy"):
            yield (*at, "privacy"), 'is required; only a track with goal = "none" has no attackers'
        elif measures:
            yield (*at, "privacy"), "no measure reads the attackers' guesses: add one that does"


def _target_shares(track: Mapping[str, Any], at: KeyPath) -> Mistakes:
    """The goals that ask about some of the targets must not need more than all of them."""
    total = 0.0
    for number, table in enumerate(tables_of(track, "goal")):
        share, goal = table.get("targets"), cast(Goal | None, part_in("goal", table))
        where = (*at, "goal", number, "targets")
        if share is not None and goal is not None and not goal.by_target:
            yield where, f"{goal.id} has no single targets to split; leave targets out"
        total += share if isinstance(share, int | float) else 0
        if share is not None and total > 1 + 1e-9:
            yield where, f"the shares of the goals add up to {total:g}; all targets are 1"


def _unknown_groups(track: Mapping[str, Any], at: KeyPath) -> Mistakes:
    """A subgroup goes by columns that are known of the targets, or that releases have."""
    source = part_in("source", track.get("dataset"))
    if source is None:
        return
    goals = {written.id: written.goal for written in written_goals(track)}
    schema = cast(Source, source).data_schema()
    for kind in ("privacy", "utility"):
        for number, table in enumerate(tables_of(track, kind)):
            measure, groups = part_in("measure", table), subgroups_in(table)
            goal = goals.get(str(table.get("goal", "")))
            of_guesses = isinstance(measure, GuessMeasure)
            if measure is None or groups is None or (of_guesses and goal is None):
                continue
            columns, why = (
                columns_of_targets(goal, schema)
                if of_guesses and goal is not None
                else columns_of_records(schema.private)
            )
            if columns is None:
                yield (*at, kind, number), why
                continue
            for key, message in groups.faults(columns, why):
                yield (*at, kind, number, *key), message


def _attacks_on_nothing(track: Mapping[str, Any], at: KeyPath) -> Mistakes:
    """Where nobody attacks there is no phase for guesses, and no baseline with an attack."""
    goals = written_goals(track)
    for goal in goals:
        if len(goals) > 1 and goal.goal is not None and goal.goal.asks_nothing:
            yield (*at, *goal.at), "this goal asks nothing: leave it out, or the others"
    if len(goals) != 1 or goals[0].goal is None or not goals[0].goal.asks_nothing:
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
    for written in written_goals(track):
        goal, feedback = written.goal, table_of(track, "feedback")
        if goal is None or goal.by_target or feedback.get("shown_on") is None:
            continue
        where = (*at, "feedback", "shown_on")
        yield where, f"{goal.id} has no single targets to split; leave shown_on out"


def _unknown_origins(track: Mapping[str, Any], at: KeyPath) -> Mistakes:
    """A goal about the rows of people needs sanitizers that make rows from people's records."""
    for written in written_goals(track):
        if written.goal is not None and written.goal.needs_origins:
            yield from _without_origins(track, written.goal, at)


def _without_origins(track: Mapping[str, Any], goal: Goal, at: KeyPath) -> Mistakes:
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
    better: dict[str, Direction] = {}
    finds = dict.fromkeys((written.id for written in written_goals(track)), False)
    for kind in ("privacy", "utility"):
        for number, table in enumerate(tables_of(track, kind)):
            measure = part_in("measure", table)
            if measure is None:
                return  # the names of readings are unknown, so the boards cannot be checked
            goal = table.get("goal")
            given = _readings(table, cast(Measure, measure))
            better |= given
            yield from _gate_faults(table, given, (*at, kind, number))
            for name in given:
                if name in names:
                    message = f"another measure has the reading {name!r}; give this one a name"
                    yield (*at, kind, number), message
                names.add(name)
            released |= set(given) if isinstance(measure, ReleaseMeasure) else set()
            if isinstance(measure, GuessMeasure) and measure.finds_records:
                finds[str(goal or "")] = True
    guesses = frozenset(names - released)
    for kind in ("given", "derived"):
        for number, table in enumerate(tables_of(track, kind)):
            if table.get("name") in names:
                message = f"another reading has the name {table['name']!r}; choose another"
                yield (*at, kind, number, "name"), message
            if kind == "derived":
                yield from _derived_faults(table, frozenset(released), (*at, kind, number))
            of = next(iter(texts_of(table, "of")), "")
            direction = table.get("better") or better.get(of)
            if direction in ("higher", "lower"):
                better[str(table.get("name"))] = cast(Direction, direction)
            own = {name: how for name, how in better.items() if name == table.get("name")}
            yield from _gate_faults(table, own, (*at, kind, number))
            names.add(str(table.get("name")))
            released.add(str(table.get("name")))
    yield from _board_faults(
        track,
        "board",
        at,
        KnownNames(guesses, frozenset(released), finds=finds, better=better),
    )


def _readings(table: Mapping[str, Any], measure: Measure) -> dict[str, Direction]:
    """The names of a measure's readings, by its table, and which direction of each is better."""
    name, goal, groups = table.get("name"), table.get("goal"), subgroups_in(table)
    readings: dict[str, Direction] = {}
    for reading, better in measure.reads.items():
        base = f"{goal}.{name or reading}" if goal else name or reading
        names = (base,) if groups is None else groups.names_of(base, given=bool(name))
        readings |= dict.fromkeys(names, better)
    return readings


def _gate_faults(
    table: Mapping[str, Any], readings: Mapping[str, Direction], at: KeyPath
) -> Mistakes:
    """A gate with one bound, on the side where the best releases are, is upside down."""
    gates = table_of(table, "gates")
    for name, better in readings.items():
        key, gate = (("gates", name), table_of(gates, name)) if name in gates else ((), table)
        wrong, right = ("at_most", "at_least") if better == "higher" else ("at_least", "at_most")
        if gate.get(wrong) is not None and gate.get(right) is None:
            message = (
                f"of {name}, {better} is better: {wrong} alone would disqualify the best releases "
                f"and let the worst pass; write {right}, or both bounds"
            )
            yield (*at, *key, wrong), message


def subgroups_in(table: Mapping[str, Any]) -> Subgroups | None:
    """The subgroups of a measure's table; None without any, or with faults reported elsewhere."""
    try:
        return Subgroups.of(table.get("subgroup"), table.get("subgroups"))
    except ValidationError:
        return None


def _derived_faults(table: Mapping[str, Any], released: frozenset[str], at: KeyPath) -> Mistakes:
    for fault in formula_faults(table.get("formula"), Scope(numbers=released)):
        yield (*at, "formula"), fault
    for name in texts_of(table, "of"):
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
        board = award.get("board")
        if isinstance(board, str) and board not in known:
            yield ("award", number, "board"), f"unknown board {board!r}; {_available(known)}"


def _board_faults(table: Mapping[str, Any], kind: str, at: KeyPath, known: KnownNames) -> Mistakes:
    """A board may use the readings of its track, and refer only to boards before it."""
    before = known.boards
    for number, board in enumerate(tables_of(table, kind)):
        where, rule = (*at, kind, number), cast(RankingRule | None, part_in("ranking", board))
        for fault in _tie_faults(board, replace(known, boards=before)):
            yield where, fault
        for fault in _name_faults(rule, board, replace(known, boards=before)):
            yield (*where, *([fault.column] if fault.column else ())), fault
        before = (*before, str(board.get("id")))


def _tie_faults(board: Mapping[str, Any], known: KnownNames) -> Iterator[Fault]:
    """The faults of what decides between equal scores."""
    ties = board.get("ties")
    for tie in ties if isinstance(ties, list | tuple) else ():
        named = {"use": RankOn.id, "board": tie} if isinstance(tie, str) else tie
        rule = cast(TieRule | None, part_in(TieRule.family, named))
        yield from () if rule is None else rule.faults(known)


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
    yield from _phase_goals(track, at)
    for number, phase in enumerate(phases):
        if phase.get("submit") == "guess":
            names = [str(files.get("guess") or "{task}.csv")]
        else:
            ending = "csv" if track.get("model") is None else MODEL_FILE
            names = [str(files.get("release") or f"release.{ending}"), CARD_FILE]
        for place, table in enumerate(tables_of(phase, "artefact")):
            artefact = _artefact(table)
            if artefact is not None and any(map(artefact.fits, names)):
                where = (*at, "phase", number, "artefact", place, "file")
                yield where, f"{artefact.file!r} could be another file of the same submission"


def _phase_goals(track: Mapping[str, Any], at: KeyPath) -> Mistakes:
    """Phases for single goals must name them, and a guess must belong to one open phase."""
    goals = [written.id for written in written_goals(track)]
    guessing: list[Phase] = []
    for number, table in enumerate(tables_of(track, "phase")):
        where, goal = (*at, "phase", number), str(table.get("goal", ""))
        if goal and table.get("submit") != "guess":
            yield (*where, "goal"), "a release is for all goals: leave goal out"
        elif goal and goal not in goals:
            yield (*where, "goal"), _no_such_goal(goal, goals)
        if table.get("submit") == "guess" and table.get("contract") is not None and len(goals) > 1:
            message = "a track with several goals takes guesses as files, not programs"
            yield (*where, "contract"), message
        with suppress(ValidationError):  # another check reports a faulty phase
            phase = Phase.model_validate(table)
            for other in guessing:
                if phase.submit == "guess" and phase.goal != other.goal and phase.meets(other):
                    message = f"is open at the same time as {other.id}, so a guess could be for"
                    yield where, f"{message} both: give both dates, or leave goal out of one phase"
                if phase.submit == "guess" and goals != [""] and phase.counts != other.counts:
                    message = f'must be "{other.counts}", as in phase {other.id}'
                    yield (*where, "counts"), message
            guessing += [phase] if phase.submit == "guess" else []
    for written in written_goals(track):
        if guessing and not any(phase.takes(written.id) for phase in guessing):
            yield (*at, *written.at), f"no phase takes guesses at {written.id}"


def _artefact(table: Mapping[str, Any]) -> Artefact | None:
    """The artefact of a table; None if it has a fault, which another check reports."""
    try:
        return Artefact.model_validate(table)
    except ValidationError:
        return None


def tables_of(table: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """The tables of an array; a text is the name of a part, anything else an empty table."""
    value = table.get(name, ())
    items = value if isinstance(value, list | tuple) else ()
    tables = ({"use": item} if isinstance(item, str) else item for item in items)
    return [item if isinstance(item, Mapping) else {} for item in tables]


def table_of(table: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The table under a key; what is not a table counts as an empty one."""
    value = table.get(name)
    return value if isinstance(value, Mapping) else {}


def texts_of(table: Mapping[str, Any], name: str) -> list[str]:
    """The texts of a list; what is not a text is left out."""
    value = table.get(name)
    items = value if isinstance(value, list | tuple) else ()
    return [item for item in items if isinstance(item, str)]


def legible(value: Any) -> Any:
    """The tables of an edition without ids, names and parts that are no texts.

    The checks here look such values up by what they say. Another check reports their type.

    >>> legible({"board": [{"id": 7, "use": "mean"}]})
    {'board': [{'use': 'mean'}]}
    """
    if isinstance(value, Mapping):
        return {
            key: legible(item)
            for key, item in value.items()
            if key not in _TEXTS or isinstance(item, str)
        }
    return [legible(item) for item in value] if isinstance(value, list | tuple) else value


def part_in(family: str, table: object) -> Part | None:
    """The part that a table describes; None if it cannot be built, which another check reports."""
    if isinstance(table, Mapping):
        nested = table.get(_NESTED.get(family, "rule"))
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
