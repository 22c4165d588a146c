"""Run tests on broken code: a plugin of pytest that collects once and forks for every mutant."""

import contextlib
import gc
import importlib
import json
import os
import signal
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FunctionType

import pytest
from _pytest.runner import runtestprotocol

from tests.mutants.areas import all_files
from tests.mutants.changes import Mutant, changed_codes
from tests.mutants.reach import Reach
from tests.sources import ROOT, module_name

PATIENCE = 20.0
"""A test that takes this many seconds, or this many times its usual time, counts as failed."""


@dataclass
class Fate:
    """What became of a mutant.

    Parameters
    ----------
    killers : the tests that failed.
    tried : how many tests ran.
    reached : how many tests run the line.
    seconds : of all of them.
    """

    killers: list[str] = field(default_factory=list)
    tried: int = 0
    reached: int = 0
    seconds: float = 0.0


class Hunt:
    """Runs, for each mutant, the tests that reach it, cheapest first, until one fails.

    Parameters
    ----------
    budget : seconds of tests for one mutant.
    every : whether the other tests run, too, after one failed.
    """

    def __init__(
        self,
        mutants: Sequence[Mutant],
        reach: Reach,
        *,
        workers: int,
        budget: float,
        every: bool = False,
    ) -> None:
        self.fates = dict[Mutant, Fate]()
        self._mutants, self._reach = mutants, reach
        self._workers, self._budget, self._every = workers, budget, every

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Take the place of the usual loop over tests."""
        for file in all_files():
            importlib.import_module(module_name(file))
        gc.unfreeze()
        functions = defaultdict[CodeType, list[FunctionType]](list)
        for thing in gc.get_objects():
            if type(thing) is FunctionType:  # isinstance wakes objects that are loaded on demand
                functions[thing.__code__].append(thing)
        gc.freeze()
        items = {item.nodeid: item for item in session.items}
        with tempfile.TemporaryDirectory() as folder:
            running = dict[int, tuple[Mutant, Path]]()
            for number, mutant in enumerate(self._mutants):
                while len(running) >= self._workers:
                    self._collect(running)
                target = Path(folder) / f"{number}.json"
                pid = os.fork()
                if not pid:
                    self._one(mutant, functions, items, target)
                running[pid] = mutant, target
            while running:
                self._collect(running)
        return True

    def _collect(self, running: dict[int, tuple[Mutant, Path]]) -> None:
        pid, _ = os.wait()
        if pid not in running:
            return
        mutant, target = running.pop(pid)
        lines = target.read_text().splitlines() if target.exists() else []
        fate = self.fates[mutant] = Fate(**json.loads(lines[-1])) if lines else Fate()
        word = f"killed by {fate.killers[0]}" if fate.killers else "SURVIVED"
        print(f"{len(self.fates)}/{len(self._mutants)} {mutant.name}: {word}", flush=True)

    def _one(
        self,
        mutant: Mutant,
        functions: dict[CodeType, list[FunctionType]],
        items: dict[str, pytest.Item],
        target: Path,
    ) -> None:
        """In the child: break the code and run the tests; never come back."""
        fate = Fate()
        current = ""

        def give_up(*_: object) -> None:
            fate.killers.append(current)
            target.write_text(json.dumps(vars(fate)))
            os.killpg(0, signal.SIGKILL)

        try:
            os.setpgid(0, 0)
            signal.signal(signal.SIGALRM, give_up)
            place = mutant.file.relative_to(ROOT).as_posix()
            names = self._reach.tests_of(place, mutant.line, mutant.last)
            chosen = [items[name] for name in names if name in items]
            fate.reached = len(chosen)
            for old, new in changed_codes(mutant):
                for function in functions[old]:
                    # Code that leaves a variable of an outer function out does not fit.
                    with contextlib.suppress(ValueError):
                        function.__code__ = new
            with open(os.devnull, "w") as nowhere:
                os.dup2(nowhere.fileno(), 1)
                os.dup2(nowhere.fileno(), 2)
            for item, following in zip(chosen, [*chosen, None][1:], strict=True):
                usual = self._reach.seconds[item.nodeid]
                if fate.tried and fate.seconds + usual > self._budget:
                    break
                current, begun = item.nodeid, time.monotonic()
                signal.setitimer(signal.ITIMER_REAL, PATIENCE + PATIENCE * usual)
                reports = runtestprotocol(item, log=False, nextitem=following)
                signal.setitimer(signal.ITIMER_REAL, 0)
                fate.seconds += time.monotonic() - begun
                fate.tried += 1
                if any(report.failed for report in reports):
                    fate.killers.append(item.nodeid)
                    if not self._every:
                        break
        except BaseException:
            fate.killers.append(f"{current} (the process ended)")
        finally:
            target.write_text(json.dumps(vars(fate)))
            os.killpg(0, signal.SIGKILL)


def draw(mutants: dict[str, list[Mutant]], number: int, seed: int) -> Iterator[Mutant]:
    """As many of each area, without repetition."""
    import numpy as np

    rng = np.random.default_rng(seed)
    left = {area: list(rng.permutation(len(found))) for area, found in mutants.items()}
    while number > 0 and any(left.values()):
        for area, places in left.items():
            if places and number > 0:
                number -= 1
                yield mutants[area][places.pop()]
