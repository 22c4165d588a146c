"""Attacks that know nothing of the sanitizer, side by side: what each finds in known releases.

    QUINTAIN_DATA=folder python -m benchmarks.attacks.without_sanitizer [adult | snake] [--draws 10]
        [--rows 3000] [--first 0]

"adult" deals the people of Adult into an original and a control, makes releases of which everybody
knows how they were made, and asks all membership attacks of the release audit about everybody.
"snake" draws tasks of SNAKE 1 as in 2023, and asks about the 100 households, then about 1,000
single members and 1,000 others; attacks on all pairs of people take too long there. The table has
the mean AUC over draws with its standard error. Results are kept in ``benchmarks/results``, and a
run that was stopped goes on. Without the files of the real data, stand-ins are used.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from functools import cache, partial

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.audit.adult_people import FILES, people, population
from benchmarks.audit.experiment import measure_experiment
from benchmarks.audit.generators import GENERATORS, Generator, private
from benchmarks.bench.kept import keep_line, kept_lines, results_folder
from benchmarks.bench.machine import people as named
from benchmarks.bench.machine import real_data
from benchmarks.bench.means import mean_and_error
from benchmarks.bench.snake_task import DESIGN, EPSILONS, ROWS, source
from quintain.attacks.membership.density_ratio import DensityRatio
from quintain.attacks.membership.network_ratio import NetworkRatio
from quintain.attacks.membership.tracing import Tracing
from quintain.attacks.membership.tree_ratio import ForestRatio, TreeRatio
from quintain.attacks.nearest import Nearest
from quintain.audits.pool import Pool
from quintain.audits.risk import RiskResult
from quintain.audits.risks.membership import measure_membership
from quintain.data import Table, as_table
from quintain.randomness.noise import Noise
from quintain.releases import Release
from quintain.samples import Sample
from quintain.sanitizers import Sanitizer, sanitize
from quintain.sanitizers.synthetic.mst import Mst
from quintain.sanitizers.synthetic.privbayes import PrivBayes

RELEASES: Mapping[str, Generator] = {
    **GENERATORS,
    "MST 100": partial(private, Mst(epsilon=100)),
    "PrivBayes 100": partial(private, PrivBayes(epsilon=100)),
}
SANITIZERS: tuple[type[Mst | PrivBayes], ...] = (Mst, PrivBayes)
ATTACKS = NetworkRatio(), TreeRatio(), ForestRatio(), Tracing(), DensityRatio(), Nearest()
SINGLE = 1000

Areas = dict[str, float]
Line = tuple[str, Areas]


def areas(result: RiskResult) -> Areas:
    """The AUC of every attack."""
    return {one.attack: one.reading.value for one in result.findings if one.name == "auc"}


@cache
def adults() -> Table:
    """The people of Adult, read once."""
    return population()


def adult_lines(draw: int, rows: int) -> Iterator[Line]:
    """Make every release from one original, and ask everybody about everybody."""
    dealt = people(adults(), rows, rng=np.random.default_rng([draw, 1]))
    pool = Pool.of(dealt.original, dealt.control, rng=np.random.default_rng([draw, 3]))
    for number, (name, generate) in enumerate(RELEASES.items()):
        release = Release(generate(dealt, np.random.default_rng([draw, 2, number])))
        yield name, areas(measure_membership(pool, release, rng=np.random.default_rng([draw, 4])))


@cache
def cps() -> Table:
    """The people of SNAKE, read once."""
    return source().data(np.random.default_rng(0))


def snake_lines(draw: int, rows: int) -> Iterator[Line]:
    """Make every release from one private sample, and ask about households and people."""
    for kind in SANITIZERS:
        for epsilon in EPSILONS:
            rng = np.random.default_rng([0, draw])
            sample = DESIGN.draw(cps(), rng=rng)
            release = made(kind(epsilon=epsilon, rows=rows), sample, rng)
            for name, asked in (("households", sample), ("people", single(sample, rng))):
                result = measure_experiment(asked, release, rng=rng, attacks=ATTACKS)
                yield f"{kind.name()} {epsilon:g}, {name}", areas(result)


def made(sanitizer: Sanitizer, sample: Sample, rng: np.random.Generator) -> Release:
    """The release of a sanitizer."""
    return sanitize(sanitizer, sample.private, rng=rng, noise=Noise.for_test(rng)).release


def single(sample: Sample, rng: np.random.Generator) -> Sample:
    """The same sample with other targets: single people, half of them members."""
    private_rows = sample.private_rows
    assert private_rows is not None
    people = as_table(sample.population)
    inside = np.zeros(len(people), bool)
    inside[private_rows] = True
    rows = np.concatenate(
        [rng.choice(np.flatnonzero(side), SINGLE, replace=False) for side in (inside, ~inside)]
    )
    rng.shuffle(rows)
    return Sample(people, sample.private, rows, np.arange(len(rows)), inside[rows], private_rows)


def lines(kind: str, draws: range, rows: int) -> dict[str, list[Areas]]:
    """For each release, the areas of all draws; draws of an earlier run are read from a file."""
    path = results_folder() / f"without-{kind}-{rows}.jsonl"
    kept = {one["draw"]: one["lines"] for one in kept_lines(path)}
    for draw in draws:
        if draw not in kept:
            kept[draw] = dict((adult_lines if kind == "adult" else snake_lines)(draw, rows))
            keep_line(path, {"draw": draw, "lines": kept[draw]})
    return {name: [kept[draw][name] for draw in draws] for name in kept[draws[0]]}


def table(found: dict[str, list[Areas]]) -> str:
    """A line per release, a column per attack, as Markdown."""
    attacks = list(dict.fromkeys(name for each in found.values() for name in each[0]))
    out = [f"| | {' | '.join(attacks)} |", f"{'|---' * (1 + len(attacks))}|"]
    for name, each in found.items():
        cells = [mean_and_error([draw[attack] for draw in each]) for attack in attacks]
        out.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(out)


def main() -> None:
    """Run the draws that are missing and print the table."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("kind", nargs="?", choices=("adult", "snake"), default="adult")
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--rows", type=int, help="people in the original, or released records")
    given = parser.parse_args()
    rows = given.rows or (3000 if given.kind == "adult" else ROWS)
    found = lines(given.kind, range(given.first, given.first + given.draws), rows)
    real = real_data(*FILES) if given.kind == "adult" else source().real
    print(f"{named(real)}, {given.draws} draws; AUC, mean ± standard error\n\n{table(found)}")


if __name__ == "__main__":
    main()
