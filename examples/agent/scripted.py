"""The example agent beside each built-in attack: 20 tasks of three editions.

    QUINTAIN_DATA=folder PYTHONPATH=. python examples/agent/scripted.py [--seed 1] [--kept]

Each edition is prepared in a small size. The agent of ``examples/agent`` plays every task in the
sandbox, from the kit alone. Then every attack that can answer plays the same task by itself. Both
are scored by the first measure of the edition, with the sign that attackers want larger. The table
has for each attack the mean gain of the agent over it, with the 95 % interval over tasks (Student's
t). An attack is compared on the tasks that it can answer. Results are kept in
``benchmarks/results``, task by task, and a run that was stopped goes on; ``--kept`` prints the
table of the tasks that are finished.
"""

from __future__ import annotations

import argparse
import io
import json
import time
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.bench.kept import keep_line, kept_lines, results_folder
from benchmarks.bench.machine import ROOT
from benchmarks.bench.means import mean_and_reach
from quintain_agent import AgentLimits, Games, play_agent
from quintain_agent.games import leak, score_answers

from quintain.contests import load
from quintain.errors import QuintainError
from quintain.kit.kit import kit_bytes
from quintain.programs.choice import sandbox_for_own
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.rules import write_rules
from quintain.runs.organising.prepare import prepare
from quintain.runs.submissions.submit import LONG_AGO
from quintain.runs.submissions.upload import read_program

AGENT = ROOT / "examples" / "agent" / "agent.py"
LIMITS = AgentLimits(seconds=7_200)
_SNAKE = [
    {"use": "mst", "name": "mst-{epsilon}", "rows": 1000, "grid": {"epsilon": [10.0, 100.0, 1e3]}},
    {"use": "privbayes", "name": "pb-{epsilon}", "rows": 1000, "grid": {"epsilon": [10.0, 100.0]}},
]
EDITIONS: Mapping[str, Mapping[str, Any]] = {
    "tiny": {"repeats": 2, "dataset": {"rows": 2500}},
    "hidden-value": {
        "repeats": 1,
        "dataset": {"rows": 3000},
        "sample": {"targets": 300, "background": 400},
        "knowledge": {"gives": ["base", "parameters", "claim", "methods"]},
    },
    "snake1": {
        "dataset": {"rows": 6000},
        "sample": {"background": 1000, "targets": 60, "min_unit_size": 2},
        "sanitizer": _SNAKE,
    },
}
"""The editions, and what differs here: smaller, and attackers know the population."""


def contest(root: Path, edition: str, seed: int) -> tuple[Folder, Folder]:
    """A prepared contest, and the kit that agents get of it."""
    write_rules(root / "contest", load(edition, overrides=EDITIONS[edition]))
    folder = Folder(root / "contest")
    prepare(folder, seed=seed, now=LONG_AGO)
    with zipfile.ZipFile(io.BytesIO(kit_bytes(folder))) as archive:
        archive.extractall(root / "kit")
    return folder, Folder(root / "kit")


def results(edition: str, seed: int, path: Path) -> Iterator[dict[str, Any]]:
    """What the agent and every attack reach in each task; finished tasks are read from a file."""
    done = {one["task"]: one for one in kept_lines(path) if one["edition"] == edition}
    with TemporaryDirectory() as place:
        folder, kit = contest(Path(place), edition, seed)
        for task in folder.tasks(folder.edition().track[0]):
            if task.name not in done:
                line = play_task(folder, kit, task.name, seed)
                done[task.name] = {"edition": edition, "task": task.name, **line}
                keep_line(path, done[task.name])
            yield done[task.name]


def play_task(folder: Folder, kit: Folder, task: str, seed: int) -> dict[str, Any]:
    """The scores of the agent and of each attack at one task, and what they cost."""
    track, began = folder.edition().track[0], time.process_time()
    program = read_program(AGENT, folder.edition().limits)
    session = play_agent(
        kit,
        kit.edition().track[0],
        program,
        sandbox=sandbox_for_own(),
        limits=LIMITS,
        tasks=[task],
        seed=seed,
    )
    if session.problems:
        raise SystemExit(f"{task}: {session.problems}")
    spent = time.process_time() - began
    games = Games(kit, kit.edition().track[0], tasks=[task], seed=seed)
    game = games.game(task)
    attacks: dict[str, float] = {}
    for attack in games.attacks_for(game):
        try:
            guess = games.attack(game, {"use": attack}, 0)
        except QuintainError:  # it cannot play this release
            continue
        attacks[attack] = leak(score_answers(folder, track, {task: guess})[task])
    own = leak(score_answers(folder, track, session.guesses)[task])
    last = [json.loads(line) for line in session.transcript.splitlines()[-6:-1]]
    asked = [json.loads(one["question"]["text"]) for one in last if one["question"]["bytes"] < 300]
    played = [one["given"]["use"] for one in asked if one["given"].get("task") == task]
    return {"agent": own, "played": played, "attacks": attacks, "seconds": spent}


def lines_of(seed: int, path: Path) -> Iterator[dict[str, Any]]:
    """The results of all tasks, each printed as soon as it is there."""
    for edition in EDITIONS:
        for line in results(edition, seed, path):
            best = max(line["attacks"], key=line["attacks"].get)
            print(
                f"{edition} {line['task']}: agent {line['agent']:.3f} "
                f"by {', '.join(line['played'])}; "
                f"best {best} {line['attacks'][best]:.3f}; {line['seconds']:.0f} CPU s",
                flush=True,
            )
            yield line


def table(lines: Sequence[dict[str, Any]]) -> str:
    """A line per attack, the one that loses most first, as Markdown."""
    names = sorted({name for line in lines for name in line["attacks"]})
    rows = {
        name: [line["agent"] - line["attacks"][name] for line in lines if name in line["attacks"]]
        for name in names
    }
    ranked = sorted(rows.items(), key=lambda row: -sum(row[1]) / len(row[1]))
    afterwards = [line["agent"] - max(line["attacks"].values()) for line in lines]
    ranked.append(("the best attack of each task, chosen afterwards", afterwards))
    out = ["| attack | tasks | gain |", "|---|---|---|"]
    return "\n".join([*out, *(f"| {n} | {len(g)} | {mean_and_reach(g)} |" for n, g in ranked)])


def main() -> None:
    """Play the tasks that are missing and print the table."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kept", action="store_true", help="play nothing more")
    given = parser.parse_args()
    path = results_folder() / f"scripted-agent-{given.seed}.jsonl"
    lines = kept_lines(path) if given.kept else list(lines_of(given.seed, path))
    print(f"\n{len(lines)} tasks; gain of the agent, mean ± half of the 95 % interval\n")
    print(table(lines))


if __name__ == "__main__":
    main()
