"""Hidden columns in models: what a classifier remembers of its records, beyond what it learned.

    python -m benchmarks.models.hidden_columns --real
    python -m benchmarks.models.hidden_columns --small      one small classifier of each kind

Half of 200 targets were among the 500 records that a classifier learned from; the others are
controls. The attack knows everything of a target but the relationship.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import quintain as q
from quintain.attacks import Attack, Knowledge
from quintain.data import Data
from quintain.guesses.attribute import Attribute
from quintain.measures import Case, GuessMeasure, Reading, reading_rng
from quintain.plays import Situation, play_or_raise
from quintain.randomness.noise import Noise
from quintain.randomness.seeds import SeedTree
from quintain.samples.targets import Targets
from quintain.sanitizers import Sanitizer, sanitize

TRAINERS: dict[str, dict[str, Any]] = {
    "logistic": {},
    "network": {},
    "forest": {},
    "dp-sgd": {"epsilon": 1.0},
}
READ = ("excess_accuracy", "member_hits", "control_hits")


def play_kind(kind: str, base: Data, models: int) -> dict[str, Reading]:
    """Train classifiers of a kind, attack each, and measure all guesses together."""
    goal, attack = Attribute(column="relationship"), q.part("attack/likeliest-value")
    trainer = q.part(f"sanitizer/train-{kind}", label="income", **TRAINERS[kind])
    measure = q.part("measure/excess-accuracy")
    assert isinstance(attack, Attack) and isinstance(trainer, Sanitizer)
    assert isinstance(measure, GuessMeasure)
    design, cases = Targets(targets=200, members="half", background=400), []
    for number in range(models):
        seeds = SeedTree.from_int(0).child("invert", kind, str(number))
        sample = design.draw(base, rng=seeds.rng("sample"))
        noise = Noise.for_test(seeds.rng("n"))
        made = sanitize(trainer, sample.private, rng=seeds.rng("t"), noise=noise)
        question, truth = goal.ask(sample, made.release)
        situation = Situation(goal, made.release, Knowledge(question, base))
        cases.append(Case(truth, play_or_raise(attack, situation, rng=seeds.rng("a"))))
    return measure.measure(cases, rng=reading_rng())


def main() -> None:
    """Print one line per kind of classifier, in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--real", action="store_true", help="the real files, from QUINTAIN_DATA")
    parser.add_argument("--small", action="store_true", help="one classifier of each kind")
    chosen = parser.parse_args()
    source = q.part("adult", real=chosen.real, rows=30_162 if chosen.real else 10_000)
    base = source.data(np.random.default_rng(0))
    print("| classifier | " + " | ".join(READ) + " |")
    print("|---|" + "---|" * len(READ))
    for kind in TRAINERS:
        readings = play_kind(kind, base, 1 if chosen.small else 10)
        shown = [readings[name] for name in READ]
        cells = [f"{r.value:.3f} ({r.low:.3f} to {r.high:.3f})" for r in shown]
        print(f"| {kind} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
