"""Sanitizer audits made by hand, for the tests of their reports."""

from __future__ import annotations

from typing import Any, Literal

from quintain.audits.results import EpsilonBound, SanitizerAudit, Setting, UtilityFinding, Verdict
from quintain.measures import Reading
from quintain.releases import Claim
from tests.audits.report import audit_cases as cases

METHODS = (("clopper-pearson", 3.28), ("bayesian", 4.9), ("one-run", 4.19))


def bound(
    value: float, method: str, ceiling: float, target: Literal["worst-case", "average"]
) -> EpsilonBound:
    """A lower bound on epsilon."""
    reading = Reading.at_least(value, 100, "lower", method=method)
    attack = "targeted-queries" if target == "worst-case" else "nearest"
    return EpsilonBound(method=method, attack=attack, target=target, bound=reading, ceiling=ceiling)


def setting(epsilon: float, over: float = 0.4) -> Setting:
    """A setting whose bounds are this share of its epsilon."""
    fidelity = epsilon / (epsilon + 1)
    return Setting(
        parameters={"epsilon": epsilon},
        privacy=cases.share(0.5 + 0.25 * fidelity, 0.03, 200),
        utility=(
            UtilityFinding(
                measure="k-way-marginals",
                name="tv2",
                says="Mean difference of all two-way tables.",
                reading=Reading(
                    value=0.3 - 0.25 * fidelity,
                    low=0.28 - 0.25 * fidelity,
                    high=0.32 - 0.25 * fidelity,
                    n=20,
                    better="lower",
                    method="t over 20 runs",
                ),
            ),
            UtilityFinding(
                measure="train-on-synthetic",
                name="tstr",
                says="How well a model learned from the release predicts real people.",
                reading=cases.share(0.5 + 0.3 * fidelity, 0.02).model_copy(
                    update={"better": "higher"}
                ),
            ),
        ),
        bounds=tuple(
            bound(min(over * epsilon * share, 0.9 * ceiling), method, ceiling, target)
            for target, share in (("worst-case", 1.0), ("average", 0.3))
            for method, ceiling in METHODS
        ),
        claim=Claim(epsilon=epsilon, delta=1e-5),
    )


def sanitizer(
    verdict: Verdict = "nothing-found", epsilons: tuple[float, ...] = (1.0,), **over: Any
) -> SanitizerAudit:
    """A sanitizer audit; every keyword replaces a field."""
    fields: dict[str, Any] = {
        "sanitizer": "mst",
        "parameters": {"delta": 1e-5},
        "verdict": verdict,
        "reasons": (f"A reason for the verdict {verdict}.",),
        "limits": ("Other people than those of the game.",),
        "runs": 200,
        "settings": tuple(setting(epsilon) for epsilon in epsilons),
        "readings": tuple(cases.membership(0.1)),
        "curves": cases.curves(0.05, 200),
        "inputs": cases.INPUTS[:1],
        "seed": 3,
        "versions": {"quintain": "0.1"},
        "command": "quintain audit sanitizer mst --data o.csv --set epsilon=1",
    }
    return SanitizerAudit(**(fields | over))
