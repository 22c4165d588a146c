"""Overview: how a contest stands, its jobs, its log, and second judgements."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel

from quintain_host.database.contests import Rejudging
from quintain_host.organising import overview, rejudging
from quintain_host.organising.dashboard import look_at_job
from quintain_host.organising.overview import actions_of, overview_of
from quintain_host.web.api.organise.fields import (
    Done,
    EditionId,
    JobView,
    Line,
    Number,
    RequestBody,
    Text,
)
from quintain_host.web.requests import SiteOf, VisitorOf

OVERVIEW = APIRouter(prefix="/editions/{edition}/organise")


class NextStepView(BaseModel):
    """Something that waits for the organisers."""

    sentence: str
    urgent: bool


class SeenWorker(BaseModel):
    """A worker that has been seen."""

    name: str
    lanes: list[str]
    able: bool
    why: str
    seen: datetime
    alive: bool


class OverviewView(BaseModel):
    """How a contest stands: what waits, what is stuck and why."""

    edition: str
    state: str
    steps: list[NextStepView]
    jobs: list[JobView]
    workers: list[SeenWorker]
    uploads_waiting: int
    oldest_upload: datetime | None
    free_bytes: int


class ActionView(BaseModel):
    """One line of the audit log."""

    number: int
    time: datetime
    person: str
    action: str
    details: str


class NewRejudging(RequestBody):
    """Why to judge a second time, and the rules to try; empty means those in force."""

    reason: Line
    toml: Text = ""


class RejudgingView(BaseModel):
    """A second judgement, with the difference that it makes."""

    id: int
    state: str
    reason: str
    created: datetime
    difference: dict[str, Any]

    @classmethod
    def of(cls, row: Rejudging) -> RejudgingView:
        """A row of the table."""
        return cls(**{name: getattr(row, name) for name in cls.model_fields})


class RejudgingStarted(BaseModel):
    """The number of a second judgement."""

    rejudging: int


@OVERVIEW.get("/overview")
def read_overview(site: SiteOf, visitor: VisitorOf, edition: EditionId) -> OverviewView:
    """Everything that organisers should know now."""
    seen = overview_of(site, visitor, edition)
    return OverviewView(
        edition=seen.edition.id,
        state=seen.edition.state,
        steps=[NextStepView(sentence=step.sentence, urgent=step.urgent) for step in seen.steps],
        jobs=[JobView.in_list(job) for job in seen.jobs],
        workers=[
            SeenWorker(
                name=worker.name,
                lanes=list(worker.lanes),
                able=worker.able,
                why=worker.why,
                seen=worker.seen,
                alive=worker.alive,
            )
            for worker in seen.workers
        ],
        uploads_waiting=seen.waiting,
        oldest_upload=seen.oldest,
        free_bytes=seen.free,
    )


@OVERVIEW.get("/jobs/{number}")
def read_job(site: SiteOf, visitor: VisitorOf, edition: EditionId, number: Number) -> JobView:
    """How a job goes, with its result; a look at standings before the reveal is recorded."""
    return JobView.of(look_at_job(site, visitor, edition, number))


@OVERVIEW.post("/jobs/{number}/retry")
def retry_job(site: SiteOf, visitor: VisitorOf, edition: EditionId, number: Number) -> Done:
    """Try a failed job again."""
    overview.retry_job(site, visitor, edition, number)
    return Done()


@OVERVIEW.post("/jobs/{number}/cancel")
def cancel_job(site: SiteOf, visitor: VisitorOf, edition: EditionId, number: Number) -> Done:
    """Take a job out of the queue."""
    overview.cancel_job(site, visitor, edition, number)
    return Done()


@OVERVIEW.get("/log")
def read_log(
    site: SiteOf,
    visitor: VisitorOf,
    edition: EditionId,
    before: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
) -> list[ActionView]:
    """What people did in this contest, the newest first."""
    lines = actions_of(site, visitor, edition, before=before)
    return [
        ActionView(
            number=line.number,
            time=line.time,
            person=line.person,
            action=line.action,
            details=line.details,
        )
        for line in lines
    ]


@OVERVIEW.get("/rejudgings")
def list_rejudgings(site: SiteOf, visitor: VisitorOf, edition: EditionId) -> list[RejudgingView]:
    """All second judgements of a contest."""
    return [RejudgingView.of(row) for row in rejudging.rejudgings(site, visitor, edition)]


@OVERVIEW.post("/rejudgings", status_code=202)
def start_rejudging(
    site: SiteOf, visitor: VisitorOf, edition: EditionId, given: NewRejudging
) -> RejudgingStarted:
    """Judge a contest a second time beside the first."""
    number = rejudging.start(site, visitor, edition, given.reason, given.toml)
    return RejudgingStarted(rejudging=number)


@OVERVIEW.get("/rejudgings/{number}")
def read_rejudging(
    site: SiteOf, visitor: VisitorOf, edition: EditionId, number: Number
) -> RejudgingView:
    """One second judgement, with the difference that it makes."""
    return RejudgingView.of(rejudging.rejudging(site, visitor, edition, number))


@OVERVIEW.post("/rejudgings/{number}/apply", status_code=202)
def apply_rejudging(site: SiteOf, visitor: VisitorOf, edition: EditionId, number: Number) -> Done:
    """Make a second judgement the one that counts."""
    rejudging.apply(site, visitor, edition, number)
    return Done()


@OVERVIEW.post("/rejudgings/{number}/drop")
def drop_rejudging(site: SiteOf, visitor: VisitorOf, edition: EditionId, number: Number) -> Done:
    """Forget a second judgement."""
    rejudging.drop(site, visitor, edition, number)
    return Done()
