"""What membership attacks find in releases of real-valued people of Adult; prints a table.

    QUINTAIN_DATA=folder-with-adult.data python -m benchmarks.attacks.real_columns [SAMPLES]

Ages, weights, gains and hours are real numbers: a random fraction is added to each of them, and
unknown categories are missing. Each sample has 5,000 members among 10,000 people of the base data;
500 members and 500 others are targets. "Light noise" adds 5 % of a column's standard deviation to
its numbers and replaces 5 % of its categories by those of others.
"""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from quintain.attacks import Attack, Knowledge
from quintain.data import Column, Schema, Table
from quintain.guesses import Guess, Truth
from quintain.guesses.goal import target_table
from quintain.guesses.membership import Membership, MembershipQuestion
from quintain.measures import Case
from quintain.measures.privacy.roc_curve import Auc
from quintain.plays import Situation, play_or_raise
from quintain.registry import build
from quintain.releases import Release

CATEGORIES = {
    "workclass": 1, "education": 3, "marital-status": 5, "occupation": 6, "relationship": 7,
    "race": 8, "sex": 9, "income": 14,
}  # fmt: skip
NUMBERS = {"age": 0, "weight": 2, "gain": 10, "hours": 12}
ATTACKS = (
    "exact-match", "nearest", "density-ratio", "tree-ratio", "forest-ratio", "record-linkage",
    "tracing", "random",
)  # fmt: skip
PRIVATE, ASKED = 5_000, 500


def adult(rng: np.random.Generator) -> Table:
    """The people of Adult with real-valued numbers and missing categories."""
    path = Path(os.environ["QUINTAIN_DATA"]) / "adult.data"
    with path.open() as file:
        rows = [row for row in csv.reader(file, skipinitialspace=True) if len(row) > 14]
    columns, contents = [], {}
    for name, place in CATEGORIES.items():
        values = tuple(sorted({row[place] for row in rows} - {"?"}))
        columns.append(Column(name=name, kind="category", values=values, nullable=True))
        code = {"?": -1, **{value: number for number, value in enumerate(values)}}
        contents[name] = np.array([code[row[place]] for row in rows])
    for name, place in NUMBERS.items():
        columns.append(Column(name=name, kind="real"))
        number = np.array([float(row[place]) for row in rows])
        contents[name] = np.where(number > 0, number + rng.random(len(rows)), 0.0)
    return Table(Schema(columns=tuple(columns)), contents)


def releases(private: Table, rng: np.random.Generator) -> Iterator[tuple[str, Table]]:
    """The private records as they are, and with a little noise."""
    yield "identity", private.take(rng.permutation(len(private)))
    noisy = {}
    for name, values in private.columns.items():
        if name in NUMBERS:
            noisy[name] = values + rng.normal(0, 0.05 * values.std(), len(values)) * (values != 0)
        else:
            other = rng.random(len(values)) < 0.05
            noisy[name] = np.where(other, rng.permutation(values), values)
    yield "light noise", private.replace(noisy)


def cases(people: Table, samples: int) -> dict[tuple[str, str], list[Case]]:
    """The guesses of every attack about every release, beside the truth."""
    out: dict[tuple[str, str], list[Case]] = {}
    targets = np.arange(2 * ASKED)
    goal = Membership()
    schema = goal.truth_schema(people.schema)
    truth = Truth(Table(schema, {"target": targets, "member": targets < ASKED}))
    for seed in range(samples):
        rng = np.random.default_rng(seed)
        base = people.take(rng.permutation(len(people))[: 2 * PRIVATE])
        asked = np.concatenate([np.arange(ASKED), PRIVATE + np.arange(ASKED)])
        question = MembershipQuestion(target_table(base, asked, targets))
        for title, release in releases(base.take(np.arange(PRIVATE)), rng):
            for name in ATTACKS:
                part = build("attack", name)
                assert isinstance(part, Attack)
                situation = Situation(goal, Release(release), Knowledge(question, base))
                guess: Guess = play_or_raise(part, situation, rng=rng)
                out.setdefault((title, name), []).append(Case(truth, guess))
    return out


def main() -> None:
    """Print the area under the curve of every attack, with its interval."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    print("| release | attack | AUC | 95 % interval |\n|---|---|---|---|")
    people = adult(np.random.default_rng(0))
    for (title, name), answered in cases(people, samples).items():
        reading = Auc().measure(answered, rng=np.random.default_rng(0))["auc"]
        interval = f"{reading.low:.3f} to {reading.high:.3f}"
        print(f"| {title} | {name} | {reading.value:.3f} | {interval} |", flush=True)


if __name__ == "__main__":
    main()
