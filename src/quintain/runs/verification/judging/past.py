"""Past: a contest up to some event, by which the next event is judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from quintain.contests import Edition, Team
from quintain.journal.events import Event, Submitted
from quintain.journal.state import State


@dataclass(slots=True)
class Past:
    """A contest up to some event.

    Parameters
    ----------
    rules : every version of the rules.
    submitted : the submissions so far, by team.
    programs : the programs so far, by the number of their event.
    """

    rules: Mapping[int, Edition]
    state: State = field(default_factory=State)
    submitted: dict[str, list[Submitted]] = field(default_factory=dict)
    programs: dict[int, Submitted] = field(default_factory=dict)
    _in_force: Edition | None = None

    def edition(self) -> Edition:
        """The rules in force; raises if none are."""
        if self._in_force is None:
            self._in_force = self.state.in_force(self.rules[len(self.state.rules)])
        return self._in_force

    def named_teams(self) -> tuple[Team, ...]:
        """The teams that the rules themselves name; others may join, too."""
        last = self.rules.get(len(self.state.rules))
        return () if last is None else last.team

    def goes_on(self, event: Event) -> None:
        """Take one more event in."""
        if isinstance(event, Submitted):
            self.submitted.setdefault(event.team, []).append(event)
            if event.kind == "program":
                self.programs[event.number] = event
        else:
            self.state, self._in_force = self.state.after(event), None
