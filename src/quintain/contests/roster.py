"""Roster: who takes part, and how often each team may submit.

The rules cannot change after the organisers commit to them, but teams join, get more attempts and
leave. So the roster is separate from the edition; it starts with the teams that the edition names.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from quintain.contests.edition import Edition, Team
from quintain.contests.phase import Phase
from quintain.errors import NoSuchTeam


@dataclass(frozen=True, slots=True)
class Quota:
    """How many submissions a team may make; None sets no limit.

    >>> phase = Phase(id="attack", submit="guess", per_day=3, total=20)
    >>> Quota(per_day=5).over(phase)
    Quota(per_day=5, total=20, per_file=None)
    """

    per_day: int | None = None
    total: int | None = None
    per_file: int | None = None

    def over(self, phase: Phase) -> Quota:
        """The limits of the team in a phase: its own if it has any, else those of the phase."""
        return Quota(
            phase.per_day if self.per_day is None else self.per_day,
            phase.total if self.total is None else self.total,
            phase.per_file if self.per_file is None else self.per_file,
        )


@dataclass(frozen=True, slots=True)
class Entrant:
    """A team that takes part in a contest.

    Parameters
    ----------
    competing : whether the team gets a rank.
    limits : the limits of the team that differ from those of the phase.
    built_in : whether it is a baseline of a rehearsal; it submits files even if teams submit
        programs.
    """

    id: str
    name: str = ""
    competing: bool = True
    limits: Quota = Quota()
    built_in: bool = False

    @classmethod
    def of(cls, team: Team, *, built_in: bool = False) -> Self:
        """The entrant for a team or a baseline of the rules."""
        return cls(team.id, team.name, team.competing, built_in=built_in)


@dataclass(frozen=True, slots=True)
class Roster:
    """All teams that may submit.

    >>> roster = Roster((Entrant("red"), Entrant("blue")))
    >>> roster.ids
    ('red', 'blue')
    >>> roster.entrant("green")
    Traceback (most recent call last):
    quintain.errors.NoSuchTeam: unknown team 'green'; available: red, blue
    """

    entrants: tuple[Entrant, ...] = ()

    @classmethod
    def of(cls, edition: Edition) -> Self:
        """The roster with the teams that an edition names."""
        return cls(tuple(Entrant.of(team) for team in edition.team))

    def with_baselines(self, edition: Edition) -> Self:
        """The roster of a rehearsal, in which the baselines of every track play too."""
        baselines = {b.id: b for track in edition.track for b in track.baseline}
        players = (Entrant.of(b, built_in=True) for b in baselines.values())
        return replace(self, entrants=(*self.entrants, *players))

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all teams, in their order."""
        return tuple(entrant.id for entrant in self.entrants)

    def entrant(self, team: str) -> Entrant:
        """The team with this id; raises ``NoSuchTeam`` with the ids of those that take part."""
        for entrant in self.entrants:
            if entrant.id == team:
                return entrant
        teams = f"available: {', '.join(self.ids)}" if self.ids else "this edition has no teams"
        raise NoSuchTeam(f"unknown team {team!r}; {teams}")
