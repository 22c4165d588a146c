"""Can somebody see in a release of several tables whether a person is in it?

    python -m benchmarks.people.distinguish [--runs 2000] [--epsilons 1 4]

40 people have two visits each. One more person is the worst case: nobody else has the home, and of
50 visits each has the rarest place and the largest price. The part runs with and without this
person. Three statistics were chosen beforehand: the noisy counts of the values of this person in
all columns, the released people with this home, and the released visits to this place. The lower
bound of epsilon (95 %, over all statistics together) must stay below the claim. The last lines have
a planted fault: every row counts as a whole person, so that 50 visits count 50 times. The same test
must refute their claim.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import numpy as np
import pyarrow as pa

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from quintain.data import Column
from quintain.data.arrays import Floats
from quintain.data.people import People
from quintain.data.people_schema import PeopleSchema, TableSchema
from quintain.measures.epsilon.thresholds import audited_epsilon
from quintain.randomness.noise import Noise
from quintain.sanitizers.people import marginals
from quintain.sanitizers.people.marginals import PeopleMarginals
from quintain.sanitizers.people.shares import WHOLE, RowShares, divide_people

PEOPLE, VISITS, MOST, DELTA = 40, 2, 50, 1e-5
STATISTICS = ("noisy counts", "people", "visits")
SCHEMA = PeopleSchema(
    tables=(
        TableSchema(
            name="patients",
            columns=(Column(name="home", kind="category", values=("here", "there", "far")),),
            key="patient",
        ),
        TableSchema(
            name="visits",
            columns=(
                Column(name="place", kind="category", values=("river", "hill", "moon")),
                Column(name="price", kind="integer", low=0, high=9),
            ),
            reference="patient",
        ),
    )
)
TARGET = {"patients.home": 2, "visits.place": 2, "visits.price": 9}
"""The codes of the person who is added."""


def neighbours() -> tuple[People, People]:
    """The people with the one who is added, and without."""
    rng = np.random.default_rng(0)
    size, rows = PEOPLE, PEOPLE * VISITS
    home = [*rng.choice(["here", "there"], size).tolist(), "far"]
    of = [*np.repeat(np.arange(size), VISITS).tolist(), *[size] * MOST]
    place = [*rng.choice(["river", "hill"], rows).tolist(), *["moon"] * MOST]
    price = [*rng.integers(5, size=rows).tolist(), *[9] * MOST]
    tables = {
        "patients": {"patient": [*range(size + 1)], "home": home},
        "visits": {"patient": of, "place": place, "price": price},
    }
    everybody = People.read(SCHEMA, {name: pa.table(cells) for name, cells in tables.items()})
    return everybody, everybody.take(np.arange(size))


@contextmanager
def whole_rows() -> Iterator[None]:
    """A planted fault: every row counts as a whole person."""

    def undivided(people: People) -> dict[str, RowShares]:
        shares = divide_people(people)
        return {name: RowShares(np.full(len(s.parts), WHOLE)) for name, s in shares.items()}

    with patch.object(marginals, "divide_people", undivided):
        yield


def statistics(part: PeopleMarginals, people: People, seed: list[int]) -> list[float]:
    """The statistics of one run."""
    counts: list[float] = []
    count = RowShares.count_with_noise
    targets = iter([TARGET["patients.home"], -1, TARGET["visits.place"], TARGET["visits.price"]])

    def listen(self: RowShares, codes, shape, *given):  # type: ignore[no-untyped-def]
        noisy = count(self, codes, shape, *given)
        if len(shape) == 1:  # one column; the last number of rows is the largest
            counts.append(float(noisy[next(targets)]))
        return noisy

    rng = np.random.default_rng(seed)
    with patch.object(RowShares, "count_with_noise", listen):
        model = part.fit(people, rng=rng, noise=Noise.for_test(rng))
    released = model.sample(model.size, rng=rng)
    home = released.tables["patients"].rows.columns["home"]
    place = released.tables["visits"].rows.columns["place"]
    return [sum(counts), float((home == 2).sum()), float((place == 2).sum())]


def play(part: PeopleMarginals, runs: int) -> list[Floats]:
    """The statistics of all runs, with the person and without."""
    return [
        np.array([statistics(part, people, [side, run]) for run in range(runs)])
        for side, people in enumerate(neighbours())
    ]


def bounds(sides: list[Floats]) -> dict[str, float]:
    """The lower bound of epsilon by each statistic, all right together with 95 %."""
    level = 1 - 0.05 / len(STATISTICS)
    return {
        name: audited_epsilon(*(side[:, at] for side in sides), delta=DELTA, level=level).value
        for at, name in enumerate(STATISTICS)
    }


def line(epsilon: float, runs: int, fault: bool) -> str:
    """One line of the table."""
    start = time.process_time()
    part = PeopleMarginals(epsilon=epsilon, delta=DELTA, rows=MOST)
    if fault:
        with whole_rows():
            lowest = bounds(play(part, runs))
    else:
        lowest = bounds(play(part, runs))
    seconds = time.process_time() - start
    shown = " | ".join(f"{lowest[name]:.2f}" for name in STATISTICS)
    refuted = "yes" if max(lowest.values()) > epsilon else "no"
    name = "planted fault" if fault else "people-marginals"
    return f"| {name} | {epsilon:g} | {shown} | {refuted} | {seconds:.0f} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--epsilons", type=float, nargs="+", default=[1.0, 4.0])
    given = parser.parse_args()
    print(f"| part | claim | {' | '.join(STATISTICS)} | refuted | CPU s |")
    print("|---" * (len(STATISTICS) + 4) + "|")
    for fault in (False, True):
        for epsilon in given.epsilons:
            print(line(epsilon, given.runs, fault), flush=True)


if __name__ == "__main__":
    main()
