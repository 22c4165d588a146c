"""Programs: in some contests teams submit code, and the organisers run it.

A contract says how to call a program and what it must return. A release or a guess that a program
makes is checked like any other. What does not belong here: judging, and anything about teams.
"""

from quintain.programs.contract import (
    AnswerContract,
    Contract,
    Draws,
    GuessContract,
    Made,
    ReleaseContract,
    Role,
)
from quintain.programs.limits import CallLimits

__all__ = [
    "AnswerContract",
    "CallLimits",
    "Contract",
    "Draws",
    "GuessContract",
    "Made",
    "ReleaseContract",
    "Role",
]
