"""How much of a release is linked, counted by names, by rows and by persons; prints tables.

    QUINTAIN_DATA=folder-with-darc_ground_truth.parquet python -m benchmarks.darc.readings [--real]

Every player makes one release per seed. ``U`` is the largest of E1 to E6. Links are the larger of
the links by month and over the whole time. The score is (U + the worst of all readings) / 2, where
``reid`` is the best of two attacks on names, or of the look-ups F1 to F6. Lower is better in every
column. Means over the seeds, with standard errors. The attacks take long, so they run on the first
``--attacked`` seeds only, and the score of a seed without attacks is that of its links.

The benchmark keeps finished seeds in ``benchmarks/results`` and does not run them again; delete the
file after a change to a part. ``--frontier`` plays other sizes of the core and of the pool on one
seed that no table uses.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.bench.kept import keep_line, kept_lines, results_folder
from benchmarks.bench.means import mean_and_error
from quintain.attacks import Attack, Knowledge
from quintain.data import Data, Transactions
from quintain.data.sources.retail import Retail
from quintain.guesses.linkage import Linkage
from quintain.jobs.job import fingerprint
from quintain.measures import Case, reading_rng
from quintain.measures.privacy.content_link import ContentLink
from quintain.measures.privacy.reidentification import Reidentification
from quintain.measures.privacy.row_baselines import ShoppingBaselines
from quintain.measures.utility.shopping import ShoppingUtility
from quintain.plays import Situation, play_or_raise
from quintain.randomness.noise import Noise
from quintain.registry import build
from quintain.releases import Release, publish
from quintain.samples.sample import Whole
from quintain.sanitizers import Sanitizer, sanitize

KEPT = "darc_readings.jsonl"
POOL_SWAP = {"use": "cohort-swap", "rows": 0.43, "dates": 0.17, "prices": 0.4, "fee": 0.4}
CORE_SWAP = {
    "use": "cohort-swap",
    "rows": 0.8,
    "dates": 0.08,
    "prices": 0.12,
    "fee": 0.1,
    "kept": 0.9,
}
PLAYERS: dict[str, list[dict[str, Any]]] = {
    "pooled baskets": [{"use": "pooled-baskets", "pooled": 0.75}, POOL_SWAP],
    "core baskets": [{"use": "core-baskets"}, CORE_SWAP],
}
FRONTIER = {
    **{f"pooled {p}": [{"use": "pooled-baskets", "pooled": p}] for p in (0.6, 0.75, 0.85, 0.95)},
    **{
        f"core {r}, {p}": [{"use": "core-baskets", "rows": r, "people": p}]
        for r, p in ((0.1, 0.1), (0.16, 0.14), (0.22, 0.18), (0.3, 0.24), (0.4, 0.3))
    },
}
WAYS = ("names", "rows", "persons")
MEASURES = (
    ShoppingUtility(),
    ShoppingBaselines(item_prefix=0, basket="left_out"),
    ContentLink(counted=WAYS),
    ContentLink(by="whole", counted=WAYS),
)
ATTACKS = ({"use": "evidence-assignment"}, {"use": "swap-aware"})
Figures = dict[str, float]


def chain(steps: list[dict[str, Any]], data: Data, seed: int) -> Data:
    """The release of all steps with a seed."""
    part = build("sanitizer", {"use": "pipeline", "steps": steps})
    assert isinstance(part, Sanitizer)
    rng = np.random.default_rng(seed)
    return sanitize(part, data, rng=rng, noise=Noise.for_test(seed)).release.data


def named(original: Transactions, release: Data, seed: int) -> float:
    """The best re-identification rate of the attacks on names."""
    rng = np.random.default_rng(seed)
    goal = Linkage(first="2010-12", months=13)
    question, truth = goal.ask(Whole().draw(original, rng=rng), Release(release))
    shown, rates = Release(publish(release, rng=rng)), []
    for spec in ATTACKS:
        part = build("attack", spec)
        assert isinstance(part, Attack)
        guess = play_or_raise(part, Situation(goal, shown, Knowledge(question, original)), rng=rng)
        measured = Reidentification().measure([Case(truth, guess)], rng=reading_rng())
        rates.append(measured["reid"].value)
    return max(rates)


def play(steps: list[dict[str, Any]], original: Transactions, seed: int, attacks: bool) -> Figures:
    """The readings of one release."""
    release = chain(steps, original, seed)
    read: Figures = {}
    for measure in MEASURES:
        measured = measure.measure(original, release, None, rng=reading_rng())
        read |= {name: reading.value for name, reading in measured.items()}
    read["attacked"] = named(original, release, seed) if attacks else float("nan")
    return read


def collect(
    players: dict[str, list[dict[str, Any]]], seeds: range, real: bool, rows: int, attacked: int
) -> dict[str, list[Figures]]:
    """The figures of every player and seed; plays and keeps those that are missing."""
    path = results_folder() / KEPT
    kept = {line["key"]: line["read"] for line in kept_lines(path)}
    source = Retail(real=real, rows=rows or None)
    out: dict[str, list[Figures]] = {name: [] for name in players}
    for seed in seeds:
        original = None
        for name, steps in players.items():
            attacks = seed - seeds.start < attacked
            key = fingerprint(steps, source.spec(), seed, attacks)
            if key not in kept:
                original = original or source.data(np.random.default_rng(seed))
                kept[key] = play(steps, original, seed, attacks)
                keep_line(path, {"key": key, "player": name, "read": kept[key]})
            out[name].append(kept[key])
    return out


def columns(read: Figures) -> Figures:
    """The columns of the table for one release."""
    links = {
        way: max(
            read[f"content_link{part}{'' if way == 'names' else f'_{way}'}"]
            for part in ("", "_whole")
        )
        for way in WAYS
    }
    reid = float(np.nanmax([read["reid"], read["attacked"]]))
    by_names = max(reid, links["names"])
    worst = max(reid, *links.values())
    out = {"U": read["U"], "reid": reid, **links}
    return out | {"by names": (read["U"] + by_names) / 2, "by all": (read["U"] + worst) / 2}


def show(players: dict[str, list[Figures]]) -> None:
    """Print one line per player: means and standard errors."""
    head = list(columns(next(iter(players.values()))[0]))
    print(f"| release | {' | '.join(head)} |\n|---|{'---|' * len(head)}")
    for name, reads in players.items():
        figures = [columns(read) for read in reads]
        cells = []
        for column in head:
            values = np.array([one[column] for one in figures])
            if column == "reid":
                attacked = [not np.isnan(read["attacked"]) for read in reads]
                values = values[attacked] if any(attacked) else values
            cells.append(mean_and_error(values, 4))
        print(f"| {name} | {' | '.join(cells)} |")


def main() -> None:
    """Play what is missing and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--real", action="store_true", help="the data of DARC")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--rows", type=int, default=0, help="rows of the data; all by default")
    parser.add_argument("--attacked", type=int, default=3, help="seeds with attacks on names")
    parser.add_argument("--frontier", action="store_true", help="other sizes, on seed 1000")
    options = parser.parse_args()
    players, seeds = PLAYERS, range(options.seeds)
    if options.frontier:
        players, seeds = FRONTIER, range(1000, 1001)
    attacked = 0 if options.frontier else options.attacked
    show(collect(players, seeds, options.real, options.rows, attacked))


if __name__ == "__main__":
    main()
