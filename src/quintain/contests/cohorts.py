"""Cohorts: groups of teams that nobody chose, and what they decide.

The cohort of a team follows from its id and a salt that the organisers have committed to before the
team joins. Nobody can choose it: the organisers cannot change the salt, and the team does not know
it when it chooses its id.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import Field

from quintain.contests.fields import EditionTable
from quintain.contests.ids import Id
from quintain.contests.roster import Roster

Attacks = Literal["everybody", "own", "others"]
"""Whose releases the teams of a cohort attack, beside those of the organisers."""


class Cohorts(EditionTable):
    """The cohorts of an edition; every team belongs to one of them, by a hash of its id.

    Parameters
    ----------
    names : the ids of the cohorts.
    attacks : whose releases a team attacks: those of "everybody", of its "own" cohort, or of all
        "others".
    shared_sample : whether the teams of a cohort release the same private sample.
    """

    names: Annotated[tuple[Id, ...], Field(min_length=2)]
    attacks: Attacks = "everybody"
    shared_sample: bool = False


def cohort_of(names: Sequence[str], salt: bytes, team: str) -> str:
    """The cohort of a team: the SHA-256 of salt and id, as a number, modulo that of the cohorts.

    >>> [cohort_of(("east", "west"), bytes(32), team) for team in ("red", "blue", "green")]
    ['west', 'west', 'east']
    """
    digest = hashlib.sha256(salt + team.encode()).digest()
    return names[int.from_bytes(digest, "big") % len(names)]


@dataclass(frozen=True, slots=True)
class Matchup:
    """Who may attack whose releases.

    >>> matchup = Matchup("own", {"red": "east", "blue": "west"})
    >>> matchup.allows("red", "blue"), matchup.allows("red", None), matchup.allows("nearest", "red")
    (False, True, True)

    Parameters
    ----------
    cohorts : the cohort of each team; a baseline that did not join has none, and attacks everybody.
    """

    attacks: Attacks = "everybody"
    cohorts: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, cohorts: Cohorts | None, roster: Roster) -> Matchup:
        """The matchup that the rules make of the teams that joined."""
        if cohorts is None:
            return cls()
        return cls(cohorts.attacks, {team.id: team.cohort for team in roster.entrants})

    def allows(self, attacker: str, owner: str | None) -> bool:
        """Whether cohorts let an attacker attack a release; its own is another matter."""
        known = attacker in self.cohorts and owner in self.cohorts
        if not known or self.attacks == "everybody":
            return True
        same = self.cohorts[attacker] == self.cohorts[owner or ""]
        return same if self.attacks == "own" else not same


NO_COHORTS = Matchup()
"""Everybody attacks everybody."""
