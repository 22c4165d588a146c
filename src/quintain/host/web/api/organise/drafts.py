"""Drafts: create an edition from its TOML, change it, and add its data files."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse
from pydantic import Base64Bytes, BaseModel, Field

from quintain.host.organising.drafting import drafts
from quintain.host.organising.drafting.preview_site import preview_kit
from quintain.host.refusals import BadInput
from quintain.host.web.api.organise.fields import (
    Done,
    EditionId,
    FileName,
    Line,
    RequestBody,
    Text,
)
from quintain.host.web.requests import SiteOf, VisitorOf
from quintain.host.web.security.downloads import download_file
from quintain.host.web.sent_form import sent_form

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
