"""Refit: models that are estimated again after every new measurement, and all their marginals."""

from quintain.sanitizers.synthetic.pgm.refit.crossing import Crossing
from quintain.sanitizers.synthetic.pgm.refit.refit import Refit

__all__ = ["Crossing", "Refit"]
