"""Steps: create an edition from its TOML, change it, and go from its check to its reveal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse
from pydantic import Base64Bytes, BaseModel, Field

from quintain.errors import Refused
from quintain.runs.organising.amend import checked_reason
from quintain.runs.organising.decide import Decision
from quintain_host.access import BadInput, check_each
from quintain_host.organising import drafts, steps
from quintain_host.organising.drafts import preview_kit
from quintain_host.web.api.organise.fields import (
    Done,
    EditionId,
    FileName,
    Line,
    RequestBody,
    Started,
    Text,
)
from quintain_host.web.requests import SiteOf, VisitorOf, sent_form
from quintain_host.web.security.downloads import download_file
from quintain_host.web.security.rate_limits import limit_codes

DRAFTS = APIRouter()

_BINARY = {"type": "string", "format": "binary"}
_SCHEMA = {"type": "object", "properties": {"file": _BINARY}, "required": ["file"]}
_FILE: dict[str, Any] = {
    "requestBody": {"required": True, "content": {"multipart/form-data": {"schema": _SCHEMA}}}
}


class NewEdition(RequestBody):
    """An edition file, with the data files that it names."""

    toml: Text
    files: dict[Line, Base64Bytes] = Field(default={}, max_length=20)


class Created(BaseModel):
    """The id of a new edition."""

    id: str


class DraftText(RequestBody):
    """The text of an edition file."""

    toml: Text


class DraftFileView(BaseModel):
    """A data file of a draft."""

    name: str
    size: int
    sha256: str


class DraftView(BaseModel):
    """An edition file, its data files, and what becomes public of them and when."""

    id: str
    state: str
    toml: str
    files: list[DraftFileView]
    disclosures: list[str]


@DRAFTS.post("/editions", status_code=201)
def create_edition(site: SiteOf, visitor: VisitorOf, given: NewEdition) -> Created:
    """Create an edition; an edition file with faults is refused with all of them."""
    return Created(id=drafts.create(site, visitor, given.toml, given.files))


@DRAFTS.get("/editions/{edition}/organise/draft")
def read_draft(site: SiteOf, visitor: VisitorOf, edition: EditionId) -> DraftView:
    """The edition file, as its organisers wrote it."""
    draft = drafts.draft(site, visitor, edition)
    files = [DraftFileView(name=f.name, size=f.size, sha256=f.digest) for f in draft.files]
    row = draft.edition
    shown = list(drafts.disclosures_of(site, draft))
    return DraftView(id=row.id, state=row.state, toml=row.toml, files=files, disclosures=shown)


@DRAFTS.put("/editions/{edition}/organise/draft")
def change_draft(site: SiteOf, visitor: VisitorOf, edition: EditionId, given: DraftText) -> Done:
    """Replace the edition file of a draft."""
    drafts.change(site, visitor, edition, given.toml)
    return Done()


@DRAFTS.put("/editions/{edition}/organise/draft/files/{name}", openapi_extra=_FILE)
async def add_draft_file(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId, name: FileName
) -> Done:
    """Add a data file, or replace one."""
    visitor.require_organiser(edition)  # before a single byte is read
    form = await sent_form(request)
    if len(form.files) != 1:
        raise BadInput("send exactly one file")
    (file,) = form.files.values()
    await run_in_threadpool(drafts.add_sent_file, site, visitor, edition, name, file)
    return Done()


@DRAFTS.delete("/editions/{edition}/organise/draft/files/{name}")
def remove_draft_file(site: SiteOf, visitor: VisitorOf, edition: EditionId, name: FileName) -> Done:
    """Take a data file out of a draft."""
    drafts.remove_file(site, visitor, edition, name)
    return Done()


@DRAFTS.get("/editions/{edition}/organise/preview/kit", response_class=FileResponse)
def kit_of_preview(site: SiteOf, visitor: VisitorOf, edition: EditionId) -> FileResponse:
    """The kit of the pretend team of a preview."""
    path = preview_kit(site, visitor, edition)
    return download_file(path, f"{edition}-preview-kit.zip", "application/zip")


STEPS = APIRouter(prefix="/editions/{edition}/organise")


class Preparing(RequestBody):
    """How to prepare: the beacon if the rules announced one, and which rounds."""

    beacon: Line = ""
    tracks: tuple[Line, ...] = ()
    seed: Annotated[int | None, Field(ge=0, le=2**31 - 1)] = None


class OneTrack(RequestBody):
    """The track that a step is about; null if there is only one."""

    track: Line | None = None


class WithReason(RequestBody):
    """A reason that everybody can read."""

    reason: Line = ""


class Revealing(RequestBody):
    """The id of the contest, typed again, and a code of the second factor.

    Where the contest has data of the organisers' own, ``publish_data`` says that they agree: the
    reveal publishes the columns that the draft lists in ``disclosures``.
    """

    confirmed: Line
    code: Line = ""
    publish_data: bool = False


class Extending(RequestBody):
    """When a phase closes now, in UTC, and why; for one team if it is named."""

    track: Line
    phase: Line
    until: Line
    reason: Line
    team: Line | None = None

    @classmethod
    def read_form(cls, fields: Mapping[str, str]) -> dict[str, Any]:
        """From a form, in which one choice may name track and phase: "main/attack"."""
        given = {name: fields.get(name, "") for name in ("track", "phase", "until", "reason")}
        if not given["track"]:
            given["track"], _, given["phase"] = given["phase"].partition("/")
        return {**given, "team": fields.get("team") or None}


class Deciding(RequestBody):
    """A decision on a team, or on one of its releases."""

    decision: Decision
    team: Line
    reason: Line
    track: Line | None = None
    entry: Line | None = None


class Amending(RequestBody):
    """Other rules as an edition file, and why."""

    toml: Text
    reason: Line


@STEPS.post("/lint", status_code=202)
def lint(site: SiteOf, visitor: VisitorOf, edition: EditionId) -> Started:
    """Look for faults that real contests had."""
    return Started(job=steps.lint(site, visitor, edition))


@STEPS.post("/preview", status_code=202)
def preview(site: SiteOf, visitor: VisitorOf, edition: EditionId) -> Started:
    """Prepare a copy of the draft with a pretend team."""
    return Started(job=steps.preview(site, visitor, edition))


@STEPS.post("/rehearse", status_code=202)
def rehearse(site: SiteOf, visitor: VisitorOf, edition: EditionId) -> Started:
    """Let built-in teams play the draft; nothing is launched."""
    return Started(job=steps.rehearse(site, visitor, edition))


@STEPS.post("/prepare", status_code=202)
def prepare(site: SiteOf, visitor: VisitorOf, edition: EditionId, given: Preparing) -> Started:
    """Fix the rules and draw the data, or prepare the next round."""
    job = steps.prepare(
        site, visitor, edition, beacon=given.beacon.strip(), tracks=given.tracks, seed=given.seed
    )
    return Started(job=job)


@STEPS.post("/hand-over", status_code=202)
def hand_over(site: SiteOf, visitor: VisitorOf, edition: EditionId, given: OneTrack) -> Started:
    """Give the releases of a track to the attackers."""
    return Started(job=steps.hand_over(site, visitor, edition, given.track))


@STEPS.post("/score", status_code=202)
def score(site: SiteOf, visitor: VisitorOf, edition: EditionId) -> Started:
    """Score now, although nothing new happened."""
    return Started(job=steps.score(site, visitor, edition))


@STEPS.post("/freeze", status_code=202)
def freeze(site: SiteOf, visitor: VisitorOf, edition: EditionId, given: WithReason) -> Started:
    """End the contest."""
    return Started(job=steps.freeze(site, visitor, edition, given.reason))


@STEPS.post("/reveal", status_code=202)
def reveal(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId, given: Revealing
) -> Started:
    """Publish every secret."""
    limit_codes(request, visitor.require_organiser(edition))
    job = steps.reveal(
        site, visitor, edition, given.confirmed, given.code, publish_data=given.publish_data
    )
    return Started(job=job)


@STEPS.post("/extensions", status_code=202)
def extend(site: SiteOf, visitor: VisitorOf, edition: EditionId, given: Extending) -> Started:
    """Let a phase close later, for every team or for one."""
    visitor.require_organiser(edition)
    try:
        until = steps.utc_time(given.until)
    except Refused:  # then nobody looks at the date; say what is wrong with the reason, too
        check_each(lambda: steps.utc_time(given.until), lambda: checked_reason(given.reason))
        raise
    what = (given.track, given.phase, until, given.reason)
    return Started(job=steps.extend(site, visitor, edition, *what, team=given.team))


@STEPS.post("/decisions", status_code=202)
def decide(site: SiteOf, visitor: VisitorOf, edition: EditionId, given: Deciding) -> Started:
    """Disqualify a team or a release, or reinstate it."""
    what = (given.decision, given.team, given.reason)
    job = steps.decide(site, visitor, edition, *what, track=given.track, entry=given.entry)
    return Started(job=job)


@STEPS.post("/amendments", status_code=202)
def amend(site: SiteOf, visitor: VisitorOf, edition: EditionId, given: Amending) -> Started:
    """Put other rules in force."""
    return Started(job=steps.amend(site, visitor, edition, given.toml, given.reason))
