"""Stage 5, attacks: from knowledge and a release to a guess, one idea per file.

What does not belong here: truths and scores (an attack never sees them), and any import of a
sanitizer: an attacker who may run the sanitizer gets it in ``Knowledge.code``.
"""

from __future__ import annotations

from typing import Any

from quintain.attacks.attack import Attack, attack
from quintain.attacks.threat import Fact, Knowledge, ThreatModel
from quintain.builtin import part_class, part_classes

__all__ = ["Attack", "Fact", "Knowledge", "ThreatModel", "attack"]


def __getattr__(name: str) -> Any:
    """Import a built-in part by its class name when it is first used."""
    return part_class(__name__, name)


def __dir__() -> list[str]:
    return sorted([*__all__, *part_classes(__name__)])
