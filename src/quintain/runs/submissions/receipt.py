"""Receipt: one accepted submission, as a line of the ledger and as a team's proof."""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from quintain.commitment import sha256
from quintain.errors import FolderError
from quintain.runs.folder import paths

FORMAT: Literal["quintain.ledger/1"] = "quintain.ledger/1"

GENESIS = "0" * 64
"""What the first line of a ledger names instead of the hash of the line before."""


class Receipt(BaseModel):
    """One line of the ledger, and what a team gets as proof of having submitted.

    ``made_by`` is the number of the program that made the files, if the organisers ran one. Lines
    from before there was a ``format`` have none, and their hashes are without it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["quintain.ledger/1"] | None = None
    number: int
    team: str
    track: str
    phase: str
    kind: Literal["release", "guess", "program"]
    time: str
    files: dict[str, str]
    made_by: int | None = None
    previous: str
    hash: str = ""

    def sealed(self) -> Receipt:
        """The receipt with the hash over everything else in it."""
        content = {key: value for key, value in self._fields().items() if key != "hash"}
        digest = sha256(json.dumps(content, sort_keys=True).encode())
        return self.model_copy(update={"hash": digest})

    def line(self) -> str:
        """Its line in the ledger."""
        return json.dumps(self._fields(), sort_keys=True)

    def _fields(self) -> dict[str, Any]:
        return self.model_dump(exclude={"format"} if self.format is None else set())

    def path(self, name: str) -> str:
        """Where one of its files is kept, below the root."""
        return paths.submitted(self.team, self.number, name)


def read_line(line: str | bytes, number: int) -> Receipt:
    """A line of the ledger; one that a later version wrote is refused in words."""
    fields = json.loads(line)
    form = fields.get("format", FORMAT) if isinstance(fields, dict) else FORMAT
    if form != FORMAT:
        raise FolderError(
            f"{paths.LEDGER}: line {number} has the format {form!r}; this version of quintain "
            f"reads {FORMAT!r}"
        )
    return Receipt.model_validate(fields)
