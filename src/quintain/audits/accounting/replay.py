"""Replay: run a sanitizer on a table, and with the same answers on its neighbour."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from scipy.special import ndtri

from quintain.audits.accounting.costs import cost_of
from quintain.audits.accounting.followed import (
    Coins,
    Departure,
    Extra,
    FollowedNoise,
    NotFollowed,
    Tape,
)
from quintain.audits.accounting.neighbours import TablePair
from quintain.audits.accounting.outcomes import Call, CallOutcome, differences, observe
from quintain.releases import Claim

_ROUNDS = 6
"""How often coins of unequal number are looked for; each round finds those behind the others."""


@dataclass(slots=True)
class Replayed:
    """What the replays of one pair of neighbours showed.

    Parameters
    ----------
    name : what is special about the neighbour.
    claim : what was claimed, if anything.
    epsilon : the cost of all answers.
    faults : what must not be, in words.
    unfollowed : why the cost is not known; empty if it is.
    refusal : the words in which both tables were refused; empty if they were not.
    coins : whether some coins were the same for all records.
    outside : whether the claim does not compare these tables, as their columns or kinds differ.
    """

    name: str
    claim: Claim | None = None
    epsilon: float = 0.0
    faults: list[str] = field(default_factory=list)
    unfollowed: str = ""
    refusal: str = ""
    coins: bool = False
    outside: bool = False

    def note(self, words: str) -> None:
        """Add a fault, once for both directions: they differ behind the sign of equality."""
        about = words.partition(" = ")[0]
        if all(known.partition(" = ")[0] != about for known in self.faults):
            self.faults.append(words)


@dataclass(slots=True)
class _Run:
    """Two runs with the same answers."""

    tapes: tuple[Tape, Tape]
    outcomes: tuple[CallOutcome, CallOutcome]
    departure: str = ""


class Replayer:
    """Replays one call on many neighbours, and remembers what it saw on the same table.

    Parameters
    ----------
    call : what a user would call.
    kinds : which columns of which kinds a call reads from cells, if nobody states them.
    """

    def __init__(self, call: Call, kinds: Callable[[Any], object] | None = None) -> None:
        self._call, self._kinds = call, kinds
        self._together: set[int] = set()
        self._seen: dict[tuple[Any, ...], tuple[Tape, CallOutcome, Any]] = {}

    def replay(self, pair: TablePair, seeds: Sequence[int | None]) -> Replayed:
        """Replay two neighbours in both directions.

        Parameters
        ----------
        seeds : for each replay, what the first answers are drawn from; None for the true values.
        """
        replayed = Replayed(pair.name)
        for seed in seeds:
            for first, second in ((pair.first, pair.second), (pair.second, pair.first)):
                try:
                    self._replay(first, second, seed, replayed)
                except NotFollowed as error:
                    replayed.unfollowed = str(error)
                if replayed.unfollowed or replayed.refusal:
                    return replayed
                if self._is_outside(pair, replayed.claim):
                    return Replayed(pair.name, replayed.claim, outside=True)
        return replayed

    def _is_outside(self, pair: TablePair, claim: Claim | None) -> bool:
        """Whether a claim compares tables of the same kinds alone, and these are not."""
        if claim is None or claim.kinds == "stated" or self._kinds is None:
            return False
        return self._kinds(pair.first) != self._kinds(pair.second)

    def _replay(self, first: Any, second: Any, seed: int | None, replayed: Replayed) -> None:
        run = self._run(first, second, seed)
        before, after = run.outcomes
        replayed.claim = replayed.claim or before.claim or after.claim
        differing = differences(before, after)
        if before.refused and after.refused and not differing:
            replayed.refusal = before.facts["the refusal"]
            return
        if run.departure:
            replayed.note(f"what is asked depends on more than the answers: {run.departure}")
            return
        for words in differing:
            replayed.note(words)
        if before.refused or after.refused or replayed.claim is None:
            return
        one, other = run.tapes
        coins = [one.events[place] for place in one.together if place < len(one.events)]
        replayed.coins |= bool(coins)
        sampled = any(isinstance(coin, Coins) and coin.rate is not None for coin in coins)
        if sampled:
            sampled = self._shows_nothing(first, second, seed, differing)
        cost = cost_of(one, other, sampled=sampled)
        for fault in cost.faults:
            replayed.note(fault)
        delta = replayed.claim.delta / 2 if other.extra else replayed.claim.delta
        replayed.epsilon = max(replayed.epsilon, cost.epsilon(delta))
        if other.extra and not differing:
            self._raise_hidden(first, run, replayed, delta)

    def _run(self, first: Any, second: Any, seed: int | None, *, everybody: bool = True) -> _Run:
        """Run on both tables, until it is known which coins are not equally many."""
        for _ in range(_ROUNDS):
            one, before = self._first(first, seed, everybody=everybody)
            if before.refused:  # there are no answers, so only: is the neighbour refused, too?
                alone, after = self._first(second, seed, everybody=everybody)
                return _Run((one, alone), (before, after))
            other, departure = one.again(), ""
            try:
                after = observe(self._call, second, FollowedNoise(other))
            except Departure as error:
                departure, after = str(error), before
            if not other.unequal - self._together:
                break
            self._together |= other.unequal
        if not departure and not after.refused and len(other.events) < len(one.events):
            departure = "the neighbour was asked fewer questions"
        return _Run((one, other), (before, after), departure)

    def _first(self, data: Any, seed: int | None, *, everybody: bool) -> tuple[Tape, CallOutcome]:
        key = (id(data), seed, everybody, frozenset(self._together))
        if key not in self._seen:
            tape = Tape(seed, everybody, set(self._together))
            # The data stay alive with what was seen of them, so that their id is not used again.
            self._seen[key] = (tape, observe(self._call, data, FollowedNoise(tape)), data)
        return self._seen[key][:2]

    def _shows_nothing(
        self, first: Any, second: Any, seed: int | None, known: Sequence[str]
    ) -> bool:
        """Whether nothing but what is known depends on a record that its coins leave out."""
        run = self._run(first, second, seed, everybody=False)
        if run.departure or set(differences(*run.outcomes)) - set(known):
            return False
        cost = cost_of(*run.tapes, sampled=False)
        return not cost.faults and cost.epsilon(0.0) == 0.0

    def _raise_hidden(self, first: Any, run: _Run, replayed: Replayed, delta: float) -> None:
        """Answers that one table alone is asked for stay hidden, but for the delta of the claim.

        They get so much noise as comes with a probability of that delta. If then something else is
        published, they are not hidden with a high enough probability.
        """
        one, other = run.tapes
        if delta == 0:
            replayed.note("one table is asked for answers that the other is not, at delta 0")
            return
        longer = [extra for extra in other.extra if extra.longer]
        if not longer:
            return  # the other direction does it
        raised = {(e.event, e.place): _far_noise(e, delta / len(longer)) for e in longer}
        tape = Tape(one.seed, one.everybody, set(one.together), raised=raised)
        if differences(run.outcomes[0], observe(self._call, first, FollowedNoise(tape))):
            replayed.note(
                "a value that one person alone has is hidden by a noisy threshold, but shows with "
                f"a probability of more than {delta:.2g}"
            )


def _far_noise(extra: Extra, probability: float) -> float:
    """How much noise comes with a probability, in whole numbers."""
    if extra.kind == "gaussian":
        return math.floor(-extra.scale * float(ndtri(probability)))
    return math.floor(-extra.scale * math.log(2 * probability))
