"""Person: what a provider has proved about somebody."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ProvedPerson:
    """Somebody of whom a provider has proved who they are.

    ``email`` is empty unless the provider has checked the address; ``name`` may be empty.
    """

    issuer: str
    subject: str
    email: str = ""
    name: str = ""

    def as_json(self) -> dict[str, Any]:
        """For the row of an attempt."""
        return asdict(self)
