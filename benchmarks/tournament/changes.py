"""Changes: what new parts move, compared with earlier results of the same tournament."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.tournament.best import Best, best_attacks, leak_sign
from benchmarks.tournament.results import ArenaResults, TournamentResults


@dataclass(frozen=True, slots=True)
class Moved:
    """An entry whose strongest attack is another one now, or finds out more or less."""

    entry: str
    before: Best
    now: Best

    @property
    def clear(self) -> bool:
        """Whether the two intervals have no value in common."""
        one, other = self.before, self.now
        return one.high < other.low or other.high < one.low


@dataclass(frozen=True, slots=True)
class Changes:
    """What is new in an arena, and what it moves.

    Parameters
    ----------
    attacks, entries : the attacks and the entries that earlier results do not have.
    missing : the attacks and entries that are not there any more.
    moved : the entries that both have, whose strongest attack is another one or has another value.
    undominated : the new entries that no other entry beats in privacy and in the first utility.
    paired : whether both were played with the same seed and sizes, so that releases are the same.
    """

    attacks: tuple[str, ...]
    entries: tuple[str, ...]
    missing: tuple[str, ...]
    moved: tuple[Moved, ...]
    undominated: tuple[str, ...]
    paired: bool

    @property
    def nothing(self) -> bool:
        """Whether there is nothing to tell."""
        return not (self.attacks or self.entries or self.missing or self.moved)


def changes(now: TournamentResults, earlier: TournamentResults, name: str) -> Changes | None:
    """Compare an arena with earlier results; None if they do not have it."""
    if name not in earlier.arenas:
        return None
    one, other = now.arenas[name], earlier.arenas[name]
    best, before = best_attacks(one), best_attacks(other)
    new = tuple(entry for entry in one.cells if entry not in other.entries)
    missing = [x for x in (*other.entries, *other.attacks) if x not in (*one.entries, *one.attacks)]
    return Changes(
        tuple(attack for attack in one.attacks if attack not in other.attacks),
        new,
        tuple(missing),
        tuple(
            Moved(entry, before[entry], best[entry])
            for entry in best
            if entry in before
            if (best[entry].attack, best[entry].reading.value)
            != (before[entry].attack, before[entry].reading.value)
        ),
        tuple(entry for entry in new if _is_undominated(entry, one, best)),
        (now.seed, now.size, one.sizes.repeats)
        == (earlier.seed, earlier.size, other.sizes.repeats),
    )


def joined(now: TournamentResults, earlier: TournamentResults) -> TournamentResults:
    """Earlier results with what was played now; where both have a cell, the later one counts."""
    arenas = dict(earlier.arenas)
    for name, arena in now.arenas.items():
        arenas[name] = _joined(arena, arenas[name]) if name in arenas else arena
    return now.model_copy(update={"arenas": arenas})


def _joined(now: ArenaResults, earlier: ArenaResults) -> ArenaResults:
    cells = {
        entry: {**earlier.cells.get(entry, {}), **now.cells.get(entry, {})}
        for entry in {**earlier.cells, **now.cells}
    }
    refused = {
        entry: {**earlier.refused.get(entry, {}), **now.refused.get(entry, {})}
        for entry in {**earlier.refused, **now.refused}
    }
    cost = earlier.sizes.cpu_seconds + now.sizes.cpu_seconds
    return now.model_copy(
        update={
            "cells": cells,
            "refused": refused,
            "entries": {**earlier.entries, **now.entries},
            "attacks": {**earlier.attacks, **now.attacks},
            "readings": {**earlier.readings, **now.readings},
            "faults": {**earlier.faults, **now.faults},
            "sizes": now.sizes.model_copy(update={"cpu_seconds": round(cost, 1)}),
        }
    )


def _is_undominated(entry: str, arena: ArenaResults, best: dict[str, Best]) -> bool:
    """Whether no accepted entry protects people better and is at least as useful."""
    if entry in arena.faults or entry not in best:
        return False
    others = [name for name in best if name != entry and name not in arena.faults]
    own_place = _place(entry, arena, best)
    return not any(
        all(a >= b for a, b in zip(_place(name, arena, best), own_place, strict=True))
        and _place(name, arena, best) != own_place
        for name in others
    )


def _place(entry: str, arena: ArenaResults, best: dict[str, Best]) -> tuple[float, ...]:
    """Privacy and the first utility, both as numbers that are better when they are higher."""
    reading = best[entry].reading
    useful = next((arena.utility(entry, name) for name in arena.utilities), None)
    use = 0.0 if useful is None or not useful.measured else leak_sign(useful) * -useful.value
    return -leak_sign(reading) * reading.value, use
