"""Coding: tables of any columns as small codes without open domains, and back.

Real numbers, times and large integers are cut into bins, and rare categories may share a group.
Everything here is a function of the schema or of numbers that the caller gives. Nothing is learned
from the records, so a sanitizer may use it on private data. What attacks and measures compare is
public to them; they cut it at its own quantiles, with :mod:`quintain.kernels.quantile_bins`.
"""

from quintain.data.coding.bins import DEFAULT_BINS, Bins
from quintain.data.coding.coding import Coding, ColumnCoding, needs_bins
from quintain.data.coding.grid import Grid
from quintain.data.coding.groups import Groups

__all__ = ["DEFAULT_BINS", "Bins", "Coding", "ColumnCoding", "Grid", "Groups", "needs_bins"]
