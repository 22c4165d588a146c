"""Diagnosis: whether a sandbox of this machine contains strangers and lets honest work go on."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from importlib import resources

import numpy as np

from quintain.programs.escape.suite import ATTACKS, Outcome, run_suite
from quintain.programs.failures import ProgramError, SandboxError
from quintain.programs.limits import CallLimits
from quintain.programs.runner import call
from quintain.programs.sandbox.namespaces import why_no_namespaces
from quintain.programs.sandbox.provider import Sandbox

WORK = {
    "multiply_matrices": "linear algebra",
    "use_threads": "threads",
    "use_processes": "a pool of processes",
    "run_command": "a command",
    "write_temporary_files": "temporary files",
    "fit_model": "scikit-learn",
}
"""Honest work, in words."""
_LIMITS = CallLimits(seconds=60, memory_gib=2)
_CALLS = 5


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What was seen of a sandbox.

    Parameters
    ----------
    sandbox : its name.
    problem : why it does not start; then nothing else was tried.
    attacks : what each attack got.
    broken : honest work that does not go on, with the reason.
    seconds : how long a call takes that does nothing but import numpy.
    """

    sandbox: str
    problem: str = ""
    attacks: tuple[Outcome, ...] = ()
    broken: tuple[str, ...] = ()
    seconds: float | None = None

    @property
    def contains(self) -> bool:
        """Whether every attack was tried and got nothing."""
        return len(self.attacks) == len(ATTACKS) and all(a.contained for a in self.attacks)

    @property
    def refusal(self) -> str:
        """Why programs of strangers must not run here; empty if they may."""
        if self.problem:
            return self.problem
        successes = [ATTACKS[a.attack][0] for a in self.attacks if not a.contained]
        if successes:
            shown = ", ".join(successes[:3]) + (" ..." if len(successes) > 3 else "")
            return f"{len(successes)} of {len(ATTACKS)} attacks succeed in {self.sandbox}: {shown}"
        if self.broken:
            return f"honest work does not go on in {self.sandbox}: {'; '.join(self.broken)}"
        return ""


def examine_attacks(sandbox: Sandbox) -> Diagnosis:
    """Run every attack; nothing else."""
    try:
        return Diagnosis(sandbox.name, attacks=tuple(run_suite(sandbox)))
    except (SandboxError, OSError) as problem:
        hint = why_no_namespaces()
        return Diagnosis(sandbox.name, f"{problem}" + (f" ({hint})" if hint else ""))


def diagnose(sandbox: Sandbox) -> Diagnosis:
    """Run every attack and some honest work, and measure what a call costs."""
    seen = examine_attacks(sandbox)
    if seen.problem:
        return seen
    broken = tuple(filter(None, (_broken(sandbox, name) for name in WORK)))
    return Diagnosis(sandbox.name, "", seen.attacks, broken, seconds_per_call(sandbox))


def _broken(sandbox: Sandbox, name: str) -> str:
    program = {"work.py": (resources.files(__package__) / "honest_work.py").read_bytes()}
    try:
        (result,) = call(program, "work", name, {}, _LIMITS, sandbox)
    except ProgramError as error:
        return f"{WORK[name]}: {error.details}"
    return "" if result == 1 else f"{WORK[name]}: a wrong result"


def seconds_per_call(sandbox: Sandbox) -> float:
    """The median time of a call that returns the array it is given."""
    program = {"m.py": b"def f(given):\n    return given['x']\n"}
    times = []
    for _ in range(_CALLS):
        began = time.perf_counter()
        call(program, "m", "f", {"x": np.zeros(3)}, _LIMITS, sandbox)
        times.append(time.perf_counter() - began)
    return statistics.median(times)
