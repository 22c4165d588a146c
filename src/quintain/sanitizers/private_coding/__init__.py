"""Private coding: edges of bins and groups of categories, measured with differential privacy."""

from quintain.sanitizers.private_coding.frequent_values import frequent_values
from quintain.sanitizers.private_coding.measured import MeasuredCoding
from quintain.sanitizers.private_coding.quantiles import quantile_bins

__all__ = ["MeasuredCoding", "frequent_values", "quantile_bins"]
