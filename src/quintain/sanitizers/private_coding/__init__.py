"""Private coding: edges of bins and groups of categories, measured with differential privacy."""

from quintain.sanitizers.private_coding.edges import measured_bins
from quintain.sanitizers.private_coding.frequent_values import frequent_values
from quintain.sanitizers.private_coding.measured import MeasuredCoding

__all__ = ["MeasuredCoding", "frequent_values", "measured_bins"]
