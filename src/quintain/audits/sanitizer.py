"""Audit of a sanitizer: call it many times with and without some people, and see what shows."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from quintain.attacks.exposed import most_exposed
from quintain.attacks.membership.focal_points import often_chosen
from quintain.attacks.shadows import ShadowRun
from quintain.audits.games.bounds import DECIDING
from quintain.audits.games.calls import PlayedCall, ReadyCall
from quintain.audits.games.features import FeatureExtractor, FocalLens, column_limits
from quintain.audits.games.judging import judge_sanitizer
from quintain.audits.games.neighbours import make_pairs
from quintain.audits.games.pair_bound import play_pairs
from quintain.audits.games.pair_runs import PairGame
from quintain.audits.games.play_setting import GamePlan, Played, play_setting, without_coins
from quintain.audits.games.players import Players, make_players, most_alone
from quintain.audits.games.published import SoughtPerson, facts_of
from quintain.audits.games.record import Game
from quintain.audits.games.records import CallCells, PeopleToLearn, Records, StatedRecords
from quintain.audits.results import AuditedInput, SanitizerAudit, told_apart, versions
from quintain.data import Data, Schema, Table, as_table, shape_of
from quintain.data.learning.input_table import InputTable
from quintain.data.learning.learn import Learned, LearnedSchema, learn
from quintain.data.people_files import has_tables, read_people, unstated_columns
from quintain.data.trees import Trees
from quintain.errors import PartError, QuintainError
from quintain.jobs.executor import Executor
from quintain.jobs.files import file_digest
from quintain.jobs.job import fingerprint
from quintain.jobs.scratch import ScratchFolder
from quintain.measures.reading import LEVEL
from quintain.noise import Noise
from quintain.progress import report, track
from quintain.releases import Claim, Release
from quintain.samples.sample import private_part
from quintain.sanitizers import Sanitizer, sanitize
from quintain.sanitizers.adapters.adapter import Adapter
from quintain.sanitizers.domains import covering_domain, refit
from quintain.sanitizers.mechanism import DomainSource, choose_mechanism, default_domain
from quintain.seeds import SeedTree

# Private table: the file that a sanitizer audit runs on, with its hash.


@dataclass(frozen=True, slots=True)
class PrivateFile:
    """The records of a file.

    Parameters
    ----------
    unstated : the columns whose domains nobody stated, so that they come from the cells.
    facts : which file it was.
    records : the cells, from which each call learns anew.
    """

    data: Data
    unstated: tuple[str, ...]
    facts: AuditedInput
    records: Records


def read_private(
    path: Path, schema: Path | None = None, *, header: bool | None = None
) -> PrivateFile:
    """Read the file with the private table.

    Parameters
    ----------
    schema : a schema file of ours or of another tool; by default the schema is learned.
    header : whether the first row has the column names; None if nobody said it.
    """
    if has_tables(path):
        return _read_people(path, schema)
    table = InputTable.of(path, header=header)
    learned = learn(table, stated=schema)
    data = learned.read(table)
    facts = AuditedInput(
        role="original",
        name=path.name,
        rows=len(data),
        columns=len(data.schema.names),
        sha256=file_digest(path),
    )
    return PrivateFile(data, learned.unstated, facts, private_records(table, learned, data, schema))


def _read_people(path: Path, schema: Path | None) -> PrivateFile:
    """Everybody in a folder or an archive with several tables."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LearnedSchema)  # every call of the game is told it again
        people = Trees.of(read_people(path, schema=schema))
    facts = AuditedInput(
        role="original",
        name=path.name,
        rows=len(people),
        columns=len(people.schema.names),
        sha256=file_digest(path) if path.is_file() else people.digest(),
    )
    records = private_people(people, learned=schema is None)
    return PrivateFile(people, unstated_columns(schema, people.schema), facts, records)


def private_people(people: Trees, *, learned: bool) -> Records:
    """People with several tables as a call reads them."""
    return PeopleToLearn(people) if learned else StatedRecords(people)


