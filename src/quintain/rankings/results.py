"""Results: the readings of all attackers on all entries, from which every board is computed.

A reading says how many people an attacker found, and two attackers with equal readings may have
found different people. A rule that looks at single records needs to know which: the finds have one
bit per record.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from quintain.data.arrays import Ints, Mask
from quintain.measures import BlindLaw, Reading, Readings
from quintain.rankings.reading_table import ReadingGrid, ReadingTable

_COUNT_BYTES = 8


def pack_finds(records: Mask) -> bytes:
    """The number of records, then one bit for each: whether it was found.

    >>> pack_finds(np.array([True, False, True])).hex()
    '0300000000000000a0'
    """
    return len(records).to_bytes(_COUNT_BYTES, "little") + np.packbits(records).tobytes()


def unpack_finds(content: bytes) -> Mask:
    """What :func:`pack_finds` packed.

    >>> unpack_finds(bytes.fromhex("0300000000000000a0")).tolist()
    [True, False, True]
    """
    count = int.from_bytes(content[:_COUNT_BYTES], "little")
    bits = np.frombuffer(content, np.uint8, offset=_COUNT_BYTES)
    records: Mask = np.unpackbits(bits, count=count).astype(np.bool_)
    return records


@dataclass(frozen=True)
class EntryFinds:
    """The records of one entry that each attacker found.

    Parameters
    ----------
    by_attacker : for each attacker, whether each record was found; in one order of records.
    """

    by_attacker: Mapping[str, Mask] = field(default_factory=dict)

    @cached_property
    def attackers_per_record(self) -> Ints:
        """How many attackers found each record."""
        masks = list(self.by_attacker.values())
        counts: Ints = np.sum(masks, axis=0, dtype=np.int64) if masks else np.zeros(0, np.int64)
        return counts

    def without(self, attacker: str | None) -> Ints:
        """How many attackers other than this one found each record."""
        own = self.by_attacker.get(attacker or "")
        return self.attackers_per_record if own is None else self.attackers_per_record - own


@dataclass(frozen=True, slots=True)
class Contestant:
    """A team that is ranked, or that takes part without competing (``competing`` is false).

    ``cohort`` is empty in a contest without cohorts, and for a baseline that did not join.
    """

    id: str
    name: str = ""
    competing: bool = True
    cohort: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One release, or one sanitizer's releases, that attackers attack.

    Parameters
    ----------
    id : the name of a sanitizer with its parameters, or of a team's release.
    owner : the team that made it; None if the organisers did.
    readings : the readings of the release itself: its utility, and what it gives away.
    faults : why it is disqualified; empty if it is not.
    competing : whether its team competes.
    submitted : when its team submitted it, in seconds; None for a release of the organisers.
    """

    id: str
    owner: str | None = None
    readings: Readings = field(default_factory=dict)
    faults: tuple[str, ...] = ()
    competing: bool = True
    submitted: float | None = None

    @property
    def accepted(self) -> bool:
        """Whether it passed every gate."""
        return not self.faults

    @property
    def can_be_ranked(self) -> bool:
        """Whether it passed every gate and its team competes."""
        return self.accepted and self.competing


@dataclass(frozen=True, slots=True)
class Refusals:
    """What parts refused to do, with their reasons; the rest of the track went on without it.

    Parameters
    ----------
    releases : the entries, or players, whose release was not made.
    attacks : pairs of entry and attacker without a guess.
    """

    releases: Mapping[str, str] = field(default_factory=dict)
    attacks: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.releases or self.attacks)

    def by_reason(self) -> dict[tuple[str, str], list[str]]:
        """For each attacker and reason, the entries that it refused.

        >>> Refusals(attacks={("a", "x"): "no base", ("b", "x"): "no base"}).by_reason()
        {('x', 'no base'): ['a', 'b']}
        """
        entries: dict[tuple[str, str], list[str]] = {}
        for (entry, attacker), reason in self.attacks.items():
            entries.setdefault((attacker, reason), []).append(entry)
        return entries


@dataclass(frozen=True)
class Results:
    """Everything that was measured in one track.

    ``cells[entry, attacker]`` has the privacy readings of one attacker on one entry; a missing pair
    means that there was no attack. ``blind`` has the law of blind guessing for readings where it
    is known, and ``fresh`` has readings of further samples that were not sanitized. ``refused`` has
    the reasons of parts that refused. ``finds[entry, attacker]`` has the records that were found,
    packed by ``finds.pack_finds``, where a board needs to know; if a track has several goals, the
    goal comes third. ``barred`` has the pairs of entry and attacker that the rules keep apart,
    beside those of a team with its own release. ``count_unranked`` says whether an attack on a
    release that cannot be ranked counts for the attacker. ``guessed`` has for each attacker when
    the last of its guesses that count was submitted, in seconds.
    """

    entries: tuple[Entry, ...]
    contestants: tuple[Contestant, ...]
    cells: Mapping[tuple[str, str], Readings]
    blind: Mapping[str, BlindLaw] = field(default_factory=dict)
    fresh: Readings = field(default_factory=dict)
    refused: Refusals = field(default_factory=Refusals)
    finds: Mapping[tuple[str, ...], bytes] = field(default_factory=dict)
    barred: frozenset[tuple[str, str]] = frozenset()
    count_unranked: bool = False
    guessed: Mapping[str, float] = field(default_factory=dict)

    def counts(self, entry: Entry) -> bool:
        """Whether attacks on an entry count for attackers.

        Somebody who helps an attacker can hand in a release that tells everything. If it loses its
        rank, the attacker must lose what it gave.
        """
        return self.count_unranked or entry.can_be_ranked

    def faces(self, attacker: str, entry: Entry) -> bool:
        """Whether an entry counts for an attacker: not its own, nor one that is barred from it."""
        own = entry.owner == attacker
        return self.counts(entry) and not own and (entry.id, attacker) not in self.barred

    def of_cohort(self, cohort: str) -> Results:
        """The same results; only the teams of one cohort compete."""
        contestants = tuple(
            replace(team, competing=team.competing and team.cohort == cohort)
            for team in self.contestants
        )
        return replace(self, contestants=contestants)

    @cached_property
    def table(self) -> ReadingTable:
        """The cells as arrays."""
        return ReadingTable.of(self.cells)

    def grid(self, measure: str) -> ReadingGrid:
        """One reading of every contestant on every entry, as arrays in the order of both."""
        return self.table.grid(
            measure, [entry.id for entry in self.entries], [c.id for c in self.contestants]
        )

    def column(self, entry: str, measure: str) -> dict[str, Reading]:
        """The measured readings of one entry under one name, by attacker."""
        readings = {c.id: self.table.reading(entry, c.id, measure) for c in self.contestants}
        return {key: r for key, r in readings.items() if r is not None and r.measured}

    def row(self, attacker: str, measure: str) -> dict[str, Reading]:
        """The measured readings of one attacker under one name, by entry."""
        readings = {e.id: self.table.reading(e.id, attacker, measure) for e in self.entries}
        return {key: r for key, r in readings.items() if r is not None and r.measured}

    def attackers(self) -> Iterator[Contestant]:
        """The contestants who attacked at least one entry."""
        (rows,) = np.nonzero(self.table.present.any(axis=1))
        attacked = {self.table.attackers[i] for i in rows}
        return (c for c in self.contestants if c.id in attacked)
