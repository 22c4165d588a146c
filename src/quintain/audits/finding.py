"""Finding: what one attack found out, as a reading with everything needed to understand it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from quintain.measures import Reading

Risk = Literal["membership", "singling-out", "linkability", "inference", "re-identification"]
"""What can happen to a person: to be found in the data, or described, linked, guessed, named."""


class Finding(BaseModel):
    """One reading of an attack.

    Parameters
    ----------
    risk : what the attack tried to do to people.
    attack : the name of the attack.
    parameters : the parameters of the attack.
    name : the name of the reading.
    says : the reading in a sentence.
    reading : the value with its interval and direction.
    chance : what an attacker reads who guesses blindly; None if nobody knows.
    control : what the same attack reads for people who are not in the data.
    smallest_detectable : the smallest value that this audit would very probably have noticed.
    threat : what the attacker knows, in sentences.
    columns : the columns that the attack was about, such as the secret one; empty means all.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    risk: Risk
    attack: str
    parameters: dict[str, Any] = {}
    name: str
    says: str
    reading: Reading
    chance: float | None = None
    control: Reading | None = None
    smallest_detectable: float | None = None
    threat: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()


class NotComputed(BaseModel):
    """Something that the audit did not compute, and why."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    what: str
    reason: str
