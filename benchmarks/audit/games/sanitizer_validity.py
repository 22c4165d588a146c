"""False alarms of the whole audit of a sanitizer, over sanitizers that keep their promise.

    python -m benchmarks.audit.games.sanitizer_validity [AUDITS [RUNS [SANITIZER ...]]]

Each audit draws a small table anew. Three sanitizers are honest and their claims are tight or
nearly so: randomized response on one column, one histogram with Laplace noise, and a sanitizer that
does not look at its data at all. A bound that decides may exceed the claim in at most 5 % of the
audits. In at most 5 % of them the audit may find something where there is nothing.
"""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from quintain.audits.sanitizer import audit_sanitizer
from quintain.data import Column, Schema, Table
from quintain.measures.intervals import clopper_pearson
from quintain.randomness.noise import Noise
from quintain.releases import Claim, Release, Sanitized
from quintain.sanitizers import RandomizedResponse, Sanitizer
from quintain.sanitizers.synthetic.independent import Independent

AUDITS, RUNS = 200, 40
ROWS = 60
VALUES = tuple("abc")
KEEP = (math.e - 1) / (math.e - 1 + len(VALUES))
"""With this probability to keep a value, randomized response has epsilon 1."""

Row = dict[str, Any]


class Blind(Sanitizer):
    """Releases random values, whatever the data are, and claims an epsilon of nearly nought."""

    id: ClassVar[str] = "sanitizer/blind-v0"

    def sanitize(self, data: Table, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Draw a table that knows nothing."""
        drawn = {
            column.name: rng.integers(column.size, size=ROWS) for column in data.schema.columns
        }
        made = Independent(epsilon=1.0).sanitize(data, rng=rng, noise=noise)
        release = Release(Table(data.schema, drawn), claim=Claim(epsilon=1e-9))
        return replace(made, release=release)


SANITIZERS: dict[str, Sanitizer] = {
    "randomized-response": RandomizedResponse(keep=KEEP),
    "laplace-histogram": Independent(epsilon=1.0),
    "blind": Blind(),
}


def table(columns: int, rng: np.random.Generator) -> Table:
    """Random people; the last value of each column is rare."""
    schema = Schema(
        columns=tuple(
            Column(name=f"c{place}", kind="category", values=VALUES) for place in range(columns)
        )
    )
    shares = [0.6, 0.35, 0.05]
    return Table(schema, {name: rng.choice(3, ROWS, p=shares) for name in schema.names})


def audited(name: str, number: int, runs: int) -> Row:
    """One whole audit: whether a bound is above the claim, and whether anything was found."""
    rng = np.random.default_rng((number, 1))
    part = SANITIZERS[name]
    data = table(3 if name == "blind" else 1, rng)
    audit = audit_sanitizer(part, data, runs=runs, attacks=False, seed=number)
    (setting,) = audit.settings
    assert setting.claim is not None
    bounds = [bound.bound.value for bound in setting.bounds if bound.decides]
    return {
        "claim": setting.claim.epsilon,
        "bound": max(bounds),
        "above": max(bounds) > setting.claim.epsilon,
        "found": audit.verdict in ("unsafe", "some-leakage"),
    }


def summary(name: str, rows: list[Row]) -> str:
    """How often, with exact intervals."""
    words = []
    for key, says in (("above", "a bound above the claim"), ("found", "something found")):
        count = sum(row[key] for row in rows)
        low, high = clopper_pearson(count, len(rows))
        words.append(f"{says} in {count} of {len(rows)} audits [{low:.3f}, {high:.3f}]")
    middle = float(np.median([row["bound"] for row in rows]))
    claim = rows[0]["claim"]
    return f"{name:20} claims {claim:.3g}: {'; '.join(words)}; median bound {middle:.2f}"


def main() -> None:
    """Audit each sanitizer many times."""
    numbers = [int(one) for one in sys.argv[1:3]]
    audits, runs = [*numbers, *(AUDITS, RUNS)[len(numbers) :]]
    for name in sys.argv[3:] or SANITIZERS:
        print(summary(name, [audited(name, one, runs) for one in range(audits)]), flush=True)


if __name__ == "__main__":
    main()
