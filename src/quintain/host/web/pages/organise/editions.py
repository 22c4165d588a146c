"""Editions: the contests that somebody organises, and the form that creates one."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Request, UploadFile
from fastapi.responses import HTMLResponse, Response

from quintain.contests import builtin_names
from quintain.errors import EditionError
from quintain.host.access import NotAllowed
from quintain.host.editions.listing import editions_for
from quintain.host.organising import organisers
from quintain.host.organising.drafting import drafts
from quintain.host.site import Site
from quintain.host.web.pages.organise.forms import LineField, TextField, done
from quintain.host.web.pages.render import page
from quintain.host.web.requests import SiteOf, VisitorOf

EDITIONS = APIRouter()

Files = Annotated[list[UploadFile], "data files of a draft"]


@EDITIONS.get("/organise")
def list_own(request: Request, site: SiteOf, visitor: VisitorOf) -> HTMLResponse:
    """The contests that the visitor organises."""
    visitor.require_signed_in()
    return page(
        request,
        "organise/editions.html.j2",
        editions=[one for one in editions_for(site, visitor) if one.id in visitor.organises],
        others=organisers.contests_of_others(site, visitor) if visitor.operator else [],
        may_create=drafts.may_create(site, visitor),
    )


@EDITIONS.get("/organise/new")
def new(request: Request, site: SiteOf, visitor: VisitorOf) -> HTMLResponse:
    """The form that creates a contest."""
    visitor.require_signed_in()
    if not drafts.may_create(site, visitor):
        raise NotAllowed("only the operators of this site can create contests")
    return _form(request, "")


@EDITIONS.post("/organise/new/start")
def start(
    request: Request, site: SiteOf, visitor: VisitorOf, builtin: LineField, name: LineField
) -> Response:
    """Create a contest that includes a built-in one."""
    text = ""
    try:
        text = drafts.starting_text(builtin, name.strip())
        edition = drafts.create(site, visitor, text)
    except EditionError as problem:
        return _form(request, text, problem)
    return done(request, edition, "/draft", "The draft was made. Change it as you need.")


@EDITIONS.post("/organise/new")
def create(
    request: Request,
    site: SiteOf,
    visitor: VisitorOf,
    toml: TextField,
    files: Files = [],  # noqa: B006 -- the framework reads the default, nobody changes it
) -> Response:
    """Create a contest from its edition file."""
    text = toml.replace("\r\n", "\n")
    try:
        edition = drafts.create(site, visitor, text, contents(site, files))
    except EditionError as problem:
        return _form(request, text, problem)
    return done(request, edition, "/draft", "The draft is stored; it has no faults.")


def contents(site: Site, files: list[UploadFile]) -> dict[str, bytes]:
    """The files of a form by name; a browser sends an empty one if nobody chose a file."""
    most = site.settings.upload_bytes + 1
    return {file.filename: file.file.read(most) for file in files if file.filename}


def _form(request: Request, text: str, problem: EditionError | None = None) -> HTMLResponse:
    return page(
        request,
        "organise/new.html.j2",
        200 if problem is None else problem.status,
        text=text,
        builtins=builtin_names(),
        faults=[] if problem is None else [str(fault) for fault in problem.faults],
    )