def private_records(
    table: InputTable, learned: Learned, data: Data, stated: Schema | Learned | Path | None
) -> Records:
    """The private records as a call reads them: their cells, if anything is learned from them."""
    if table.data is not None or not learned.unstated:
        return StatedRecords(data, learned.unstated)
    return CallCells.of(table, stated)


FEWEST_RUNS = 10
FEWEST_ROWS = 20
MOST_TARGETS = 1000
CROWD = 2000
"""Of more people than this, the most exposed of so many random ones are taken: it is quicker."""
PILOTS = 3
"""How many runs before the game show which statistics the sanitizer tends to preserve."""
POPULAR = 0.5
"""How often a statistic must be preserved, relative to the most popular one."""
EXPOSED = 4
"""How many of the most exposed people are targets, beside a made-up record."""
COIN_RUNS = 100
"""The game of coins says how average people fare; more runs change little about that."""
TIMED = 3
"""The quickest of so many calls says how long one takes."""
BUDGET = 60.0
"""Seconds for the runs of a setting, unless the caller says how many there are."""
STEPS = (100, 200, 500, 1000, 2000, 5000, 10_000)
"""So many runs there are by default, as the time allows."""
ALONE = 2
"""How many are targets of those who are most often the only ones with a value or beyond others."""


def audit_sanitizer(
    sanitizer: Sanitizer,
    data: Data,
    *,
    runs: int | None = None,
    targets: int | None = None,
    sweep: Mapping[str, Sequence[Any]] | None = None,
    attacks: bool = True,
    seed: int = 0,
    executor: Executor | None = None,
    out: Path | None = None,
    claim: Claim | None = None,
    unstated: Collection[str] = (),
    domain: DomainSource | None = None,
    records: Records | None = None,
    inputs: tuple[AuditedInput, ...] = (),
    command: str = "",
) -> SanitizerAudit:
    """Find out what a sanitizer gives away about the people in its data.

    Two games are played. In the game of *neighbours*, two data sets differ by one person, and the
    sanitizer is called on both as its user calls it: cells are read, a schema is learned, and
    attackers see the release, its columns, its card and all warnings. It decides about the claim.

    In the game of *coins*, a coin decides in every run for each target whether the person is in the
    data; everybody else always is. It says how well average people are recognised. It needs a table
    with one row per person, and a release in which columns are as they were.

    In both, some of the runs train and choose attacks, and the others give the readings.

    Parameters
    ----------
    data : the private data.
    runs : how many calls the game of neighbours has per setting; by default as many as take about
        a minute, from 100 to 10,000. The game of coins has as many, and 100 at most.
    targets : how many average people are targets; by default a tenth of the data, 1,000 at most.
    sweep : for one parameter, the values that are tried one after the other.
    attacks : whether the attacks of the contests are asked, too; two of them run the sanitizer.
    executor : where the runs take place; the result does not depend on it.
    out : a folder for what was seen. If it has some of it already, the audit goes on from there.
    claim : what the maker of the sanitizer claims, if its releases do not say so themselves.
    unstated : the columns whose domains nobody stated.
    domain : where these domains come from, as :func:`choose_mechanism` takes it.
    records : the private data before they are read, if a schema is learned from them.
    inputs, command : facts for the report.

    >>> from quintain.sanitizers import RandomizedResponse
    >>> from quintain.testing import example_table, people
    >>> table = people(example_table(rows=60))
    >>> audit = audit_sanitizer(RandomizedResponse(keep=0.1), table, runs=20, attacks=False)
    >>> audit.runs, [setting.claim.neighbours for setting in audit.settings]
    (20, ['replace'])
    """
    _check_size(sanitizer, data, runs)
    settings = list(_settings(sanitizer, sweep))
    owned = StatedRecords(data, tuple(unstated)) if records is None else records
    seeds = SeedTree.from_int(seed).child("sanitizer audit")
    plan = _SettingPlan(
        data, owned, tuple(unstated), domain, claim, targets, attacks, executor or Executor(),
        seed, seeds, len(settings),
    )  # fmt: skip
    played: list[Played] = []
    with _folder(out) as root:
        for number, (parameters, part) in enumerate(settings):
            folder = root / f"setting-{number}"
            one, runs = _play(plan, part, parameters, runs, folder)
            played.append(one)
    assert runs is not None  # the first setting decides
    source = _source(plan, sanitizer)
    return _assemble(sanitizer, sweep, runs, played, data, source, seed, inputs, command)


