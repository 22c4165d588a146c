"""Audit of the accounting: what noisy answers cost on many neighbours, beside the claim."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from quintain.audits.accounting.enumeration import NotEnumerable, distribution, exact_epsilon
from quintain.audits.accounting.neighbours import TablePair
from quintain.audits.accounting.outcomes import Call
from quintain.audits.accounting.replay import Replayed, Replayer
from quintain.audits.accounting.results import Accounted, Found, Verdict
from quintain.jobs.progress import track

_ROUNDING = 1e-6
"""The part of a claim by which a cost may exceed it, because sums of floats are rounded."""
_RANDOM_EVERY = 3
"""One of so many neighbours is also replayed with random first answers."""

LIMITS = (
    "A replay adds up what the answers cost on these tables. Other tables may cost more.",
    "It takes the accounting formulas and the distributions of the noise for right, and says "
    "nothing about how the key of the noise is kept, nor about the time that a run takes.",
)
"""What no replay sees."""
_COINS = (
    "Coins decide which records take part, and one table has more of them. Here all records got "
    "the same coin, so a fault that shows only with different coins is not seen."
)

_OUTSIDE = (
    "The claim compares tables with the same columns and kinds alone, so these neighbours, with "
    "whom they differ, say nothing about it"
)


@dataclass(frozen=True, slots=True)
class ReplayedCall:
    """One setting: a call, and the neighbours on which it is tried.

    Parameters
    ----------
    part, parameters, setting : facts for the result.
    call : what a user would call.
    neighbours : the pairs of tables.
    kinds : which columns of which kinds a call reads from cells, if nobody states them.
    small : for claims about a record that is replaced, calls, each with tables that differ in one
        record and are so small that all draws can be tried.
    """

    part: str
    parameters: dict[str, Any]
    setting: str
    call: Call
    neighbours: Sequence[TablePair]
    kinds: Callable[[Any], object] | None = None
    small: Sequence[tuple[Call, Sequence[Any]]] = ()


def account(trial: ReplayedCall, *, seed: int = 0) -> Accounted:
    """Try one setting."""
    facts = {"part": trial.part, "parameters": trial.parameters, "setting": trial.setting}
    if trial.small and (exact := _enumerate(trial)) is not None:
        return _result(facts, exact, ("Tables of one and two rows were tried, with all draws.",))
    replayer, replays = Replayer(trial.call, trial.kinds), list[Replayed]()
    label = f"{trial.part}, {trial.setting}"
    for number, pair in enumerate(track(trial.neighbours, label, len(trial.neighbours))):
        seeds = (None, seed + 1) if number % _RANDOM_EVERY == 0 else (None,)
        replays.append(replayer.replay(pair, seeds))
        first = replays[0]
        if first.unfollowed or first.refusal or (first.claim is None and not first.faults):
            break
    limits = [_COINS] if any(pair.coins for pair in replays) else []
    if outside := [pair.name for pair in replays if pair.outside]:
        limits.append(f"{_OUTSIDE}: {', '.join(outside)}.")
    return _result(facts, replays, limits)


def _result(facts: dict[str, Any], replays: Sequence[Replayed], limits: Sequence[str]) -> Accounted:
    claim = next((pair.claim for pair in replays if pair.claim is not None), None)
    faults = _by_field(replays)
    unfollowed = next((pair for pair in replays if pair.unfollowed), None)
    if claim is None and unfollowed is not None:
        why = unfollowed.unfollowed
        return Accounted(**facts, verdict="cannot-say", neighbours=len(replays), why=why)
    if claim is None:
        why = replays[0].refusal if replays else ""
        verdict: Verdict = "not-offered" if why else "no-claim"
        return Accounted(**facts, verdict=verdict, neighbours=len(replays), why=why)
    worst = max(replays, key=lambda pair: pair.epsilon)
    verdict = "holds"
    if worst.epsilon > claim.epsilon * (1 + _ROUNDING):
        words = f"the answers cost epsilon {worst.epsilon:.4g}; the claim is {claim.epsilon:.4g}"
        faults.insert(0, Found(words=words, neighbours=(worst.name,)))
        verdict = "exceeds"
    elif faults:
        verdict = "shows"
    elif unfollowed is not None:
        verdict = "cannot-say"
    return Accounted(
        **facts,
        verdict=verdict,
        claim=claim,
        cost=worst.epsilon,
        share=worst.epsilon / claim.epsilon,
        worst=worst.name,
        neighbours=len(replays),
        findings=tuple(faults),
        why="" if unfollowed is None else unfollowed.unfollowed,
        limits=tuple(limits),
    )


def _by_field(replays: Sequence[Replayed]) -> list[Found]:
    """Everything that must not be, once for all neighbours with which the same field showed it."""
    words: dict[str, str] = {}
    names: dict[str, list[str]] = {}
    for pair in replays:
        for text in pair.faults:
            about = text.partition(" = ")[0]
            words.setdefault(about, text)
            names.setdefault(about, []).append(pair.name)
    return [Found(words=text, neighbours=tuple(names[a])) for a, text in words.items()]


def _enumerate(trial: ReplayedCall) -> list[Replayed] | None:
    """The exact loss of every two small tables; None if the part draws too much for that."""
    replays = []
    for call, tables in trial.small:
        try:
            known = [distribution(call, table) for table in tables]
        except NotEnumerable:
            return None
        claims = [outcome.claim for _, outcome in known]
        if any(claim is None or claim.neighbours != "replace" for claim in claims):
            return None
        claim = claims[0]
        assert claim is not None  # it was just looked at
        worst = 0.0
        for (before, _), (after, _) in combinations(known, 2):
            worst = max(worst, exact_epsilon(before, after, claim.delta))
        rows = len(tables[0])
        name = f"one of {rows} rows replaced" if rows > 1 else "the only row replaced"
        replays.append(Replayed(name, claim, worst))
    return _in_one_claim(replays)


def _in_one_claim(replays: list[Replayed]) -> list[Replayed]:
    """The claims of tables with other columns differ: costs are put in proportion to the first."""
    first = replays[0].claim
    assert first is not None  # only claims are enumerated
    for pair in replays:
        assert pair.claim is not None  # only claims are enumerated
        if math.isfinite(pair.epsilon):
            pair.epsilon *= first.epsilon / pair.claim.epsilon
    return replays
