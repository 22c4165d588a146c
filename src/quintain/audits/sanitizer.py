"""Audit of a sanitizer: run it many times with and without some people, and see what shows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from quintain.attacks.exposed import most_exposed
from quintain.attacks.membership.focal_points import often_chosen
from quintain.attacks.shadows import ShadowRun
from quintain.audits.games.bounds import DECIDING
from quintain.audits.games.features import FeatureExtractor, FocalLens, column_limits
from quintain.audits.games.judging import judge_sanitizer
from quintain.audits.games.play_setting import GamePlan, Played, play_setting
from quintain.audits.games.players import Players, make_players, most_alone
from quintain.audits.games.record import Game
from quintain.audits.results import AuditedInput, SanitizerAudit, told_apart, versions
from quintain.data import Data, Schema, Table, as_table, shape_of
from quintain.data.learning.input_table import InputTable
from quintain.data.learning.learn import learn
from quintain.errors import PartError, QuintainError
from quintain.jobs.executor import Executor
from quintain.jobs.files import file_digest
from quintain.jobs.job import fingerprint
from quintain.jobs.scratch import ScratchFolder
from quintain.measures.reading import LEVEL
from quintain.noise import Noise
from quintain.progress import track
from quintain.releases import Claim, Release
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
    """

    data: Data
    unstated: tuple[str, ...]
    facts: AuditedInput


def read_private(
    path: Path, schema: Path | None = None, *, header: bool | None = None
) -> PrivateFile:
    """Read the file with the private table.

    Parameters
    ----------
    schema : a schema file of ours or of another tool; by default the schema is learned.
    header : whether the first row has the column names; None if nobody said it.
    """
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
    return PrivateFile(data, learned.unstated, facts)


RUNS = 100
"""How often the sanitizer runs for each setting, unless the caller says otherwise."""
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
ALONE = 2
"""How many are targets of those who are most often the only ones with a value or beyond others."""


def audit_sanitizer(
    sanitizer: Sanitizer,
    data: Data,
    *,
    runs: int = RUNS,
    targets: int | None = None,
    sweep: Mapping[str, Sequence[Any]] | None = None,
    attacks: bool = True,
    seed: int = 0,
    executor: Executor | None = None,
    out: Path | None = None,
    claim: Claim | None = None,
    unstated: Collection[str] = (),
    domain: DomainSource | None = None,
    inputs: tuple[AuditedInput, ...] = (),
    command: str = "",
) -> SanitizerAudit:
    """Find out what a sanitizer gives away about the people in its data.

    In every run a coin decides for each target whether the person is in the data; everybody else
    always is. The sanitizer makes a release, attacks score each target, and the release is
    forgotten. Half of the runs train and choose attacks, the other half gives the readings.

    Domains that nobody stated are part of the game: they are measured or learned anew in each run,
    from the records of that run, so that attacks see what a domain gives away.

    Parameters
    ----------
    data : the private table.
    runs : how many runs per setting; more runs can show a larger epsilon.
    targets : how many average people are targets; by default a tenth of the data, 1,000 at most.
    sweep : for one parameter, the values that are tried one after the other.
    attacks : whether the attacks of the contests are asked, too; two of them run the sanitizer.
    executor : where the runs take place; the result does not depend on it.
    out : a folder for what was seen. If it has some of it already, the audit goes on from there.
    claim : what the maker of the sanitizer claims, if its releases do not say so themselves.
    unstated : the columns whose domains nobody stated.
    domain : where these domains come from, as :func:`choose_mechanism` takes it.
    inputs, command : facts for the report.

    >>> from quintain.sanitizers import RandomizedResponse
    >>> from quintain.testing import example_table, people
    >>> table = people(example_table(rows=60))
    >>> audit = audit_sanitizer(RandomizedResponse(keep=0.1), table, runs=20, attacks=False)
    >>> audit.runs, [setting.claim.neighbours for setting in audit.settings]
    (20, ['replace'])
    """
    table = _check_data(sanitizer, data, runs)
    settings = list(_settings(sanitizer, sweep))
    learned = [] if isinstance(sanitizer, Adapter) else [n for n in unstated if n in table.schema]
    source = domain or default_domain(sanitizer, table.schema, learned)
    if source != "public":  # a sanitizer of another maker gets plain cells in any case
        names = learned or list(table.schema.names)
        table = refit(table, covering_domain(table.schema, names))
    level = 1 - (1 - LEVEL) / (DECIDING * len(settings))
    seeds = SeedTree.from_int(seed).child("sanitizer audit")
    played: list[Played] = []
    with _folder(out) as root:
        for number, (parameters, part) in enumerate(settings):
            branch = seeds.child(repr(sorted(part.parameters().items())))
            mechanism = _mechanism(part, table.schema, learned, source)
            pilots = _pilots(mechanism, table, branch, claim)
            game = _game(mechanism, table, pilots, targets, seeds, branch)
            label = _label(part, parameters)
            facts = (type(part).__qualname__, part.id, part.parameters(), table.digest(), seed)
            key = fingerprint(*facts, len(game.players), source)
            plan = GamePlan(
                root / f"setting-{number}", key, runs, level, executor or Executor(), label, attacks
            )
            played.append(play_setting(game, plan, parameters, pilots[0].release.claim))
    return _assemble(sanitizer, sweep, runs, played, table, source, seed, inputs, command)


