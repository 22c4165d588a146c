"""Conditional tables from real records, made coarse enough to publish: see ``fit_sources.py``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from source_structures import Structure

from quintain.data.arrays import Array
from quintain.data.column import Column
from quintain.data.schema import Schema
from quintain.data.sources.bayesnet import FORMAT, SHARES

MIN_GROUP = 50
MIN_CELL = 5
LARGE_GROUP = 1000


@dataclass(frozen=True)
class Parent:
    """A parent's codes and how many there are; ``view`` if it is a coarser view of the child."""

    codes: Array
    size: int
    view: Array | None = None


def fit_node(
    child: Array, size: int, parents: Sequence[Parent], weight: Array
) -> tuple[Array, Array]:
    """The rows of a conditional table, and which row each combination of parents uses."""
    rows = [_row(child, weight, np.full(size, 1 / size))]
    step = [1]
    index = np.zeros(1, np.int64)
    group = np.zeros(len(child), np.int64)
    for parent in parents:
        group = group * parent.size + parent.codes
        index = np.repeat(index, parent.size)
        order = np.argsort(group, kind="stable")
        ends = np.cumsum(np.bincount(group, minlength=len(index)))
        for which, end in enumerate(ends.tolist()):
            people = order[ends[which - 1] if which else 0 : end]
            coarser = rows[index[which]]
            if parent.view is not None:
                coarser = coarser * (parent.view == which % parent.size)
            if len(people) >= MIN_GROUP:
                rows.append(_row(child[people], weight[people], coarser))
                step.append(1 if len(people) >= LARGE_GROUP else 10)
            elif parent.view is not None and coarser.any():
                rows.append(coarser / coarser.sum())
                step.append(10)
            else:
                continue
            index[which] = len(rows) - 1
    used, index = np.unique(index, return_inverse=True)
    return index, np.array([_whole(rows[row], step[row]) for row in used])


def _row(child: Array, weight: Array, coarser: Array) -> Array:
    """The shares of one group; the mass of rare cells is spread as in the coarser group."""
    count = np.bincount(child, minlength=len(coarser))
    mass = np.bincount(child, weights=weight, minlength=len(coarser))
    rare = count < MIN_CELL
    # A cell that is common in the coarser group and rare in this one is impossible in this one.
    spread = np.where(rare & (coarser * len(child) < 4 * MIN_CELL), coarser, 0.0)
    pooled = mass[rare].sum()
    if 0 < count[rare].sum() < MIN_CELL:
        # Too few people even together: use the mass that the coarser group expects.
        pooled = mass.sum() * min(spread.sum(), MIN_CELL / len(child))
    shares = np.where(rare, 0.0, mass)
    if spread.sum() > 0:
        shares += spread / spread.sum() * pooled
    result: Array = shares / shares.sum()
    return result


def _whole(shares: Array, step: int) -> Array:
    """Round shares to whole steps that add up; the largest remainders are rounded up."""
    steps = SHARES // step
    exact = np.round(shares * steps, 6)
    parts = np.floor(exact).astype(np.int64)
    left = steps - int(parts.sum())
    parts[np.argsort(parts - exact, kind="stable")[:left]] += 1
    return parts * step


def fit_network(
    structure: Structure,
    columns: Mapping[str, Array],
    schema: Schema,
    views: Mapping[str, Array],
    weight: Array,
) -> list[dict[str, Any]]:
    """The tables of all attributes of a network, as plain data."""

    def coded(name: str) -> tuple[Array, int]:
        attribute, _, view = name.partition("/")
        plain = name.rpartition(".")[2]
        if view:
            return views[plain][columns[attribute]], int(views[plain].max()) + 1
        return columns[attribute], schema[plain].size

    nodes = []
    for name, names in structure:
        own = {f"{name}/{view.partition('/')[2]}" for view in views}
        parents = [
            Parent(*coded(parent), views[parent] if parent in own else None) for parent in names
        ]
        index, shares = fit_node(*coded(name), parents, weight)
        node = {
            "name": name,
            "parents": list(names),
            "sizes": [parent.size for parent in parents],
            "index": index.tolist(),
            "shares": shares.tolist(),
        }
        nodes.append(node)
    return nodes


def cut_views(schema: Schema, cuts: Mapping[str, Sequence[int]]) -> dict[str, Array]:
    """Coarser views: the number of cut points that are not above a number (or a code)."""
    views = {}
    for name, points in cuts.items():
        column = schema[name.partition("/")[0]]
        values = np.arange(column.size) + column.offset
        views[name] = np.searchsorted(np.array(points), values, side="right")
    return views


def group_view(column: Column, groups: Sequence[Sequence[str]]) -> Array:
    """A coarser view of categories: the number of the group a category is in."""
    where = {value: number for number, group in enumerate(groups) for value in group}
    return np.array([where[value] for value in column.values])


def document(views: Mapping[str, Array], networks: Mapping[str, Any]) -> dict[str, Any]:
    """The contents of a parameter file."""
    plain = {name: codes.tolist() for name, codes in views.items()}
    return {"format": FORMAT, "views": plain, "networks": dict(networks)}
