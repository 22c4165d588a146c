"""Guide: the pages on which an organiser makes a contest step by step, without an edition file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse, Response
from starlette.datastructures import FormData, UploadFile

from quintain.errors import Refused
from quintain.runs.report.section import board_view
from quintain.wording.languages import say, tell
from quintain_host.access import NotThere, Visitor
from quintain_host.database.work import QueuedJob
from quintain_host.organising import drafts, steps
from quintain_host.organising.guide import (
    columns,
    dates,
    gates,
    questions,
    ranking,
    releases,
    rounds,
    rows,
)
from quintain_host.organising.guide.guided import GuidedDraft, guided_draft
from quintain_host.organising.guide.kept_table import keep_table, kept_name, kept_table
from quintain_host.organising.guide.mending import GuidedFinding, findings_first, mend_of, mending
from quintain_host.organising.guide.path import SHOW, STEPS, SentTable, apply, start, store
from quintain_host.organising.guide.typed import FieldFaults
from quintain_host.organising.steps import is_outdated, newest_job
from quintain_host.queue import UNFINISHED
from quintain_host.site import Site
from quintain_host.views.standings import read_boards
from quintain_host.web.api.organise.fields import EditionId
from quintain_host.web.pages.organise.forms import LineField, go_to, organise_page
from quintain_host.web.pages.render import page
from quintain_host.web.requests import SiteOf, VisitorOf

GUIDE = APIRouter()
_FILE, _KEPT = "file", "kept"


async def _read_form(request: Request) -> FormData:
    return await request.form()


Sent = Annotated[FormData, Depends(_read_form)]


def _texts(form: FormData) -> dict[str, str]:
    return {name: value for name, value in form.items() if isinstance(value, str)}


def _table(site: Site, visitor: Visitor, form: FormData) -> SentTable:
    """The file that came with a form, or with an earlier one that had faults."""
    file, mark = form.get(_FILE), form.get(_KEPT)
    if not isinstance(file, UploadFile) or not file.filename:
        return kept_table(site, visitor, mark) if isinstance(mark, str) else SentTable()
    return SentTable(file.filename, file.file.read(site.settings.upload_bytes + 1))


# --- the first step: it makes the draft -----------------------------------------------------------


@GUIDE.get("/organise/new/guide")
def new_page(request: Request, site: SiteOf, visitor: VisitorOf) -> HTMLResponse:
    """The form that begins a contest with a table."""
    drafts.require_creator(site, visitor)
    return _show_new(request, {"header": "yes"})


@GUIDE.post("/organise/new/guide")
def begin(request: Request, site: SiteOf, visitor: VisitorOf, form: Sent) -> Response:
    """Learn the columns of a table, and make a draft of a contest on it."""
    drafts.require_creator(site, visitor)
    sent, table = _texts(form), _table(site, visitor, form)
    try:
        edition = start(site, visitor, sent, table)
    except FieldFaults as problem:
        return _show_new(request, _with_table(site, visitor, sent, table, problem), problem)
    notice = say("Your table is stored. Look at its columns.")
    return go_to(request, edition, "/guide/columns", notice)


def _with_table(
    site: Site,
    visitor: Visitor,
    sent: Mapping[str, str],
    table: SentTable,
    problem: FieldFaults,
) -> dict[str, str]:
    """What somebody typed, and the mark of the file that came with it, if it has no fault."""
    good = table.name and _FILE not in problem.by_field
    kept = {_KEPT: keep_table(site, visitor, table)} if good else {}
    return {name: text for name, text in sent.items() if name != _KEPT} | kept


def _show_new(
    request: Request, sent: Mapping[str, str], problem: FieldFaults | None = None
) -> HTMLResponse:
    status = 200 if problem is None else problem.status
    facts = _form_facts("table", sent, problem)
    return page(request, "organise/guide/new.html.j2", status, guided=None, **facts)


# --- the steps of a draft -------------------------------------------------------------------------


@GUIDE.get("/organise/{edition}/guide")
def guide_page(request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId) -> Response:
    """The first step of a draft."""
    return _show(request, site, visitor, edition, "table")


@GUIDE.get("/organise/{edition}/guide/{step}")
def step_page(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId, step: str
) -> Response:
    """A step of a draft."""
    return _show(request, site, visitor, edition, step)


@GUIDE.post("/organise/{edition}/guide/rehearsal")
def rehearse(request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId) -> Response:
    """Let built-in teams play the draft."""
    steps.rehearse(site, visitor, edition)
    return go_to(request, edition, "/guide/rehearsal")


@GUIDE.post("/organise/{edition}/guide/mend")
def mend(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId, check: LineField
) -> Response:
    """Mend a finding of the rehearsal, and play again."""
    guided = guided_draft(site, visitor, edition)
    try:
        apply(site, visitor, guided, mending(guided, check))
    except FieldFaults as problem:
        raise Refused(problem.say()) from None
    steps.rehearse(site, visitor, edition)
    return go_to(request, edition, "/guide/rehearsal")


@GUIDE.post("/organise/{edition}/guide/open")
def open_contest(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId, form: Sent
) -> Response:
    """Fix the rules, draw the data, and show the contest to everybody."""
    guided, sent = guided_draft(site, visitor, edition), _texts(form)
    ticks = _needed_ticks(site, guided)
    faults = {name: say("tick this, or go back") for name in ticks if not sent.get(name)}
    if faults:
        return _show(request, site, visitor, edition, "open", sent, FieldFaults(faults))
    steps.prepare(site, visitor, edition, visible=bool(sent.get("visible")))
    return go_to(request, edition, "/steps")


@GUIDE.post("/organise/{edition}/guide/{step}")
def store_step(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId, step: str, form: Sent
) -> Response:
    """Store a step, and go on to the next one; with faults, show it again as it was typed."""
    _require_step(step, SHOW)
    visitor.require_organiser(edition)
    sent, table = _texts(form), _table(site, visitor, form)
    before = guided_draft(site, visitor, edition).rounds
    try:
        store(site, visitor, edition, step, sent, table)
    except FieldFaults as problem:
        sent = _with_table(site, visitor, sent, table, problem)
        return _show(request, site, visitor, edition, step, sent, problem)
    if step == "gates" and not _is_busy(newest_job(site, edition, "try-gates")):
        steps.try_gates(site, visitor, edition)
        return go_to(request, edition, "/guide/gates#trials")
    if len(guided_draft(site, visitor, edition).rounds) != len(before):
        notice = say("Stored. Look at the dates of every round.")
        return go_to(request, edition, "/guide/dates", notice)
    if sent.get("stay"):
        return go_to(request, edition, f"/guide/{step}", say("Stored."))
    return go_to(
        request,
        edition,
        f"/guide/{_neighbour(step, 1)}",
        say("%(step)s: stored.", step=say(STEPS[step])),
    )


def _require_step(step: str, known: Mapping[str, object]) -> None:
    if step not in known:
        raise NotThere(tell("the guide has no such step"))


def _neighbour(step: str, by: int) -> str:
    names = list(STEPS)
    place = names.index(step) + by
    return names[place] if 0 <= place < len(names) else ""


def _show(
    request: Request,
    site: Site,
    visitor: Visitor,
    edition: str,
    step: str,
    sent: Mapping[str, str] | None = None,
    problem: FieldFaults | None = None,
) -> Response:
    _require_step(step, STEPS)
    guided = guided_draft(site, visitor, edition)
    row = guided.draft.edition
    if step == "open" and _is_busy(newest_job(site, edition, "prepare")):
        return go_to(request, edition, "/steps")  # it shows how the opening goes
    if guided.beyond:
        return organise_page(request, "guide/beyond", row, guided=guided, step=step, steps=STEPS)
    typed = SHOW[step](guided) if sent is None and step in SHOW else dict(sent or {})
    facts = _form_facts(step, typed, problem) | _facts_of(site, guided, step)
    status = 200 if problem is None else problem.status
    return organise_page(request, f"guide/{step}", row, status, guided=guided, **facts)


def _form_facts(step: str, typed: Mapping[str, str], problem: FieldFaults | None) -> dict[str, Any]:
    return {
        "step": step,
        "steps": STEPS,
        "back": _neighbour(step, -1),
        "following": _neighbour(step, 1),
        "typed": typed,
        "kept_name": kept_name(typed.get(_KEPT, "")),
        "faults": problem.by_field if problem else {},
        "others": problem.others if problem else (),
    }


def _facts_of(site: Site, guided: GuidedDraft, step: str) -> dict[str, Any]:
    """What the page of a step shows beside its fields."""
    edition = guided.draft.edition.id
    match step:
        case "columns":
            return {
                "rows": columns.column_rows(guided),
                "kinds": columns.KINDS,
                "domain_fields": columns.domain_fields,
                "disclosures": drafts.disclosures_of(site, guided.draft),
            }
        case "attackers":
            return {"questions": questions.QUESTIONS}
        case "releases":
            choices = {"who": releases.WHO, "rows": rows.ROWS}
            return {**choices, "sanitizers": releases.SANITIZERS}
        case "gates":
            tried = newest_job(site, edition, "try-gates")
            return {
                "measures": gates.MEASURES,
                "job": tried,
                "stale": is_outdated(guided.draft, tried),
            }
        case "dates":
            return {"registration": dates.REGISTRATION, "most_rounds": rounds.MOST_ROUNDS}
        case "ranking":
            losses = ranking.ranked_losses(guided)
            return {
                "attackers": ranking.ATTACKERS,
                "defence": ranking.DEFENCE,
                "losses": losses,
                "together": rounds.TOGETHER,
            }
        case "rehearsal":
            return _rehearsal_facts(guided, newest_job(site, edition, "rehearse"))
        case "open":
            job = newest_job(site, edition, "rehearse")
            return {
                "disclosures": drafts.disclosures_of(site, guided.draft),
                "ticks": _needed_ticks(site, guided),
                "rehearsed": job is not None and job.state == "done",
                "stale": is_outdated(guided.draft, job),
                "findings": _findings(guided, job),
                "preparing": newest_job(site, edition, "prepare"),
            }
    return {}


def _needed_ticks(site: Site, guided: GuidedDraft) -> list[str]:
    """What an organiser has to agree to before the contest opens."""
    public = ["publish_data"] if drafts.disclosures_of(site, guided.draft) else []
    undated = ["undated"] if guided.undated else []
    return [*public, *undated, *(["learned"] if guided.learned else [])]


def _is_busy(job: QueuedJob | None) -> bool:
    return job is not None and job.state in UNFINISHED


def _rehearsal_facts(guided: GuidedDraft, job: QueuedJob | None) -> dict[str, Any]:
    """The findings and the boards of the last rehearsal."""
    facts: dict[str, Any] = {
        "job": job,
        "stale": is_outdated(guided.draft, job),
        "mend_of": mend_of,
    }
    if job is None or job.state != "done":
        return facts | {"findings": [], "rounds": [], "names": {}}
    return facts | {
        "findings": _findings(guided, job),
        "rounds": [
            _played_round(
                guided_round.title or guided_round.id,
                job.result["tracks"][guided_round.id or "main"],
            )
            for guided_round in guided.rounds
            if (guided_round.id or "main")
            in job.result["tracks"]  # the draft may have changed since
        ],
        "names": guided.team_names,
    }


def _findings(guided: GuidedDraft, job: QueuedJob | None) -> list[GuidedFinding]:
    """The findings of a rehearsal; none if there was none."""
    if job is None or job.state != "done":
        return []
    return findings_first(job.result, guided.team_names, guided.draft.edition.registration)


def _played_round(title: str, track: Mapping[str, Any]) -> dict[str, Any]:
    """What built-in teams reached in a round, for a page."""
    boards = [board_view(board) for board in read_boards(track["boards"])]
    return {"title": title, "boards": boards}
