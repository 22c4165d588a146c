"""What an audit of a sanitizer costs beside the sanitizer itself, and how its memory grows.

    python -m benchmarks.audit.games.shadow [RUNS [SANITIZER ...]]

Adult, 10,000 people and 12 columns, one thread. For each sanitizer: the processor time of all its
runs, what the audit takes on top of it, the peak of the memory, and what the audit shows. The
attacks of the contests are left out: two of them run the sanitizer themselves, and their time does
not grow with the number of runs. SciPy is loaded before the clock starts, which takes a quarter of
a second in any program that needs it. Then sanitizers with a planted bug, which must be caught.
"""

from __future__ import annotations

import multiprocessing
import resource
import sys
import time

import numpy as np
import scipy.special  # noqa: F401  not a cost of the audit

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.audit.adult_people import people, population
from quintain.audits import sanitizer as audits
from quintain.audits.games import coin_setup, record
from quintain.audits.results import SanitizerAudit
from quintain.data import Table
from quintain.randomness.noise import Noise
from quintain.sanitizers import Sanitizer, sanitize
from quintain.sanitizers.synthetic.independent import Independent
from quintain.sanitizers.synthetic.mst import Mst
from quintain.sanitizers.synthetic.privbayes import PrivBayes

SANITIZERS: dict[str, Sanitizer] = {
    "mst-1": Mst(epsilon=1.0),
    "mst-10": Mst(epsilon=10.0),
    "privbayes-1": PrivBayes(epsilon=1.0),
    "privbayes-10": PrivBayes(epsilon=10.0),
    "independent-1": Independent(epsilon=1.0),
    "independent-10": Independent(epsilon=10.0),
}


class NoiseTooSmall(Independent):
    """Claims epsilon 1, and adds noise for an epsilon as large as the number of records."""

    id = "sanitizer/noise-too-small-v0"

    def fit(self, data: Table, *, rng: np.random.Generator, noise: Noise):
        """Fit with n times too little noise."""
        spent = Independent(epsilon=float(len(data)))
        return spent.fit(data, rng=rng, noise=noise)


class FixedNoise(Independent):
    """Claims epsilon 1, and draws the same noise every time."""

    id = "sanitizer/fixed-noise-v0"

    def fit(self, data: Table, *, rng: np.random.Generator, noise: Noise):
        """Fit with noise that everybody can repeat."""
        return super().fit(data, rng=rng, noise=Noise.for_test(0))


PLANTED: dict[str, Sanitizer] = {
    "noise-too-small": NoiseTooSmall(epsilon=1.0),
    "fixed-noise": FixedNoise(epsilon=1.0),
}


def adult() -> Table:
    """The people whom the sanitizers get."""
    return people(population(), 10_000, rng=np.random.default_rng([0, 1])).original


def measured(name: str, runs: int, table: Table) -> tuple[SanitizerAudit, float, float, float]:
    """The audit, the seconds of the sanitizer, those of all, and the memory in megabytes."""
    spent = 0.0

    def timed(*args: object, **options: object) -> object:
        nonlocal spent
        start = time.process_time()
        try:
            return sanitize(*args, **options)
        finally:
            spent += time.process_time() - start

    coin_setup.sanitize = record.sanitize = timed
    start = time.process_time()
    part = (SANITIZERS | PLANTED)[name]
    audit = audits.audit_sanitizer(part, table, runs=runs, attacks=False)
    total = time.process_time() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return audit, spent, total, memory


def _child(name: str, runs: int) -> None:
    audit, own, total, memory = measured(name, runs, adult())
    setting = audit.settings[0]
    bounds = ", ".join(
        f"{b.target} {b.bound.value:.2f} (most {b.ceiling:.2f})"
        for b in setting.bounds
        if b.decides
    )
    print(
        f"{name:16} {runs:5} runs: sanitizer {own:7.1f} s, audit {total - own:5.1f} s on top "
        f"({100 * (total / own - 1):4.1f} %), {memory:5.0f} MB; {audit.verdict}; bounds {bounds}; "
        f"AUC {setting.privacy.value:.3f} [{setting.privacy.low:.3f}, {setting.privacy.high:.3f}]",
        flush=True,
    )


def main() -> None:
    """Measure each sanitizer in a process of its own, so that peaks of memory do not mix."""
    arguments = sys.argv[1:]
    runs = int(arguments[0]) if arguments else 100
    context = multiprocessing.get_context("spawn")
    for name in arguments[1:] or (*SANITIZERS, *PLANTED):
        for count in (runs,) if name in PLANTED else (runs, 4 * runs):
            process = context.Process(target=_child, args=(name, count))
            process.start()
            process.join()


if __name__ == "__main__":
    main()
