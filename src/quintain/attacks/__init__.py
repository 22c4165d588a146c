"""Stage 5, attacks: one idea per file, knowledge and release in, guess out.

What does not belong here: truths and scores (an attack never sees them), and any import of a
sanitizer: an attacker who may run the sanitizer is handed it in ``Knowledge.code``.
"""

from quintain.attacks.attack import Attack, attack
from quintain.attacks.threat import Fact, Knowledge, ThreatModel

__all__ = ["Attack", "Fact", "Knowledge", "ThreatModel", "attack"]
