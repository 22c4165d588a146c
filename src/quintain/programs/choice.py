"""Choice: in which sandbox a program runs; it depends on who wrote the program.

Programs of strangers run where the sandbox withstands every attack and keeps nothing between two
calls. For that it has a copy of the runtime in memory. An organiser whose machine has no room for
it can allow the folders of the system instead, with ``QUINTAIN_RUNTIME=system`` in the environment:
then programs are contained, but one can leave notes for the next.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

from quintain.programs.escape.suite import examine_attacks
from quintain.programs.failures import ProgramError, SandboxError
from quintain.programs.limits import CallLimits
from quintain.programs.runner import call
from quintain.programs.sandbox.bubblewrap import Bubblewrap
from quintain.programs.sandbox.process import Process
from quintain.programs.sandbox.provider import Sandbox

_BOOT = Path("/proc/sys/kernel/random/boot_id")

RUNTIME = "QUINTAIN_RUNTIME"
"""The variable with which an organiser allows programs to leave notes for each other."""


def containing() -> Bubblewrap:
    """The sandbox that contains programs, as this machine is set up."""
    return Bubblewrap(forgets=os.environ.get(RUNTIME) != "system")


SANDBOXES: dict[str, Sandbox] = {sandbox.name: sandbox for sandbox in (containing(), Process())}
"""Every sandbox by its name."""


Ticket = tuple[str, ...]
"""A function as ``"module:function"`` and its arguments: plain, so that a job can hold it."""


class Containment(ABC):
    """What contains the programs of a contest."""

    @abstractmethod
    def ticket(self) -> Ticket:
        """What a job needs to find a sandbox, on any machine; raises if programs cannot run."""


class ForStrangers(Containment):
    """Programs run only where the sandbox has withstood every attack."""

    def ticket(self) -> Ticket:
        """The ticket of this machine; raises if it cannot contain programs."""
        sandbox_for_strangers()
        return f"{__name__}:sandbox_on_machine", _machine()


class ForTrusted(Containment):
    """Programs run in the best sandbox of the machine, also if nothing contains them."""

    def ticket(self) -> Ticket:
        """A ticket for any machine."""
        return (f"{__name__}:best_sandbox",)


class ForParts(Containment):
    """No code of a team runs: the organisers' own parts need no sandbox."""

    def ticket(self) -> Ticket:
        """A ticket for any machine."""
        return (f"{__name__}:no_sandbox",)


STRANGERS, TRUSTED, PARTS = ForStrangers(), ForTrusted(), ForParts()


def sandbox_of(ticket: Ticket, team: str) -> Sandbox:
    """The sandbox of a ticket for a program of a team."""
    place, *args = ticket
    module, _, function = place.partition(":")
    sandbox = getattr(import_module(module), function)(team, *args)
    assert isinstance(sandbox, Sandbox)
    return sandbox


def sandbox_on_machine(_team: str, machine: str) -> Sandbox:
    """The sandbox for strangers; another machine than the one of the ticket is tested first."""
    return containing() if machine == _machine() else sandbox_for_strangers()


def no_sandbox(_team: str) -> Sandbox:
    """What stands in for a sandbox where no code of a team runs."""
    return Process()


def best_sandbox(_team: str) -> Sandbox:
    """The sandbox for programs of people whom the user trusts."""
    return sandbox_for_own()


def _machine() -> str:
    """A text that changes with the machine, and when it starts again."""
    return _BOOT.read_text().strip() if _BOOT.is_file() else "unknown"


@cache
def sandbox_for_strangers() -> Sandbox:
    """The sandbox that contains programs of strangers; raises if this machine has none.

    It has just withstood every attack of the escape suite. That takes some seconds, once per
    command.
    """
    sandbox = containing()
    refusal = examine_attacks(sandbox).refusal
    if refusal:
        raise SandboxError(
            f"this machine cannot contain the programs of teams: {refusal}. quintain doctor says "
            "more; --trust-programs runs them nevertheless"
        )
    return sandbox


@cache
def sandbox_for_own() -> Sandbox:
    """The best sandbox of this machine for programs that its user trusts."""
    program = {"probe.py": b"def answer(given):\n    return 1\n"}
    sandbox = Bubblewrap(forgets=False)
    try:
        call(program, "probe", "answer", {}, CallLimits(seconds=30, memory_gib=1), sandbox)
    except (SandboxError, ProgramError, OSError):
        return Process()
    return sandbox


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
