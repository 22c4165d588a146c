"""Programs: contests in which teams hand in code, and the organisers run it.

A contract says how a program is called and what it returns. A release or a guess that a program
made is checked like any other. What does not belong here: judging, and anything about teams.
"""

from quintain.programs.contract import Contract, Role
from quintain.programs.runner import CallLimits

__all__ = ["CallLimits", "Contract", "Role"]
