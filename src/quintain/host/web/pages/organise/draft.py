"""Draft: write the edition file, add data files, read the findings, look at the preview."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse, HTMLResponse, Response

from quintain.errors import EditionError, QuintainError
from quintain.host.access import NotThere, Visitor
from quintain.host.organising.drafting import drafts
from quintain.host.organising.drafting.preview_site import preview_kit, previewed
from quintain.host.organising.requests import newest_job
from quintain.host.site import Site
from quintain.host.web.api.organise import drafts as commands
from quintain.host.web.api.organise import steps
from quintain.host.web.api.organise.fields import EditionId
from quintain.host.web.pages.command_form import Facts, add_form
from quintain.host.web.pages.organise.forms import LineField, done, organise_page
from quintain.host.web.pages.public import contests, results
from quintain.host.web.requests import SiteOf, VisitorOf
from quintain.host.web.security.downloads import download_file
from quintain.host.web.sent_form import sent_form

DRAFT = APIRouter(prefix="/organise/{edition}")


@DRAFT.get("/draft")
def read(request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId) -> HTMLResponse:
    """The edition file, its data files, findings and the preview."""
    return _shown(request, site, visitor, edition)


@DRAFT.post("/draft/files")
async def add_file(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId
) -> Response:
    """Add a data file to a draft."""
    visitor.require_organiser(edition)  # before a single byte is read
    form = await sent_form(request)
    for name, file in form.files.items():
        await run_in_threadpool(drafts.add_sent_file, site, visitor, edition, name, file)
    return done(request, edition, "/draft", "The file is stored.")


@DRAFT.post("/draft/files/remove")
def remove_file(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId, name: LineField
) -> Response:
    """Take a data file out of a draft."""
    commands.remove_draft_file(site, visitor, edition, name)
    return done(request, edition, "/draft", f"{name} was removed.")


@DRAFT.get("/preview/kit")
def kit_of_preview(site: SiteOf, visitor: VisitorOf, edition: EditionId) -> FileResponse:
    """The kit of the pretend team."""
    path = preview_kit(site, visitor, edition)
    return download_file(path, f"{edition}-preview-kit.zip", "application/zip")


@DRAFT.get("/preview")
def overview_of_preview(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId
) -> HTMLResponse:
    """The first page of the contest, as everybody would see it."""
    return _inside(
        edition, contests.overview(request, edition, previewed(site, visitor, edition), visitor)
    )


@DRAFT.get("/preview/{name}")
def page_of_preview(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId, name: str
) -> HTMLResponse:
    """Another page of the contest, as everybody would see it."""
    if name not in _PAGES:
        raise NotThere("there is no page with this address")
    shown = _PAGES[name](request, edition, previewed(site, visitor, edition), visitor)
    return _inside(edition, shown)


def _inside(edition: str, shown: HTMLResponse) -> HTMLResponse:
    """A page whose links stay inside the preview."""
    html = bytes(shown.body).decode()
    inside = html.replace(f'href="/contests/{edition}', f'href="/organise/{edition}/preview')
    return HTMLResponse(inside)


_PAGES: Mapping[str, Callable[..., HTMLResponse]] = {
    "rules": contests.rules,
    "teams": contests.list_teams,
    "news": contests.list_news,
    "standings": results.boards,
    "matrix": results.matrix,
    "trust": results.bound,
}
"""The public pages, by the last part of their address."""


def _shown(
    request: Request,
    site: Site,
    visitor: Visitor,
    edition: str,
    text: str | None = None,
    problem: EditionError | None = None,
) -> HTMLResponse:
    draft = drafts.draft(site, visitor, edition)
    return organise_page(
        request,
        "draft",
        draft.edition,
        200 if problem is None else problem.status,
        files=draft.files,
        disclosures=drafts.disclosures_of(site, draft),
        text=draft.edition.toml if text is None else text,
        faults=[] if problem is None else [str(fault) for fault in problem.faults],
        lint=newest_job(site, edition, "lint"),
        preview=newest_job(site, edition, "preview"),
    )


def _show_again(request: Request, facts: Facts, problem: QuintainError) -> Response:
    """The text that was sent, with all its faults."""
    if not isinstance(problem, EditionError):
        raise problem
    place = (facts["site"], facts["visitor"], facts["edition"])
    return _shown(request, *place, facts["toml"], problem)


_BACK = "/organise/{edition}/draft"
add_form(
    DRAFT,
    "/draft",
    commands.change_draft,
    back=_BACK,
    notice="The draft is stored; it has no faults.",
    again=_show_again,
)
add_form(
    DRAFT,
    "/draft/lint",
    steps.lint,
    back=_BACK + "#findings",
    notice="A worker looks for faults. Load this again.",
)
add_form(
    DRAFT,
    "/draft/preview",
    steps.preview,
    back=_BACK + "#preview",
    notice="A worker makes the preview. Load this again.",
)
