"""A complete submission of random guesses: the baseline for every attack.

    python3 baseline.py [SEED]     writes answers.zip, ready to submit

Replace :func:`guess` with a function that looks at the release, and you have an attack.
"""

from __future__ import annotations

import csv
import io
import json
import sys
import zipfile
from pathlib import Path
from random import Random

HERE = Path(__file__).resolve().parent


def guess(task: str, targets: list[str], dice: Random) -> list[float]:  # noqa: ARG001
    """For each target of a task, the probability that it was in the private data."""
    return [dice.random() for _ in targets]


def main(arguments: list[str]) -> None:
    """Answer every task of plan.json and write answers.zip."""
    plan = json.loads((HERE / "plan.json").read_text("utf-8"))
    dice = Random(int(arguments[0]) if arguments else 0)  # noqa: S311 -- guesses, not secrets
    with zipfile.ZipFile("answers.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for task, targets in sorted(plan["targets"].items()):
            text = io.StringIO()
            rows = csv.writer(text, lineterminator="\n")
            if plan["header"]:
                rows.writerow(["target", "probability"])
            probabilities = guess(task, targets, dice)
            rows.writerows([target, repr(probabilities[i])] for i, target in enumerate(targets))
            archive.writestr(f"{task}.csv", text.getvalue())
    sys.stdout.write("answers.zip\n")


if __name__ == "__main__":
    main(sys.argv[1:])
