"""Audit of a sanitizer: call it many times with and without some people, and see what shows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from quintain.audits.games.bounds import DECIDING
from quintain.audits.games.calls import PlayedCall, ReadyCall
from quintain.audits.games.coin_setup import PILOTS, SettingPlan, coin_game, domain_source
from quintain.audits.games.features import column_limits
from quintain.audits.games.judging import judge_sanitizer
from quintain.audits.games.neighbours import make_pairs
from quintain.audits.games.pair_bound import play_pairs
from quintain.audits.games.pair_runs import PairGame
from quintain.audits.games.play_setting import GamePlan, Played, play_setting, without_coins
from quintain.audits.games.published import SoughtPerson, facts_of
from quintain.audits.games.records import Records, StatedRecords
from quintain.audits.results import AuditedInput, SanitizerAudit, told_apart, versions
from quintain.audits.work_ahead import TableSize, sanitizer_audit
from quintain.data import Data, shape_of
from quintain.data.plain import plain_view
from quintain.errors import PartError, QuintainError
from quintain.jobs.executor import Executor
from quintain.jobs.job import fingerprint
from quintain.jobs.progress import report
from quintain.jobs.scratch import ScratchFolder
from quintain.measures.reading import LEVEL
from quintain.randomness.noise import Noise
from quintain.randomness.seeds import SeedTree
from quintain.releases import Claim
from quintain.samples.sample import private_part
from quintain.sanitizers import Sanitizer
from quintain.sanitizers.adapters.adapter import Adapter
from quintain.sanitizers.mechanism import DomainSource

FEWEST_RUNS = 10
FEWEST_ROWS = 20
COIN_RUNS = 100
"""The game of coins says how average people fare; more runs change little about that."""
TIMED = 3
"""The quickest of so many calls says how long one takes."""
BUDGET = 60.0
"""Seconds for the runs of a setting, unless the caller says how many there are."""
STEPS = (100, 200, 500, 1000, 2000, 5000, 10_000)
"""So many runs there are by default, as the time allows."""


def announce_work(
    source: Any,
    runs: int | None,
    sweep: Mapping[str, Sequence[Any]] | None,
    *,
    header: bool | None = None,
) -> None:
    """Say how long an audit of a sanitizer takes, before its data are read."""
    if (size := TableSize.of(source, header)) is None:
        return
    calls = STEPS[0] if runs is None else runs
    calls += min(calls, COIN_RUNS) + TIMED + PILOTS
    settings = max([1, *(len(values) for values in (sweep or {}).values())])
    sanitizer_audit(size, calls=calls, settings=settings).announce()


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
    data = plain_view(data)
    _check_size(sanitizer, data, runs)
    settings = list(_settings(sanitizer, sweep))
    owned = StatedRecords(data, tuple(unstated)) if records is None else records
    if isinstance(owned, StatedRecords):
        owned = replace(owned, data=plain_view(owned.data))
        data = owned.data
    seeds = SeedTree.from_int(seed).child("sanitizer audit")
    plan = SettingPlan(
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
    source = domain_source(plan, sanitizer)
    return _assemble(sanitizer, sweep, runs, played, data, source, seed, inputs, command)


def _play(
    plan: SettingPlan, part: Sanitizer, parameters: dict[str, Any], runs: int | None, root: Path
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
        game, source, own_claim, released = coin_game(plan, part, branch)
    except PartError as refusal:
        return without_coins(in_pairs, parameters, claim, str(refusal)), runs
    key = fingerprint(*facts, len(game.players), source)
    each = 1 - (1 - level) / DECIDING
    settled = GamePlan(root, key, coins, each, plan.executor, label, plan.attacks)
    one = play_setting(game, settled, parameters, claim or own_claim, in_pairs)
    effects = replace(one.effects, unseen=released.reason())
    left_out = (*released.left_out(), *one.not_computed)
    return replace(one, effects=effects, not_computed=left_out), runs


def _first_call(
    plan: SettingPlan, part: Sanitizer, ready: ReadyCall, branch: SeedTree
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
