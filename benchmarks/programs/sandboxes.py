"""What a sandbox keeps between two calls, and what a call costs.

    python -m benchmarks.programs.sandboxes [--runs 20] [--part agree|notes|contest|cost ...]

``agree``: five honest programs run twice with the same seed. ``notes``: every pair of writer and
reader of ``quintain doctor``. ``contest``: a hider of noise, and a seeker that it tells who is a
member. ``cost``: CPU time of a call that imports packages. Bubblewrap with a runtime in memory is
compared with bubblewrap on the folders of the system, and with a process that nothing contains.
"""

from __future__ import annotations

import argparse
import hashlib
import resource
import statistics
from collections.abc import Callable
from importlib import resources
from typing import Any

import numpy as np

from quintain.measures.intervals import clopper_pearson
from quintain.programs.escape.whispers import BITS, PAIRS, listen
from quintain.programs.limits import CallLimits
from quintain.programs.runner import Arguments, call
from quintain.programs.sandbox.bubblewrap import Bubblewrap
from quintain.programs.sandbox.process import Process
from quintain.programs.sandbox.provider import Sandbox

SANDBOXES: dict[str, Sandbox] = {
    "in memory": Bubblewrap(),
    "system folders": Bubblewrap(forgets=False),
    "process": Process(),
}
HONEST: dict[str, tuple[str, ...]] = {
    "blas": (),
    "threads": (),
    "forest": (),
    "tables": (),
    "network": ("torch",),
}
"""The honest programs, with the packages that the rules would have to name."""
WAYS = ("reads", "blocks", "names")
PEOPLE = 100


def text_of(module: str) -> dict[str, bytes]:
    """A module of this folder as a program."""
    return {"m.py": (resources.files("benchmarks.programs") / f"{module}.py").read_bytes()}


def agreements(sandbox: Sandbox, name: str, runs: int) -> int:
    """How many of some double runs of an honest program made the same bytes."""
    limits = CallLimits(seconds=300, memory_gib=4, packages=HONEST[name])
    same = 0
    for seed in range(runs):
        made = [
            _digest(call(text_of("honest"), "m", name, {"seed": seed}, limits, sandbox)[0])
            for _ in range(2)
        ]
        same += made[0] == made[1]
    return same


def _digest(array: Any) -> str:
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()


def accuracy(sandbox: Sandbox, way: str, runs: int, rng: np.random.Generator) -> tuple[int, int]:
    """How many people a whispering pair puts on the right side, and of how many."""
    limits, right = CallLimits(seconds=60, memory_gib=1), 0
    for _ in range(runs):
        people = rng.normal(size=(PEOPLE, 10, 4))
        member = rng.permutation(PEOPLE) < PEOPLE // 2
        given: dict[str, Arguments] = {"way": way, "seed": int(rng.integers(2**31))}
        call(
            text_of("whispering"), "m", "hider", {**given, "data": people[member]}, limits, sandbox
        )
        asked = {**given, "enlarged_data": people}
        (labels,) = call(text_of("whispering"), "m", "seeker", asked, limits, sandbox)
        right += int(((np.asarray(labels) > 0.5) == member).sum())
    return right, runs * PEOPLE


def cost(sandbox: Sandbox, imports: str, runs: int) -> float:
    """The median CPU time of a call that imports packages, in seconds."""
    program = {"m.py": f"def f(given):\n    import {imports}\n    return 1\n".encode()}
    limits, times = CallLimits(seconds=300, memory_gib=4), []
    call(program, "m", "f", {}, limits, sandbox)
    for _ in range(runs):
        before = _cpu()
        call(program, "m", "f", {}, limits, sandbox)
        times.append(_cpu() - before)
    return statistics.median(times)


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _show_agreements(runs: int, _: np.random.Generator) -> None:
    for name in HONEST:
        print(f"agree | {name} | {agreements(SANDBOXES['in memory'], name, runs)} of {runs}")


def _show_notes(runs: int, rng: np.random.Generator) -> None:
    for title, sandbox in list(SANDBOXES.items())[:1] if runs > 1 else SANDBOXES.items():
        heard = [list(listen(sandbox, rng)) for _ in range(runs)]
        for number, pair in enumerate(PAIRS.values()):
            right = [one[number].right for one in heard]
            total = f"{sum(right)} of {runs * BITS}"
            print(
                f"notes | {title} | {pair.title} | {total}, {min(right)} to {max(right)} of {BITS}"
            )


def _show_contest(runs: int, rng: np.random.Generator) -> None:
    for title, sandbox in SANDBOXES.items():
        for way in WAYS:
            right, total = accuracy(sandbox, way, runs, rng)
            low, high = clopper_pearson(right, total)
            print(f"contest | {title} | {way} | {right / total:.3f} ({low:.3f} to {high:.3f})")


def _show_cost(runs: int, _: np.random.Generator) -> None:
    for title, sandbox in SANDBOXES.items():
        for imports in ("numpy", "sklearn.linear_model, sklearn.ensemble, pandas"):
            print(f"cost | {title} | {imports} | {cost(sandbox, imports, runs):.2f} CPU s")


PARTS: dict[str, Callable[[int, np.random.Generator], None]] = {
    "agree": _show_agreements,
    "notes": _show_notes,
    "contest": _show_contest,
    "cost": _show_cost,
}


def main() -> None:
    """Measure the parts that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--part", choices=PARTS, nargs="*", default=list(PARTS))
    given = parser.parse_args()
    for part in given.part:
        PARTS[part](given.runs, np.random.default_rng())


if __name__ == "__main__":
    main()
