"""Reading: series and transactions for an audit, from files, data frames or data with a schema."""

from __future__ import annotations

import hashlib
from os import PathLike
from pathlib import Path
from typing import Any

from quintain.attacks import Attack
from quintain.audits.kinds.series import audit_series
from quintain.audits.kinds.transactions import audit_transactions
from quintain.audits.results import AuditedInput, ReleaseAudit, versions
from quintain.data import Data, Learned, Schema, Series, Transactions
from quintain.data.files.data_file import read_trusted
from quintain.data.frames import from_frame
from quintain.data.learning.learn import is_ours, read_schema_file
from quintain.data.schema import Shape
from quintain.errors import DataError, Fault
from quintain.releases import Release
from quintain.seeds import SeedTree

AnySchema = Schema | Learned | Path | None


def stated_schema(schema: AnySchema) -> Schema | None:
    """The schema that the user gave, if it is one of ours."""
    if isinstance(schema, Path):
        return read_schema_file(schema) if is_ours(schema) else None
    return schema.schema if isinstance(schema, Learned) else schema


def shape_of(original: Any, schema: AnySchema) -> Shape:
    """Whether the original is a table, transactions or series."""
    data = original.data if isinstance(original, Release) else original
    if isinstance(data, Transactions | Series):
        return data.schema.shape
    stated = stated_schema(schema)
    return "table" if stated is None else stated.shape


def read_kind(role: str, given: Any, schema: AnySchema) -> tuple[Data, AuditedInput]:
    """The data, and their entry in the audit: name, size and hash."""
    data = given.data if isinstance(given, Release) else given
    name: str = role
    content = None
    if not isinstance(data, Transactions | Series):
        stated = stated_schema(schema)
        if stated is None:
            raise DataError([Fault("needs a schema: series and transactions have one", role)])
        if isinstance(data, str | PathLike):
            path = Path(data)
            if not path.is_file():
                raise DataError([Fault(f"there is no such file: {path}", role)])
            name, content = path.name, path.read_bytes()
            data = read_trusted(path, stated)
        else:
            data = from_frame(data, stated)
    digest = data.digest() if content is None else hashlib.sha256(content).hexdigest()
    columns = len(data.schema.columns)
    described = AuditedInput(role=role, name=name, rows=len(data), columns=columns, sha256=digest)
    return data, described


# Dispatch: the audit of series or of transactions, whichever the data are.


def audit_kind(
    original: Any,
    release: Any,
    control: Any,
    schema: AnySchema,
    seed: int,
    permutations: int,
    attacks: tuple[Attack, ...] = (),
) -> ReleaseAudit:
    """Audit a release of series, or of transactions."""
    given: dict[str, Any] = {"original": original, "release": release}
    given |= {} if control is None else {"control": control}
    read = {role: read_kind(role, one, schema) for role, one in given.items()}
    data = {role: one for role, (one, _) in read.items()}
    kinds = {type(one) for one in data.values()}
    if len(kinds) > 1:
        raise DataError([Fault("original, release and control must be of the same kind")])
    seeds = SeedTree.from_int(seed).child("audit", "release")
    first, second, third = data["original"], data["release"], data.get("control")
    if isinstance(first, Transactions) and isinstance(second, Transactions):
        audit = audit_transactions(first, second, seeds=seeds, attacks=attacks)
    else:
        assert isinstance(first, Series) and isinstance(second, Series)  # there are two kinds
        assert third is None or isinstance(third, Series)
        audit = audit_series(
            first, second, third, seeds=seeds, permutations=permutations, attacks=attacks
        )
    facts = {"inputs": tuple(one for _, one in read.values()), "seed": seed}
    return audit.model_copy(update={**facts, "versions": versions()})
