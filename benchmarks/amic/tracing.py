"""AMIC before and after tracing with second moments: all attacks on the releases that matter.

    QUINTAIN_DATA=folder-with-adult.data python -m benchmarks.amic.tracing [--only annealed]

As in AMIC, 10,000 of 100,000 distinct records are private, and an attacker names 100. The people
are the real ones if QUINTAIN_DATA has them, else the stand-in. Each seed draws new private data and
makes a new release. The shadow runs of learned-tracing do not depend on the release, so all seeds
share them; they use other samples. Hits of 100 are means over the seeds with standard errors. "best
of old" is the best of the attacks without second moments, "best of all" the best of all. The last
line has the same for blind guesses. Releases and hits are kept in a folder; a second start goes on
from there, with more seeds or more attacks.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.amic.players import ATTACKS, FINAL, FIRST, GUESSES, passes, trees
from benchmarks.amic.utility import MEASURES, made, population, source
from benchmarks.bench.means import mean_and_error
from quintain.attacks import Attack, Knowledge
from quintain.attacks.membership.moment_tracing import LearnedTracing
from quintain.data import Data, Table, as_table
from quintain.data.files import read_trusted, to_bytes
from quintain.guesses.membership_set import MembershipSet
from quintain.measures import reading_rng
from quintain.plays import Situation, play_or_raise
from quintain.registry import build
from quintain.releases import Release
from quintain.samples import Sample
from quintain.samples.sample import Subset

RELEASES: dict[str, dict[str, Any]] = {
    "annealed": {"use": "annealed-synthetic", "trees": trees(0.95)},
    "annealed to public": {
        "use": "annealed-synthetic",
        "trees": trees(0.95),
        "public": {
            "source": {"use": "adult", "real": source().real},
            "generate": 1_000_000,
            "distinct": True,
        },
    },
    "moments": {"use": "moments"},
    "rr .9": {"use": "rr", "keep": 0.9, "draw": "occurring"},
    "rrp .99": {"use": "rrp", "keep": 0.99},
    "k-anonymity 5": {
        "use": "small-class-deletion",
        "columns": ["education", "occupation", "relationship"],
    },
}
LEARNED = "learned-tracing"
NEW: dict[str, dict[str, Any]] = {
    "moment-tracing": {"use": "moment-tracing"},
    LEARNED: {"use": LEARNED},
}
FIRST_SHADOW = 10_000
"""The seed of the first shadow run; releases have the seeds from 0 on."""


def kept_table(path: Path, make: Callable[[], Data]) -> Table:
    """The table in a file, or the one that ``make`` gives, which is then kept there."""
    if not path.exists():
        path.with_suffix(".part").write_bytes(to_bytes(make(), ".parquet"))
        path.with_suffix(".part").rename(path)
    return as_table(read_trusted(path, source().data_schema()))


class Play:
    """One release per seed, each attacked by everybody."""

    def __init__(self, base: Table, folder: Path, name: str, shadows: int) -> None:
        self.base, self.spec, self.shadows = base, RELEASES[name], shadows
        self.folder = folder / name.replace(" ", "-")
        self.folder.mkdir(parents=True, exist_ok=True)

    def outcome(self, seed: int, attacks: list[str]) -> dict[str, Any]:
        """Which rounds a release passes, and how many members each attack finds."""
        path = self.folder / f"{seed}.json"
        result: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
        missing = [name for name in attacks if name not in result]
        if missing or "passed" not in result:
            sample = self.sample(seed)
            release = Release(self.release(sample, seed))
            result["passed"] = result.get("passed") or gates(as_table(sample.private), release)
            for name in missing:
                result[name] = self.hits(name, sample, release, seed)
                path.write_text(json.dumps(result))
        return result

    def sample(self, seed: int) -> Sample:
        """Draw a tenth of the population."""
        return Subset(rows=len(self.base) // 10).draw(self.base, rng=np.random.default_rng(seed))

    def release(self, sample: Sample, seed: int) -> Table:
        """Make the release of a sample, unless it is kept."""
        private = as_table(sample.private)
        path = self.folder / f"release-{seed}.parquet"
        return kept_table(path, lambda: made(self.spec, private, seed).data)

    def hits(self, name: str, sample: Sample, release: Release, seed: int) -> int:
        """How many of the records that an attack names are members."""
        goal = MembershipSet(guesses=GUESSES)
        question, truth = goal.ask(sample, release)
        rng = np.random.default_rng(seed)
        if name == LEARNED:
            rows = self.learned(as_table(release.data), rng)
        else:
            part = build("attack", {**ATTACKS, **NEW}[name])
            assert isinstance(part, Attack)
            guess = play_or_raise(
                part, Situation(goal, release, Knowledge(question, self.base)), rng=rng
            )
            rows = guess.table.columns["row"]
        return int(np.isin(rows, truth.table.columns["row"]).sum())

    def learned(self, release: Table, rng: np.random.Generator) -> Any:
        """The guess of learned-tracing after shadow runs that are made once for all seeds."""
        samples = {n: self.sample(n) for n in range(FIRST_SHADOW, FIRST_SHADOW + self.shadows)}
        pairs = [(as_table(s.private), self.release(s, n)) for n, s in samples.items()]
        scores = LearnedTracing().scores(release, self.base, self.base, rng=rng, pairs=pairs)
        return np.argsort(-scores, kind="stable")[:GUESSES]


def gates(private: Table, release: Release) -> list[bool]:
    """Whether a release passes the first and the final round."""
    test = as_table(source().test_data(np.random.default_rng(1)))
    values = {
        title: next(
            iter(measure.measure(private, release.data, test, rng=reading_rng()).values())
        ).value
        for title, measure in MEASURES.items()
    }
    return [passes(values, FIRST), passes(values, FINAL)]


def line(name: str, results: list[dict[str, Any]], attacks: list[str]) -> str:
    """One line of the table."""
    counts = np.array([[each[name] for name in attacks] for each in results])
    rounds = np.sum([each["passed"] for each in results], axis=0)
    old = [place for place, each in enumerate(attacks) if each in ATTACKS]
    cells = [mean_and_error(column, 1) for column in counts.T]
    cells += [mean_and_error(counts[:, old].max(axis=1), 1) if old else ""]
    cells.append(mean_and_error(counts.max(axis=1), 1))
    return f"| {name} | {rounds[0]} / {rounds[1]} of {len(results)} | {' | '.join(cells)} |"


def blind(rows: int, attacks: int) -> float:
    """The expected best of several blind guesses, if a tenth of the rows are members."""
    drawn = np.random.default_rng(0).hypergeometric(
        rows // 10, rows - rows // 10, GUESSES, (100_000, max(attacks, 1))
    )
    return float(drawn.max(axis=1).mean())


def main() -> None:
    """Play what is missing, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--shadows", type=int, default=12)
    parser.add_argument("--only", nargs="*", default=list(RELEASES))
    parser.add_argument("--attacks", nargs="*", default=[*ATTACKS, *NEW])
    parser.add_argument("--keep", type=Path, default=Path("benchmarks/results/amic-tracing"))
    options = parser.parse_args()
    people = "real" if source().real else "stand-in"
    folder = options.keep / f"{people}-{options.rows}"
    folder.mkdir(parents=True, exist_ok=True)
    base = kept_table(folder / "base.parquet", lambda: population(10 * options.rows, 0))
    print(f"{people} people, {options.seeds} seeds, {options.rows} of {len(base)} private\n")
    titles = [*options.attacks, "best of old", "best of all"]
    print("| release | passes first / final |", " | ".join(titles), "|")
    print("|---" * (len(titles) + 2) + "|")
    for name in options.only:
        play = Play(base, folder, name, options.shadows)
        results = [play.outcome(seed, options.attacks) for seed in range(options.seeds)]
        print(line(name, results, options.attacks), flush=True)
    old = blind(len(base), sum(name in ATTACKS for name in options.attacks))
    floor = " | ".join(["10.0"] * len(options.attacks))
    every = blind(len(base), len(options.attacks))
    print(f"| blind guesses | | {floor} | {old:.1f} | {every:.1f} |")


if __name__ == "__main__":
    main()
