"""Ranking rule: computes a board from results."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from quintain.errors import Fault
from quintain.measures import Direction, Reading
from quintain.rankings.board import Board
from quintain.rankings.results import Results
from quintain.registry import Part
from quintain.wording.suggestion import suggestion

_DECIMALS = 9
"""Sums of decimal fractions miss whole numbers by rounding errors far below this."""


class Points(BaseModel):
    """A scale for scores, and how to round the digits after the decimal point.

    >>> Points(scale=1000, whole="floor").of(0.12667)
    126.0
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    scale: Annotated[float, Field(gt=0)] = 1.0
    whole: Literal["no", "floor", "nearest"] = "no"

    def of(self, value: float) -> float:
        """The points that a value gives, scaled and rounded."""
        points = round(value * self.scale, _DECIMALS)
        if self.whole == "no" or not math.isfinite(points):
            return points
        return float(math.floor(points) if self.whole == "floor" else math.floor(points + 0.5))

    def of_reading(self, reading: Reading) -> Reading:
        """A reading with value and interval in points."""
        update = {key: self.of(getattr(reading, key)) for key in ("value", "low", "high")}
        return reading.model_copy(update=update)


@dataclass(frozen=True, slots=True)
class KnownNames:
    """The names that a ranking rule of an edition may use.

    Parameters
    ----------
    guesses : the readings of guesses, of which there is one per attacker and entry.
    releases : the readings of releases.
    boards : the ids of the boards before this one.
    finds : for each goal, whether a measure says which records an attacker found; the only goal of
        a track has the id "".
    over_tracks : whether the board is one over all tracks, which sees no readings.
    better : which direction of each reading is better for the people in the data.
    """

    guesses: frozenset[str] = frozenset()
    releases: frozenset[str] = frozenset()
    boards: tuple[str, ...] = ()
    finds: Mapping[str, bool] = field(default_factory=lambda: {"": False})
    over_tracks: bool = False
    better: Mapping[str, Direction] = field(default_factory=dict)


class RankingRule(Part, ABC):
    """A rule that orders contestants; a pure function of the results and of earlier boards."""

    family: ClassVar[str] = "ranking"

    @property
    @abstractmethod
    def uses(self) -> tuple[str, ...]:
        """The names of the readings that it ranks by."""

    @property
    def uses_guesses(self) -> tuple[str, ...]:
        """Of these names, those whose readings must come from attackers' guesses."""
        return ()

    @property
    def ranks_attackers(self) -> bool:
        """Whether it ranks attackers by their attacks."""
        return False

    @property
    def trims(self) -> Mapping[str, float]:
        """The readings that it averages over releases, with the share left out at each end."""
        return {}

    @property
    def uses_found(self) -> tuple[str, ...]:
        """The goals for which it needs to know which records each attacker found."""
        return ()

    @property
    def follows(self) -> tuple[str, ...]:
        """The ids of the earlier boards that it needs."""
        return ()

    def faults(self, known: KnownNames) -> Iterator[Fault]:
        """Every name that it uses and the edition does not have."""
        for name in self.follows:
            if name not in known.boards:
                message = f"unknown board {name!r} among those before it"
                yield Fault(f"{message}; {available(known.boards)}")
        if known.over_tracks:
            return
        names = known.guesses | known.releases
        for name in self.uses:
            if name not in names:
                reading = f"{name!r}{self._default_of(name)}"
                yield Fault(f"ranks by the unknown reading {reading}{suggestion(name, names)}")
            elif name in known.releases and name in self.uses_guesses:
                message = f"ranks attackers by {name!r}, which is read from releases"
                yield Fault(f"{message}; {available(known.guesses)}")
            elif name in self.uses_guesses and known.better.get(name) == "higher":
                # What protects people is better; an attacker wins with the opposite.
                yield Fault(
                    f"ranks attackers with the highest {name!r} first, and the higher it is, the "
                    'less an attacker learned: use "formula" with of = "attackers" and '
                    'wins = "lowest"'
                )

    def _default_of(self, name: str) -> str:
        """Which parameter has this value by default, for somebody who never wrote it."""
        unset = [key for key in type(self).model_fields if key not in self.model_fields_set]
        return "".join(f", the default of {key}" for key in unset if getattr(self, key) == name)

    @classmethod
    def faults_of_table(
        cls,
        table: Mapping[str, object],  # noqa: ARG003
        known: KnownNames,  # noqa: ARG003
    ) -> Iterator[Fault]:
        """Unknown names in a table from which the rule cannot be built, for a full list."""
        return iter(())

    @abstractmethod
    def rank(self, board: str, results: Results, boards: Mapping[str, Board]) -> Board:
        """Compute the board with the id ``board``.

        ``boards`` has the earlier boards of the edition: those of the same track by their ids, and
        for a board over all tracks those of every track, as "track/board".
        """


def available(names: Iterable[str]) -> str:
    """The names that could be meant, for the end of a sentence."""
    return f"available: {', '.join(sorted(names)) or 'none'}"
