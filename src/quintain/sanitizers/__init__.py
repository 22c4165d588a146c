"""Stage 3, sanitizers: one algorithm per file, private data in, release and trace out.

What does not belong here: any knowledge of attacks, of truths or of scores. Sanitizers and
attacks never import each other.
"""

from __future__ import annotations

from quintain.builtin import offer_parts
from quintain.sanitizers.sanitizer import Sanitizer, sanitize

__all__ = ["Sanitizer", "sanitize"]

__getattr__, __dir__ = offer_parts(__name__, __all__)
