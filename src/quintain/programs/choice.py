"""Choice: in which sandbox a program runs; it depends on who wrote the program."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from quintain.programs.escape.diagnosis import examine_attacks
from quintain.programs.failures import ProgramError, SandboxError
from quintain.programs.limits import CallLimits
from quintain.programs.runner import call
from quintain.programs.sandbox.bubblewrap import Bubblewrap
from quintain.programs.sandbox.process import Process
from quintain.programs.sandbox.provider import Sandbox

_BOOT = Path("/proc/sys/kernel/random/boot_id")

SANDBOXES: dict[str, Sandbox] = {one.name: one for one in (Bubblewrap(), Process())}
"""Every sandbox by its name."""


def ticket(*, trust_programs: bool) -> str:
    """The choice of a sandbox as a text that a job can hold; raises if this machine has none."""
    if trust_programs:
        return sandbox_for_own().name
    return f"{sandbox_for_strangers().name}@{_machine()}"


def sandbox_of(ticket: str) -> Sandbox:
    """The sandbox of a ticket; another machine than the one that wrote it is tested first."""
    name, _, machine = ticket.partition("@")
    if machine and machine != _machine():
        return sandbox_for_strangers()
    return SANDBOXES[name]


def _machine() -> str:
    """A text that changes with the machine, and when it starts again."""
    return _BOOT.read_text().strip() if _BOOT.is_file() else "unknown"


@cache
def sandbox_for_strangers() -> Sandbox:
    """The sandbox that contains programs of strangers; raises if this machine has none.

    It has just withstood every attack of the escape suite. That takes some seconds, once per
    command.
    """
    sandbox = Bubblewrap()
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
    try:
        call(program, "probe", "answer", {}, CallLimits(seconds=30, memory_gib=1), Bubblewrap())
    except (SandboxError, ProgramError, OSError):
        return Process()
    return Bubblewrap()
