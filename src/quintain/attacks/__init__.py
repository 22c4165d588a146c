"""Stage 5, attacks: from knowledge and a release to a guess, one idea per file.

What does not belong here: truths and scores (an attack never sees them), and any import of a
sanitizer: an attacker who may run the sanitizer gets it in ``Knowledge.code``.
"""

from __future__ import annotations

from quintain.attacks.attack import Attack
from quintain.attacks.threat import Fact, Knowledge, ThreatModel
from quintain.builtin import offer_parts

__all__ = ["Attack", "Fact", "Knowledge", "ThreatModel"]

__getattr__, __dir__ = offer_parts(__name__, __all__)
