"""Board: the teams of a contest in order, with scores, ties and intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

from quintain.measures import Reading
from quintain.rankings.results import Contestant
from quintain.wording.display import html_table


class Place(BaseModel):
    """One line of a board: a team with its rank and its score.

    Parameters
    ----------
    rank : None for a team that takes part without competing, is disqualified or was not
        measured.
    entry : the release that the score comes from, if it comes from a single one.
    p : how likely attackers who guess blindly reach this score or a more extreme one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    team: str
    rank: int | None
    score: Reading
    note: str = ""
    entry: str | None = None
    p: float | None = None
    disqualified: bool = False


class Board(BaseModel):
    """A ranking of teams; ``floor`` is the score that luck alone gives, if it is known."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    title: str = ""
    unit: str = ""
    wins: Literal["highest", "lowest"] = "highest"
    places: tuple[Place, ...]
    floor: float | None = None
    floor_says: str = ""

    def _repr_html_(self) -> str:
        rows = [(place.rank, place.team, str(place.score)) for place in self.places]
        return html_table(("rank", "team", "score"), rows, self.title or self.id)

    def place_of(self, team: str) -> Place | None:
        """The line of a team; None if the team is not on the board."""
        return next((place for place in self.places if place.team == team), None)

    def rank_of(self, team: str) -> int | None:
        """The rank of a team; None if it has no rank or is not on the board."""
        place = self.place_of(team)
        return None if place is None else place.rank

    def score_of(self, team: str) -> Reading | None:
        """The score of a team; None if the team is not on the board."""
        place = self.place_of(team)
        return None if place is None else place.score


@dataclass(frozen=True, slots=True)
class Candidate:
    """A team's score before the places are known."""

    score: Reading
    entry: str | None = None
    note: str = ""
    p: float | None = None
    disqualified: bool = False

    @property
    def can_be_ranked(self) -> bool:
        """Whether the score was measured and the team is not disqualified."""
        return self.score.measured and not self.disqualified

    def key(self, *, highest_first: bool) -> tuple[bool, bool, float]:
        """The sort key: better scores first, then scores that were not measured."""
        value = self.score.value if self.score.measured else 0.0
        return self.disqualified, not self.score.measured, -value if highest_first else value

    def before(self, other: Candidate, *, highest_first: bool) -> bool:
        """Whether this score is strictly better than the other."""
        return self.key(highest_first=highest_first) < other.key(highest_first=highest_first)


def order(
    candidates: Mapping[str, Candidate],
    contestants: Sequence[Contestant],
    *,
    highest_first: bool,
) -> tuple[Place, ...]:
    """Order teams by score: equal scores share a rank, and the next rank is skipped (1, 2, 2, 4).

    A team that was not measured, is disqualified or does not compete gets a place without a rank.
    """
    keys = {
        team: (candidate.key(highest_first=highest_first), team)
        for team, candidate in candidates.items()
    }
    ordered = sorted(candidates, key=lambda team: keys[team])
    ranked = [team for team in ordered if candidates[team].can_be_ranked]
    ranks = ranks_in_order({team: keys[team][0] for team in ranked}, contestants)
    return tuple(
        Place(
            team=team,
            rank=ranks.get(team),
            score=candidates[team].score,
            note=candidates[team].note,
            entry=candidates[team].entry,
            p=candidates[team].p,
            disqualified=candidates[team].disqualified,
        )
        for team in ordered
    )


def ranks_in_order(keys: Mapping[str, object], contestants: Sequence[Contestant]) -> dict[str, int]:
    """The ranks of competing teams, in the order of the keys; equal keys share a rank."""
    competing = {c.id: c.competing for c in contestants}
    ranks: dict[str, int] = {}
    before = None
    number = 0
    for team, key in keys.items():
        if not competing.get(team, True):
            continue
        number += 1
        tied = before is not None and keys[before] == key
        ranks[team] = ranks[before] if before is not None and tied else number
        before = team
    return ranks