def _mechanism(
    sanitizer: Sanitizer, schema: Schema, learned: Sequence[str], source: DomainSource
) -> Sanitizer:
    """The sanitizer with its step before, whose releases can be compared."""
    if source == "public":
        return sanitizer
    made = choose_mechanism(sanitizer, schema, learned=learned, domain=source)
    return made.model_copy(update={"comparable": True})


def _check_data(sanitizer: Sanitizer, data: Data, runs: int) -> Table:
    if not shape_of(data).row_is_person:
        raise PartError(
            f"an audit of a sanitizer needs a table with one row per person, not "
            f"{data.schema.shape}; audit its releases instead"
        )
    if runs < FEWEST_RUNS:
        raise QuintainError(f"{runs} runs show nothing; the least is {FEWEST_RUNS}")
    table = as_table(data)
    ids = [column.name for column in table.schema.columns if column.kind == "id"]
    table = table.drop(*ids) if ids else table
    if len(table) < FEWEST_ROWS:
        raise QuintainError(
            f"the data have {len(table)} records; an audit needs at least {FEWEST_ROWS}"
        )
    sanitizer.require(table.schema)
    return table


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
    players = _players(table, pilot, targets, seeds)
    released = pilot.data.schema
    shared = [c.name for c in table.schema.columns if c.name in released and released[c.name] == c]
    if not shared:
        raise PartError(
            f"{sanitizer.id} releases no column as it was, so records and releases cannot be "
            "compared: audit its releases instead"
        )
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
    table: Table,
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
        rows=len(table),
        columns=len(table.schema.names),
        sha256=table.digest(),
    )
    return SanitizerAudit(
        sanitizer=sanitizer.name(),
        parameters=shared,
        verdict=judged.verdict,
        reasons=judged.reasons,
        limits=(*_LIMITS, _DOMAIN_LIMITS[source], *column_limits(len(table.schema.names))),
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


_LIMITS = (
    "A bound says how much a sanitizer gives away at least. No number of runs proves that it gives "
    "away no more.",
    "The audit tests the algorithm with noise from a public seed. It says nothing about how the "
    "key of the noise is kept when a release is made for the public.",
    "Every row counts as one person. If a person has several rows, more is given away.",
)
_DOMAIN_LIMITS: dict[DomainSource, str] = {
    "public": "Columns and their domains count as public. A schema that was learned from private "
    "data gives away what is in it.",
    "measured": "Columns and kinds are the same in every run, as on all of the data. Domains were "
    "measured with noise in every run, as the sanitizer does, and the claim covers them.",
    "learned": "Columns and kinds are the same in every run, as on all of the data. Domains were "
    "learned from the records of every run, as the sanitizer does, so that it claims nothing.",
}
"""What an audit does not cover, by where the domains come from."""
