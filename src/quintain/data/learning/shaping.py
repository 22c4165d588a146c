"""Shaping: what a role or the shape of the data asks of learned columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from quintain.data.learning.decisions import Decision
from quintain.data.schema import Column, Shape
from quintain.errors import DataError, Faults
from quintain.suggestion import suggestion

_IDS = ("person", "household", "customer")
_NEEDED: dict[Shape, tuple[tuple[str, ...], ...]] = {
    "table": (),
    "transactions": (("person", "customer"), ("time",)),
    "series": (("person",), ("time",)),
}


def shape_decisions(
    file: str, decisions: Sequence[Decision], shape: Shape, roles: Mapping[str, str]
) -> list[Decision]:
    """The columns with their roles, in the order and of the kinds that the shape needs."""
    faults, names = Faults(file), [one.name for one in decisions]
    for name in roles:
        if name not in names:
            faults.add(f"the file has no such column{suggestion(name, names)}", column=name)
    for wanted in _NEEDED[shape]:
        if not set(wanted) & set(roles.values()):
            example = f"--role COLUMN={wanted[0]}"
            faults.add(f"{shape} need a column with the role {' or '.join(wanted)}: {example}")
    faults.raise_if_any(DataError)
    shaped = [_with_role(one, roles.get(one.name, "")) for one in decisions]
    if shape == "transactions":
        return [_in_transactions(one) for one in shaped]
    if shape == "table":
        return shaped
    order = {"person": 0, "time": 1}
    shaped.sort(key=lambda one: order.get(roles.get(one.name, ""), 2))
    return [_in_series(one) for one in shaped]


def _with_role(decision: Decision, role: str) -> Decision:
    if not role:
        return decision
    column = decision.column
    if role in _IDS and (column is None or column.kind != "id"):
        nullable = column is not None and column.nullable
        column = Column(name=decision.name, kind="id", role=role, nullable=nullable)
        return Decision(decision.name, column, f"an id: it has the role {role}")
    if column is None:
        return decision
    return Decision(
        decision.name, column.model_copy(update={"role": role}), decision.reason, decision.learned
    )


def _in_transactions(decision: Decision) -> Decision:
    """A deleted row keeps its place and has no values, so every value may be missing."""
    column = decision.column
    if column is None or column.nullable:
        return decision
    changes: dict[str, object] = {"nullable": True}
    if column.kind == "integer" and not column.discrete:
        changes["kind"] = "real"
    reason = f"{decision.reason}; nullable, because a deleted row has no values"
    return Decision(decision.name, column.model_copy(update=changes), reason, decision.learned)


def _in_series(decision: Decision) -> Decision:
    """In a series everything but the person is a number."""
    column = decision.column
    if column is None or column.role == "person" or column.kind == "real":
        return decision
    if column.kind == "integer":
        real = column.model_copy(update={"kind": "real"})
        return Decision(decision.name, real, decision.reason, decision.learned)
    return Decision(
        decision.name, None, f"left out: a series has numbers only, not a {column.kind}"
    )
