"""Best: the strongest attack on each entry of an arena, beside what blind attacks reach."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.tournament.correction import best_of_blind, corrected, standard_error
from benchmarks.tournament.results import ArenaResults
from quintain.measures import Reading


@dataclass(frozen=True, slots=True)
class Best:
    """The strongest attack on an entry.

    Parameters
    ----------
    attack : the attack with the worst reading for the people in the data.
    equal : further attacks with the same reading.
    reading : its reading.
    low, high : its interval at the level at which those of all ``tried`` attacks hold together.
    tried : how many attacks were measured, without blind ones.
    floor : the reading that the best of as many blind attacks exceeds in 5 of 100 tournaments; NaN
        if chance is not known.
    """

    entry: str
    attack: str
    equal: tuple[str, ...]
    reading: Reading
    low: float
    high: float
    tried: int
    floor: float

    @property
    def luck(self) -> bool:
        """Whether blind attacks would often do as well."""
        sign = leak_sign(self.reading)
        return not math.isnan(self.floor) and sign * self.reading.value <= sign * self.floor


def leak_sign(reading: Reading) -> int:
    """1 if higher values are worse for the people in the data, else -1."""
    return 1 if reading.better == "lower" else -1


def best_attacks(arena: ArenaResults, measure: str = "") -> dict[str, Best]:
    """The strongest attack on each entry, by the first measure or another one."""
    name = measure or arena.first
    strongest = (_best(arena, entry, name) for entry in arena.cells)
    return {one.entry: one for one in strongest if one is not None}


def _best(arena: ArenaResults, entry: str, measure: str) -> Best | None:
    readings = dict(seeing_attacks(arena, entry, measure))
    if not readings:
        return None
    attack = max(readings, key=lambda one: leak_sign(readings[one]) * readings[one].value)
    reading, tried = readings[attack], len(readings)
    least, most = arena.measures[measure].within or (-math.inf, math.inf)
    low, high = (min(max(end, least), most) for end in corrected(reading, tried))
    same = (name for name, one in readings.items() if one.value == reading.value)
    equal = tuple(name for name in same if name != attack)
    return Best(entry, attack, equal, reading, low, high, tried, _floor(arena, measure, tried))


def seeing_attacks(arena: ArenaResults, entry: str, measure: str) -> Iterator[tuple[str, Reading]]:
    """The measured readings of all attacks that look at the release."""
    for attack, player in arena.attacks.items():
        reading = arena.reading(entry, attack, measure)
        if reading is not None and reading.measured and not player.blind:
            yield attack, reading


def _floor(arena: ArenaResults, measure: str, attacks: int) -> float:
    """What the best of so many blind attacks exceeds in 5 of 100 tournaments."""
    blind = [
        reading
        for entry in arena.cells
        for attack, player in arena.attacks.items()
        if player.blind and (reading := arena.reading(entry, attack, measure)) is not None
        if reading.measured
    ]
    if not blind:
        return math.nan
    chance = arena.measures[measure].chance
    middle = statistics.fmean(one.value for one in blind) if chance is None else chance
    error = math.sqrt(statistics.fmean(standard_error(one) ** 2 for one in blind))
    return middle + leak_sign(blind[0]) * best_of_blind(error, attacks)
