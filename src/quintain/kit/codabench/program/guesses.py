"""Guesses: the answers of a submission, one file per task, and their scores.

The module of a goal says when an answer is complete, and measures it beside the truth.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Dict

from quintain.kit.codabench.program.faults import Faults, OrganisersFault
from quintain.kit.codabench.program.score import program_part
from quintain.kit.codabench.program.table import Rows, read_table
from quintain.kit.codabench.program.targets import Values
from quintain.rankings.trimming import middle

Plan = Dict[str, Any]


def read(files: dict[str, bytes], plan: Plan, faults: Faults) -> dict[str, Values]:
    """The columns of each answer, by task; adds everything that is wrong to the faults."""
    known = {f"{task}.csv": task for task in plan["questions"]}
    for name in sorted(set(files) - set(known)):
        faults.add(name, f"answers no task; files are called {', '.join(list(known)[:3])} ...")
    for name in unanswered(files, plan):
        faults.add(name, "is missing; a submission answers every task")
    guesses = {}
    for name, task in known.items():
        if name in files:
            rows = read_guess(name, files[name], task, plan, faults)
            guesses[task] = {} if rows is None else rows.values
    return guesses


def unanswered(files: dict[str, bytes], plan: Plan) -> list[str]:
    """The answers that are missing; a team may leave out all answers about its own releases."""
    missing = [task for task in plan["questions"] if f"{task}.csv" not in files]
    own = any(sorted(missing) == sorted(tasks) for tasks in plan["own"])
    return [] if own else [f"{task}.csv" for task in missing]


def read_guess(name: str, content: bytes, task: str, plan: Plan, faults: Faults) -> Rows | None:
    """The rows of one answer; the goal checks every cell that can be read."""
    rows = read_table(name, content, plan["guess"], plan["form"], faults)
    if rows is not None:
        program_part(plan["goal"]).check(rows, plan["questions"][task])
    return rows


def described(guesses: dict[str, Values]) -> str:
    """How many answers there are, in words."""
    return f"{len(guesses)} answers"


def score(guesses: dict[str, Values], plan: Plan, root: Path) -> dict[str, float]:
    """The score of every column, as far as the rules let it be seen."""
    goal, scores = program_part(plan["goal"]), {}
    for tasks, columns in plan["columns"]:
        if all(task in guesses for task in tasks):
            cases = [(truth(task, plan, root), guesses[task]) for task in tasks]
            readings = goal.measure(cases, plan["measure"])
            scores.update({key: shown(value, plan) for key, value in zip(columns, readings)})
    return {**scores, **average_column(scores, plan["average"])}


def average_column(scores: dict[str, float], average: Plan) -> dict[str, float]:
    """The column that orders teams; it is made of shown scores, so it tells nothing more."""
    values = sorted(scores[key] for key in average["columns"] if key in scores)
    counted = values[middle(len(values), average["trim"])]
    return {average["key"]: math.fsum(counted) / len(counted)} if counted else {}


def shown(value: float, plan: Plan) -> float:
    """A score rounded as the rules of the contest say."""
    digits, step = plan["digits"], plan["step"]
    if digits is not None:
        return round(value, int(digits))
    return value if step is None else round(round(value / step) * float(step), 10)


def truth(task: str, plan: Plan, root: Path) -> Values:
    """The columns of the truth about a task."""
    reference = root / "input" / "ref"
    if plan["truth"]["place"] == "bundle":
        content = (reference / f"{task}.csv").read_bytes()
    else:
        # Half of the truth is here and half on the worker; either half alone is random bytes.
        worker = root / "data" / plan["edition"] / "truth" / plan["track"]
        one = (reference / f"{task}.half").read_bytes()
        other = (worker / f"{task}.half").read_bytes()
        if len(one) != len(other):
            raise OrganisersFault("the two halves of the truth do not belong together")
        number = int.from_bytes(one, "big") ^ int.from_bytes(other, "big")
        content = number.to_bytes(len(one), "big")
    return read_truth(task, content, plan)


def read_truth(task: str, content: bytes, plan: Plan) -> Values:
    """The columns of the truth, if it answers what the plan asks."""
    faults = Faults()
    form = {**plan["form"], "header": True, "strict": False, "rows": len(content)}
    rows = read_table(task, content, plan["truth"]["columns"], form, faults)
    if rows is None or faults.total:
        raise OrganisersFault("the reference data cannot be read")
    key = next(iter(rows.values))
    targets = plan["questions"][task].get(plan["truth"]["about"])
    if targets is not None and sorted(rows.values[key]) != sorted(targets):
        raise OrganisersFault("the reference data are about other targets")
    return rows.values
