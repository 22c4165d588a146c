"""The part of the API for teams: registering, kits, uploads, and what became of them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse, JSONResponse, Response
from pydantic import BaseModel, Field

from quintain.figures.format import reading_text
from quintain.measures import Reading
from quintain.runs.folder.paths import CARD
from quintain_host.intake.submitting import card_of, submit_checked, submit_form
from quintain_host.intake.uploads_shown import (
    ShownFault,
    ShownUpload,
    receipt_for,
    upload_for,
    uploads_for,
)
from quintain_host.teams.history import Submission, choose, describe, description_for, history_for
from quintain_host.teams.invitations import invite_people
from quintain_host.teams.kits import (
    Kit,
    TeamFile,
    ask_again,
    download_name,
    kit_for,
    own_file,
    own_files,
)
from quintain_host.teams.overview import TeamOverview, overview_for
from quintain_host.teams.registration import (
    MOST_USES,
    hand_over_captaincy,
    join_team,
    leave_team,
    make_team_link,
    register,
    remove_member,
    revoke_team_link,
    team_links,
)
from quintain_host.web.api.organise.fields import MailedLinks, MailsSent
from quintain_host.web.requests import SiteOf, VisitorOf, sent_form
from quintain_host.web.security.downloads import download, download_file

TEAM = APIRouter(prefix="/editions/{edition}/team", tags=["teams"])

Number = Annotated[int, Field(ge=1, lt=2**31)]
Secret = Annotated[str, Field(max_length=200)]


class Registration(BaseModel):
    """A team that wants to take part.

    Parameters
    ----------
    id : the wished id; by default one is made from the name.
    link : the secret of an invitation, where only invited teams can register.
    """

    name: Annotated[str, Field(max_length=400)]
    id: Annotated[str, Field(max_length=64)] = ""
    affiliation: Annotated[str, Field(max_length=400)] = ""
    link: Secret = ""


class Registered(BaseModel):
    """A team after registration: its id, and "waiting" or "joining"."""

    id: str
    state: str


class LinkRequest(BaseModel):
    """A new link: how often it can be used."""

    uses: Annotated[int, Field(ge=1, le=MOST_USES)] = 1


class NewTeamLink(BaseModel):
    """A new link; the secret is shown this one time."""

    id: int
    secret: str


class TeamLink(BaseModel):
    """A link of the team, without its secret."""

    id: int
    left: int
    created: datetime
    expires: datetime


class LinkUse(BaseModel):
    """The secret of a captain's link."""

    link: Secret


class Joined(BaseModel):
    """The team that a person is in now."""

    team: str


class Captaincy(BaseModel):
    """The member who becomes the captain."""

    account: Number


@TEAM.post("", status_code=201)
def register_team(
    edition: str, request: Registration, site: SiteOf, visitor: VisitorOf
) -> Registered:
    """Register a team; you become its captain."""
    row = register(
        site,
        visitor,
        edition,
        request.name,
        wished_id=request.id,
        affiliation=request.affiliation,
        link=request.link,
    )
    return Registered(id=row.id, state=row.state)


@TEAM.get("")
def show_team(edition: str, site: SiteOf, visitor: VisitorOf) -> TeamOverview:
    """Your team: people, phases, limits and the next deadline."""
    return overview_for(site, visitor, edition)


@TEAM.post("/join")
def join(edition: str, use: LinkUse, site: SiteOf, visitor: VisitorOf) -> Joined:
    """Join a team with its captain's link."""
    return Joined(team=join_team(site, visitor, edition, use.link))


@TEAM.post("/leave", status_code=204)
def leave(edition: str, site: SiteOf, visitor: VisitorOf) -> None:
    """Leave your team."""
    leave_team(site, visitor, edition)


@TEAM.get("/links")
def list_links(edition: str, site: SiteOf, visitor: VisitorOf) -> list[TeamLink]:
    """The valid links of your team; for its captain."""
    return [
        TeamLink(id=link.id, left=link.left, created=link.created, expires=link.expires)
        for link in team_links(site, visitor, edition)
    ]


