"""Score answers to a membership contest, for every entry.

    python3 score.py                     as CodaBench runs it, in the folder /app
    python3 score.py --check answers     checks a folder or a zip of answers; needs no truth

It needs Python 3.7 or later and nothing else. The file plan.json beside it says which file answers
which task, which targets it must name, and which columns the scores go into.

The plan also names the measure. The membership advantage and the accuracy count the targets of all
repetitions together. The area under the curve and the true positive rate are measured in each
repetition and averaged.
"""

from __future__ import annotations

import csv
import json
import math
import os
import re
import sys
import zipfile
from bisect import bisect_left, bisect_right
from pathlib import Path
from typing import Any, Dict, List  # noqa: UP035 -- Python 3.7 and 3.8 have no list[str]

Plan = Dict[str, Any]  # noqa: UP006
Probabilities = Dict[str, float]  # noqa: UP006
Faults = List[str]  # noqa: UP006

NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?|-?\.[0-9]+(?:[eE][-+]?[0-9]+)?")
CONTROL = re.compile(r"[\x00-\x1f\x7f]")
COLUMNS = ["target", "probability"]
SHOWN = 20
TELL = "this is not your fault: please tell the organisers"


class OrganisersFault(Exception):
    """The reference data are not what the plan says."""


def main(arguments: list[str]) -> int:
    """Check or score; the exit code is 0 if the answers are complete and valid."""
    plan = json.loads((Path(__file__).resolve().parent / "plan.json").read_text("utf-8"))
    root = Path(os.environ.get("QUINTAIN_APP_ROOT", "/app"))
    check_only = arguments[:1] == ["--check"] and len(arguments) == 2
    if arguments and not check_only:
        sys.stderr.write("usage: python3 score.py [--check FOLDER-OR-ZIP]\n")
        return 2
    faults: Faults = []
    files = read_files(Path(arguments[1]) if check_only else root / "input" / "res", plan, faults)
    guesses = read_guesses(files, plan, faults)
    if faults:
        more = [f"... and {len(faults) - SHOWN} more"] if len(faults) > SHOWN else []
        sys.stderr.write("\n".join(["NOT scored:", *faults[:SHOWN], *more]) + "\n")
        return 1
    if check_only:
        sys.stdout.write(f"{len(guesses)} answers, complete and valid\n")
        return 0
    try:
        scores = score(guesses, plan, root)
    except (OrganisersFault, OSError) as problem:
        sys.stderr.write(f"NOT scored: {problem or type(problem).__name__}; {TELL}\n")
        return 3
    text = json.dumps(scores, sort_keys=True, indent=2, allow_nan=False) + "\n"
    (root / "output" / "scores.json").write_text(text, "utf-8")
    sys.stdout.write(f"scored {len(guesses)} answers\n")
    return 0


def read_files(place: Path, plan: Plan, faults: Faults) -> dict[str, bytes]:
    """The submitted files, by name. Links are refused, because one could lead to the truth."""
    contents = {}
    limit = plan["file_bytes"]
    if place.is_dir():
        for path in sorted(place.iterdir()):
            if path.name.startswith((".", "__MACOSX")):
                continue
            if path.is_symlink() or not path.is_file():
                faults.append(f"{path.name}: only plain files in the root of the zip are accepted")
                continue
            with path.open("rb") as file:
                contents[path.name] = file.read(limit + 1)
    else:
        try:
            with zipfile.ZipFile(str(place)) as archive:
                for name in archive.namelist():
                    with archive.open(name) as member:
                        contents[name] = member.read(limit + 1)
        except (OSError, RuntimeError, zipfile.BadZipFile):
            faults.append(f"{place}: is neither a folder nor a readable zip")
    for name in [name for name in contents if len(contents[name]) > limit]:
        faults.append(f"{name}: is too large; the limit is {limit} bytes")
        del contents[name]
    return contents


def read_guesses(files: dict[str, bytes], plan: Plan, faults: Faults) -> dict[str, Probabilities]:
    """The probability of each target, by task; adds everything that is wrong to the faults."""
    known = {f"{task}.csv": task for task in plan["targets"]}
    for name in sorted(set(files) - set(known)):
        faults.append(f"{name}: answers no task; files are called {', '.join(list(known)[:3])} ...")
    guesses = {}
    for name, task in known.items():
        if name in files:
            guesses[task] = read_guess(name, files[name], plan["targets"][task], plan, faults)
        else:
            faults.append(f"{name}: is missing; a submission answers every task")
    return guesses


def read_guess(
    name: str, content: bytes, targets: list[str], plan: Plan, faults: Faults
) -> Probabilities:
    """One probability for each target, each exactly once."""
    probabilities: Probabilities = {}
    wanted = set(targets)
    for number, row in read_rows(name, content, plan, faults):
        target, text = row
        probability = float(text) if len(text) <= 60 and NUMBER.fullmatch(text) else math.nan
        where = f"{name}:{number}"
        if not target or CONTROL.search(target) or target not in wanted:
            faults.append(f"{where} target={target[:40]!r}: no such target was asked about")
        elif target in probabilities:
            faults.append(f"{where} target={target!r}: answered before")
        if not 0 <= probability <= 1:
            faults.append(f"{where} probability={text[:40]!r}: expected a number from 0 to 1")
        probabilities[target] = probability
    missing = [target for target in targets if target not in probabilities]
    if missing:
        faults.append(f"{name}: {len(missing)} targets not answered: {', '.join(missing[:5])}")
    return probabilities


