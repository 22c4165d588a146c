"""Fields: what the routes of organisers take and return."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

from fastapi import Path
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from quintain.contests.roster import Quota
from quintain_host.database.work import QueuedJob
from quintain_host.organising.dashboard import is_look

_LARGEST = 2**31 - 1
"""The largest number of a row; a database would refuse a larger one."""

EditionId = Annotated[str, Path(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")]
TeamId = Annotated[str, Path(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")]
FileName = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-][A-Za-z0-9._ -]{0,99}$")]
Number = Annotated[int, Path(ge=1, le=_LARGEST)]
Limit = Annotated[int | None, Field(ge=1, le=_LARGEST)]


def _without_nul(text: str) -> str:
    if "\x00" in text:
        raise ValueError("a text has no NUL character")
    return text


Text = Annotated[str, Field(max_length=200_000), AfterValidator(_without_nul)]
Line = Annotated[str, Field(max_length=1000), AfterValidator(_without_nul)]


class RequestBody(BaseModel):
    """The base of what organisers send; an unknown field is refused."""

    model_config = ConfigDict(extra="forbid")


class Started(BaseModel):
    """A job that the workers will do; ``/jobs/JOB`` says how it goes."""

    job: int


class Done(BaseModel):
    """Something that was done at once."""

    done: bool = True


class MailedLinks(RequestBody):
    """To whom invitations go; a form has all addresses in one text."""

    addresses: Annotated[list[Line], Field(max_length=200)]

    @classmethod
    def read_form(cls, fields: Mapping[str, Any]) -> dict[str, Any]:
        """From a form, in which spaces or line ends stand between addresses."""
        given = fields.get("addresses", "")
        return {"addresses": (given if isinstance(given, str) else " ".join(given)).split()}


class MailsSent(BaseModel):
    """How many people get a mail."""

    people: int


class Limits(RequestBody):
    """Limits of one team; null means those of the phases."""

    per_day: Limit = None
    total: Limit = None
    per_file: Limit = None

    def quota(self) -> Quota:
        """The limits as the rules know them."""
        return Quota(self.per_day, self.total, self.per_file)


class JobView(BaseModel):
    """A job of the queue, as the organisers of its contest see it."""

    id: int
    lane: str
    kind: str
    team: str | None
    state: str
    attempt: int
    reason: str
    result: dict[str, Any]
    requested: datetime
    started: datetime | None
    ended: datetime | None

    @classmethod
    def of(cls, job: QueuedJob) -> JobView:
        """A row of the queue without what only workers need."""
        return cls(**{name: getattr(job, name) for name in cls.model_fields})

    @classmethod
    def in_list(cls, job: QueuedJob) -> JobView:
        """A row without standings before the reveal; the job itself shows them, and logs it."""
        shown = cls.of(job)
        return shown.model_copy(update={"result": {}}) if is_look(job) else shown
