"""Graphical models from noisy marginals: the code that marginal-based sanitizers share.

A sanitizer measures some marginals with noise and passes them to :func:`estimate`, which returns
the distribution over all columns that fits them best. This package never reads private data and
spends no privacy: everything after the measurement is post-processing.

References
----------
McKenna, Sheldon and Miklau (2019), Graphical-model based estimation and inference for differential
privacy.
"""

from quintain.sanitizers.synthetic.pgm.domain import Domain
from quintain.sanitizers.synthetic.pgm.estimation import estimate
from quintain.sanitizers.synthetic.pgm.factor import Factor
from quintain.sanitizers.synthetic.pgm.junction_tree import MOST_CELLS, JunctionTree
from quintain.sanitizers.synthetic.pgm.levels import Levels
from quintain.sanitizers.synthetic.pgm.measurement import (
    Measurement,
    estimate_total,
    nearest_counts,
)
from quintain.sanitizers.synthetic.pgm.model import GraphicalModel

__all__ = [
    "MOST_CELLS",
    "Domain",
    "Factor",
    "GraphicalModel",
    "JunctionTree",
    "Levels",
    "Measurement",
    "estimate",
    "estimate_total",
    "nearest_counts",
]
