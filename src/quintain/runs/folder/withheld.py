"""Withheld: what the revealed archive of a contest leaves out where its rules keep the data secret.

Such an archive has no rows of the original data, and nothing from which somebody could compute
them: neither the keys, which would take the noise off a release, nor checksums, with which somebody
who knows all records but one could guess that one. The commitments to these files stay. For every
other file the archive has the nonce of its commitment, which says nothing about other files.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from quintain.commitment import canonical_json, nonce
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder, parse_file


class Withheld(BaseModel):
    """What an archive without data has instead of the key of all nonces: those of its own files."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["quintain.withheld/1"] = "quintain.withheld/1"
    nonces: dict[str, Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]]

    def nonce_of(self, name: str) -> bytes:
        """The nonce of a file; empty if the archive has none."""
        return bytes.fromhex(self.nonces.get(name, ""))


def withheld_bytes(folder: Folder, names: set[str]) -> bytes:
    """The file that says which nonces the published files have."""
    key = folder.committed_secrets().nonce_key()
    nonces = {name: nonce(key, name).hex() for name in sorted(names)}
    return canonical_json(Withheld(nonces=nonces).model_dump())


def read_withheld(folder: Folder) -> Withheld | None:
    """What an archive without data says of itself; None for any other folder."""
    path = folder.at(paths.WITHHELD)
    if not path.is_file() or folder.at(paths.SEEDS).is_file():
        return None
    return parse_file(path, Withheld.model_validate_json)
