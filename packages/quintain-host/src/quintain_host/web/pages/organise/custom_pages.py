"""Own pages: the forms in which organisers write pages and send pictures."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, Response

from quintain.wording.languages import tell
from quintain_host.access import BadInput
from quintain_host.organising.overview import overview_of
from quintain_host.organising.pictures import MOST_BYTES, add_picture
from quintain_host.views.own_look import custom_page
from quintain_host.web.api.organise import custom_pages as commands
from quintain_host.web.api.organise.custom_pages import PICTURE_FORM, PageName
from quintain_host.web.api.organise.fields import EditionId
from quintain_host.web.pages.command_form import add_forms
from quintain_host.web.pages.organise.forms import go_to, organise_page
from quintain_host.web.requests import SiteOf, VisitorOf, sent_form

CUSTOM_PAGES = APIRouter(prefix="/organise/{edition}/pages")


@CUSTOM_PAGES.get("")
def pages_and_pictures(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId
) -> HTMLResponse:
    """The pages and the pictures of a contest, and the forms for more."""
    row = overview_of(site, visitor, edition).edition
    return organise_page(request, "custom_pages", row, most=MOST_BYTES)


@CUSTOM_PAGES.post("/pictures", openapi_extra=PICTURE_FORM)
async def send_picture(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId
) -> Response:
    """Add a picture, under the name of its file."""
    visitor.require_organiser(edition)  # before a single byte is read
    form = await sent_form(request)
    if len(form.files) != 1:
        raise BadInput(tell("choose a picture: exactly one file")).about("file")
    ((name, file),) = form.files.items()
    row = await run_in_threadpool(add_picture, site, visitor, edition, name, file)
    return go_to(request, edition, "/pages#pictures", f"The picture {row.name} is stored.")


@CUSTOM_PAGES.get("/{page}")
def edit_page(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId, page: PageName
) -> HTMLResponse:
    """One page, and the form to change it."""
    row = overview_of(site, visitor, edition).edition
    return organise_page(request, "custom_page", row, custom=custom_page(site, edition, page))


_PAGES = "/organise/{edition}/pages"
add_forms(
    CUSTOM_PAGES,
    ("", commands.add_page, _PAGES, "The page {title} is published."),
    (
        "/pictures/{picture}/remove",
        commands.remove_picture,
        _PAGES + "#pictures",
        "The picture {picture} is removed.",
    ),
    ("/logo", commands.choose_logo, _PAGES + "#pictures", "The logo is changed."),
    ("/{page}", commands.change_page, _PAGES, "The page {title} is changed."),
    ("/{page}/remove", commands.remove_page, _PAGES, "The page is removed."),
)
