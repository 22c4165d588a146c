"""Work: the routes of program workers on other machines; they need a token of a worker."""

from __future__ import annotations

import asyncio
import time
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, status
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel, Field

from quintain_host.access import NotAllowed
from quintain_host.programs.workers import (
    announce,
    claim_call,
    sealed_input,
    show_life,
    take_result,
    worker_with_token,
)
from quintain_host.web.requests import SiteOf, bearer_token, site_of, visitor_of

LONGEST_WAIT = 30.0
"""How many seconds a worker may wait for a job in one request."""

_PAUSE = 0.5


def worker_of(request: Request) -> str:
    """The worker that sends a request; people are refused."""
    if visitor_of(request).account is not None:
        raise NotAllowed("this is not a token of a worker")
    return worker_with_token(site_of(request), bearer_token(request))


WorkerOf = Annotated[str, Depends(worker_of)]
Attempt = Annotated[int, Query(ge=1, le=2**31 - 1)]
JobNumber = Annotated[int, Field(ge=1, le=2**31 - 1)]

WORK = APIRouter(prefix="/work", tags=["workers"])


class Offer(BaseModel):
    """What a worker says about itself when it asks for a job.

    ``able`` is whether the escape suite failed to break its sandbox, ``why`` the reason if not,
    and ``wait`` the seconds that it waits for a job.
    """

    able: bool
    why: str = Field(default="", max_length=2000)
    wait: float = Field(default=0.0, ge=0, le=LONGEST_WAIT)


class Assignment(BaseModel):
    """A job for a worker: its number and attempt, the name of its input, and its lease."""

    job: int
    attempt: int
    call: str
    lease: float


_OFFERED: dict[int | str, dict[str, Any]] = {
    200: {"model": Assignment, "description": "A job."},
    204: {"description": "There is nothing to do."},
}


@WORK.post("/claim", response_model=None, responses=_OFFERED)
async def claim_job(offer: Offer, site: SiteOf, worker: WorkerOf) -> Assignment | Response:
    """Take the next job; waits for one as long as you like."""
    end = time.monotonic() + (offer.wait if offer.able else 0.0)
    await run_in_threadpool(announce, site, worker, able=offer.able, why=offer.why)
    while True:
        claimed = await run_in_threadpool(claim_call, site, worker) if offer.able else None
        if claimed is not None:
            return Assignment(
                job=claimed.job,
                attempt=claimed.attempt,
                call=str(claimed.arguments["call"]),
                lease=site.settings.lease,
            )
        if time.monotonic() >= end:
            return Response(status_code=status.HTTP_204_NO_CONTENT)
        await asyncio.sleep(_PAUSE)


_BYTES: dict[int | str, dict[str, Any]] = {200: {"content": {"application/octet-stream": {}}}}


@WORK.get("/{job}/input", response_class=StreamingResponse, responses=_BYTES)
def job_input(
    job: JobNumber, attempt: Attempt, site: SiteOf, worker: WorkerOf
) -> StreamingResponse:
    """The sealed input of the job that you have claimed."""
    sealed = sealed_input(site, worker, job, attempt)
    return StreamingResponse(sealed, media_type="application/octet-stream")


@WORK.post("/{job}/beat", status_code=204)
def beat(job: JobNumber, attempt: Attempt, site: SiteOf, worker: WorkerOf) -> None:
    """A sign of life; a job without one goes to another worker when its lease ends."""
    show_life(site, worker, job, attempt)


@WORK.post(
    "/{job}/result",
    status_code=204,
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/octet-stream": {"schema": {"type": "string"}}},
        }
    },
)
async def job_result(
    job: JobNumber, attempt: Attempt, request: Request, site: SiteOf, worker: WorkerOf
) -> None:
    """The sealed result of the job; refused if the job is in other hands by now."""
    sealed = await request.body()  # the gate has limited its size
    await run_in_threadpool(take_result, site, worker, job, attempt, sealed)
