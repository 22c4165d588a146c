"""Ability: whether a machine may run programs of strangers."""

from __future__ import annotations

from dataclasses import dataclass

from quintain.programs.choice import sandbox_for_own, sandbox_for_strangers
from quintain.programs.failures import SandboxError
from quintain.programs.sandbox.provider import Sandbox


@dataclass(frozen=True, slots=True)
class Ability:
    """What a machine can do with programs of strangers.

    Parameters
    ----------
    why : why it cannot contain them; empty if it can.
    """

    sandbox: Sandbox | None
    why: str = ""

    @property
    def able(self) -> bool:
        """Whether it may run them."""
        return self.sandbox is not None


def ability(*, trust: bool) -> Ability:
    """Attack the sandbox of this machine, and say what follows from it; takes some seconds.

    Parameters
    ----------
    trust : run programs even if nothing contains them; the operators trust all teams.
    """
    try:
        return Ability(sandbox_for_strangers())
    except SandboxError as problem:
        why = str(problem)
    return Ability(sandbox_for_own(), why) if trust else Ability(None, why)
