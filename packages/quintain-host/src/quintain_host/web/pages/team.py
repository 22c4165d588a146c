"""Pages of teams: registration, the team itself, its kit, uploads, history and receipts."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response
from markupsafe import escape

from quintain.figures.format import reading_text
from quintain.releases.release import KNOWN_MODELS
from quintain.wording.languages import say, to_say
from quintain_host.access import Visitor
from quintain_host.database.contests import HostedEdition
from quintain_host.editions.shown import contest_state, editions_for
from quintain_host.intake.submitting import (
    KNOWN_METHODS,
    can_submit_checked,
    submit_form,
    submitted_as,
)
from quintain_host.intake.uploads_shown import upload_for, uploads_for
from quintain_host.site import Site
from quintain_host.teams.history import (
    LONGEST_ADDRESS,
    LONGEST_LICENCE,
    LONGEST_TEXT,
    description_for,
    history_for,
)
from quintain_host.teams.kits import Kit, kit_for, own_files
from quintain_host.teams.overview import overview_for
from quintain_host.teams.registration import contest_with_link, team_behind, team_links
from quintain_host.views.checkpoints import closings
from quintain_host.views.contest import contest_for, duration_words
from quintain_host.web.api import team as commands
from quintain_host.web.pages.command_form import Facts, add_form, add_forms
from quintain_host.web.pages.render import page, redirect
from quintain_host.web.pages.team_charts import release_charts, score_charts
from quintain_host.web.requests import SiteOf, VisitorOf, sent_form
from quintain_host.web.security.downloads import download_file

REGISTERING = APIRouter(prefix="/contests/{edition}")

SecretInAddress = Annotated[str, Query(max_length=200)]


@REGISTERING.get("/register")
def register_page(
    request: Request, edition: str, site: SiteOf, visitor: VisitorOf, link: SecretInAddress = ""
) -> Response:
    """The form for a new team; an invitation brings its secret along."""
    row = contest_with_link(site, visitor, edition, "edition", link)
    if edition in visitor.teams:
        return redirect(request, f"/contests/{edition}/team")
    return page(request, "team/register.html.j2", edition=row, link=link)


@REGISTERING.get("/join")
def join_page(
    request: Request, edition: str, site: SiteOf, visitor: VisitorOf, link: SecretInAddress = ""
) -> Response:
    """Ask a person whether to join the team that a link is for."""
    row = contest_with_link(site, visitor, edition, "team", link)
    if visitor.account is None:
        return page(request, "team/join.html.j2", 401, edition=row, team=None, link=link)
    team = team_behind(site, visitor, edition, link)
    return page(request, "team/join.html.j2", edition=row, team=team, link=link)


def _welcome(request: Request, facts: Facts) -> Response:
    name, place = facts["name"].strip(), f"/contests/{facts['edition']}/team"
    notice = say("Team %(name)s is registered. The organisers will look at it.", name=name)
    if facts["state"] != "waiting":
        notice = say("Team %(name)s is registered. It takes part in a moment.", name=name)
    return redirect(request, place, notice)


add_form(REGISTERING, "/register", commands.register_team, render=_welcome)
add_form(
    REGISTERING,
    "/join",
    commands.join,
    back="/contests/{edition}/team",
    notice=to_say("You are in the team."),
)


TEAM = APIRouter(prefix="/contests/{edition}/team")

_NEWEST = 5


@TEAM.get("")
def team_page(request: Request, edition: str, site: SiteOf, visitor: VisitorOf) -> Response:
    """The team of the visitor."""
    facts = _facts(site, visitor, edition)
    return page(request, "team/team.html.j2", **facts, new_link="")


@TEAM.get("/kit/state")
def kit_part(request: Request, edition: str, site: SiteOf, visitor: VisitorOf) -> Response:
    """The part of the page about the kit, for a browser that asks again by itself."""
    kit = kit_for(site, visitor, edition)
    return page(request, "team/kit.html.j2", edition=contest_row(site, edition), kit=kit)


def _facts(site: Site, visitor: Visitor, edition: str) -> dict[str, Any]:
    team = overview_for(site, visitor, edition)
    joined = team.state == "joined"
    captain = visitor.teams[edition].captain
    return {
        "edition": contest_row(site, edition),
        "team": team,
        "captain": captain,
        "links": team_links(site, visitor, edition) if captain else [],
        "kit": kit_for(site, visitor, edition) if joined else Kit("waiting"),
        "files": own_files(site, visitor, edition) if joined else [],
        "uploads": uploads_for(site, visitor, edition, most=_NEWEST),
        "over": contest_state(site, edition).frozen is not None,
        "closings": closings(site, contest_for(site, visitor, edition)),
        "known_methods": KNOWN_METHODS,
        "duration_words": duration_words,
    }


def _show_link(request: Request, facts: Facts) -> Response:
    """The page with a new link, which nobody can read again."""
    site, edition = facts["site"], facts["edition"]
    address = f"{site.settings.url}/contests/{edition}/join?link={facts['secret']}"
    shown = _facts(site, facts["visitor"], edition)
    return page(request, "team/team.html.j2", **shown, new_link=address)


_BACK = "/contests/{edition}/team"
add_forms(
    TEAM,
    ("/kit", commands.make_kit_again, _BACK, to_say("The kit is being made.")),
    (
        "/links/{link}/revoke",
        commands.revoke_link,
        _BACK,
        to_say("The link does not work any more."),
    ),
    (
        "/members/{account}/remove",
        commands.remove,
        _BACK,
        to_say("The person is no longer in the team."),
    ),
    ("/captain", commands.hand_over, _BACK, to_say("The team has a new captain.")),
    ("/leave", commands.leave, "/contests/{edition}", to_say("You have left the team.")),
)
add_form(TEAM, "/links", commands.make_link, render=_show_link)
add_form(
    TEAM,
    "/links/mail",
    commands.mail_links,
    back=_BACK,
    notice=to_say("%(people)s invitations are sent."),
)


_ROWS = 6
"""How many methods the form asks for."""


@TEAM.get("/submit")
def submit_page(
    request: Request,
    edition: str,
    site: SiteOf,
    visitor: VisitorOf,
    phase: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """The form for a phase, TRACK/PHASE; by default for the first one that is open."""
    team = overview_for(site, visitor, edition)
    chosen = [known for known in team.phases if f"{known.track}/{known.phase}" == phase]
    usable = [known for known in team.phases if not known.why]
    return page(
        request,
        "team/submit.html.j2",
        edition=contest_row(site, edition),
        team=team,
        phase=next(iter(chosen or usable), None),
        known_methods=KNOWN_METHODS,
        known_models=KNOWN_MODELS,
        rows=range(1, _ROWS + 1),
        limit=site.settings.upload_bytes,
    )


@TEAM.post("/uploads")
async def upload_form(request: Request, edition: str, site: SiteOf, visitor: VisitorOf) -> Response:
    """Take files; the next page says what became of them."""
    visitor.team_in(edition)
    form = await sent_form(request)
    upload = await run_in_threadpool(submit_form, site, visitor, edition, form.fields, form.files)
    return redirect(request, f"/contests/{edition}/team/uploads/{upload.id}")


@TEAM.get("/uploads")
def uploads_page(request: Request, edition: str, site: SiteOf, visitor: VisitorOf) -> Response:
    """All uploads of the team."""
    uploads = uploads_for(site, visitor, edition)
    return page(
        request, "team/uploads.html.j2", edition=contest_row(site, edition), uploads=uploads
    )


@TEAM.get("/uploads/{number}")
def upload_page(
    request: Request, edition: str, number: int, site: SiteOf, visitor: VisitorOf
) -> Response:
    """One upload: its state, every fault, its receipt."""
    upload = upload_for(site, visitor, edition, number)
    part = request.headers.get("hx-request") == "true"
    template = "team/upload_state.html.j2" if part else "team/upload.html.j2"
    return page(
        request,
        template,
        edition=contest_row(site, edition),
        upload=upload,
        can_submit=can_submit_checked(site, visitor, edition, number),
        submitted_as=submitted_as(site, visitor, edition, number),
        reading_text=reading_text,
    )


add_form(
    TEAM,
    "/uploads/{number}/submit",
    commands.submit_checked_files,
    back="/contests/{edition}/team/uploads/{id}",
)


@TEAM.get("/kit")
def kit(request: Request, edition: str, site: SiteOf, visitor: VisitorOf) -> Response:
    """The kit; while a worker makes it, the team page says so."""
    made = kit_for(site, visitor, edition)
    if made.path is None:
        return redirect(request, f"/contests/{edition}/team", say("The kit is not ready yet."))
    name = f"{edition}-{visitor.team_in(edition)}-kit.zip"
    return download_file(made.path, name, "application/zip")


TEAM.get("/files/{name:path}")(commands.download_own_file)
TEAM.get("/uploads/{number}/receipt")(commands.download_receipt)


_LIMITS = {"text": LONGEST_TEXT, "code": LONGEST_ADDRESS, "licence": LONGEST_LICENCE}


@TEAM.get("/history")
def history_page(request: Request, edition: str, site: SiteOf, visitor: VisitorOf) -> Response:
    """Everything that the team submitted, and the scores that it may see."""
    history = history_for(site, visitor, edition)
    team = overview_for(site, visitor, edition)
    state = contest_state(site, edition)
    return page(
        request,
        "team/history.html.j2",
        edition=contest_row(site, edition),
        team=team,
        history=history,
        choices={
            (phase.track, phase.phase): state.chosen(team.id, phase.track, phase.phase)
            for phase in team.phases
        },
        releases=release_charts(history),
        scores=score_charts(history),
    )


@TEAM.get("/description")
def description_page(request: Request, edition: str, site: SiteOf, visitor: VisitorOf) -> Response:
    """The form for what the team says about its method."""
    row = description_for(site, visitor, edition)
    return page(
        request,
        "team/description.html.j2",
        edition=contest_row(site, edition),
        text=escape(row.text),  # as markup it keeps its lines
        code=row.code,
        licence=row.licence,
        limits=_LIMITS,
    )


add_form(
    TEAM,
    "/choice",
    commands.choose_what_counts,
    back="/contests/{edition}/team/history",
    notice=to_say("Your choice is being recorded; it shows here in a moment."),
    names={"submission": "submissions"},
)
add_form(
    TEAM,
    "/description",
    commands.write_description,
    back="/contests/{edition}/team",
    notice=to_say("The description is saved."),
)


RECEIPTS = APIRouter()


@RECEIPTS.get("/check-receipt")
def check_receipt(
    request: Request,
    site: SiteOf,
    visitor: VisitorOf,
    contest: Annotated[str, Query(max_length=64)] = "",
) -> Response:
    """The page with the public keys of all contests; the receipt stays in the browser."""
    keys = [
        (edition.id, edition.title, contest_state(site, edition.id).key)
        for edition in editions_for(site, visitor)
    ]
    known = [fact for fact in keys if fact[2]]
    return page(request, "team/check_receipt.html.j2", contests=known, wanted=contest)


def contest_row(site: Site, edition: str) -> HostedEdition:
    """The contest; the caller has checked that the visitor is in a team of it."""
    with site.database.reading() as session:
        return session.get_one(HostedEdition, edition)