def read_rows(name: str, content: bytes, plan: Plan, faults: Faults) -> list[tuple[int, list[str]]]:
    """The rows of a file, each with its line number, as target and probability."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        faults.append(f"{name}: is not UTF-8")
        return []
    if plan["strict"] and (text.startswith("\ufeff") or "\r" in text):
        faults.append(f"{name}: no byte order mark and no carriage returns are allowed")
        return []
    text = text[1:] if text.startswith("\ufeff") else text
    lines = text.replace("\r\n", "\n").split("\n")
    if lines[-1] == "":
        lines.pop()
    order, rows = [0, 1], []
    for number, line in enumerate(lines, start=1):
        try:
            cells = next(csv.reader([line], strict=True), [])
        except csv.Error:
            cells = []
        if number == 1 and plan["header"]:
            if sorted(cells) != sorted(COLUMNS):
                faults.append(f"{name}:1 the first line must be {','.join(COLUMNS)}")
                return []
            order = [cells.index(column) for column in COLUMNS]
        elif len(cells) != len(COLUMNS):
            faults.append(f"{name}:{number} expected {len(COLUMNS)} cells, found {len(cells)}")
        else:
            rows.append((number, [cells[place] for place in order]))
    return rows


def score(guesses: dict[str, Probabilities], plan: Plan, root: Path) -> dict[str, float]:
    """The score of every column, as far as the rules let it be seen."""
    scores = {}
    for column, tasks in plan["columns"].items():
        repeats = []
        for task in tasks:
            probabilities = guesses[task]
            labels = truth(task, plan, root)
            members = [probabilities[target] for target, member in labels if member]
            others = [probabilities[target] for target, member in labels if not member]
            repeats.append((members, others))
        scores[column] = shown(measure(repeats, plan["measure"]), plan)
    return scores


def measure(repeats: list[tuple[list[float], list[float]]], rule: dict[str, Any]) -> float:
    """One number from the probabilities of the members and of the others in each repetition."""
    if rule["key"] in ("adv", "acc"):
        pooled = [score for members, _ in repeats for score in members]
        repeats = [(pooled, [score for _, others in repeats for score in others])]
    if not all(members and others for members, others in repeats):
        raise OrganisersFault("the reference data have only members or only non-members")
    functions = {"adv": advantage, "acc": accuracy, "auc": area}
    if rule["key"] == "tpr":
        values = [true_positives(*lists, float(rule["fpr"])) for lists in repeats]
    else:
        values = [functions[rule["key"]](*lists) for lists in repeats]
    return math.fsum(values) / len(values)


def advantage(members: list[float], others: list[float]) -> float:
    """The share of the members called members, less the share of the others called members."""
    return called(members) / len(members) - called(others) / len(others)


def accuracy(members: list[float], others: list[float]) -> float:
    """The share of the targets on the right side of one half."""
    right = called(members) + len(others) - called(others)
    return right / (len(members) + len(others))


def called(probabilities: list[float]) -> int:
    """How many targets are called members."""
    return sum(probability > 0.5 for probability in probabilities)


def area(members: list[float], others: list[float]) -> float:
    """The area under the curve: the mean share of the others that a member beats; ties are half."""
    lower = sorted(others)
    beaten = [(bisect_left(lower, one) + bisect_right(lower, one)) / 2 for one in members]
    return pairwise_sum([count / len(others) for count in beaten]) / len(members)


def true_positives(members: list[float], others: list[float], fpr: float) -> float:
    """The share of the members above the lowest threshold that at most ``fpr`` others pass."""
    falling = sorted(others, reverse=True)
    allowed = math.floor(fpr * len(falling) + 1e-9)
    threshold = falling[allowed] if allowed < len(falling) else -math.inf
    return sum(one > threshold for one in members) / len(members)


def pairwise_sum(values: list[float]) -> float:
    """Add in the order in which NumPy adds, so that the official score is equal to the last bit."""
    if len(values) > 128:
        half = len(values) // 2
        half -= half % 8
        return pairwise_sum(values[:half]) + pairwise_sum(values[half:])
    whole = len(values) - len(values) % 8
    total = 0.0
    if whole:
        lanes = values[:8]
        for start in range(8, whole, 8):
            lanes = [lanes[i] + values[start + i] for i in range(8)]
        a, b, c, d, e, f, g, h = lanes
        total = ((a + b) + (c + d)) + ((e + f) + (g + h))
    for value in values[whole:]:
        total += value
    return total


def shown(value: float, plan: Plan) -> float:
    """A score rounded as the rules of the contest say."""
    digits, step = plan["digits"], plan["step"]
    if digits is not None:
        return round(value, int(digits))
    return value if step is None else round(round(value / step) * float(step), 10)


def truth(task: str, plan: Plan, root: Path) -> list[tuple[str, bool]]:
    """The targets of a task, and whether each was in the private data."""
    reference = root / "input" / "ref"
    if plan["truth"] == "bundle":
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
    try:
        rows = list(csv.reader(content.decode("utf-8").splitlines()))
        labels = [(target, {"0": False, "1": True}[member]) for target, member in rows[1:]]
    except (ValueError, KeyError, csv.Error):
        raise OrganisersFault("the reference data cannot be read") from None
    if sorted(target for target, _ in labels) != sorted(plan["targets"][task]):
        raise OrganisersFault("the reference data are about other targets")
    return labels


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
