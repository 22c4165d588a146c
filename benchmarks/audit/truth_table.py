"""Is the verdict right? Releases that are known to be safe or not, beside other tools.

    QUINTAIN_DATA=folder python -m benchmarks.audit.truth_table [--seeds 20] [--rows 10000]
        [--folder build/truth-table]

Each seed deals the people of Adult (48,842 with 12 columns; without the files, a stand-in with
nine) into an original, a control and strangers, and makes the releases of ``generators.py``. The
folder keeps everything, so that a run that was stopped goes on. If ``scripts/peers.sh`` has
installed Anonymeter, SDMetrics and ctgan, their readings are in the table, and so is the release of
a deep generator (TVAE).

Anonymeter gives risks, not a verdict: it counts as an alarm if an interval is above 0. SDMetrics
gives scores: the alarm is a protection against overfitting below 0.95.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.audit.adult_people import FILES, people, population
from benchmarks.audit.generators import GENERATORS
from benchmarks.bench.machine import people as named
from benchmarks.bench.machine import real_data
from benchmarks.bench.peers import peers, run_peer
from quintain.audits.release import audit_release
from quintain.data import Table

DEEP = "deep"
EPOCHS = 60
LEAST_SCORE = 0.95
VERDICTS = ("unsafe", "some-leakage", "nothing-found", "cannot-say")
HEAD = (
    "| release | unsafe | some leakage | nothing found | exposed, at least | nameable "
    "| Anonymeter: alarms | SDMetrics: alarms |\n|---|---|---|---|---|---|---|---|"
)


def main() -> None:
    """Make the releases, audit them, and print the table."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--folder", type=Path, default=Path("build/truth-table"))
    given = parser.parse_args()
    everybody = population()
    seeds = range(given.seeds)
    for seed in seeds:
        folder = given.folder / f"seed{seed:02d}"
        make(everybody, seed, given.rows, folder)
        if peers():
            ask_peers(folder)
        audit(folder)
    print(f"{named(real_data(*FILES))}, {given.rows} rows, {given.seeds} seeds\n\n{HEAD}")
    for line in lines([given.folder / f"seed{seed:02d}" for seed in seeds]):
        print(line)


def make(everybody: Table, seed: int, rows: int, folder: Path) -> None:
    """Write the people and the releases of one seed, unless they are there."""
    if (folder / "made").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    dealt = people(everybody, rows, rng=np.random.default_rng([seed, 1]))
    dealt.original.to_csv(folder / "original.csv")
    dealt.control.to_csv(folder / "control.csv")
    for number, (name, generate) in enumerate(GENERATORS.items()):
        release = generate(dealt, np.random.default_rng([seed, 2, number]))
        release.to_csv(folder / f"{file_name(name)}.csv")
    (folder / "made").touch()


def ask_peers(folder: Path) -> None:
    """Let the other tools judge every release, unless they did before."""
    script = Path(__file__).with_name("peers.py")
    if not (folder / f"{DEEP}.csv").exists():
        run_peer(script, folder, "--deep", EPOCHS)
    if not (folder / "peers.json").exists():
        (folder / "peers.json").write_text(run_peer(script, folder, *releases(folder)))


def audit(folder: Path) -> None:
    """Write our verdict on every release, unless it is there; the files say what they contain."""
    original, control = folder / "original.csv", folder / "control.csv"
    for name in releases(folder):
        file = folder / f"{name}.json"
        if not file.exists():
            result = audit_release(original, folder / f"{name}.csv", control)
            file.write_text(result.model_dump_json())


def lines(folders: list[Path]) -> Iterator[str]:
    """One line per release: how often each verdict was given, and the mean effects."""
    for name in (*GENERATORS, DEEP):
        files = [folder / f"{file_name(name)}.json" for folder in folders]
        ours = [json.loads(file.read_text()) for file in files if file.exists()]
        if not ours:
            continue
        verdicts = [result["verdict"] for result in ours]
        counts = " | ".join(str(verdicts.count(verdict)) for verdict in VERDICTS[:3])
        exposed = np.mean([result["exposed_share"]["low"] for result in ours])
        nameable = np.mean([result["nameable_records"]["value"] for result in ours])
        others = " | ".join(peer_alarms(folders, file_name(name)))
        yield f"| {name} | {counts} | {exposed:.1%} | {nameable:.0f} | {others} |"


def peer_alarms(folders: list[Path], name: str) -> tuple[str, str]:
    """In how many of the seeds the other tools give alarm."""
    files = [folder / "peers.json" for folder in folders]
    said: list[Any] = [json.loads(file.read_text())[name] for file in files if file.exists()]
    if not said:
        return "not run", "not run"
    cells = []
    for tool, alarm in (("anonymeter", risk_alarm), ("sdmetrics", score_alarm)):
        judged = [one[tool] for one in said if "error" not in one[tool]]
        failed = f", {len(said) - len(judged)} errors" if len(judged) < len(said) else ""
        cells.append(f"{sum(map(alarm, judged))} of {len(judged)}{failed}")
    return cells[0], cells[1]


def risk_alarm(risks: dict[str, list[float]]) -> bool:
    """Whether the interval of one of Anonymeter's risks lies above nothing."""
    return any(low > 0 for _, low, _ in risks.values())


def score_alarm(scores: dict[str, float]) -> bool:
    """Whether more synthetic records are near the original than SDMetrics likes."""
    return scores["dcr-overfitting"] < LEAST_SCORE


def releases(folder: Path) -> list[str]:
    """The names of the release files of a seed."""
    names = [file_name(name) for name in (*GENERATORS, DEEP)]
    return [name for name in names if (folder / f"{name}.csv").exists()]


def file_name(name: str) -> str:
    """The name of a release as that of a file."""
    return name.replace(" %", "").replace(" ", "-").lower()


if __name__ == "__main__":
    main()
