"""A complete submission of blind guesses: the baseline for every attack.

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
from typing import Any

from quintain.kit.codabench.program.score import program_part

HERE = Path(__file__).resolve().parent


def guess(task: str, plan: dict[str, Any], dice: Random) -> list[list[str]]:
    """The rows of the answer to a task; ``plan["questions"][task]`` has what it asks."""
    rows: list[list[str]] = program_part(plan["goal"]).blind(plan["questions"][task], plan, dice)
    return rows


def stand_in(artefact: dict[str, Any]) -> str:
    """A small file in place of one that a submission must have beside its answers."""
    return "{}\n" if artefact["kind"] == "json" else f"Put your {artefact['name']} here.\n"


def main(arguments: list[str]) -> None:
    """Answer every task of plan.json and write answers.zip."""
    plan = json.loads((HERE / "plan.json").read_text("utf-8"))
    dice = Random(int(arguments[0]) if arguments else 0)  # noqa: S311 -- guesses, not secrets
    with zipfile.ZipFile("answers.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for task in sorted(plan["questions"]):
            text = io.StringIO()
            rows = csv.writer(text, lineterminator="\n")
            if plan["form"]["header"]:
                rows.writerow([column["name"] for column in plan["guess"]])
            rows.writerows(guess(task, plan, dice))
            archive.writestr(f"{task}.csv", text.getvalue())
        for artefact in plan["artefacts"]:
            if artefact["required"]:
                archive.writestr(artefact["file"], stand_in(artefact))
    sys.stdout.write("answers.zip\n")


if __name__ == "__main__":
    main(sys.argv[1:])
