"""Claims: sentences of our pages that the figures of a tournament could refute."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Self

from pydantic import ValidationError, model_validator

from benchmarks.tournament.best import seeing_attacks
from benchmarks.tournament.correction import corrected
from benchmarks.tournament.results import TournamentResults
from quintain.contests.fields import EditionTable
from quintain.errors import Refused
from quintain.measures import Reading

BEST = "best"
DRAWS = 20
"""How many draws a claim of our pages rests on."""


class Claim(EditionTable):
    """A sentence of a page, and what the figures must look like if it is true.

    Parameters
    ----------
    page, sentence : where it stands, and its words as they stand there.
    sanitizers : the entries that it speaks about; "mst-*" is all that begin so.
    attack : an attack, or "best" for whichever finds out most; empty for a reading of the release.
    measure : the reading; by default the first of the arena.
    at_least, at_most : what the sentence promises. A sentence about the best attack that promises
        at most so much speaks about every attack.
    draws : on how many draws it rests. Fewer than usual are those of the kept tournament, for
        entries that train networks.
    """

    page: str
    sentence: str
    arena: str
    sanitizers: tuple[str, ...]
    attack: str = BEST
    measure: str = ""
    at_least: float | None = None
    at_most: float | None = None
    draws: int = DRAWS

    @model_validator(mode="after")
    def _promises(self) -> Self:
        if self.at_least is None and self.at_most is None:
            raise ValueError("a claim needs at_least, at_most, or both")
        return self

    def stands_on(self, text: str) -> bool:
        """Whether the sentence is part of a page; line breaks and spaces do not matter."""
        return " ".join(self.sentence.split()) in " ".join(text.split())

    def figures(self, results: TournamentResults) -> Iterator[tuple[str, str, Reading]]:
        """Every figure that the claim speaks about: entry, attack, reading."""
        if self.arena not in results.arenas:
            return
        arena = results.arenas[self.arena]
        measure = self.measure or arena.first
        patterns = self.sanitizers
        for entry in (name for name in arena.cells if any(fnmatchcase(name, p) for p in patterns)):
            if not self.attack:
                utility = arena.utility(entry, measure)
                readings = [] if utility is None else [("", utility)]
            else:
                readings = list(seeing_attacks(arena, entry, measure))
            for attack, reading in readings:
                if self.attack in ("", BEST, attack) and reading.measured:
                    yield entry, attack, reading


@dataclass(frozen=True, slots=True)
class Refuted:
    """A claim that the figures contradict, with one figure that does."""

    claim: Claim
    entry: str
    attack: str
    low: float
    high: float

    def __str__(self) -> str:
        claim, by = self.claim, f" by {self.attack}" if self.attack else ""
        wanted = [f"at least {claim.at_least:g}"] if claim.at_least is not None else []
        wanted += [f"at most {claim.at_most:g}"] if claim.at_most is not None else []
        name = claim.measure or "the first measure"
        return (
            f"{claim.page}: “{' '.join(claim.sentence.split())}” means {name} "
            f"{' and '.join(wanted)} on {self.entry}; {claim.arena} shows "
            f"{self.low:.3f} to {self.high:.3f}{by}"
        )


def read_claims(path: Path) -> tuple[Claim, ...]:
    """Read the claims of a file."""
    try:
        tables = tomllib.loads(path.read_text("utf-8"))["claim"]
        return tuple(Claim.model_validate(table) for table in tables)
    except (OSError, KeyError, tomllib.TOMLDecodeError, ValidationError) as error:
        raise Refused(f"{path} is no file of claims: {error}") from None


def refuted(claims: Sequence[Claim], results: TournamentResults) -> list[Refuted]:
    """The claims that the figures contradict.

    A figure contradicts a claim if its interval lies on the wrong side as a whole. All intervals
    are so wide that they hold together, for all claims and all figures that the claims look at.
    Claims about pairs that were not played are left out.
    """
    played = [claim for claim in claims if has_figures(claim, results)]
    looks = sum(len(list(claim.figures(results))) for claim in played)
    refutations = (_refutation(claim, results, looks) for claim in played)
    return [one for one in refutations if one is not None]


def has_figures(claim: Claim, results: TournamentResults) -> bool:
    """Whether the pairs that a claim speaks about were played."""
    return any(claim.figures(results))


def _refutation(claim: Claim, results: TournamentResults, looks: int) -> Refuted | None:
    figures = list(claim.figures(results))
    for entry in dict.fromkeys(entry for entry, _, _ in figures):
        tried = [(attack, reading) for name, attack, reading in figures if name == entry]
        spans = {attack: corrected(reading, looks) for attack, reading in tried}
        above = [
            (attack, span)
            for attack, span in spans.items()
            if claim.at_most is not None and span[0] > claim.at_most
        ]
        if above:
            attack, span = max(above, key=lambda one: one[1][0])
            return Refuted(claim, entry, attack, *span)
        attack, span = max(spans.items(), key=lambda one: one[1][1])
        if claim.at_least is not None and span[1] < claim.at_least:
            return Refuted(claim, entry, attack, *span)
    return None
