"""Phase: a time in which teams hand something in."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from quintain.contests.fields import Id, Model, part_field
from quintain.programs import Contract


class Phase(Model):
    """A time in which something may be handed in; without dates it is always open.

    Parameters
    ----------
    submit : what is handed in: a "release" of one's own private data, or a "guess".
    contract : hand in a program that makes it instead; the organisers call it in this way.
    opens, closes : UTC times.
    per_day, total : how many submissions a team may make.
    per_file : how often it may hand in a file of the same name: attempts at one task.
    keep : how many of a team's last releases count, each as an entry of its own.
    counts : whether of several guesses at one task the "last" counts, or the "best" for the
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
            raise ValueError("keep is for releases; of guesses, say which counts")
        if self.submit == "release" and (self.per_file is not None or self.counts != "last"):
            raise ValueError(
                "per_file and counts are for guesses; of releases, say how many to keep"
            )
        return self

    @model_validator(mode="after")
    def _dates(self) -> Self:
        for moment in (self.opens, self.closes):
            if moment is not None and moment.utcoffset() != timedelta(0):
                raise ValueError(f"write times in UTC, like 2026-05-01T12:00:00Z, not {moment}")
        if self.opens and self.closes and self.opens >= self.closes:
            raise ValueError(f"closes at {self.closes}, not after it opens at {self.opens}")
        return self
