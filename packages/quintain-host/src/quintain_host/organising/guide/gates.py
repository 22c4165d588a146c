"""Gates: what releases must still be good for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from quintain.wording.languages import to_say
from quintain_host.organising.guide.guided import Changes, GuidedDraft, name_of
from quintain_host.organising.guide.typed import TypedFields


@dataclass(frozen=True, slots=True)
class GuidedMeasure:
    """A measure of utility that the guide offers, and the bound of its gate.

    Parameters
    ----------
    bound : "at_least" where more is better, else "at_most".
    reading : the name of the reading that the gate is about.
    """

    title: str
    spec: Mapping[str, Any]
    bound: str
    reading: str


MEASURES: Mapping[str, GuidedMeasure] = {
    "one-way": GuidedMeasure(
        to_say("Counts of single columns: mean distance, 0 is equal"),
        {"use": "marginals", "ways": 1},
        "at_most",
        "tv1",
    ),
    "two-way": GuidedMeasure(
        to_say("Counts of pairs of columns: mean distance, 0 is equal"),
        {"use": "marginals", "ways": 2},
        "at_most",
        "tv2",
    ),
    "association": GuidedMeasure(
        to_say("Associations of pairs of columns: mean difference, 0 is equal"),
        {"use": "association"},
        "at_most",
        "association",
    ),
    "equal-cells": GuidedMeasure(
        to_say("Cells that stay as they are, row by row: share, 1 is all; not for synthetic data"),
        {"use": "equal-cells"},
        "at_least",
        "equal_cells",
    ),
}
FIRST_GATE = {"two-way": 0.5}
"""The measure and the bound of a new contest."""


def kind_of(spec: Any) -> str | None:
    """The measure of the guide that a table of the edition file is; None if it is another one."""
    if isinstance(spec, Mapping) and name_of(spec) == "marginals":
        return "two-way" if spec.get("ways", 1) == 2 else "one-way"
    return next(
        (kind for kind, guided in MEASURES.items() if guided.spec["use"] == name_of(spec)), None
    )


def gate_spec(kind: str, bound: float | None) -> dict[str, Any]:
    """A measure with its gate, as the edition file has it."""
    offered = MEASURES[kind]
    if bound is None:
        return dict(offered.spec)
    if kind == "association":  # it has a second reading, about the worst pair alone
        return {**offered.spec, "gates": {offered.reading: {offered.bound: bound}}}
    return {**offered.spec, offered.bound: bound}


def show_gates(guided: GuidedDraft) -> dict[str, str]:
    """The fields of the step, as the edition file fills them in."""
    fields = {}
    for spec in guided.table.get("utility", ()):
        kind = kind_of(spec)
        if kind is None:
            continue
        fields[f"use.{kind}"] = "yes"
        own = MEASURES[kind]
        table = spec if isinstance(spec, Mapping) else {}
        gated = {**table, **table.get("gates", {}).get(own.reading, {})}
        fields[f"bound.{kind}"] = str(gated.get(own.bound, ""))
    return fields


def read_gates(typed: TypedFields, guided: GuidedDraft) -> Changes:
    """The measures of utility that somebody chose, with their gates."""
    written = guided.table.get("utility", ())
    measures: list[Any] = [spec for spec in written if kind_of(spec) is None]
    for kind in MEASURES:
        if typed.is_ticked(f"use.{kind}"):
            bound = typed.number(f"bound.{kind}", needed=False)
            measures.append(gate_spec(kind, bound))
    typed.raise_if_any()
    return Changes({"utility": measures})
