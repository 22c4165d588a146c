"""Stage 2, samples: from a population to the private records a sanitizer is given.

A sample holds a secret: who is in it. What does not belong here: how the secret is asked about
(that is a goal, in ``guesses``).
"""

from quintain.samples.sample import Design, Sample

__all__ = ["Design", "Sample"]