@TEAM.post("/links", status_code=201)
def make_link(edition: str, request: LinkRequest, site: SiteOf, visitor: VisitorOf) -> NewTeamLink:
    """Make a link with which people join your team; for its captain."""
    link = make_team_link(site, visitor, edition, uses=request.uses)
    return NewTeamLink(id=link.number, secret=link.secret)


@TEAM.post("/links/mail", status_code=202)
def mail_links(edition: str, request: MailedLinks, site: SiteOf, visitor: VisitorOf) -> MailsSent:
    """Invite people to your team by mail, each with a link of their own; for its captain."""
    return MailsSent(people=invite_people(site, visitor, edition, request.addresses))


@TEAM.delete("/links/{link}", status_code=204)
def revoke_link(edition: str, link: int, site: SiteOf, visitor: VisitorOf) -> None:
    """Revoke a link; for the captain."""
    revoke_team_link(site, visitor, edition, link)


@TEAM.delete("/members/{account}", status_code=204)
def remove(edition: str, account: int, site: SiteOf, visitor: VisitorOf) -> None:
    """Take a member out of your team; for its captain."""
    remove_member(site, visitor, edition, account)


@TEAM.put("/captain", status_code=204)
def hand_over(edition: str, request: Captaincy, site: SiteOf, visitor: VisitorOf) -> None:
    """Make another member the captain; for the captain."""
    hand_over_captaincy(site, visitor, edition, request.account)


KITS = APIRouter(prefix="/editions/{edition}/team", tags=["teams"])


class KitFacts(BaseModel):
    """The kit of a team: "ready" with its size and SHA-256, "waiting" or "failed"."""

    state: Literal["ready", "waiting", "failed"]
    size: int = 0
    sha256: str = ""

    @classmethod
    def of(cls, kit: Kit) -> KitFacts:
        """The facts of a kit without its place on this machine."""
        return cls(state=kit.state, size=kit.size, sha256=kit.digest)


_ZIP: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/zip": {}}, "description": "The kit."},
    202: {"model": KitFacts, "description": "A worker makes it; ask again in a moment."},
}


@KITS.get("/kit", response_class=FileResponse, responses=_ZIP)
def download_kit(edition: str, site: SiteOf, visitor: VisitorOf) -> Response:
    """The kit of your team, a zip; while a worker makes it, the answer is 202."""
    kit = kit_for(site, visitor, edition)
    if kit.path is None:
        facts = KitFacts.of(kit).model_dump()
        return JSONResponse(facts, status_code=202, headers={"Retry-After": "2"})
    name = f"{edition}-{visitor.team_in(edition)}-kit.zip"
    return download_file(kit.path, name, "application/zip")


@KITS.get("/kit/state")
def kit_state(edition: str, site: SiteOf, visitor: VisitorOf) -> KitFacts:
    """Whether the kit of your team is ready."""
    return KitFacts.of(kit_for(site, visitor, edition))


@KITS.post("/kit/state")
def make_kit_again(edition: str, site: SiteOf, visitor: VisitorOf) -> KitFacts:
    """Ask a worker once more for a kit that could not be made."""
    return KitFacts.of(ask_again(site, visitor, edition))


@KITS.get("/files")
def list_own_files(edition: str, site: SiteOf, visitor: VisitorOf) -> list[TeamFile]:
    """The files that only your team gets."""
    return own_files(site, visitor, edition)


@KITS.get("/files/{name:path}", response_class=FileResponse)
def download_own_file(edition: str, name: str, site: SiteOf, visitor: VisitorOf) -> FileResponse:
    """One file that only your team gets, such as ``main/private.csv``."""
    path = own_file(site, visitor, edition, name)
    return download_file(path, download_name(site, visitor, edition, name))


UPLOADS = APIRouter(prefix="/editions/{edition}/uploads", tags=["submissions"])

