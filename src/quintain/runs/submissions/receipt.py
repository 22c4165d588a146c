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
    """One line of the ledger, which a team gets as proof of its submission.

    ``made_by`` is the number of the program that made the files, if the organisers ran one. Lines
    of the first version have no ``format``, and their hashes do not cover it.
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
        """The receipt as its line in the ledger, without the line feed."""
        return json.dumps(self._fields(), sort_keys=True)

    def _fields(self) -> dict[str, Any]:
        return self.model_dump(exclude={"format"} if self.format is None else set())

    def path(self, name: str) -> str:
        """The path of one of its files, below the root."""
        return paths.submission_file(self.team, self.number, name)


def read_line(line: str | bytes, number: int) -> Receipt:
    """The receipt in a line of the ledger; raises for a format that this version cannot read."""
    fields = json.loads(line)
    form = fields.get("format", FORMAT) if isinstance(fields, dict) else FORMAT
    if form != FORMAT:
        raise FolderError(
            f"{paths.LEDGER}: line {number} has the format {form!r}; this version of quintain "
            f"reads {FORMAT!r}"
        )
    return Receipt.model_validate(fields)
