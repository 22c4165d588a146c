"""Membership in models: 40 classifiers of Adult, each attacked by three built-in attacks.

    python -m benchmarks.models.membership --real --out results.jsonl
    python -m benchmarks.models.membership --small      a few small classifiers in seconds

Half of 200 challenge points were among the 500 records that a classifier learned from. Figures are
means over all classifiers of a kind. A second start goes on where the first one ended.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import quintain as q
from benchmarks.bench.kept import keep_line, kept_lines
from quintain.attacks import Attack, Knowledge
from quintain.data import Data, Table, as_table
from quintain.guesses import Guess, Truth
from quintain.guesses.membership import Membership
from quintain.measures import Case, GuessMeasure, Reading, average, reading_rng
from quintain.plays import Situation, play_or_raise
from quintain.randomness.noise import Noise
from quintain.randomness.seeds import SeedTree
from quintain.samples.targets import Targets
from quintain.sanitizers import Sanitizer, sanitize

TRAINERS: dict[str, tuple[int, dict[str, Any]]] = {
    "logistic": (7, {"use": "train-logistic"}),
    "network": (7, {"use": "train-network"}),
    "forest": (6, {"use": "train-forest"}),
    "DP-SGD, epsilon 8": (10, {"use": "train-dp-sgd", "epsilon": 8.0}),
    "DP-SGD, epsilon 1": (10, {"use": "train-dp-sgd", "epsilon": 1.0}),
}
"""How many classifiers of each kind, and how they are trained."""
ATTACKS = ("loss-threshold", "reference-models", "shadow-models")
MEASURES = {"AUC": ("auc", {}), "TPR at FPR .1": ("tpr-at-fpr", {"fpr": 0.1})}
TARGETS, RECORDS = 200, 500


def trainer(spec: dict[str, Any]) -> Sanitizer:
    """The trainer of a kind of classifier."""
    part = q.part(
        f"sanitizer/{spec['use']}", label="income", **{k: v for k, v in spec.items() if k != "use"}
    )
    assert isinstance(part, Sanitizer)
    return part


def play_one(
    kind: str, number: int, base: Table, test: Data, shadows: int
) -> Iterator[dict[str, Any]]:
    """Train one classifier, measure it, and attack it."""
    seeds = SeedTree.from_int(0).child(kind, str(number))
    design = Targets(targets=TARGETS, members="half", background=RECORDS - TARGETS // 2)
    sample = design.draw(base, rng=seeds.rng("sample"))
    noise = Noise.for_test(seeds.rng("noise"))
    part = trainer(TRAINERS[kind][1])
    release = sanitize(part, sample.private, rng=seeds.rng("train"), noise=noise).release
    goal = Membership()
    question, truth = goal.ask(sample, release)
    line: dict[str, Any] = {"kind": kind, "number": number}
    for name in ("model-accuracy", "generalisation-gap"):
        measured = q.part(f"measure/{name}").measure(
            sample.private, release.data, test, rng=reading_rng()
        )
        line |= {key: reading.model_dump() for key, reading in measured.items()}
    for attack in ATTACKS:
        more = {} if attack == "loss-threshold" else {"shadows": shadows, "rows": RECORDS}
        attacker = q.part(f"attack/{attack}", **more)
        assert isinstance(attacker, Attack)
        situation = Situation(goal, release, Knowledge(question, base))
        guess = play_or_raise(attacker, situation, rng=seeds.rng(attack))
        order = np.argsort(guess.table.columns["target"].astype(np.int64))
        line[attack] = guess.table.columns["probability"][order].tolist()
    line["members"] = truth.table.columns["member"].tolist()
    yield line


def case(line: dict[str, Any], attack: str) -> Case:
    """A kept answer beside its truth."""
    goal, schema, names = Membership(), q.part("adult").data_schema(), range(len(line["members"]))
    truth = {"target": list(names), "member": line["members"]}
    guess = {"target": list(names), "probability": line[attack]}
    return Case(
        Truth(Table.of(goal.truth_schema(schema), truth)),
        Guess(Table.of(goal.guess_schema(schema), guess)),
    )


def rows(lines: list[dict[str, Any]]) -> Iterator[str]:
    """The table, in Markdown."""
    yield (
        "| classifier | models | accuracy | gap | "
        + " | ".join(f"{attack}: {name}" for attack in ATTACKS for name in MEASURES)
        + " |"
    )
    yield "|---|---|---|---|" + "---|" * len(ATTACKS) * len(MEASURES)
    for kind in TRAINERS:
        own = [line for line in lines if line["kind"] == kind]
        if not own:
            continue
        read = ("accuracy", "generalisation_gap")
        means = [average([Reading.model_validate(line[name]) for line in own]) for name in read]
        cells = [kind, str(len(own)), *map(_short, means)]
        for attack in ATTACKS:
            cases = [case(line, attack) for line in own]
            for measure, parameters in MEASURES.values():
                part = q.part(f"measure/{measure}", **parameters)
                assert isinstance(part, GuessMeasure)
                (reading, *_) = part.measure(cases, rng=reading_rng()).values()
                cells.append(_short(reading))
        yield "| " + " | ".join(cells) + " |"


def _short(reading: Reading) -> str:
    numbers = (
        f"{number:.3f}".replace("0.", ".") for number in (reading.value, reading.low, reading.high)
    )
    value, low, high = numbers
    return f"{value} ({low} to {high})"


def main() -> None:
    """Play what is missing, then print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--real", action="store_true", help="the real files, from QUINTAIN_DATA")
    parser.add_argument("--small", action="store_true", help="one classifier of each kind")
    parser.add_argument("--shadows", type=int, default=16)
    parser.add_argument("--out", type=Path, default=Path("build/models/membership.jsonl"))
    chosen = parser.parse_args()
    source = q.part("adult", real=chosen.real, rows=None if chosen.real else 10_000)
    base, test = (
        as_table(data)
        for data in (
            source.data(np.random.default_rng(0)),
            source.test_data(np.random.default_rng(1)),
        )
    )
    done = {(line["kind"], line["number"]) for line in kept_lines(chosen.out)}
    for kind, (count, _) in TRAINERS.items():
        for number in range(1 if chosen.small else count):
            if (kind, number) not in done:
                for line in play_one(
                    kind, number, base, test, 4 if chosen.small else chosen.shadows
                ):
                    keep_line(chosen.out, line)
    print("\n".join(rows(kept_lines(chosen.out))))


if __name__ == "__main__":
    main()
