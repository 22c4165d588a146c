"""Dispatch: the audit of series or of transactions, whichever the data are."""

from __future__ import annotations

from typing import Any

from quintain.audits.inputs.source import Role
from quintain.audits.kinds.reading import AnySchema, read_kind
from quintain.audits.kinds.series import audit_series
from quintain.audits.kinds.transactions import audit_transactions
from quintain.audits.release_audit import ReleaseAudit
from quintain.audits.versions import versions
from quintain.data import Series, Transactions
from quintain.errors import DataError, Fault
from quintain.seeds import SeedTree


def audit_kind(
    original: Any,
    release: Any,
    control: Any,
    schema: AnySchema,
    seed: int,
    permutations: int,
) -> ReleaseAudit:
    """Audit a release of series, or of transactions."""
    given: dict[Role, Any] = {"original": original, "release": release}
    given |= {} if control is None else {"control": control}
    read = {role: read_kind(role, one, schema) for role, one in given.items()}
    data = {role: one for role, (one, _) in read.items()}
    kinds = {type(one) for one in data.values()}
    if len(kinds) > 1:
        raise DataError([Fault("original, release and control must be of the same kind")])
    seeds = SeedTree.from_int(seed).child("audit", "release")
    first, second, third = data["original"], data["release"], data.get("control")
    if isinstance(first, Transactions) and isinstance(second, Transactions):
        audit = audit_transactions(first, second, seeds=seeds)
    else:
        assert isinstance(first, Series) and isinstance(second, Series)  # there are two kinds
        assert third is None or isinstance(third, Series)
        audit = audit_series(first, second, third, seeds=seeds, permutations=permutations)
    facts = {"inputs": tuple(one for _, one in read.values()), "seed": seed}
    return audit.model_copy(update={**facts, "versions": versions()})
