"""Release audit: the result of holding a release beside its original and a control."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from quintain.audits.finding import Finding, NotComputed
from quintain.measures import Reading

Verdict = Literal["unsafe", "some-leakage", "nothing-found", "cannot-say"]


class AuditedInput(BaseModel):
    """One of the tables that went into an audit, with its hash.

    Parameters
    ----------
    role : "original", "release" or "control".
    name : the file name, or what the table is called.
    sha256 : the hash of the file, or of the records where there is no file.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    role: str
    name: str
    rows: int
    columns: int
    sha256: str


class UtilityFinding(BaseModel):
    """One reading of how useful the release still is.

    Parameters
    ----------
    measure : the name of the measure.
    reference : what a fresh sample of the population reads (the control beside the original).
    columns : the columns it is about; empty means all.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    measure: str
    name: str
    says: str
    reading: Reading
    reference: Reading | None = None
    columns: tuple[str, ...] = ()


class RocCurve(BaseModel):
    """How many members an attack finds at each rate of false alarms.

    Parameters
    ----------
    members, others : how many people of each kind the rates are shares of; 0 if that is not known.
        They say how far the curve of a blind attacker strays.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    attack: str
    false_positive_rate: tuple[float, ...]
    true_positive_rate: tuple[float, ...]
    members: int = 0
    others: int = 0


class ColumnShape(BaseModel):
    """How one column is distributed in the original and in the release.

    Parameters
    ----------
    labels : the values, or the bins of a number.
    original, release : the share of records with each of them.
    distance : the total variation distance of the two, between 0 and 1.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    column: str
    labels: tuple[str, ...]
    original: tuple[float, ...]
    release: tuple[float, ...]
    distance: float


class ExposedRecord(BaseModel):
    """One of the most exposed people of the original; only on request.

    Parameters
    ----------
    row : the row in the original, counted from 0.
    p : how probable so high a score is for somebody who is not in the data.
    attack : the attack that exposes the person most.
    values : the record.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    row: int
    p: float
    attack: str
    values: dict[str, Any]


class ReleaseAudit(BaseModel):
    """What a release gives away: the verdict, its reasons and every number behind it.

    Parameters
    ----------
    verdict : what the effects below say, in a word.
    reasons : why, in plain sentences; the most important first.
    limits : what the verdict does not cover, in plain sentences.
    p : how probable evidence this strong would be if the release did not depend on who is in the
        original; None if no control was given.
    exposed_share : the share of people who look like nobody outside the data.
    nameable_records : how many people the strongest attack can name with few errors.
    smallest_detectable : the smallest exposed share that this audit would very probably have seen.
    readings : what each attack found.
    utility : how useful the release still is.
    shapes : the columns in which the release differs most, the worst first.
    curves : for drawings, the curves of the membership attacks.
    not_computed : what was left out, and why.
    inputs : the tables and their hashes.
    seed : the seed that repeats the audit.
    versions : the versions of the software, by name.
    command : the command that repeats the audit; empty if it was started from Python.
    exposed : the most exposed people, if they were asked for.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["quintain.release-audit/1"] = "quintain.release-audit/1"
    verdict: Verdict
    reasons: tuple[str, ...]
    limits: tuple[str, ...]
    p: float | None
    exposed_share: Reading
    nameable_records: Reading
    smallest_detectable: Reading
    readings: tuple[Finding, ...]
    utility: tuple[UtilityFinding, ...] = ()
    shapes: tuple[ColumnShape, ...] = ()
    curves: tuple[RocCurve, ...] = ()
    not_computed: tuple[NotComputed, ...] = ()
    inputs: tuple[AuditedInput, ...] = ()
    seed: int = 0
    versions: dict[str, str] = {}
    command: str = ""
    exposed: tuple[ExposedRecord, ...] | None = None
