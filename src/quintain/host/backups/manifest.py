"""Manifest: what is in a backup, with the hash of each part."""

from __future__ import annotations

from pathlib import PurePosixPath

from pydantic import BaseModel, ConfigDict, Field, field_validator

from quintain.errors import QuintainError

MANIFEST = "manifest.json"
TABLES = "tables"
FILES = "files"


class DamagedBackup(QuintainError):
    """A backup is not what was written, or no backup at all."""

    status = 409


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    sha256: str = Field(pattern="^[0-9a-f]{64}$")


class TablePart(_Part):
    """The rows of one table."""

    rows: int = Field(ge=0)


class FilePart(_Part):
    """One file of the site's folder."""

    size: int = Field(ge=0)
    mode: int = Field(ge=0, le=0o777)


class Manifest(BaseModel):
    """Everything in a backup.

    Parameters
    ----------
    made_with : the version of the program.
    database : the version of the tables, as a number of a step.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: int = Field(default=1, ge=1, le=1)
    made_with: str
    time: str
    database: str
    tables: dict[str, TablePart]
    files: dict[str, FilePart]

    @field_validator("files")
    @classmethod
    def _stay_inside(cls, files: dict[str, FilePart]) -> dict[str, FilePart]:
        for name in files:
            path = PurePosixPath(name)
            if path.is_absolute() or ".." in path.parts or path.as_posix() != name or "\0" in name:
                raise ValueError(f"{name!r} is no path inside a folder")
        return files

    def entries(self) -> dict[str, str]:
        """The SHA-256 of every entry of the zip but the manifest."""
        tables = {f"{TABLES}/{name}.jsonl": part.sha256 for name, part in self.tables.items()}
        return tables | {f"{FILES}/{name}": part.sha256 for name, part in self.files.items()}
