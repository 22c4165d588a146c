"""Task: one question of a track, the unit that attackers answer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Task:
    """One question of a track: an entry and the number of its repetition."""

    track: str
    entry: str
    repeat: int = 0
    repeats: int = 1

    @property
    def args(self) -> tuple[str, str, int, int]:
        """The task as plain arguments of a job."""
        return self.track, self.entry, self.repeat, self.repeats

    @property
    def name(self) -> str:
        """The name of its files.

        >>> Task("main", "identity").name, Task("main", "identity", 2, 5).name
        ('identity', 'identity.002')
        """
        return self.entry if self.repeats == 1 else f"{self.entry}.{self.repeat:03d}"
