"""Sanitizer audit: the result of running a sanitizer many times with and without some people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from quintain.audits.finding import Finding, NotComputed
from quintain.audits.release_audit import AuditedInput, RocCurve, UtilityFinding, Verdict
from quintain.measures import Reading
from quintain.releases import Claim


class EpsilonBound(BaseModel):
    """A lower bound on the epsilon of a sanitizer, from runs with and without a person.

    Parameters
    ----------
    method : how the bound was computed.
    attack : the attack that told the runs apart.
    target : "worst-case" for one person who stands out, "average" for people drawn at random.
    bound : the bound with its level.
    ceiling : the highest bound that a perfect attack could have shown with as many runs.
    decides : whether the verdict may rest on this bound. Such bounds are named before the runs, and
        their level is corrected for their number; the others are shown beside them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    method: str
    attack: str
    target: Literal["worst-case", "average"]
    bound: Reading
    ceiling: float
    decides: bool = False


class Setting(BaseModel):
    """One choice of parameters: what the sanitizer gives away with it, and what is left of the use.

    Parameters
    ----------
    parameters : the parameters that differ between settings, such as epsilon.
    privacy : how well the strongest attack finds the average member (an AUC).
    utility : the readings of utility.
    bounds : lower bounds on epsilon.
    claim : what the sanitizer claims with these parameters.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    parameters: dict[str, Any]
    privacy: Reading
    utility: tuple[UtilityFinding, ...] = ()
    bounds: tuple[EpsilonBound, ...] = ()
    claim: Claim | None = None


class SanitizerAudit(BaseModel):
    """What a sanitizer gives away, over many runs.

    Parameters
    ----------
    sanitizer : its name. ``parameters`` are those that all settings share.
    verdict, reasons, limits : as in an audit of a release; "unsafe" also if a bound is above the
        claimed epsilon, because the claim is then wrong.
    runs : how often the sanitizer was run for each setting.
    settings : one, or several of a sweep, which draw the frontier of privacy and utility.
    readings : what each attack found, for the setting that gives away most.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["quintain.sanitizer-audit/1"] = "quintain.sanitizer-audit/1"
    sanitizer: str
    parameters: dict[str, Any]
    verdict: Verdict
    reasons: tuple[str, ...]
    limits: tuple[str, ...]
    runs: int
    settings: tuple[Setting, ...]
    readings: tuple[Finding, ...] = ()
    curves: tuple[RocCurve, ...] = ()
    not_computed: tuple[NotComputed, ...] = ()
    inputs: tuple[AuditedInput, ...] = ()
    seed: int = 0
    versions: dict[str, str] = {}
    command: str = ""


def told_apart(setting: Setting) -> float:
    """How well the strongest attack finds the average member; -1 if nobody knows.

    >>> told_apart(Setting(parameters={}, privacy=Reading.missing("lower", "not tried")))
    -1.0
    """
    return setting.privacy.value if setting.privacy.measured else -1.0


def most_telling(settings: Sequence[Setting]) -> Setting:
    """The setting that gives away most; the readings of the audit are about it."""
    return max(settings, key=told_apart)
