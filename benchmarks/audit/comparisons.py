"""How often a comparison calls luck a difference, and how often it sees a real one; prints a table.

    python -m benchmarks.audit.comparisons [--draws 100]

Each draw has people of its own. In the first rows both entries are the same sanitizer, so every
difference is luck: at most 5 of 100 comparisons may name one, whatever the number of attacks. In
the last rows the second entry keeps a little more of each record.
"""

from __future__ import annotations

import argparse

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from quintain.audits.comparison import compare
from quintain.measures.intervals import clopper_pearson
from quintain.sanitizers import RandomizedResponse
from quintain.testing import unique_people

ATTACKS = ("nearest", "tree-ratio", "exact-match")
ROWS = 240
CASES = ((0.5, 0.5, "split"), (0.5, 0.5, "parts"), (0.5, 0.6, "split"), (0.5, 0.6, "parts"))


def names_a_difference(first: float, second: float, manner: str, draw: int) -> bool:
    """Whether one comparison of two sanitizers calls any difference more than luck."""
    everybody = unique_people(rows=ROWS, seed=draw)
    half = np.arange(ROWS) < ROWS // 2
    given = (everybody.take(half), everybody.take(~half)) if manner == "parts" else (everybody,)
    found = compare(
        {"first": RandomizedResponse(keep=first), "second": RandomizedResponse(keep=second)},
        *given,
        attacks=ATTACKS,
        repetitions=6,
        seed=draw,
    )
    return any(difference.more_than_luck for difference in found.differences)


def main() -> None:
    """Print how many comparisons named a difference."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--draws", type=int, default=100)
    draws = parser.parse_args().draws
    print("| first keeps | second keeps | people | named a difference | 95 % interval |")
    print("|---" * 5 + "|")
    for first, second, manner in CASES:
        named = sum(names_a_difference(first, second, manner, draw) for draw in range(draws))
        low, high = clopper_pearson(named, draws)
        print(f"| {first} | {second} | {manner} | {named} of {draws} | {low:.3f} to {high:.3f} |")


if __name__ == "__main__":
    main()
