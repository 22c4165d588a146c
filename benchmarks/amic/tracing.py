"""AMIC before and after tracing with second moments: all attacks on the releases that matter.

    QUINTAIN_DATA=folder-with-adult.data python -m benchmarks.amic.tracing [--only annealed]

As in AMIC, 10,000 of 100,000 distinct records are private, and an attacker names 100. The people
are the real ones if QUINTAIN_DATA has them, else the stand-in. Each seed draws new private data and
makes a new release. The shadow runs of learned-tracing do not depend on the release, so all seeds
share them; they use other samples. Hits of 100 are means over the seeds with standard errors. "best
of old" is the best of the five attacks before, "best of all" of all seven; the last line has the
same for blind guesses. Finished seeds are kept in a folder, and a second start goes on from there.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.amic.players import ATTACKS, FINAL, FIRST, GUESSES, hits, passes, trees
from benchmarks.amic.utility import MEASURES, made, population, source
from quintain.attacks.membership.moment_tracing.known_noise import MomentTracing
from quintain.attacks.membership.moment_tracing.learned import LearnedTracing
from quintain.data import Data, Table, as_table
from quintain.data.files import read_trusted, to_bytes
from quintain.measures import reading_rng
from quintain.samples.subset import Subset

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
        "use": "k-anonymity-v1",
        "columns": ["education", "occupation", "relationship"],
    },
}
NEW = ("moment-tracing", "learned-tracing")
SHADOWS = 12
FIRST_SHADOW = 10_000
"""The seed of the first shadow run; releases have the seeds from 0 on."""


def kept_table(path: Path, make: Callable[[], Data]) -> Table:
    """The table in a file, or the one that ``make`` gives, which is then kept there."""
    if not path.exists():
        path.with_suffix(".part").write_bytes(to_bytes(make(), ".parquet"))
        path.with_suffix(".part").rename(path)
    return as_table(read_trusted(path, source().data_schema()))


def shadows(
    folder: Path, base: Table, spec: dict[str, Any], rows: int
) -> list[tuple[Table, Table]]:
    """Samples of the population, each with what the sanitizer made of it."""
    pairs = []
    for seed in range(FIRST_SHADOW, FIRST_SHADOW + SHADOWS):
        sample = as_table(Subset(rows=rows).draw(base, rng=np.random.default_rng(seed)).private)
        path = folder / f"shadow-{seed}.parquet"
        pairs.append((sample, kept_table(path, lambda s=sample, n=seed: made(spec, s, n).data)))
    return pairs


def outcome(
    base: Table, test: Table, spec: dict[str, Any], pairs: list[tuple[Table, Table]], seed: int
) -> dict[str, Any]:
    """Which rounds a release passes, and how many members each attack finds."""
    sample = Subset(rows=len(pairs[0][0])).draw(base, rng=np.random.default_rng(seed))
    private = as_table(sample.private)
    release = made(spec, private, seed)
    values = {
        title: next(
            iter(measure.measure(private, release.data, test, rng=reading_rng()).values())
        ).value
        for title, measure in MEASURES.items()
    }
    released, rng = as_table(release.data), np.random.default_rng(seed)
    scores = (
        MomentTracing().scores(released, base, base, rng=rng),
        LearnedTracing().scores(released, base, base, rng=rng, pairs=pairs),
    )
    members = np.zeros(len(base), bool)
    members[sample.target_rows[sample.members[sample.target_of]]] = True
    new = [int(members[np.argsort(-each, kind="stable")[:GUESSES]].sum()) for each in scores]
    return {
        "passed": [passes(values, FIRST), passes(values, FINAL)],
        "hits": [*hits(sample, release, seed), *new],
    }


def shown(values: Any) -> str:
    """A mean with its standard error over the seeds."""
    return f"{np.mean(values):.1f} ± {np.std(values, ddof=1) / np.sqrt(len(values)):.1f}"


def line(name: str, results: list[dict[str, Any]]) -> str:
    """One line of the table."""
    counts = np.array([each["hits"] for each in results])
    rounds = np.sum([each["passed"] for each in results], axis=0)
    old = counts[:, : len(ATTACKS)].max(axis=1)
    cells = [*(shown(column) for column in counts.T), shown(old), shown(counts.max(axis=1))]
    return f"| {name} | {rounds[0]} / {rounds[1]} of {len(results)} | {' | '.join(cells)} |"


def blind(rows: int, members: int, attacks: int) -> float:
    """The expected best of several blind guesses."""
    rng = np.random.default_rng(0)
    return float(
        rng.hypergeometric(members, rows - members, GUESSES, (100_000, attacks)).max(axis=1).mean()
    )


def main() -> None:
    """Play what is missing, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--only", nargs="*", default=list(RELEASES))
    parser.add_argument("--keep", type=Path, default=Path("benchmarks/results/amic-tracing"))
    options = parser.parse_args()
    people = "real" if source().real else "stand-in"
    folder = options.keep / f"{people}-{options.rows}"
    folder.mkdir(parents=True, exist_ok=True)
    base = kept_table(folder / "base.parquet", lambda: population(10 * options.rows, 0))
    test = as_table(source().test_data(np.random.default_rng(1)))
    print(f"{people} people, {options.seeds} seeds, {options.rows} of {len(base)} private\n")
    titles = [*ATTACKS, *NEW, "best of old", "best of all"]
    print("| release | passes first / final |", " | ".join(titles), "|")
    print("|---" * (len(titles) + 2) + "|")
    for name in options.only:
        place = folder / name.replace(" ", "-")
        place.mkdir(exist_ok=True)
        results, pairs = [], None
        for seed in range(options.seeds):
            path = place / f"{seed}.json"
            if not path.exists():
                pairs = pairs or shadows(place, base, RELEASES[name], options.rows)
                path.write_text(json.dumps(outcome(base, test, RELEASES[name], pairs, seed)))
            results.append(json.loads(path.read_text()))
        print(line(name, results), flush=True)
    old, every = (blind(len(base), options.rows, n) for n in (len(ATTACKS), len(titles) - 2))
    floor = " | ".join(["10.0"] * (len(titles) - 2))
    print(f"| blind guesses | | {floor} | {old:.1f} | {every:.1f} |")


if __name__ == "__main__":
    main()