@dataclass(frozen=True, slots=True)
class _SettingPlan:
    """What all settings of an audit share."""

    data: Data
    records: Records
    unstated: tuple[str, ...]
    domain: DomainSource | None
    claim: Claim | None
    targets: int | None
    attacks: bool
    executor: Executor
    seed: int
    seeds: SeedTree
    settings: int


def _play(
    plan: _SettingPlan, part: Sanitizer, parameters: dict[str, Any], runs: int | None, root: Path
) -> tuple[Played, int]:
    """Play both games of one setting; returns how many runs there were."""
    branch, label = (
        plan.seeds.child(repr(sorted(part.parameters().items()))),
        _label(part, parameters),
    )
    call = PlayedCall(part, plan.domain)
    ready = call.ready(plan.records)
    claim, seconds = _first_call(plan, part, ready, branch)
    if runs is None:
        runs = affordable_runs(seconds, plan.executor.workers)
        report(f"{label}: {runs:,} runs, about {runs * seconds:.0f} seconds of work", 0, runs)
    neighbours = "add-remove" if claim is None else claim.neighbours
    pairs = make_pairs(plan.records, plan.data, neighbours, rng=plan.seeds.rng("pairs"))
    facts = (type(part).__qualname__, part.id, part.parameters(), plan.data.digest(), plan.seed)
    level = 1 - (1 - LEVEL) / 2 / plan.settings
    in_pairs = play_pairs(
        PairGame(call, pairs, branch).within(claim),
        root,
        fingerprint(*facts, runs, plan.domain, len(pairs)),
        runs,
        claim,
        level=level,
        executor=plan.executor,
        label=label,
    )
    coins = min(runs, COIN_RUNS)
    try:
        game, source, own_claim = _coin_game(plan, part, branch)
    except PartError as refusal:
        return without_coins(in_pairs, parameters, claim, str(refusal)), runs
    key = fingerprint(*facts, len(game.players), source)
    each = 1 - (1 - level) / DECIDING
    settled = GamePlan(root, key, coins, each, plan.executor, label, plan.attacks)
    return play_setting(game, settled, parameters, claim or own_claim, in_pairs), runs


def _first_call(
    plan: _SettingPlan, part: Sanitizer, ready: ReadyCall, branch: SeedTree
) -> tuple[Claim | None, float]:
    """What is claimed, and how many seconds a call and a look at its release take."""
    if ready.part is None:
        raise PartError(ready.says[-1])
    # Processor time does not depend on other work of the machine; other programs have their own.
    clock = perf_counter if isinstance(part, Adapter) else process_time
    nobody, times = SoughtPerson({}), []
    for number in range(TIMED):
        start = clock()
        noise = Noise(branch.key("first call", number), test=True)
        published = ready.publish(rng=branch.rng("first call", number), noise=noise)
        facts_of(published, nobody, aligned=False)
        times.append(clock() - start)
    if published.release is None:
        raise PartError(published.says[-1])
    return plan.claim or published.release.claim, min(times)


def affordable_runs(seconds: float, workers: int) -> int:
    """How many runs take about a minute; few numbers are possible, so that audits repeat easily.

    >>> [affordable_runs(seconds, 1) for seconds in (1e-3, 0.02, 5.0)]
    [10000, 2000, 100]
    """
    most = BUDGET * workers / max(seconds, 1e-9)
    return max((runs for runs in STEPS if runs <= most), default=STEPS[0])


def _source(plan: _SettingPlan, sanitizer: Sanitizer) -> DomainSource:
    """Where domains come from, as the limits of the audit say it."""
    schema = plan.data.schema
    if schema.tables is not None and plan.domain is None:
        return "measured" if plan.unstated else "public"
    return plan.domain or default_domain(sanitizer, schema.private, _names(plan, sanitizer))


