"""Failures: why a program made nothing, and what of it a team may know."""

from __future__ import annotations

from enum import StrEnum

from quintain.errors import QuintainError


class Reason(StrEnum):
    """All that a team reads after a run on private data: a line could carry more of it out."""

    OUT_OF_TIME = "it did not end in time"
    OUT_OF_MEMORY = "it used too much memory"
    CRASHED = "it crashed"
    FAILED = "it failed with an error"
    REFUSED = "a step refused the data that it was given"
    NOTHING = "it ended without returning anything"
    NOT_NUMBERS = "it returned something that is not an array of numbers"
    WRONG_SHAPE = "it returned too much, or an array of the wrong shape"
    BAD_VALUES = "it returned values that are too large or not finite"
    OTHERWISE = "it answers otherwise when it is asked again"
    NOT_VALID = "what it made breaks the rules of the contest"


class ProgramError(QuintainError):
    """A team's program made nothing that can be used; the message says why.

    Parameters
    ----------
    reason : what the team may read.
    details : one sentence for the organisers, and for the team after a run on public data.
    traceback : what only the organisers may read, because a program can put private data into it.
    """

    def __init__(self, reason: Reason, details: str = "", traceback: bytes = b"") -> None:
        super().__init__(reason.value)
        self.reason = reason
        self.details = details or reason.value
        self.traceback = traceback


class SandboxError(QuintainError):
    """This machine cannot contain a program of a stranger, or cannot run it at all."""

    status = 500
