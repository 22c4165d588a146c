"""Audits made by hand, for the tests of their reports."""

from __future__ import annotations

import math
from typing import Any

from quintain.audits.results import (
    AuditedInput,
    ColumnShape,
    ExposedRecord,
    Finding,
    LaidBare,
    NotComputed,
    ReleaseAudit,
    RocCurve,
    TailSign,
    UtilityFinding,
    Verdict,
)
from quintain.measures import Reading

HOSTILE = (
    "<script>alert(1)</script>",
    '"onload=alert(1) x="',
    "'; </style><img src=x onerror=alert(1)>",
    "{{ 7 * 7 }} &amp; <!-- ",
    "turned \u202e around \x00 \ud800",
    "\u5217\u306e\u540d\u524d",
    "x" * 200,
)
THREAT = (
    "The attacker wants to know who is in the private data.",
    "The attacker is given the release and the records of some people.",
    "The attacker knows nothing about the sanitizer.",
)
SECRETS = ("income", "education", "marital status", "occupation")


def share(value: float, half: float = 0.02, n: int = 10_000) -> Reading:
    """A share with its interval."""
    low, high = max(-1.0, value - half), min(1.0, value + half)
    return Reading(value=value, low=low, high=high, n=n, better="lower", method="by hand")


def finding(
    risk: str, attack: str, name: str, value: float, half: float = 0.02, **more: Any
) -> Finding:
    """A finding with a threat model."""
    facts: dict[str, Any] = {"says": f"The attack reads {value}.", "threat": THREAT} | more
    reading = share(value, half)
    return Finding(risk=risk, attack=attack, name=name, reading=reading, **facts)


def membership(leak: float) -> list[Finding]:
    """Nine attacks, of which the first finds most; a leak of 0 is none."""
    names = ("record-linkage", "nearest", "tree-ratio", "forest-ratio", "tracing", "exact-match")
    out = []
    for i, name in enumerate((*names, "density-ratio", "mama-mia", "matched-filter")):
        edge = leak / (1 + 0.6 * i) + 0.003 * math.sin(5 * i)
        more = {"chance": 0.5, "smallest_detectable": 0.512, "parameters": {"neighbours": 1}}
        out.append(finding("membership", name, "auc", 0.5 + edge / 2, 0.008, **more))
        for rate in (0.01, 0.001):
            more = {
                "chance": rate,
                "smallest_detectable": rate + 0.006,
                "control": share(rate, 0.002),
            }
            hit = rate + 0.8 * max(edge, 0) + 0.0005 * math.cos(i)
            out.append(finding("membership", name, f"tpr_at_fpr_{rate:g}", hit, 0.004, **more))
    return out


def others(leak: float, secrets: tuple[str, ...] = SECRETS) -> list[Finding]:
    """The three risks of the European guidance."""
    out = [
        finding(
            "singling-out", "rare-cells", "isolated", 0.06 + leak, 0.03, control=share(0.05, 0.03)
        ),
        finding("singling-out", "rare-cells", "isolation_excess", 0.01 + leak, 0.04, chance=0.0),
        finding(
            "linkability",
            "nearest",
            "members_linked",
            0.011 + leak,
            0.008,
            control=share(0.01, 0.007),
        ),
    ]
    for i, secret in enumerate(secrets):
        right = 0.4 + 0.1 * math.sin(i)
        out.append(
            finding(
                "inference",
                "nearest",
                "member_hits",
                right + leak * (1 - i / (len(secrets) + 1)),
                0.025,
                control=share(right, 0.025),
                chance=right - 0.1,
                smallest_detectable=right + 0.04,
                columns=(secret,),
            )
        )
    return out


def curves(leak: float, n: int = 10_000) -> tuple[RocCurve, ...]:
    """Curves of four attacks."""
    rates = [0.0, *(10 ** (-4 + 4 * i / 60) for i in range(61))]
    return tuple(
        RocCurve(
            attack=name,
            false_positive_rate=tuple(rates),
            true_positive_rate=tuple(leak / k + (1 - leak / k) * f for f in rates),
            members=n,
            others=n,
        )
        for k, name in enumerate(("record-linkage", "nearest", "tree-ratio", "tracing"), start=1)
    )


def shapes(count: int = 8) -> tuple[ColumnShape, ...]:
    """Columns with few and with many values."""
    out = []
    for i in range(count):
        size = (3, 6, 12, 20)[i % 4]
        weights = [math.exp(-((j - size / 3) ** 2) / size) for j in range(size)]
        bent = [w * (1 + 0.6 * math.sin(j + i)) for j, w in enumerate(weights)]
        old, new = ([x / sum(ws) for x in ws] for ws in (weights, bent))
        labels = tuple(f"value {j}" if j else "a long name of a value" for j in range(size))
        distance = sum(abs(a - b) for a, b in zip(old, new, strict=True)) / 2
        out.append(
            ColumnShape(
                column=f"column-{i}",
                labels=labels,
                original=tuple(old),
                release=tuple(new),
                distance=distance,
            )
        )
    return tuple(out)


def utility() -> tuple[UtilityFinding, ...]:
    """A few readings with the reference of a fresh sample."""
    tables = (
        UtilityFinding(
            measure="k-way-marginals",
            name=f"tv{k}",
            says=f"Mean difference of all {k}-way tables.",
            reading=Reading.exact(0.02 * k, 10_000, "lower"),
            reference=Reading.exact(0.015 * k, 10_000, "lower"),
        )
        for k in (1, 2, 3)
    )
    return (
        *tables,
        UtilityFinding(
            measure="train-on-synthetic",
            name="tstr",
            says="How well a model learned from the release predicts real people.",
            reading=Reading(value=0.81, low=0.79, high=0.83, n=5000, better="higher", method="t"),
            columns=("income",),
        ),
        UtilityFinding(
            measure="propensity",
            name="pmse",
            says="How well a model tells release from original.",
            reading=Reading.missing("lower", "scikit-learn is not installed"),
        ),
    )


