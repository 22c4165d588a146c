"""Refusal: why a part did not answer. This is the one list of errors that count as a refusal.

Only errors by which a part speaks of its parameters, its knowledge, its data or what it lacks on
this machine are refusals. Everything else, such as a mistake in its code or too little memory, ends
the work of the caller.
"""

from __future__ import annotations

from dataclasses import dataclass

from quintain.errors import (
    DataError,
    KnowledgeError,
    MissingExtra,
    NoiseError,
    PartError,
    QuintainError,
    SubmissionError,
)

LASTING = (PartError, KnowledgeError, DataError, NoiseError, SubmissionError)
"""Refusals that follow from rules, keys and data alone: everybody who plays again gets the same."""

REFUSALS = (*LASTING, MissingExtra)
"""All refusals; a missing extra is a fact about one machine."""


@dataclass(frozen=True, slots=True, eq=False)
class Refusal:
    """A part that did not answer, and the error by which it refused.

    >>> Refusal("nearest", PartError("needs a number")).lasting
    True
    >>> Refusal("binary-classifier", MissingExtra("it", "torch", "torch")).lasting
    False
    """

    part: str
    error: QuintainError

    @property
    def reason(self) -> str:
        """The words of the part, which may be several lines."""
        return str(self.error)

    @property
    def lasting(self) -> bool:
        """Whether rules, keys and data alone say so.

        A contest stores lasting refusals alone: a verifier who has the missing extra would not
        come to the same result.
        """
        return isinstance(self.error, LASTING)
