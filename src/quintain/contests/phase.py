"""Phase: a period in which teams submit releases, guesses or programs."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from quintain.contests.fields import Model, part_field
from quintain.contests.ids import Id
from quintain.programs import Contract


class Phase(Model):
    """A period in which teams may submit something; without dates it is always open.

    Parameters
    ----------
    submit : what teams submit: a "release" of their private data, or a "guess".
    contract : if given, teams submit a program that makes the release or the guess; the contract
        says how the organisers call it.
    opens, closes : when the phase begins and ends, in UTC.
    per_day, total : how many submissions a team may make per day and in total.
    per_file : how often a team may submit a file of the same name, that is, attempts per task.
    keep : how many of a team's last releases count, each as a separate entry.
    counts : which of several guesses at one task counts: the "last", or the "best" for the
        attacker.
    """

    id: Id
    submit: Literal["release", "guess"]
    contract: Annotated[Contract, *part_field("contract")] | None = None
    opens: datetime | None = None
    closes: datetime | None = None
    per_day: Annotated[int, Field(ge=1)] | None = None
    total: Annotated[int, Field(ge=1)] | None = None
    per_file: Annotated[int, Field(ge=1)] | None = None
    keep: Annotated[int, Field(ge=1)] = 1
    counts: Literal["last", "best"] = "last"

    @model_validator(mode="after")
    def _fitting(self) -> Self:
        if self.submit == "guess" and self.keep != 1:
            raise ValueError("keep is for releases; for guesses, use counts")
        if self.submit == "release" and (self.per_file is not None or self.counts != "last"):
            raise ValueError("per_file and counts are for guesses; for releases, use keep")
        return self

    @model_validator(mode="after")
    def _dates(self) -> Self:
        for moment in (self.opens, self.closes):
            if moment is not None and moment.utcoffset() != timedelta(0):
                raise ValueError(f"write times in UTC, like 2026-05-01T12:00:00Z, not {moment}")
        if self.opens and self.closes and self.opens >= self.closes:
            raise ValueError(f"closes at {self.closes}, which is not after it opens: {self.opens}")
        return self
