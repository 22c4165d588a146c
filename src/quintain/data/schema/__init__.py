"""Schemas: the columns of a data set, with their domains, units, roles and bins."""

from quintain.data.schema.column import LARGEST_DOMAIN, MOST_BINS, Column, Kind
from quintain.data.schema.column_names import ColumnNames
from quintain.data.schema.schema import Schema, Shape

__all__ = ["LARGEST_DOMAIN", "MOST_BINS", "Column", "ColumnNames", "Kind", "Schema", "Shape"]
