"""Results: what the answers of a sanitizer cost beside what it claims, setting by setting."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, field_serializer

from quintain.releases import Claim

Verdict = Literal["holds", "exceeds", "shows", "cannot-say", "no-claim", "not-offered"]
"""What was found, in one word; :data:`VERDICTS` says what each means."""

VERDICTS: dict[Verdict, str] = {
    "holds": "the answers cost no more than the claim, and nothing else depends on a person",
    "exceeds": "the answers cost more than the claim",
    "shows": "something that is published depends on a person without noise",
    "cannot-say": "noise is used in a way that is not followed",
    "no-claim": "nothing is claimed",
    "not-offered": "the part does not run in this setting",
}
BROKEN: tuple[Verdict, ...] = ("exceeds", "shows")
"""The verdicts that refute a claim."""


class Found(BaseModel):
    """Something that must not be.

    Parameters
    ----------
    words : what it is.
    neighbours : the people with whom it showed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    words: str
    neighbours: tuple[str, ...]

    def sentence(self) -> str:
        """What it is, and with whom it showed first."""
        more = f" (and {len(self.neighbours) - 1} more)" if len(self.neighbours) > 1 else ""
        return f"{self.neighbours[0]}{more}: {self.words}"


class Accounted(BaseModel):
    """One setting: a part on data of one kind.

    Parameters
    ----------
    part, parameters : what ran.
    setting : on which data, and where domains come from.
    verdict : what was found.
    claim : what the part claims, if anything.
    cost : the largest cost in epsilon, with the delta of the claim.
    share : the cost as a share of the epsilon of the claim.
    worst : the neighbour with the largest cost.
    neighbours : how many pairs of tables were tried.
    findings : what refutes the claim.
    why : why nothing can be said, or why the part does not run.
    limits : what was not looked at.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    part: str
    parameters: dict[str, Any]
    setting: str
    verdict: Verdict
    claim: Claim | None = None
    cost: float | None = None
    share: float | None = None
    worst: str = ""
    neighbours: int = 0
    findings: tuple[Found, ...] = ()
    why: str = ""
    limits: tuple[str, ...] = ()

    @field_serializer("cost", "share")
    def _finite(self, value: float | None) -> float | str | None:
        """JSON has no infinite numbers."""
        return "infinite" if value == float("inf") else value


class AccountingAudit(BaseModel):
    """What the noisy answers of sanitizers cost beside what they claim.

    Parameters
    ----------
    settings : what was found for each part on each kind of data.
    limits : what no replay can see.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["quintain.accounting/1"] = "quintain.accounting/1"
    settings: tuple[Accounted, ...]
    limits: tuple[str, ...] = ()

    @property
    def broken(self) -> tuple[Accounted, ...]:
        """The settings in which a claim is false."""
        return tuple(setting for setting in self.settings if setting.verdict in BROKEN)

    def words(self) -> str:
        """Every setting in a line, with what was found in it."""
        lines = []
        for setting in self.settings:
            share = "" if setting.share is None else f", {setting.share:.3g} of the claim"
            lines.append(f"{setting.part}, {setting.setting}: {setting.verdict}{share}")
            lines += [f"  {finding.sentence()}" for finding in setting.findings]
            lines += [f"  {setting.why}"] if setting.why else []
        return "\n".join(lines)
