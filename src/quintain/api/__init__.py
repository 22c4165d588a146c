"""API: the functions for notebooks, which take data frames and give data frames back.

Users call them as ``quintain.sanitize``, ``quintain.attack``, ``quintain.measure``,
``quintain.audit`` and ``quintain.compare``. What does not belong here: anything that a contest does
and a notebook does not.
"""

from quintain.api.accounting import audit_accounting
from quintain.api.attacking import attack
from quintain.api.auditing import audit, audit_everybody, audit_sanitizer
from quintain.api.comparing import compare
from quintain.api.inputs import learn_schema
from quintain.api.measuring import measure
from quintain.api.parts import part, parts
from quintain.api.sanitizing import sanitize

__all__ = [
    "attack",
    "audit",
    "audit_accounting",
    "audit_everybody",
    "audit_sanitizer",
    "compare",
    "learn_schema",
    "measure",
    "part",
    "parts",
    "sanitize",
]
