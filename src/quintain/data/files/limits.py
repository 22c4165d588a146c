"""Limits: how large a file from outside may be before it is refused without being read."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from quintain.jobs.subprocess_reader import Allowance


class Limits(BaseModel):
    """Limits on files from outside; each is checked before the costly step that it prevents."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    file_bytes: int = Field(default=200_000_000, ge=1)
    rows: int = Field(default=2_000_000, ge=1)
    columns: int = Field(default=1_000, ge=1)
    header_bytes: int = Field(default=1_000_000, ge=1)
    archive_members: int = Field(default=2_000, ge=1)
    archive_bytes: int = Field(default=500_000_000, ge=1)
    archive_ratio: float = Field(default=200.0, gt=1)

    @property
    def packed_bytes(self) -> int:
        """The largest archive: its files could be stored as they are, each with its entry."""
        return self.archive_bytes + _ENTRY_BYTES * self.archive_members

    @property
    def allowance(self) -> Allowance:
        """What reading one file may use; limits that are raised raise it in proportion."""
        usual = Limits()
        factor = max(
            1.0,
            self.file_bytes / usual.file_bytes,
            self.rows / usual.rows,
            self.archive_bytes / usual.archive_bytes,
        )
        return Allowance(int(_MEMORY * factor), int(_SECONDS * factor))


_MEMORY, _SECONDS = 1_500_000_000, 30
"""What it takes to read a file at the usual limits, with room."""
_ENTRY_BYTES = 1000
"""What the name of a file and the facts about it take in an archive, at most."""

DEFAULT_LIMITS = Limits()
NO_LIMITS = Limits(
    file_bytes=1 << 62,
    rows=1 << 62,
    columns=1 << 62,
    header_bytes=1 << 62,
    archive_members=1 << 62,
    archive_bytes=1 << 62,
)
"""For files that this program wrote itself."""
