"""Steps: create a contest, write its draft, prepare it, and go on to its reveal and its exports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated

from fastapi import APIRouter, Request, UploadFile
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, Response

from quintain.contests import builtin_names
from quintain.errors import EditionError, QuintainError
from quintain.wording.languages import say, tell, to_say
from quintain_host.access import NotThere, SecondFactorNeeded, Visitor
from quintain_host.editions.shown import editions_for
from quintain_host.organising import drafts, settings
from quintain_host.organising.drafts import preview_site
from quintain_host.organising.overview import overview_of
from quintain_host.organising.progress import PROGRESS, contest_steps
from quintain_host.organising.progress import STEPS as STEPS_IN_ORDER
from quintain_host.organising.steps import is_outdated, newest_job
from quintain_host.site import Site
from quintain_host.web.api.organise import steps as commands
from quintain_host.web.api.organise.custom_pages import PageName
from quintain_host.web.api.organise.fields import EditionId
from quintain_host.web.api.organise.settings import codabench, make_archive, make_codabench
from quintain_host.web.pages import public
from quintain_host.web.pages.command_form import Facts, add_form, add_forms
from quintain_host.web.pages.notices import list_questions
from quintain_host.web.pages.organise.forms import (
    LineField,
    TextField,
    fault_lines,
    go_to,
    organise_page,
)
from quintain_host.web.pages.render import page
from quintain_host.web.requests import SiteOf, VisitorOf, sent_form

EDITIONS = APIRouter()

_STORED = to_say("The draft is stored. Let a worker look for faults before you open it.")

Files = Annotated[list[UploadFile], "data files of a draft"]


@EDITIONS.get("/organise")
def list_own(request: Request, site: SiteOf, visitor: VisitorOf) -> HTMLResponse:
    """The contests that the visitor organises."""
    visitor.require_signed_in()
    if visitor.needs_second_factor:
        raise SecondFactorNeeded
    return page(
        request,
        "organise/editions.html.j2",
        editions=[
            edition for edition in editions_for(site, visitor) if edition.id in visitor.organises
        ],
        others=settings.contests_of_others(site, visitor) if visitor.operator else [],
    )


@EDITIONS.get("/organise/new")
def new(request: Request, site: SiteOf, visitor: VisitorOf) -> HTMLResponse:
    """The form that creates a contest."""
    drafts.require_creator(site, visitor)
    return _show_form(request, "")


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
        return _show_form(request, text, problem)
    return go_to(request, edition, "/draft", say("The draft was made. Change it as you need."))


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
        return _show_form(request, text, problem)
    return go_to(request, edition, "/draft", say(_STORED))


def contents(site: Site, files: list[UploadFile]) -> dict[str, bytes]:
    """The files of a form by name; a browser sends an empty one if nobody chose a file."""
    most = site.settings.upload_bytes + 1
    return {file.filename: file.file.read(most) for file in files if file.filename}


def _show_form(request: Request, text: str, problem: EditionError | None = None) -> HTMLResponse:
    return page(
        request,
        "organise/new.html.j2",
        200 if problem is None else problem.status,
        text=text,
        builtins=builtin_names(),
        faults=fault_lines(problem),
    )


STEPS = APIRouter(prefix="/organise/{edition}")


@STEPS.get("/draft")
def draft_page(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId
) -> HTMLResponse:
    """The edition file, its data files, findings and the preview."""
    return _show_draft(request, site, visitor, edition)


@STEPS.post("/draft/files")
async def add_file(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId
) -> Response:
    """Add a data file to a draft."""
    visitor.require_organiser(edition)  # before a single byte is read
    form = await sent_form(request)
    for name, file in form.files.items():
        await run_in_threadpool(drafts.add_sent_file, site, visitor, edition, name, file)
    return go_to(request, edition, "/draft", say("The file is stored."))


@STEPS.post("/draft/files/remove")
def remove_file(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId, name: LineField
) -> Response:
    """Take a data file out of a draft."""
    commands.remove_draft_file(site, visitor, edition, name)
    return go_to(request, edition, "/draft", say("%(name)s was removed.", name=name))


STEPS.get("/preview/kit")(commands.kit_of_preview)


@STEPS.get("/preview")
def overview_of_preview(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId
) -> HTMLResponse:
    """The first page of the contest, as everybody would see it."""
    return _inside(
        edition, public.overview(request, edition, preview_site(site, visitor, edition), visitor)
    )


@STEPS.get("/preview/{name}")
def page_of_preview(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId, name: str
) -> HTMLResponse:
    """Another page of the contest, as everybody would see it."""
    if name not in _PAGES:
        raise NotThere(tell("there is no page with this address"))
    shown = _PAGES[name](request, edition, preview_site(site, visitor, edition), visitor)
    return _inside(edition, shown)


@STEPS.get("/preview/pages/{page}")
def custom_page_of_preview(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId, page: PageName
) -> HTMLResponse:
    """A page that the organisers wrote, as everybody would see it."""
    shown = public.show_custom_page(
        request, edition, page, preview_site(site, visitor, edition), visitor
    )
    return _inside(edition, shown)


def _inside(edition: str, shown: HTMLResponse) -> HTMLResponse:
    """A page whose links stay inside the preview."""
    html = bytes(shown.body).decode()
    inside = html.replace(f'href="/contests/{edition}', f'href="/organise/{edition}/preview')
    return HTMLResponse(inside)


_PAGES: Mapping[str, Callable[..., HTMLResponse]] = {
    "rules": public.rules,
    "teams": public.list_teams,
    "news": public.list_news,
    "pages": public.list_custom_pages,
    "questions": list_questions,
    "standings": public.boards,
    "matrix": public.matrix,
    "trust": public.trust_page,
}
"""The public pages, by the last part of their address."""


def _show_draft(
    request: Request,
    site: Site,
    visitor: Visitor,
    edition: str,
    text: str | None = None,
    problem: EditionError | None = None,
) -> HTMLResponse:
    draft = drafts.draft(site, visitor, edition)
    lint = newest_job(site, edition, "lint")
    return organise_page(
        request,
        "draft",
        draft.edition,
        200 if problem is None else problem.status,
        files=draft.files,
        disclosures=drafts.disclosures_of(site, draft),
        text=draft.edition.toml if text is None else text,
        faults=fault_lines(problem),
        lint=lint,
        stale=is_outdated(draft, lint),
        preview=newest_job(site, edition, "preview"),
    )


def _show_draft_again(request: Request, facts: Facts, problem: QuintainError) -> Response:
    """The text that was sent, with all its faults."""
    if not isinstance(problem, EditionError):
        raise problem
    place = (facts["site"], facts["visitor"], facts["edition"])
    return _show_draft(request, *place, facts["toml"], problem)


_DRAFT = "/organise/{edition}/draft"
add_form(
    STEPS,
    "/draft",
    commands.change_draft,
    back=_DRAFT,
    notice=_STORED,
    again=_show_draft_again,
)
add_forms(
    STEPS,
    (
        "/draft/lint",
        commands.lint,
        _DRAFT + "#findings",
        "",
    ),
    (
        "/draft/preview",
        commands.preview,
        _DRAFT + "#preview",
        "",
    ),
)


_STEP_JOBS = (*STEPS_IN_ORDER, "score", "archive", "codabench")
"""The kinds of the jobs that the page of the steps asks for."""


@STEPS.get("/steps")
def steps_page(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId
) -> HTMLResponse:
    """The steps of a contest, and which of them are done."""
    visitor.require_organiser(edition)
    # What a job did is there as soon as it is done, so the contest is read after its jobs.
    jobs = {kind: newest_job(site, edition, kind) for kind in _STEP_JOBS}
    seen = overview_of(site, visitor, edition)
    files = {
        kind: site.export_file(edition, f"{kind}.zip").is_file()
        for kind in ("archive", "codabench")
    }
    facts = drafts.facts_of(site, drafts.draft(site, visitor, edition))
    return organise_page(
        request,
        "steps",
        seen.edition,
        seen=seen,
        files=files,
        disclosures=facts.disclosures,
        jobs=jobs,
        steps=contest_steps(seen.state, seen.rules, jobs, teams_release=facts.teams_release),
        progress_words=PROGRESS,
    )


STEPS.get("/codabench.zip")(codabench)


for step, command in (
    ("prepare", commands.prepare),
    ("hand-over", commands.hand_over),
    ("score", commands.score),
    ("freeze", commands.freeze),
    ("reveal", commands.reveal),
    ("archive", make_archive),
    ("codabench", make_codabench),
):
    add_form(
        STEPS,
        f"/steps/{step}",
        command,
        back="/organise/{edition}/steps",
        names={"track": "tracks"} if step == "prepare" else {},
    )