_FORM: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "properties": {
                        "file": {
                            "type": "array",
                            "items": {"type": "string", "format": "binary"},
                            "description": "One zip, or every file by itself.",
                        },
                        "track": {"type": "string"},
                        "kind": {"type": "string", "enum": ["release", "guess"]},
                        "sample": {"type": "integer"},
                        "trial": {
                            "type": "boolean",
                            "description": "Only check the files; this costs no attempt.",
                        },
                    },
                    "required": ["file"],
                }
            }
        },
    }
}


class ReadingModel(BaseModel):
    """A measured value with its interval; None is a number that JSON cannot write."""

    value: float | None
    low: float | None
    high: float | None
    better: str
    text: str

    @classmethod
    def of(cls, reading: Reading) -> ReadingModel:
        """A reading for JSON."""
        value, low, high = map(_finite, (reading.value, reading.low, reading.high))
        text = reading_text(reading)
        return cls(value=value, low=low, high=high, better=reading.better, text=text)


class UploadModel(BaseModel):
    """An upload and what became of it; see the page of the upload for what each state means."""

    id: int
    track: str
    phase: str
    kind: str
    state: str
    arrived: datetime
    files: dict[str, str]
    size: int
    sample: int | None
    event: int | None
    before: int
    faults: list[ShownFault]
    readings: dict[str, ReadingModel]
    gate_failures: list[str]
    warnings: list[str]
    left: str
    receipt: bool
    made: list[str]
    reasons: list[str]
    second: str

    @classmethod
    def of(cls, upload: ShownUpload) -> UploadModel:
        """An upload for JSON."""
        fields = {name: getattr(upload, name) for name in cls.model_fields if name != "readings"}
        readings = {name: ReadingModel.of(reading) for name, reading in upload.readings.items()}
        return cls(**fields, readings=readings)


@UPLOADS.post("", status_code=202, openapi_extra=_FORM)
async def upload(edition: str, request: Request, site: SiteOf, visitor: VisitorOf) -> UploadModel:
    """Submit files, or let them be checked; the answer comes after about two seconds at most."""
    visitor.require_scope("submit")
    visitor.team_in(edition)  # before a single byte is read
    form = await sent_form(request)
    shown = await run_in_threadpool(submit_form, site, visitor, edition, form.fields, form.files)
    return UploadModel.of(shown)


@UPLOADS.get("")
def list_uploads(edition: str, site: SiteOf, visitor: VisitorOf) -> list[UploadModel]:
    """The uploads of your team, the newest first."""
    return [UploadModel.of(shown) for shown in uploads_for(site, visitor, edition)]


@UPLOADS.get("/{number}")
def show_upload(edition: str, number: int, site: SiteOf, visitor: VisitorOf) -> UploadModel:
    """One upload of your team: its state, its faults, its place in the queue."""
    return UploadModel.of(upload_for(site, visitor, edition, number))


@UPLOADS.post("/{number}/submit")
def submit_checked_files(
    edition: str, number: int, site: SiteOf, visitor: VisitorOf
) -> UploadModel:
    """Submit the files of a check that you made within the last hour and that has no faults."""
    return UploadModel.of(submit_checked(site, visitor, edition, number))


@UPLOADS.get(
    "/{number}/receipt",
    response_class=Response,
    responses={200: {"content": {"application/json": {}}, "description": "The receipt."}},
)
def download_receipt(
    edition: str, number: int, site: SiteOf, visitor: VisitorOf, second: bool = False
) -> Response:
    """The signed receipt of an accepted upload, or of the second run of its program, as a file."""
    content = receipt_for(site, visitor, edition, number, second=second)
    name = f"{edition}-receipt-{number}{'-second' if second else ''}.json"
    return download(content, name, "application/json")


def _finite(value: float) -> float | None:
    return value if abs(value) < float("inf") else None


TELLING = APIRouter(prefix="/editions/{edition}/team", tags=["teams"])


