"""States: the words for the states that rows have, as pages show them."""

from __future__ import annotations

from quintain.wording.languages import say, to_say

STATES = {
    "accepted": to_say("accepted"),
    "applied": to_say("applied"),
    "cancelled": to_say("cancelled"),
    "done": to_say("done"),
    "dropped": to_say("dropped"),
    "failed": to_say("failed"),
    "invalid": to_say("faults (only checked)"),
    "joined": to_say("takes part"),
    "joining": to_say("joins in a moment"),
    "ready": to_say("ready"),
    "refused": to_say("refused"),
    "running": to_say("running"),
    "trying": to_say("being checked"),
    "valid": to_say("no faults (only checked)"),
    "waiting": to_say("waiting"),
}
"""The states of uploads, jobs, teams and second judgements."""

REGISTRATIONS = {
    "approval": to_say("with your approval"),
    "closed": to_say("for nobody"),
    "invitation": to_say("by invitation only"),
    "open": to_say("for everybody"),
}
"""Who may register a team."""


def state_word(state: str) -> str:
    """The word for a state in the language that is spoken now.

    >>> state_word("joined"), state_word("closed")
    ('takes part', 'for nobody')
    """
    return say((STATES | REGISTRATIONS)[state])
