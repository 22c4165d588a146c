"""Score answers to a membership contest: the advantage over chance, for every entry.

    python3 score.py                     as CodaBench runs it, in the folder /app
    python3 score.py --check answers     checks a folder or a zip of answers; needs no truth

It needs Python 3.7 or later and nothing else. Beside it lies plan.json: which files are answers to
what, which targets they must name, which columns the scores go into.

A target is said to be in the private data if its probability is above one half. The advantage is
the share of the members said to be in, less the share of the others said to be in; repetitions of
one entry are counted together. 0 is chance, 1 is perfect.
"""

from __future__ import annotations

import csv
import json
import math
import os
import re
import sys
import zipfile
from pathlib import Path
from typing import Any, Dict, List  # noqa: UP035 -- Python 3.7 and 3.8 have no list[str]

Plan = Dict[str, Any]  # noqa: UP006
Said = Dict[str, float]  # noqa: UP006
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
    """The files handed in, by name. A link is none: it could lead to the truth."""
    found = {}
    limit = plan["file_bytes"]
    if place.is_dir():
        for path in sorted(place.iterdir()):
            if path.name.startswith((".", "__MACOSX")):
                continue
            if path.is_symlink() or not path.is_file():
                faults.append(f"{path.name}: only plain files in the root of the zip are taken")
                continue
            with path.open("rb") as file:
                found[path.name] = file.read(limit + 1)
    else:
        try:
            with zipfile.ZipFile(str(place)) as archive:
                for name in archive.namelist():
                    with archive.open(name) as member:
                        found[name] = member.read(limit + 1)
        except (OSError, RuntimeError, zipfile.BadZipFile):
            faults.append(f"{place}: neither a folder nor a zip that can be read")
    for name in [name for name in found if len(found[name]) > limit]:
        faults.append(f"{name}: more than {limit} bytes")
        del found[name]
    return found


def read_guesses(files: dict[str, bytes], plan: Plan, faults: Faults) -> dict[str, Said]:
    """What each task's file says of each target; everything wrong with it goes to the faults."""
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


def read_guess(name: str, content: bytes, targets: list[str], plan: Plan, faults: Faults) -> Said:
    """One probability for each target, each exactly once."""
    said: Said = {}
    asked = set(targets)
    for number, row in read_rows(name, content, plan, faults):
        target, text = row
        probability = float(text) if len(text) <= 60 and NUMBER.fullmatch(text) else math.nan
        where = f"{name}:{number}"
        if not target or CONTROL.search(target) or target not in asked:
            faults.append(f"{where} target={target[:40]!r}: no such target was asked about")
        elif target in said:
            faults.append(f"{where} target={target!r}: answered before")
        if not 0 <= probability <= 1:
            faults.append(f"{where} probability={text[:40]!r}: expected a number from 0 to 1")
        said[target] = probability
    missing = [target for target in targets if target not in said]
    if missing:
        faults.append(f"{name}: {len(missing)} targets not answered: {', '.join(missing[:5])}")
    return said


def read_rows(name: str, content: bytes, plan: Plan, faults: Faults) -> list[tuple[int, list[str]]]:
    """The rows of a file with their lines, as target and probability."""
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


def score(guesses: dict[str, Said], plan: Plan, root: Path) -> dict[str, float]:
    """The advantage of every column, as far as the rules let it be seen."""
    scores = {}
    for column, tasks in plan["columns"].items():
        pairs = []
        for task in tasks:
            said = guesses[task]
            pairs += [(member, said[target] > 0.5) for target, member in truth(task, plan, root)]
        scores[column] = shown(advantage(pairs), plan)
    return scores


def advantage(pairs: list[tuple[bool, bool]]) -> float:
    """From (member, said to be in) of every target."""
    inside = [said for member, said in pairs if member]
    outside = [said for member, said in pairs if not member]
    if not inside or not outside:
        raise OrganisersFault("the reference data are of one class")
    return sum(inside) / len(inside) - sum(outside) / len(outside)


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
        found = [(target, {"0": False, "1": True}[member]) for target, member in rows[1:]]
    except (ValueError, KeyError, csv.Error):
        raise OrganisersFault("the reference data cannot be read") from None
    if sorted(target for target, _ in found) != sorted(plan["targets"][task]):
        raise OrganisersFault("the reference data are about other targets")
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
