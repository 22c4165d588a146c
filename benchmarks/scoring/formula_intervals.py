"""How often intervals of subgroups and of formulas over them hold.

    python -m benchmarks.scoring.formula_intervals [--draws 2000]

Draws attackers whose true areas under the curve are known for each of some groups, reads each
group, and asks how often the interval of the worst group, of the mean, and of formulas holds the
number that the same rule gives for the true areas. In a dead zone the standard error is a number of
the rule, as it was read, so the rule is applied to the true area with the same error.
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy.stats import norm

from quintain.contests.readings import Derived
from quintain.measures import Reading
from quintain.measures.privacy.roc_curve import Auc, auc
from quintain.measures.subgroups import mean_group, worst_group

SETTINGS = {
    "3 equal groups": (0.3, 0.3, 0.3),
    "5 equal groups": (0.3,) * 5,
    "one worse group of 5": (0.9, 0.3, 0.3, 0.3, 0.3),
    "no leak in 5 groups": (0.0,) * 5,
}
TARGETS = 100
DEAD_ZONE = "max(0, abs(g0 - 0.5) - 2 * se(g0))"


def draw_groups(shifts: tuple[float, ...], *, rng: np.random.Generator) -> list[Reading]:
    """The area that an attacker reaches in each group; members score higher by the shift."""
    members = np.arange(TARGETS) % 2 == 0
    return [auc(members, rng.normal(size=TARGETS) + shift * members) for shift in shifts]


def coverage(
    shifts: tuple[float, ...], draws: int, *, rng: np.random.Generator
) -> dict[str, float]:
    """For each rule, the share of draws in which its interval holds the true number."""
    truth = [float(norm.cdf(shift / np.sqrt(2))) for shift in shifts]
    names = [f"g{number}" for number in range(len(shifts))]
    held = dict.fromkeys(_RULES, 0)
    for _ in range(draws):
        readings = draw_groups(shifts, rng=rng)
        by_name = dict(zip(names, readings, strict=True))
        exact = {
            name: Reading.exact(one, TARGETS, "lower")
            for name, one in zip(names, truth, strict=True)
        }
        for rule in _RULES:
            reading, true = _apply(rule, by_name, exact)
            held[rule] += reading.low <= true <= reading.high
    return {rule: count / draws for rule, count in held.items()}


def _formula(text: str, readings: dict[str, Reading]) -> Reading:
    return Derived(name="score", formula=text, better="lower").reading(readings)


def _apply(
    rule: str, readings: dict[str, Reading], truth: dict[str, Reading]
) -> tuple[Reading, float]:
    """The reading of a rule, and the number that it gives for the true areas."""
    listed, true = list(readings.values()), [one.value for one in truth.values()]
    if rule == 'report = "worst"':
        return worst_group(listed, Auc()), max(true)
    if rule == 'report = "mean"':
        return mean_group(listed, Auc()), sum(true) / len(true)
    if rule == "dead zone":
        error = _formula("se(g0)", readings).value
        return _formula(DEAD_ZONE, readings), max(0.0, abs(true[0] - 0.5) - 2 * error)
    text = {
        "max(...)": f"max({', '.join(readings)})",
        "1 - min(1 - ...)": f"1 - min({', '.join(f'1 - {name}' for name in readings)})",
        "sqrt(mean(...))": f"sqrt(mean({', '.join(readings)}))",
    }[rule]
    return _formula(text, readings), _formula(text, truth).value


_RULES = (
    'report = "worst"',
    'report = "mean"',
    "max(...)",
    "1 - min(1 - ...)",
    "sqrt(mean(...))",
    "dead zone",
)


def main() -> None:
    """Print the coverage of each rule in each setting."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=2000)
    draws = parser.parse_args().draws
    for name, shifts in SETTINGS.items():
        rates = coverage(shifts, draws, rng=np.random.default_rng(1))
        print(name, {rule: round(rate, 3) for rule, rate in rates.items()}, flush=True)


if __name__ == "__main__":
    main()
