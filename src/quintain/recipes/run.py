"""Run: the steps of a recipe in a process of their own, with limits on time and memory.

Only sanitizers of the organisers run, so nothing has to be contained. But a step may take hours
or more memory than the machine has. The process ends at the limit, and with its caller.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import resource
import subprocess
import sys
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np

from quintain.commitment import canonical_json
from quintain.data import Data
from quintain.errors import QuintainError
from quintain.jobs.supervised import Supervised
from quintain.programs.failures import ProgramError, Reason
from quintain.programs.limits import CallLimits
from quintain.randomness.noise import Noise
from quintain.recipes.recipe import Recipe
from quintain.registry import build
from quintain.releases import Sanitized
from quintain.sanitizers import Sanitizer

FORMAT = "quintain.recipe-log/1"
_BOOT = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from quintain.recipes.run import serve; serve()"
)
_READY = b"\n"


@dataclass(frozen=True, slots=True)
class StepRecord:
    """What one step did, for the log.

    Parameters
    ----------
    spec : the sanitizer with every parameter.
    records : how many records it made.
    digest : the hash of these records.
    """

    spec: Mapping[str, Any]
    records: int
    digest: str


@dataclass(frozen=True, slots=True)
class RecipeRun:
    """What a recipe made, and a record of each step."""

    made: Sanitized
    steps: tuple[StepRecord, ...]

    def log(self, recipe: Recipe) -> bytes:
        """The log of the run as a file; times are left out, because no two runs have the same."""
        steps = [
            {"sanitizer": step.spec, "records": step.records, "digest": step.digest}
            for step in self.steps
        ]
        return canonical_json({"format": FORMAT, "recipe": recipe.digest(), "steps": steps})


@dataclass(frozen=True, slots=True)
class _Failure:
    """Why the process made nothing."""

    reason: Reason
    details: str
    trace: bytes = field(default=b"")


def run_steps(
    recipe: Recipe, private: Data, *, rng: np.random.Generator, noise: Noise
) -> RecipeRun:
    """Run a recipe in this process, without limits; a ``ProgramError`` names the step that fails.

    >>> from quintain.sanitizers import Identity
    >>> from quintain.testing.examples import experiment
    >>> private = experiment("table")[0].private
    >>> rng = np.random.default_rng(0)
    >>> run = run_steps(Recipe((Identity(),)), private, rng=rng, noise=Noise.for_test(0))
    >>> run.steps[0].records == len(private)
    True
    """
    pipeline = recipe.pipeline()
    results: list[Sanitized] = []
    records: list[StepRecord] = []
    try:
        for result in pipeline.run_steps(private, rng=rng, noise=noise):
            results.append(result)
            data = result.release.data
            spec = recipe.steps[len(records)].spec()
            records.append(StepRecord(spec, len(data), data.digest()))
        return RecipeRun(pipeline.combine(len(private), results), tuple(records))
    except QuintainError as problem:
        step = recipe.steps[len(records)]
        details = f"step {len(records) + 1}, {step.id}: {problem}"
        raise ProgramError(Reason.REFUSED, details) from None


def run_limited(
    recipe: Recipe, private: Data, *, rng: np.random.Generator, noise: Noise, limits: CallLimits
) -> RecipeRun:
    """Run a recipe in a process of its own; a ``ProgramError`` says which limit it reached."""
    places = json.dumps([os.path.abspath(place) for place in sys.path])  # noqa: PTH100 -- texts
    words = [sys.executable, "-I", "-c", _BOOT, places]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    request = pickle.dumps((recipe.specs(), private, rng, noise, limits.memory))
    with Supervised(words, folder=Path("/"), environment=os.environ, **pipes) as program:
        process = program.process
        # The time begins when the process is ready: loading libraries is not the team's time.
        if cast(BinaryIO, process.stdout).read(1) != _READY:
            raise ProgramError(Reason.CRASHED, "the process of the recipe did not start")
        try:
            answer, _ = process.communicate(request, timeout=limits.seconds)
        except subprocess.TimeoutExpired:
            text = f"{Reason.OUT_OF_TIME.value}; the limit is {limits.seconds:g} seconds"
            raise ProgramError(Reason.OUT_OF_TIME, text) from None
    if not answer:
        raise ProgramError(Reason.CRASHED, f"it ended with code {process.returncode}")
    outcome = pickle.loads(answer)  # noqa: S301 -- written by our own code, in `serve`
    if isinstance(outcome, _Failure):
        raise ProgramError(outcome.reason, outcome.details, outcome.trace)
    return cast(RecipeRun, outcome)


def serve() -> None:
    """In the process: read a recipe with its data from the caller, run it, and write the result."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a part that prints must not disturb the answer
    answers.write(_READY)
    answers.flush()
    specs, private, rng, noise, memory = pickle.load(sys.stdin.buffer)  # noqa: S301 -- our caller
    recipe = Recipe(tuple(cast(Sanitizer, build(Sanitizer.family, spec)) for spec in specs))
    with contextlib.suppress(ValueError, OSError):  # a stricter limit holds already
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    outcome: RecipeRun | _Failure
    try:
        outcome = run_steps(recipe, private, rng=rng, noise=noise)
    except MemoryError:
        limit = f"{Reason.OUT_OF_MEMORY.value}; the limit is {memory / 2**30:g} GiB"
        outcome = _Failure(Reason.OUT_OF_MEMORY, limit)
    except ProgramError as problem:
        outcome = _Failure(problem.reason, problem.details)
    except Exception as problem:  # a part of the organisers has a fault; they need to see it
        trace = traceback.format_exc().encode()
        outcome = _Failure(Reason.FAILED, f"{type(problem).__name__}: {problem}", trace)
    pickle.dump(outcome, answers)
    answers.close()
