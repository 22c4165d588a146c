"""Stage 5, attacks: one idea per file, knowledge and release in, guess out.

What does not belong here: truths and scores (an attack never sees them), and any import of a
sanitizer: an attacker who may run the sanitizer is handed it in ``Knowledge.code``.
"""

from __future__ import annotations

from typing import Any

from quintain.attacks.attack import Attack, attack
from quintain.attacks.threat import Fact, Knowledge, ThreatModel
from quintain.builtin import part_class, part_classes

__all__ = ["Attack", "Fact", "Knowledge", "ThreatModel", "attack"]


def __getattr__(name: str) -> Any:
    """Built-in parts by class name, imported when they are first used."""
    return part_class(__name__, name)


def __dir__() -> list[str]:
    return sorted([*__all__, *part_classes(__name__)])
