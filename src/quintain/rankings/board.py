"""Board: contestants in order, with scores, ties and intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from quintain.measures import Reading
from quintain.rankings.results import Contestant


class Place(BaseModel):
    """One line of a board; ``rank`` is None for somebody who takes part without competing."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    team: str
    rank: int | None
    score: Reading
    note: str = ""


class Board(BaseModel):
    """A ranking."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    title: str = ""
    unit: str = ""
    wins: Literal["highest", "lowest"] = "highest"
    places: tuple[Place, ...]

    def rank_of(self, team: str) -> int | None:
        """A team's rank."""
        return next((place.rank for place in self.places if place.team == team), None)


def order(
    scores: Mapping[str, Reading],
    contestants: Sequence[Contestant],
    *,
    highest_first: bool,
    notes: Mapping[str, str] | None = None,
) -> tuple[Place, ...]:
    """Places by score: equal scores share a rank, and the next rank is skipped (1, 2, 2, 4).

    Whoever was not measured comes last of the competitors; whoever does not compete has no rank.
    """
    competing = {c.id: c.competing for c in contestants}

    def key(team: str) -> tuple[bool, float, str]:
        reading = scores[team]
        value = reading.value if reading.measured else 0.0
        return (not reading.measured, -value if highest_first else value, team)

    ordered = sorted(scores, key=key)
    ranked = [team for team in ordered if competing.get(team, True)]
    ranks: dict[str, int] = {}
    for number, team in enumerate(ranked, start=1):
        before = ranked[number - 2] if number > 1 else None
        tied = before is not None and key(before)[:2] == key(team)[:2]
        ranks[team] = ranks[before] if before is not None and tied else number
    said = notes or {}
    return tuple(
        Place(team=team, rank=ranks.get(team), score=scores[team], note=said.get(team, ""))
        for team in ordered
    )
