"""States: the words for the states that rows have, as pages show them."""

from __future__ import annotations

from collections.abc import Mapping

from quintain.wording.languages import in_context, say, tell, to_say

STATES: Mapping[str, Mapping[str, str]] = {
    "upload": {
        "accepted": in_context("an upload", "accepted"),
        "failed": in_context("an upload", "not checked"),
        "invalid": to_say("faults (only checked)"),
        "refused": in_context("an upload", "refused"),
        "trying": to_say("being checked"),
        "valid": to_say("no faults (only checked)"),
        "waiting": in_context("an upload", "waiting"),
    },
    "job": {
        "cancelled": in_context("a job", "cancelled"),
        "done": in_context("a job", "done"),
        "failed": in_context("a job", "failed"),
        "running": in_context("a job", "running"),
        "waiting": in_context("a job", "waiting"),
    },
    "team": {
        "joined": to_say("takes part"),
        "joining": to_say("joins in a moment"),
        "refused": in_context("a team", "refused"),
        "waiting": in_context("a team", "waiting"),
    },
    "judgement": {
        "applying": to_say("being applied"),
        "applied": in_context("a second judgement", "applied"),
        "dropped": in_context("a second judgement", "dropped"),
        "failed": in_context("a second judgement", "failed"),
        "ready": in_context("a second judgement", "ready"),
        "waiting": in_context("a second judgement", "waiting"),
    },
    "registration": {
        "approval": to_say("with your approval"),
        "closed": to_say("for nobody"),
        "invitation": to_say("by invitation only"),
        "open": to_say("for everybody"),
    },
}
"""The states of uploads, jobs, teams and second judgements, and who may register a team."""


def state_word(state: str, of: str) -> str:
    """The word for a state of something in the language that is spoken now.

    >>> state_word("joined", "team"), state_word("closed", "registration")
    ('takes part', 'for nobody')
    """
    return say(STATES[of][state])


def tell_state(state: str, of: str) -> str:
    """The same in English, to be said to a reader later."""
    return tell(STATES[of][state])
