"""Roster: who takes part, and how often each team may submit.

The rules cannot change after the organisers commit to them, but teams join, get more attempts and
leave. So the roster is not a part of the rules: it comes from the journal of the contest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from quintain.errors import NoSuchTeam
from quintain.wording.languages import tell

if TYPE_CHECKING:
    from quintain.contests.submitting import Phase


@dataclass(frozen=True, slots=True)
class Quota:
    """How many submissions a team may make; None sets no limit.

    >>> from quintain.contests import Phase
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
    cohort : the cohort of the team; empty in an edition without cohorts.
    """

    id: str
    name: str = ""
    competing: bool = True
    limits: Quota = Quota()
    built_in: bool = False
    cohort: str = ""


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

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all teams, in their order."""
        return tuple(entrant.id for entrant in self.entrants)

    def entrant(self, team: str) -> Entrant:
        """The team with this id; raises ``NoSuchTeam`` with the ids of those that take part."""
        for entrant in self.entrants:
            if entrant.id == team:
                return entrant
        if not self.ids:
            raise NoSuchTeam(tell("unknown team %(team)s; no team has joined yet", team=repr(team)))
        names = ", ".join(self.ids)
        raise NoSuchTeam(
            tell("unknown team %(team)s; available: %(names)s", team=repr(team), names=names)
        )