def _names(plan: _SettingPlan, sanitizer: Sanitizer) -> list[str]:
    """The columns whose domains nobody stated; a sanitizer of another maker gets plain cells."""
    if isinstance(sanitizer, Adapter):
        return []
    return [name for name in plan.unstated if name in plan.data.schema]


def _coin_game(
    plan: _SettingPlan, part: Sanitizer, branch: SeedTree
) -> tuple[Game, DomainSource, Claim | None]:
    """The game of coins; raises if such data or such releases cannot be compared with it."""
    shape = plan.data.schema.shape
    if plan.data.schema.tables is not None or not shape_of(plan.data).row_is_person:
        raise PartError(f"it compares tables with one row per person, and these data are {shape}")
    table = _without_ids(plan.data)
    learned, source = _names(plan, part), _source(plan, part)
    if source != "public":
        names = learned or list(table.schema.names)
        table = refit(table, covering_domain(table.schema, names))
    mechanism = _mechanism(part, table.schema, learned, source)
    pilots = _pilots(mechanism, table, branch, plan.claim)
    game = _game(mechanism, table, pilots, plan.targets, plan.seeds, branch)
    return game, source, pilots[0].release.claim


def _without_ids(data: Data) -> Table:
    table = as_table(data)
    ids = [column.name for column in table.schema.columns if column.kind == "id"]
    return table.drop(*ids) if ids else table


def _mechanism(
    sanitizer: Sanitizer, schema: Schema, learned: Sequence[str], source: DomainSource
) -> Sanitizer:
    """The sanitizer with its step before, whose releases can be compared."""
    if source == "public":
        return sanitizer
    made = choose_mechanism(sanitizer, schema, learned=learned, domain=source)
    return made.model_copy(update={"comparable": True})


def _check_size(sanitizer: Sanitizer, data: Data, runs: int | None) -> None:
    if runs is not None and runs < FEWEST_RUNS:
        raise QuintainError(f"{runs} runs show nothing; the least is {FEWEST_RUNS}")
    if len(data) < FEWEST_ROWS:
        raise QuintainError(
            f"the data have {len(data)} records; an audit needs at least {FEWEST_ROWS}"
        )
    sanitizer.require(private_part(data, np.arange(len(data))).schema)


def _settings(
    sanitizer: Sanitizer, sweep: Mapping[str, Sequence[Any]] | None
) -> Iterator[tuple[dict[str, Any], Sanitizer]]:
    """The parameters that differ, with the sanitizer that has them."""
    if not sweep:
        yield {}, sanitizer
        return
    if len(sweep) > 1:
        raise PartError(f"a sweep changes one parameter, not {', '.join(sweep)}")
    ((name, values),) = sweep.items()
    for value in values:
        yield {name: value}, sanitizer.with_parameter(name, value)


def _label(sanitizer: Sanitizer, parameters: Mapping[str, Any]) -> str:
    return " ".join([sanitizer.name(), *(f"{name}={value}" for name, value in parameters.items())])


@contextmanager
def _folder(out: Path | None) -> Iterator[Path]:
    if out is not None:
        yield out
        return
    with ScratchFolder() as name:
        yield Path(name)


def _pilots(
    sanitizer: Sanitizer, table: Table, seeds: SeedTree, claim: Claim | None
) -> list[ShadowRun]:
    """A few runs on all the data: what is claimed, and which statistics tend to be preserved."""
    runs = []
    for number in track(range(PILOTS), "runs before the game", PILOTS):
        noise = Noise(seeds.key("pilot", number), test=True)
        made = sanitize(sanitizer, table, rng=seeds.rng("pilot", number), noise=noise)
        release = replace(made.release, claim=claim or made.release.claim)
        runs.append(ShadowRun(table, replace(made, release=release)))
        if not made.trace.focal_points:
            break
    return runs


