"""Coin setup: who is a target in the game of coins, and in which columns releases are compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from quintain.attacks.exposed import most_exposed
from quintain.attacks.membership.focal_points import often_chosen
from quintain.attacks.shadows import ShadowRun
from quintain.audits.games.compared_columns import ComparedColumns
from quintain.audits.games.features import FeatureExtractor, FocalLens
from quintain.audits.games.players import Players, make_players, most_alone
from quintain.audits.games.record import Game
from quintain.audits.games.records import Records
from quintain.data import Data, Schema, Table, as_table, shape_of
from quintain.errors import PartError, QuintainError
from quintain.jobs.executor import Executor
from quintain.jobs.progress import track
from quintain.randomness.noise import Noise
from quintain.randomness.seeds import SeedTree
from quintain.releases import Claim, Release
from quintain.sanitizers import Sanitizer, sanitize
from quintain.sanitizers.adapters.adapter import Adapter, with_cells
from quintain.sanitizers.comparable import Comparable, is_comparable
from quintain.sanitizers.domains import covering_domain, refit
from quintain.sanitizers.mechanism import DomainSource, choose_mechanism, default_domain

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


@dataclass(frozen=True, slots=True)
class SettingPlan:
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


def domain_source(plan: SettingPlan, sanitizer: Sanitizer) -> DomainSource:
    """Where domains come from, as the limits of the audit say it."""
    schema = plan.data.schema
    if schema.tables is not None and plan.domain is None:
        return "measured" if plan.unstated else "public"
    return plan.domain or default_domain(sanitizer, schema.private, _learned_names(plan, sanitizer))


def _learned_names(plan: SettingPlan, sanitizer: Sanitizer) -> list[str]:
    """The columns whose domains nobody stated; a sanitizer of another maker gets plain cells."""
    if isinstance(sanitizer, Adapter):
        return []
    return [name for name in plan.unstated if name in plan.data.schema]


def coin_game(
    plan: SettingPlan, part: Sanitizer, branch: SeedTree
) -> tuple[Game, DomainSource, Claim | None, ComparedColumns]:
    """The game of coins; raises if such data or such releases cannot be compared with it."""
    shape = plan.data.schema.shape
    if plan.data.schema.tables is not None or not shape_of(plan.data).row_is_person:
        raise PartError(f"it compares tables with one row per person, and these data are {shape}")
    table = as_table(with_cells(part, _without_ids(plan.data), plan.records.cells))
    learned, source = _learned_names(plan, part), domain_source(plan, part)
    if source != "public":
        names = learned or list(table.schema.names)
        table = refit(table, covering_domain(table.schema, names))
    mechanism = _mechanism(part, table.schema, learned, source)
    pilots = _pilots(mechanism, table, branch, plan.claim)
    released = ComparedColumns.of(table.schema, pilots[0].release.data.schema, _owned_names(plan))
    if released.shared and released.differ:
        mechanism = Comparable(sanitizer=mechanism, columns=released.shared)
        pilots = [ShadowRun(run.sample, mechanism.restrict(run.made)) for run in pilots]
    game = _game(mechanism, table, pilots, plan.targets, plan.seeds, branch)
    return game, source, pilots[0].release.claim, released


def _owned_names(plan: SettingPlan) -> tuple[str, ...]:
    """The names of all columns of the data, also those that are no attributes."""
    cells = plan.records.cells()
    return (*plan.data.schema.names, *(() if cells is None else cells.table.column_names))


def _without_ids(data: Data) -> Table:
    table = as_table(data)
    ids = [column.name for column in table.schema.columns if column.identifying]
    return table.drop(*ids) if ids else table


def _mechanism(
    sanitizer: Sanitizer, schema: Schema, learned: Sequence[str], source: DomainSource
) -> Sanitizer:
    """The sanitizer with its step before, whose releases can be compared."""
    if source == "public":
        return sanitizer
    made = choose_mechanism(sanitizer, schema, learned=learned, domain=source)
    return made.model_copy(update={"comparable": True})


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
    shared = [c.name for c in table.schema.columns if is_comparable(c, released)]
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
