"""CPU time of the three risks of the European guidance, beside Anonymeter; prints a table.

    sh scripts/peers.sh
    QUINTAIN_DATA=folder-with-adult python -m benchmarks.audit.anonymeter [ROWS] [PYTHON]

ROWS people are the original (10,000 by default) and as many the control; a third of the release
are copies. PYTHON is an interpreter that has Anonymeter 1.1.0; without it, the table has our
figures alone. Both tools run in this benchmark, each in its own process, with one thread.
Anonymeter compiles code when it first runs, so each of its risks is evaluated twice. The methods
differ, so the risks are not comparable figure by figure.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.audit.adult_people import people, population
from benchmarks.bench.machine import ROOT
from quintain.attacks import Attack, MajorityGivenKnown, Nearest, RowPredicates
from quintain.audits.asking import SharedColumns, ask, attempt
from quintain.audits.pool import Pool
from quintain.audits.risks.inference import measure_inference
from quintain.audits.risks.linkability import measure_linkability
from quintain.audits.risks.singling_out import measure_singling_out
from quintain.data import Table
from quintain.guesses import Goal
from quintain.guesses.attribute import Attribute
from quintain.guesses.linkability import Linkability
from quintain.guesses.singling_out import SinglingOut
from quintain.measures import Case, GuessMeasure, reading_rng
from quintain.measures.privacy.excess_accuracy import ExcessAccuracy
from quintain.measures.privacy.halves_linked import HalvesLinked
from quintain.measures.privacy.isolation import Isolation
from quintain.releases import Release

PREDICATES, TARGETS = 500, 2_000
PEER = """
import json, os, sys, time, warnings
warnings.filterwarnings("ignore")
import pandas as pd
from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator, SinglingOutEvaluator
folder, predicates, targets = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
tables = {k: pd.read_csv(f"{folder}/{k}.csv") for k in ("ori", "syn", "control")}
names = list(tables["ori"].columns)
secret = names[-1]
def singling():
    one = SinglingOutEvaluator(**tables, n_attacks=predicates, n_cols=4, seed=0)
    return one.evaluate(mode="multivariate")
def linking():
    halves = names[::2], names[1::2]
    one = LinkabilityEvaluator(**tables, n_attacks=targets, aux_cols=halves, n_neighbors=10)
    return one.evaluate(n_jobs=1)
def guessing():
    known = [n for n in names if n != secret]
    one = InferenceEvaluator(**tables, n_attacks=targets, aux_cols=known, secret=secret,
                             regression=False)
    return one.evaluate(n_jobs=1)
tasks = {"singling-out": singling, "linkability": linking, "inference": guessing}
task, out = tasks[sys.argv[4]], []
for _ in range(2):
    start = time.process_time()
    task()
    out.append(time.process_time() - start)
print(json.dumps(out))
"""


def seconds(work: Callable[[], object]) -> float:
    """The CPU time of a call."""
    start = time.process_time()
    work()
    return time.process_time() - start


def one_attack(goal: Goal, attacker: Attack, measure: GuessMeasure, view: SharedColumns) -> None:
    """Ask, attack and measure once."""
    situation = ask(goal, view, shown=goal)
    case = attempt(attacker, situation, rng=np.random.default_rng(0))  # type: ignore[arg-type]
    assert isinstance(case, Case)
    measure.measure([case], rng=reading_rng())


def ours(pool: Pool, release: Release) -> dict[str, tuple[float, float]]:
    """CPU seconds of the attack nearest to the peer's, and of our whole panel."""
    rng = np.random.default_rng(0)
    play = SharedColumns.of(pool, release)
    few = play.at(rng.choice(len(pool), min(TARGETS, len(pool)), replace=False))
    names = play.released.schema.names
    halves = Linkability(left=names[::2], right=names[1::2])
    guessing = Attribute(column=names[-1])
    single = SinglingOut(predicates=PREDICATES)
    attacks = {
        "singling-out": lambda: one_attack(single, RowPredicates(columns=4), Isolation(), play),
        "linkability": lambda: one_attack(halves, Nearest(), HalvesLinked(), few),
        "inference": lambda: [
            one_attack(guessing, attacker, ExcessAccuracy(), few)
            for attacker in (Nearest(), MajorityGivenKnown())
        ],
    }
    panels = {
        "singling-out": lambda: measure_singling_out(pool, release, rng=rng, predicates=PREDICATES),
        "linkability": lambda: measure_linkability(pool, release, rng=rng, targets=TARGETS),
        "inference": lambda: measure_inference(pool, release, rng=rng, targets=TARGETS),
    }
    return {risk: (seconds(attacks[risk]), seconds(panels[risk])) for risk in attacks}


def peer(python: str, tables: dict[str, Table]) -> dict[str, tuple[float, float]]:
    """CPU seconds of Anonymeter, first with compiling, then without; empty if it is missing."""
    if subprocess.run([python, "-c", "import anonymeter"], capture_output=True).returncode:
        return {}
    one_thread = {**os.environ, "POLARS_MAX_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as folder:
        for name, table in tables.items():
            table.to_csv(Path(folder) / f"{name}.csv")
        out = {}
        for risk in ("singling-out", "linkability", "inference"):
            sizes = [str(PREDICATES), str(min(TARGETS, len(tables["ori"]))), risk]
            command = [python, "-c", PEER, folder, *sizes]
            done = subprocess.run(
                command, stdout=subprocess.PIPE, text=True, check=True, env=one_thread
            )
            first, again = json.loads(done.stdout)
            out[risk] = (first, again)
        return out


def main() -> None:
    """Time both on the same data and print a table."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    python = sys.argv[2] if len(sys.argv) > 2 else str(ROOT / ".venv-peers" / "bin" / "python")
    group = people(population(), rows, rng=np.random.default_rng(0))
    copies = group.original.take(np.arange(rows // 3))
    released = copies.concat(group.others.take(np.arange(rows - rows // 3)))
    pool = Pool.of(group.original, group.control, rng=np.random.default_rng(1))
    times = ours(pool, Release(released))
    tables = {"ori": group.original, "syn": released, "control": group.control}
    peer_times = peer(python, tables) if Path(python).exists() else {}
    print(f"CPU seconds; {rows:,} + {rows:,} people x {len(released.schema.names)} columns.\n")
    print("| risk | one attack, ours | our panel | Anonymeter | without compiling | times faster |")
    print("|---|---|---|---|---|---|")
    for risk, (attack_time, panel_time) in times.items():
        first, again = peer_times.get(risk, (float("nan"), float("nan")))
        quicker = f"{first / attack_time:.0f} ({again / attack_time:.0f})"
        cells = f"{attack_time:.2f} | {panel_time:.2f} | {first:.1f} | {again:.1f}"
        print(f"| {risk} | {cells} | {quicker} |")
    if not peer_times:
        print("\nAnonymeter is not installed: sh scripts/peers.sh. Its figures are missing.")


if __name__ == "__main__":
    main()
