"""File format: the names of the files of a contest, and how they are written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from quintain.contests.fields import Model
from quintain.data import Schema
from quintain.data.transactions import PERSON_ROLES

CARD = "card.json"
"""The file beside a release that states its methods and its claim."""

DATASET = "dataset.csv"

FileName = Annotated[str, Field(pattern=r"^[A-Za-z0-9._{}-]{1,200}$")]
_PLACEHOLDERS: Mapping[str, set[str]] = {
    "release": {"team"},
    "private": {"team"},
    "truth": {"team"},
    "base": set(),
}

_OPTIONAL: Mapping[str, set[str]] = {"release": {"sample"}}


class FileFormat(Model):
    """The names and the format of the files of a contest.

    Parameters
    ----------
    header : whether data files and guesses start with a line of column names.
    strict : refuse byte order marks and carriage returns.
    deleted : what a deleted row of transactions has in place of the person; empty by default.
    data : whether releases and questions are published as "csv", or as "parquet" for data that
        are too large to be read as text.
    guess : the name of a guess, with {track}, {task} and {attacker}.
    release, private, truth : the names of a team's release, of the private sample that the team
        gets, and of the secret answer about it, with {track} and {team}. If an edition gives the
        name of releases, a release under another name is refused. Where teams choose among several
        samples, {sample} in the name of a release says which one it is made from.
    base : the name of the file with the population, with {track}.
    dataset : the name of the file with the data set that the population was made from.
    """

    header: bool = True
    strict: bool = False
    deleted: str = ""
    data: Literal["csv", "parquet"] = "csv"
    guess: FileName = "{task}.csv"
    release: FileName | None = None
    private: FileName = "{track}_private_{team}.csv"
    truth: FileName = "{track}_truth_{team}.csv"
    base: FileName = "{track}_base.csv"
    dataset: FileName = Field(default=DATASET, exclude_if=lambda name: name == DATASET)

    @model_validator(mode="after")
    def _guess_of_a_task(self) -> Self:
        rest = re.sub(r"\{(track|task|attacker)\}", "", self.guess)
        if "{" in rest or "}" in rest:
            raise ValueError("guess may contain {track}, {task} and {attacker}, and no other brace")
        return self

    @model_validator(mode="after")
    def _unique(self) -> Self:
        for key, wanted in _PLACEHOLDERS.items():
            if getattr(self, key) is None:
                continue
            given = set(re.findall(r"\{(\w*)\}", getattr(self, key)))
            if given - {"track"} - _OPTIONAL.get(key, set()) != wanted:
                need = ", ".join(f"{{{name}}}" for name in sorted(wanted)) or "{track} at most"
                raise ValueError(f"{key} must contain {need}")
        return self

    def spelled(self, schema: Schema) -> Schema:
        """The schema with this format's way to write the person of a deleted row."""
        person = next((c for c in schema.columns if c.role in PERSON_ROLES), None)
        if not self.deleted or schema.shape != "transactions" or person is None:
            return schema
        spelled = person.model_copy(update={"nullable": True, "missing": self.deleted})
        columns = tuple(spelled if c is person else c for c in schema.columns)
        return schema.model_copy(update={"columns": columns})
