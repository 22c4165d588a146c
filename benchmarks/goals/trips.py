"""Which attack wins against which sanitizer of trajectories: two tables with 95 % intervals.

    python -m benchmarks.goals.trips [--seeds 5] [--people 200]

The sanitizers and attacks are those of the edition ``trips``, each as it is there. Every seed
is a new town with new people and new noise. Intervals are those of Student's t over seeds. The last
columns are the utility of the releases.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.bench.means import mean_and_reach
from quintain.attacks import Knowledge
from quintain.contests import load
from quintain.contests.edition import Track
from quintain.measures import Case, GuessMeasure, ReleaseMeasure, reading_rng
from quintain.plays import Situation, play_or_raise
from quintain.randomness.noise import Noise
from quintain.releases import Release, publication
from quintain.sanitizers import sanitize

Table = dict[str, dict[str, list[float]]]


def play_track(track: Track, people: int, seed: int) -> Iterator[tuple[str, str, float]]:
    """The first reading of each attack on each release, and the readings of the releases."""
    rng = np.random.default_rng(seed)
    source = track.dataset.model_copy(update={"rows": people})
    everybody = track.sample.model_copy(update={"people": None})
    sample = everybody.draw(source.data(rng), rng=rng)
    noise = Noise.for_test(seed)
    for entry, sanitizer in track.entries.items():
        made = sanitize(sanitizer, sample.private, rng=rng, noise=noise)
        published = publication(made.release.data, None, rng=rng)
        question, truth = track.goal.ask_published(sample, made.release, published, rng=rng)
        shown = Release(published.data)
        for baseline in track.baseline:
            assert baseline.attack is not None  # the edition's players only attack
            situation = Situation(track.goal, shown, Knowledge(question))
            guess = play_or_raise(baseline.attack, situation, rng=rng)
            measure = track.guess_measures[0].measure
            assert isinstance(measure, GuessMeasure)
            reading = next(iter(measure.measure([Case(truth, guess)], rng=reading_rng()).values()))
            yield entry, baseline.id, reading.value
        for measured in track.utility:
            assert isinstance(measured.measure, ReleaseMeasure)
            readings = measured.measure.measure(
                sample.private, made.release.data, None, rng=reading_rng()
            )
            for name, reading in readings.items():
                yield entry, name, reading.value


def main(arguments: list[str] | None = None) -> None:
    """Print a table for each track."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--people", type=int, default=200)
    asked = parser.parse_args(arguments)
    for track in load("trips").track:
        table: Table = defaultdict(lambda: defaultdict(list))
        for seed in range(1, asked.seeds + 1):
            for entry, name, value in play_track(track, asked.people, seed):
                table[entry][name].append(value)
        names = list(next(iter(table.values())))
        print(f"\n{track.title}; {asked.people} people, {asked.seeds} seeds\n")
        print("| release |", " | ".join(names), "|")
        print("|---" * (len(names) + 1) + "|")
        for entry, row in table.items():
            cells = ["-" if np.isnan(row[n]).any() else mean_and_reach(row[n], 3) for n in names]
            print(f"| {entry} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