def _game(
    sanitizer: Sanitizer,
    table: Table,
    pilots: list[ShadowRun],
    targets: int | None,
    seeds: SeedTree,
    branch: SeedTree,
) -> Game:
    """The same targets for every setting, with coins and noise of its own."""
    pilot = pilots[0].release
    released = pilot.data.schema
    shared = [c.name for c in table.schema.columns if c.name in released and released[c.name] == c]
    if not shared:
        raise PartError(
            f"{sanitizer.id} releases no column as it was, so records and releases cannot be "
            "compared cell by cell"
        )
    players = _players(table, pilot, targets, seeds)
    points = often_chosen(pilots, POPULAR) if len(shared) == len(released.names) else ()
    lens = FocalLens.of(points, pilot, table, players.targets(), sanitizer.parameters())
    extractor = FeatureExtractor.of(players, shared, lens, rng=seeds.rng("columns"))
    return Game(sanitizer, players, extractor, branch)


def _players(table: Table, pilot: Release, targets: int | None, seeds: SeedTree) -> Players:
    neighbours = "add-remove" if pilot.claim is None else pilot.claim.neighbours
    crowd = np.arange(len(table))
    if len(table) > CROWD:
        crowd = np.sort(seeds.rng("crowd").choice(len(table), CROWD, replace=False))
    exposed = crowd[most_exposed(table.take(crowd), min(EXPOSED, len(table) // 8))]
    alone = np.setdiff1d(most_alone(table, min(ALONE, len(table) // 8)), exposed)
    exposed = np.concatenate([exposed, alone])
    most = (len(table) - len(exposed)) // 2
    average = min(MOST_TARGETS, max(10, len(table) // 10)) if targets is None else targets
    if not 1 <= average <= most:
        raise QuintainError(f"{average} targets: choose from 1 to {most}, half of the data")
    return make_players(
        table,
        exposed,
        average=average,
        neighbours=neighbours,
        canary=True,
        rng=seeds.rng("players"),
    )


def _assemble(
    sanitizer: Sanitizer,
    sweep: Mapping[str, Sequence[Any]] | None,
    runs: int,
    played: Sequence[Played],
    data: Data,
    source: DomainSource,
    seed: int,
    inputs: tuple[AuditedInput, ...],
    command: str,
) -> SanitizerAudit:
    judged = judge_sanitizer([setting.effects for setting in played], runs)
    worst = max(played, key=lambda setting: told_apart(setting.effects.setting))
    shared = {n: v for n, v in sanitizer.parameters().items() if n not in (sweep or {})}
    own = AuditedInput(
        role="original",
        name="data",
        rows=len(data),
        columns=len(data.schema.names),
        sha256=data.digest(),
    )
    return SanitizerAudit(
        sanitizer=sanitizer.name(),
        parameters=shared,
        verdict=judged.verdict,
        reasons=judged.reasons,
        limits=(*_LIMITS, _DOMAIN_LIMITS[source], *_column_limits(data)),
        runs=runs,
        settings=tuple(setting.effects.setting for setting in played),
        readings=worst.findings,
        curves=worst.curves,
        not_computed=worst.not_computed,
        inputs=inputs or (own,),
        seed=seed,
        versions=versions(),
        command=command,
    )


def _column_limits(data: Data) -> tuple[str, ...]:
    one_table = data.schema.tables is None and shape_of(data).row_is_person
    return column_limits(len(data.schema.names)) if one_table else ()


_LIMITS = (
    "A bound says how much a sanitizer gives away at least. No number of runs proves that it gives "
    "away no more.",
    "The audit tests the algorithm with noise from a public seed. It says nothing about how the "
    "key of the noise is kept when a release is made for the public.",
    "Records that are drawn hide a part of what their noisy counts show, so half the noise that a "
    "claim needs may pass. If you have the code, quintain audit accounting adds up what its noisy "
    "answers cost.",
    "In a plain table every row counts as one person. If a person has several rows, more is given "
    "away.",
)
_DOMAIN_LIMITS: dict[DomainSource, str] = {
    "public": "Columns and their domains count as public. A schema that was learned from private "
    "data gives away what is in it.",
    "measured": "Domains were measured with noise in every run, as the sanitizer does, and the "
    "claim covers them.",
    "learned": "Domains were learned from the records of every run, as the sanitizer does, so that "
    "it claims nothing.",
}
"""What an audit does not cover, by where the domains come from."""
