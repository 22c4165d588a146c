"""Own pages: what organisers write and show beside the pages of the site."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel, Field

from quintain_host.access import BadInput
from quintain_host.organising import custom_pages, pictures
from quintain_host.web.api.organise.fields import (
    Done,
    EditionId,
    FileName,
    Line,
    RequestBody,
    Text,
)
from quintain_host.web.requests import SiteOf, VisitorOf, sent_form

CUSTOM_PAGES = APIRouter(prefix="/editions/{edition}/organise")

PageName = Annotated[str, Path(pattern=r"^[a-z0-9][a-z0-9-]{0,59}$")]

PICTURE_FORM: dict[str, Any] = {
    "requestBody": {
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "properties": {"file": {"type": "string", "format": "binary"}},
                    "required": ["file"],
                }
            }
        }
    }
}


class NewPage(RequestBody):
    """A page; its text is Markdown."""

    title: Line
    text: Text


class ChangedPage(NewPage):
    """A page with its place among the others; without one, it stays where it is."""

    position: Annotated[int | None, Field(ge=1, le=1000)] = None


class AddedPage(BaseModel):
    """The name of a page in its address."""

    page: str


class AddedPicture(BaseModel):
    """A picture as it was stored; texts show it by its name."""

    name: str
    width: int
    height: int
    size: int


class LogoChoice(RequestBody):
    """The name of the picture that stands beside the title; null shows none."""

    picture: Line | None = None


@CUSTOM_PAGES.post("/pages", status_code=201)
def add_page(site: SiteOf, visitor: VisitorOf, edition: EditionId, given: NewPage) -> AddedPage:
    """Add a page after the others."""
    return AddedPage(page=custom_pages.add_page(site, visitor, edition, given.title, given.text))


@CUSTOM_PAGES.put("/pages/{page}")
def change_page(
    site: SiteOf, visitor: VisitorOf, edition: EditionId, page: PageName, given: ChangedPage
) -> Done:
    """Change a page; its address stays."""
    custom_pages.change_page(site, visitor, edition, page, **given.model_dump())
    return Done()


@CUSTOM_PAGES.delete("/pages/{page}")
def remove_page(site: SiteOf, visitor: VisitorOf, edition: EditionId, page: PageName) -> Done:
    """Take a page away."""
    custom_pages.remove_page(site, visitor, edition, page)
    return Done()


@CUSTOM_PAGES.put("/pictures/{name}", openapi_extra=PICTURE_FORM)
async def add_picture(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId, name: FileName
) -> AddedPicture:
    """Add a picture (PNG, JPEG or WebP), or replace one; only its pixels are kept."""
    visitor.require_organiser(edition)  # before a single byte is read
    form = await sent_form(request)
    if len(form.files) != 1:
        raise BadInput("choose a picture: exactly one file").about("file")
    (file,) = form.files.values()
    row = await run_in_threadpool(pictures.add_picture, site, visitor, edition, name, file)
    return AddedPicture(name=row.name, width=row.width, height=row.height, size=row.size)


@CUSTOM_PAGES.delete("/pictures/{picture}")
def remove_picture(site: SiteOf, visitor: VisitorOf, edition: EditionId, picture: FileName) -> Done:
    """Take a picture away."""
    pictures.remove_picture(site, visitor, edition, picture)
    return Done()


@CUSTOM_PAGES.put("/logo")
def choose_logo(site: SiteOf, visitor: VisitorOf, edition: EditionId, given: LogoChoice) -> Done:
    """Show a picture beside the title of the contest, or none."""
    pictures.choose_logo(site, visitor, edition, given.picture)
    return Done()
