"""Panel: the attacks of one risk, run on a pool, and what they found."""

from __future__ import annotations

from dataclasses import dataclass, field

from quintain.audits.finding import Finding, NotComputed
from quintain.data.arrays import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What one attack says of every record of the pool.

    Parameters
    ----------
    attack : the name of the attack, as in the findings.
    scores : one number per record; the higher, the more the release gives away about it. NaN where
        the attack was not asked. They must not depend on who is a member.
    """

    attack: str
    scores: Floats


@dataclass(frozen=True, slots=True)
class PanelResult:
    """What the attacks of one risk found.

    Parameters
    ----------
    evidence : for the one test of the whole audit.
    findings : for the report.
    not_computed : which attacks or columns were left out, and why.
    """

    evidence: tuple[Evidence, ...] = ()
    findings: tuple[Finding, ...] = ()
    not_computed: tuple[NotComputed, ...] = field(default=())
