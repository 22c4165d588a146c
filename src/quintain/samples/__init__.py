"""Stage 2, samples: draw the private records that a sanitizer gets from a population.

A sample has a secret: who is in it. The question that attackers answer about this secret is a
goal and belongs to ``guesses``.
"""

from __future__ import annotations

from quintain.builtin import offer_parts
from quintain.samples.sample import Design, Sample

__all__ = ["Design", "Sample"]

__getattr__, __dir__ = offer_parts(__name__, __all__)