INPUTS = tuple(
    AuditedInput(role=role, name=f"{role}.csv", rows=10_000, columns=12, sha256=digit * 64)
    for role, digit in (("original", "a"), ("release", "b"), ("control", "c"))
)
LIMITS = (
    "Attackers who know more: other releases of the same people, or the sanitizer's code.",
    "Leaks that touch fewer than 4 of 1,000 people.",
    "People of whom there are several records.",
)


def laid_bare(count: int) -> LaidBare:
    """So many people of the original laid bare, and ten copies by luck on each side."""
    sign = TailSign(
        name="run",
        says=f"The {count} people who stand out most are all in the original.",
        people=count,
        p=0.5**count,
        level=0.004,
        alarm=count >= 8,
        smallest_detectable=8,
    )
    return LaidBare(
        people=10_000,
        control=10_000,
        copied=count + 10,
        copied_control=10,
        isolated_copied=count,
        isolated_copied_control=0,
        signs=(sign, sign.model_copy(update={"name": "multiplicity", "smallest_detectable": None})),
    )


def release(verdict: Verdict = "nothing-found", leak: float = 0.0, **over: Any) -> ReleaseAudit:
    """A release audit; every keyword replaces a field."""
    exposed = share(leak, 0.004)
    fields: dict[str, Any] = {
        "verdict": verdict,
        "reasons": (f"A reason for the verdict {verdict}.", "Another reason for it."),
        "limits": LIMITS,
        "p": 0.001 if leak else 0.31,
        "level": 0.04,
        "exposed_share": exposed,
        "advantage": share(min(1.0, 2 * leak), 0.01),
        "laid_bare": laid_bare(round(90 * leak)),
        "nameable_records": Reading.exact(round(9000 * leak), 10_000, "lower"),
        "smallest_detectable": share(0.004, 0.0),
        "readings": (*membership(leak), *others(leak)),
        "utility": utility(),
        "shapes": shapes(),
        "curves": curves(leak),
        "not_computed": (
            NotComputed(what="mama-mia", reason="it needs the statistics that the sanitizer keeps"),
        ),
        "inputs": INPUTS,
        "seed": 7,
        "versions": {"quintain": "0.1", "numpy": "2.1"},
        "command": "quintain audit release --original o.csv --release r.csv --control c.csv",
    }
    return ReleaseAudit(**(fields | over))


def undecided() -> ReleaseAudit:
    """A release without a control."""
    why = "no control was given"
    return release(
        "cannot-say",
        p=None,
        advantage=None,
        laid_bare=None,
        exposed_share=Reading.missing("lower", why),
        nameable_records=Reading.missing("lower", why),
        smallest_detectable=Reading.missing("lower", why),
        readings=(
            finding("inference", "nearest", "member_hits", 0.44, chance=0.4, columns=("income",)),
        ),
        curves=(),
        inputs=INPUTS[:2],
        not_computed=tuple(NotComputed(what=r, reason=why) for r in ("membership", "linkability")),
        reasons=(
            "Without a control, nothing says what an attacker finds out about people in general.",
        ),
    )


def hostile() -> ReleaseAudit:
    """Names and values that try to be markup, and readings that are missing or infinite."""
    bad = Reading(value=0.2, low=-math.inf, high=math.inf, n=3, better="lower")
    findings = [
        finding("inference", name, "member_hits", 0.5, columns=(name,), says=name, threat=(name,))
        for name in HOSTILE
    ]
    findings.append(findings[0].model_copy(update={"reading": bad, "name": HOSTILE[0]}))
    missing = Reading.missing("lower", HOSTILE[2])
    findings.append(findings[0].model_copy(update={"reading": missing, "risk": "linkability"}))
    labels = HOSTILE[:3]
    return release(
        "unsafe",
        readings=tuple(findings),
        reasons=HOSTILE,
        limits=HOSTILE,
        p=0.01,
        shapes=tuple(
            ColumnShape(
                column=name,
                labels=labels,
                original=(0.2, 0.8, 0.0),
                release=(1.0, 0.0, 0.0),
                distance=0.8,
            )
            for name in HOSTILE
        ),
        not_computed=tuple(NotComputed(what=name, reason=name) for name in HOSTILE),
        inputs=tuple(
            AuditedInput(role=role, name=name, rows=3, columns=2, sha256="d" * 64)
            for role, name in zip(("original", "release", "control"), HOSTILE, strict=False)
        ),
        command=HOSTILE[0],
        versions={HOSTILE[0]: HOSTILE[1]},
        exposed=tuple(
            ExposedRecord(row=i, p=0.01, attack=name, values={name: name})
            for i, name in enumerate(HOSTILE)
        ),
    )


def large() -> ReleaseAudit:
    """Two hundred columns and fifty secrets."""
    secrets = tuple(f"secret {i}" for i in range(50))
    return release(
        "some-leakage",
        0.02,
        readings=(*membership(0.05), *others(0.02, secrets)),
        shapes=shapes(200),
        not_computed=tuple(NotComputed(what=f"column {i}", reason="constant") for i in range(60)),
    )
