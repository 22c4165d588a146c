"""Stage 3, sanitizers: one algorithm a file, private data in, release out.

What does not belong here: any knowledge of attacks, of truths or of scores. Sanitizers and
attacks never import each other.
"""

from quintain.sanitizers.sanitizer import Sanitizer, sanitize

__all__ = ["Sanitizer", "sanitize"]
