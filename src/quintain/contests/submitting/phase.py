"""Phase: a period in which teams submit releases, guesses or programs."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from quintain.contests.fields import Model, part_field
from quintain.contests.ids import Id
from quintain.contests.submitting.artefact import Artefact
from quintain.programs import Contract


def _is_empty(value: tuple[Artefact, ...]) -> bool:
    return not value


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
    artefact : further files of each submission, such as a model or a report.
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
    artefact: tuple[Artefact, ...] = Field(default=(), exclude_if=_is_empty)

    @model_validator(mode="after")
    def _fitting(self) -> Self:
        if self.submit == "guess" and self.keep != 1:
            raise ValueError("keep is for releases; for guesses, use counts")
        if self.submit == "release" and (self.per_file is not None or self.counts != "last"):
            raise ValueError("per_file and counts are for guesses; for releases, use keep")
        return self

    @model_validator(mode="after")
    def _artefacts(self) -> Self:
        for key in ("name", "file"):
            given = [getattr(artefact, key).lower() for artefact in self.artefact]
            for text in given:
                if given.count(text) > 1:
                    raise ValueError(f"two artefacts have the {key} {text!r}; choose another")
        if self.artefact and self.contract is not None:
            raise ValueError("a program is one zip; leave the artefacts or the contract out")
        for artefact in self.artefact:
            if artefact.published == "with-release" and self.submit == "guess":
                raise ValueError(f"artefact {artefact.name}: guesses come with no release")
        return self

    def artefacts(self, track: str, team: str) -> dict[str, Artefact]:
        """The further files of a team's submission, by their names."""
        return {one.file_name(track, team): one for one in self.artefact}

    @model_validator(mode="after")
    def _dates(self) -> Self:
        for moment in (self.opens, self.closes):
            if moment is not None and moment.utcoffset() != timedelta(0):
                raise ValueError(f"write times in UTC, like 2026-05-01T12:00:00Z, not {moment}")
        if self.opens and self.closes and self.opens >= self.closes:
            raise ValueError(f"closes at {self.closes}, which is not after it opens: {self.opens}")
        return self
