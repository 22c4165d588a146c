"""Results: the matrix of entries and attackers that every ranking is computed from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from quintain.measures import BlindLaw, Reading, Readings


@dataclass(frozen=True, slots=True)
class Contestant:
    """Somebody who is ranked, or who only takes part (``competing`` false)."""

    id: str
    name: str = ""
    competing: bool = True


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing under attack.

    Parameters
    ----------
    id : a sanitizer with its parameters, or a team's release.
    owner : the team it belongs to; None if the organisers made it.
    readings : what was read from the release itself: its utility, and what it gives away.
    faults : why it is disqualified; empty if it is not.
    """

    id: str
    owner: str | None = None
    readings: Readings = field(default_factory=dict)
    faults: tuple[str, ...] = ()

    @property
    def accepted(self) -> bool:
        """Whether it passed every gate."""
        return not self.faults


@dataclass(frozen=True, slots=True)
class Results:
    """Everything measured in one track.

    ``cells[entry, attacker]`` has the privacy readings of one attacker on one entry; a pair that
    is not there was not attacked. ``blind`` has the law of blind guessing for readings where it
    is known, and ``fresh`` the readings of further samples that nobody sanitized.
    """

    entries: tuple[Entry, ...]
    contestants: tuple[Contestant, ...]
    cells: Mapping[tuple[str, str], Readings]
    blind: Mapping[str, BlindLaw] = field(default_factory=dict)
    fresh: Readings = field(default_factory=dict)

    def column(self, entry: str, measure: str) -> dict[str, Reading]:
        """One entry's readings of a measure, by attacker; only those that were measured."""
        out = {}
        for contestant in self.contestants:
            reading = self.cells.get((entry, contestant.id), {}).get(measure)
            if reading is not None and reading.measured:
                out[contestant.id] = reading
        return out

    def row(self, attacker: str, measure: str) -> dict[str, Reading]:
        """One attacker's readings of a measure, by entry; only those that were measured."""
        out = {}
        for entry in self.entries:
            reading = self.cells.get((entry.id, attacker), {}).get(measure)
            if reading is not None and reading.measured:
                out[entry.id] = reading
        return out

    def attackers(self) -> Iterator[Contestant]:
        """The contestants who attacked anything."""
        attacked = {attacker for _, attacker in self.cells}
        return (c for c in self.contestants if c.id in attacked)