class SubmissionModel(BaseModel):
    """An accepted submission of your team."""

    event: int
    time: datetime
    track: str
    phase: str
    kind: str
    files: dict[str, str]
    made_by: int | None
    sample: int | None
    counts: bool
    upload: int | None
    readings: dict[str, ReadingModel]
    reason: str

    @classmethod
    def of(cls, one: Submission) -> SubmissionModel:
        """A submission for JSON."""
        fields = {name: getattr(one, name) for name in cls.model_fields if name != "readings"}
        readings = {name: ReadingModel.of(value) for name, value in one.readings.items()}
        return cls(**fields, readings=readings)


class ScoreModel(BaseModel):
    """A score that the feedback of the contest shows you."""

    track: str
    entry: str
    name: str
    value: float


class HistoryModel(BaseModel):
    """The submissions of your team, the earliest first, and its scores as far as shown."""

    submissions: list[SubmissionModel]
    scores: list[ScoreModel]


class Choice(BaseModel):
    """The submissions of a phase that are to count; none means the last ones."""

    track: Annotated[str, Field(max_length=64)]
    phase: Annotated[str, Field(max_length=64)]
    submissions: Annotated[list[Annotated[int, Field(ge=1, lt=2**31)]], Field(max_length=1000)]


class ChoiceJob(BaseModel):
    """The job that records a choice."""

    job: int


class DescriptionModel(BaseModel):
    """What a team says about its method: plain text, the address of its code, its licence."""

    text: Annotated[str, Field(max_length=20_000)]
    code: Annotated[str, Field(max_length=1000)] = ""
    licence: Annotated[str, Field(max_length=200)] = ""


class Answers(BaseModel):
    """Answers to the questionnaire; see the reference of ``card.json``."""

    claim: dict[str, Any] | None = None
    models: Annotated[list[dict[str, Any]], Field(max_length=100)] = []
    methods: Annotated[list[dict[str, Any]], Field(max_length=100)] = []


@TELLING.get("/history")
def show_history(edition: str, site: SiteOf, visitor: VisitorOf) -> HistoryModel:
    """What your team submitted, what counts, and the scores that you may see."""
    history = history_for(site, visitor, edition)
    scores = [
        ScoreModel(track=score.track, entry=score.entry, name=score.name, value=score.value)
        for score in history.scores
    ]
    submissions = [SubmissionModel.of(submission) for submission in history.submissions]
    return HistoryModel(submissions=submissions, scores=scores)


@TELLING.put("/choice", status_code=202)
def choose_what_counts(edition: str, choice: Choice, site: SiteOf, visitor: VisitorOf) -> ChoiceJob:
    """Choose which submissions of a phase count, as long as the phase is open."""
    job = choose(site, visitor, edition, choice.track, choice.phase, choice.submissions)
    return ChoiceJob(job=job)


@TELLING.get("/description")
def show_description(edition: str, site: SiteOf, visitor: VisitorOf) -> DescriptionModel:
    """What your team says about its method; everybody can read it after the reveal."""
    row = description_for(site, visitor, edition)
    return DescriptionModel(text=row.text, code=row.code, licence=row.licence)


@TELLING.put("/description")
def write_description(
    edition: str, request: DescriptionModel, site: SiteOf, visitor: VisitorOf
) -> DescriptionModel:
    """Write or replace the description of your team."""
    row = describe(
        site, visitor, edition, text=request.text, code=request.code, licence=request.licence
    )
    return DescriptionModel(text=row.text, code=row.code, licence=row.licence)


@TELLING.post("/card", response_class=Response)
def make_card(edition: str, answers: Answers, site: SiteOf, visitor: VisitorOf) -> Response:  # noqa: ARG001
    """Answers to the questionnaire as ``card.json``, to be submitted with a release."""
    visitor.require_scope("submit")
    visitor.team_in(edition)
    return download(card_of(answers.model_dump()), CARD, "application/json")
