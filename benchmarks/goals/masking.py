"""How many people each masking method gives away: a table with 95 % intervals.

    QUINTAIN_DATA=folder-with-adult.data python -m benchmarks.goals.masking [--seeds 2]

The population are the distinct records of Adult (nine attributes); without the real data, of the
stand-in. A release is made from 2,000 people. "Rows found" is the share of 500 of them whose
published row is named, by record linkage and by nearest rows; all columns are known. "Halves
linked" is how many more of 500 members than of 500 controls have their two halves joined: age, work
and education on one list, family, hours and income on the other. Every seed is a new sample.
"Shuffled" permutes every column by itself, so it has no true record. Adult has no missing values,
so cell suppression deletes records whose age, education and sex fewer than k share.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.bench.machine import people, real_data
from quintain.attacks import Knowledge
from quintain.data import Table, as_table
from quintain.data.sources.adult import TRAIN, Adult
from quintain.errors import QuintainError
from quintain.guesses import Goal
from quintain.guesses.linkability import Linkability
from quintain.guesses.published_row import PublishedRow
from quintain.measures import Case, GuessMeasure, Reading, reading_rng
from quintain.measures.privacy.found import RowsFound
from quintain.measures.privacy.halves_linked import HalvesLinked
from quintain.plays import Situation, play_or_raise
from quintain.randomness.noise import Noise
from quintain.registry import build
from quintain.releases import Release, Sanitized, publication
from quintain.samples import Sample
from quintain.samples.targets import Targets
from quintain.sanitizers import sanitize

METHODS: Mapping[str, Mapping[str, Any]] = {
    "identity": {"use": "identity"},
    "top and bottom coding, 5 %": {"use": "top-bottom-coding"},
    "integer noise, scale 5": {"use": "integer-noise", "scale": 5},
    "noise addition": {"use": "noise-addition"},
    "microaggregation, k = 5": {"use": "microaggregation", "k": 5},
    "evasion": {"use": "evasion"},
    "rank swapping": {"use": "rank-swapping"},
    "swapping, 20 % of records": {"use": "swapping", "share": 0.2},
    "swapping, all records": {"use": "swapping"},
    "PRAM": {"use": "pram"},
    "randomized response, keep 0.8": {"use": "rr", "keep": 0.8},
    "randomized response, keep 0.5": {"use": "rr", "keep": 0.5},
    "cell suppression, k = 3": {"use": "cell-suppression", "columns": ["age", "education", "sex"]},
    "k-anonymity, k = 5": {"use": "k-anonymity", "k": 5},
    "l-diversity, l = 2": {"use": "l-diversity", "l": 2, "sensitive": ["income"], "k": 5},
    "t-closeness, t = 0.2": {"use": "t-closeness", "t": 0.2, "sensitive": ["income"]},
    "shuffled": {"use": "swapping", "window": 1.0},
}
HALVES = Linkability(
    left=("age", "workclass", "education", "occupation"),
    right=("marital-status", "relationship", "sex", "hours-per-week", "income"),
)
ROWS = PublishedRow()
QUESTIONS: tuple[tuple[Goal, GuessMeasure, str], ...] = (
    (ROWS, RowsFound(), "row-linkage"),
    (ROWS, RowsFound(), "nearest"),
    (HALVES, HalvesLinked(), "half-linkage"),
    (HALVES, HalvesLinked(), "nearest"),
)
DESIGN = Targets(targets=1000, members="half", background=1500)


def population() -> tuple[Table, str]:
    """The distinct records of Adult, and whether they are real."""
    real = real_data(TRAIN[0])
    table = as_table(Adult(real=real).data(np.random.default_rng(0)))
    _, first = np.unique(table.row_keys(), return_index=True)
    return table.take(np.sort(first)), people(real)


def release_of(name: str, sample: Sample, seed: int) -> Sanitized:
    """The release of a method; a shuffled one has independent columns."""
    part = build("sanitizer", METHODS[name])
    noise = Noise.for_test(seed + 1)
    made = sanitize(part, sample.private, rng=np.random.default_rng(seed), noise=noise)
    if name != "shuffled":
        return made
    rng, table = np.random.default_rng(seed), as_table(made.release.data)
    mixed = {column: rng.permutation(table.columns[column]) for column in table.schema.names}
    return replace(made, release=Release(table.replace(mixed)))


def cases(name: str, samples: list[Sample]) -> Iterator[list[Case]]:
    """For each sample, one answered case per question."""
    for seed, sample in enumerate(samples):
        made = release_of(name, sample, seed)
        rng = np.random.default_rng(seed)
        published = publication(made.release.data, made.trace.origins, rng=rng)
        shown, answered = replace(made.release, data=published.data), []
        for goal, _, use in QUESTIONS:
            question, truth = goal.ask_published(sample, made.release, published, rng=rng)
            part = build("attack", {"use": use})
            situation = Situation(goal, shown, Knowledge(question))
            answered.append(Case(truth, play_or_raise(part, situation, rng=rng)))
        yield answered


def readings(name: str, samples: list[Sample]) -> list[Reading]:
    """One reading per question, over all samples."""
    by_question = zip(*cases(name, samples), strict=True)
    return [
        next(iter(measure.measure(list(each), rng=reading_rng()).values()))
        for (_, measure, _), each in zip(QUESTIONS, by_question, strict=True)
    ]


def written(reading: Reading) -> str:
    """A reading in per cent, with its interval."""
    value, low, high = (100 * number for number in (reading.value, reading.low, reading.high))
    return f"{value:.1f} % ({low:.1f} to {high:.1f})"


def main() -> None:
    """Print one row per method."""
    options = argparse.ArgumentParser()
    options.add_argument("--seeds", type=int, default=2)
    seeds = options.parse_args().seeds
    table, words = population()
    samples = [DESIGN.draw(table, rng=np.random.default_rng(100 + seed)) for seed in range(seeds)]
    print(f"{len(table):,} distinct records ({words}), {seeds} samples\n")
    print("| method | rows: record linkage | rows: nearest | halves: linkage | halves: nearest |")
    print("|---|---|---|---|---|")
    start = time.process_time()
    for name in METHODS:
        try:
            cells = [written(reading) for reading in readings(name, samples)]
        except QuintainError as error:
            cells = [f"refused: {error}", "", "", ""]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    print(f"\n{time.process_time() - start:.0f} CPU seconds")


if __name__ == "__main__":
    main()
