"""Measured coding: the coding of a table whose edges and groups are measured with privacy."""

from __future__ import annotations

from dataclasses import dataclass

from quintain.data import Column, Schema, Table
from quintain.data.coding import DEFAULT_BINS, Bins, Coding, ColumnCoding, Grid
from quintain.noise import Noise
from quintain.sanitizers.private_coding.edges import measured_bins
from quintain.sanitizers.private_coding.frequent_values import frequent_values

FEW_VALUES = 100
"""An integer with at most this many values needs no edges, unless its schema asks for bins."""


@dataclass(frozen=True, slots=True)
class MeasuredCoding:
    """What is measured about a table before a model is fitted to its codes.

    Parameters
    ----------
    edges : whether the edges of bins are measured; otherwise bins have equal widths.
    groups : the most codes of a category; None leaves all categories as they are.
    """

    edges: bool
    groups: int | None

    def columns(self, schema: Schema) -> tuple[str, ...]:
        """The columns that are measured; this follows from the schema alone."""
        return tuple(c.name for c in schema.columns if self._binned(c) or self._grouped(c))

    def measure(self, data: Table, *, epsilon: float, noise: Noise, missing_code: bool) -> Coding:
        """Measure the columns with equal parts of epsilon; epsilon-private.

        The neighbours are data with one record more or less. The parts add up by basic composition.
        """
        coding = Coding.of(data.schema, missing_code=missing_code)
        names = self.columns(data.schema)
        columns: dict[str, ColumnCoding] = dict(coding.columns)
        for name in names:
            column, contents = data.schema[name], data.columns[name]
            part = epsilon / len(names)
            if column.kind == "category":
                most = self.groups or column.size
                columns[name] = frequent_values(column, contents, most, epsilon=part, noise=noise)
            else:
                count = column.bins or DEFAULT_BINS
                columns[name] = measured_bins(column, contents, count, epsilon=part, noise=noise)
        return Coding(data.schema, columns, missing_code)

    def _binned(self, column: Column) -> bool:
        numbers = column.kind in ("integer", "real", "time")
        if not self.edges or not numbers or column.edges is not None:
            return False
        grid = Grid(column)
        if grid.continuous or column.bins is not None:
            return True
        return grid.count > (FEW_VALUES if column.discrete else Bins.equal(column).count)

    def _grouped(self, column: Column) -> bool:
        return column.kind == "category" and self.groups is not None and column.size > self.groups
