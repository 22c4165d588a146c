"""How fast the membership attacks of an audit are: CPU seconds in one thread.

    QUINTAIN_DATA=folder-with-adult.data python -m benchmarks.audit.membership [--peers PYTHON]

The closed form of Gen-LRA stands beside a plain reference that estimates all densities again for
every target, as the published program does. That program is not on PyPI, so it is not run here.
With --peers, a Python that has SDMetrics (scripts/peers.sh makes one), the distances to the closest
record stand beside those of SDMetrics, which must be equal.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.audit.adult_people import population
from benchmarks.bench.machine import ROOT
from quintain.attacks.membership.neighbour_ratios import GenLra
from quintain.data import Table
from quintain.data.arrays import Floats
from quintain.kernels.distances import Distance, gower
from quintain.kernels.dummies import numbers
from quintain.kernels.neighbours import nearest

Result = TypeVar("Result")


def timed(action: Callable[[], Result]) -> tuple[Result, float]:
    """The result of an action and its CPU seconds."""
    start = time.process_time()
    result = action()
    return result, time.process_time() - start


def distances(records: Table, table: Table, metric: Distance) -> Floats:
    """Sums of the differences of all columns, between all pairs, column by column."""
    out = np.zeros((len(records), len(table)))
    for column in records.schema.attributes:
        one, other = records.columns[column.name], table.columns[column.name]
        if column.kind == "category":
            out += one[:, None] != other[None, :]
        else:
            one, other = numbers(column, records), numbers(column, table)
            out += np.abs(one[:, None] - other[None, :]) * metric.weight(column)
    return out


def plain_gen_lra(attack: GenLra, release: Table, base: Table, target: int, reach: int) -> float:
    """The score of one target: both densities are estimated anew from ``reach`` people."""
    metric = gower(base.schema, [release, base])
    own = distances(base.take([target]), release, metric)[0]
    near = np.lexsort((release_order(release), own.round(9)))[: attack.k]
    others = np.delete(np.arange(len(base)), target)
    total = 0.0
    for place in near:
        shown = release.take([place])
        away = np.sort(distances(shown, base, metric)[0])[:reach]
        without = distances(shown, base.take(others), metric)[0]
        kept = np.sort(without)[: reach - 1 if own[place] <= away[-1] + 1e-12 else reach]
        rest = np.exp(-kept / attack.bandwidth).sum()
        total += np.log1p(np.exp(-own[place] / attack.bandwidth) / (attack.smoothing + rest))
    return float(total)


def release_order(release: Table) -> np.ndarray:
    """The place of each released record if they are sorted by content."""
    return np.argsort(release.order(), kind="stable")


def gen_lra_lines(release: Table, base: Table, targets: int) -> list[str]:
    """Our time for all targets, and that of the reference for some, scaled to all."""
    from scipy.stats import spearmanr

    attack, rng = GenLra(), np.random.default_rng(0)
    scores, ours = timed(lambda: attack.scores(release, base, base, rng=rng))
    chosen = rng.choice(len(base), targets, replace=False)
    reach, every = attack.reach, len(base)
    same, plain = timed(lambda: [plain_gen_lra(attack, release, base, t, reach) for t in chosen])
    full = [plain_gen_lra(attack, release, base, t, every) for t in chosen]
    if not np.allclose(same, scores[chosen], atol=1e-6):
        raise SystemExit("Gen-LRA: the scores differ from the definition")
    whole = plain / targets * len(base)
    rank = spearmanr(full, scores[chosen]).statistic
    return [
        f"| Gen-LRA, {len(base):,} targets | {ours:.2f} | {whole:.0f} (from {targets} targets) | "
        f"{whole / ours:.0f} | equal with the same {attack.reach} people; rank correlation with "
        f"the density of all people {rank:.3f} |"
    ]


def dcr_lines(queries: Table, base: Table, python: str) -> list[str]:
    """The distances to the closest record, as SDMetrics defines them, by both programs."""
    columns = [c for c in base.schema.attributes if c.kind != "category"]
    ranges = {c.name: float(np.ptp(numbers(c, base))) for c in columns}
    metric = Distance(
        "gower", {name: 1 / width if width else 0.0 for name, width in ranges.items()}
    )
    (away, _), ours = timed(lambda: nearest(queries, base, metric))
    with tempfile.TemporaryDirectory() as folder:
        queries.to_csv(Path(folder) / "queries.csv")
        base.to_csv(Path(folder) / "base.csv")
        command = [python, str(ROOT / "benchmarks/audit/sdmetrics_dcr.py"), folder]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        theirs = np.loadtxt(Path(folder) / "distances.txt")
    seconds, gap = float(done.stdout), float(np.abs(theirs - away).max())
    if gap > 1e-9:
        raise SystemExit(f"DCR: the distances differ by up to {gap}")
    size = f"{len(queries):,} x {len(base):,}"
    return [
        f"| DCR, {size} | {ours:.2f} | {seconds:.1f} (SDMetrics) | {seconds / ours:.0f} | "
        f"largest difference {gap:.0e} |"
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--targets", type=int, default=20)
    parser.add_argument("--dcr-rows", type=int, default=1_000)
    parser.add_argument("--peers", default="", help="a Python that has SDMetrics")
    options = parser.parse_args()
    everybody = population()
    rows = np.random.default_rng(0).permutation(len(everybody))
    pool = everybody.take(rows[: 2 * options.rows])
    release = everybody.take(rows[2 * options.rows : 3 * options.rows])
    print("| what | ours, CPU s | other, CPU s | times faster | values |")
    print("|---|---|---|---|---|")
    for line in gen_lra_lines(release, pool, options.targets):
        print(line, flush=True)
    if options.peers:
        parts = [table.take(np.arange(options.dcr_rows)) for table in (release, pool)]
        for line in dcr_lines(parts[0], parts[1], options.peers):
            print(line, flush=True)


if __name__ == "__main__":
    main()
