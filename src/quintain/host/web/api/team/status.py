"""Telling: a team's history, what counts, its description and its questionnaire."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter
from fastapi.responses import Response
from pydantic import BaseModel, Field

from quintain.host.intake.questionnaire import card_of
from quintain.host.teams.choices import choose
from quintain.host.teams.descriptions import describe, description_for
from quintain.host.teams.history import Submission, history_for
from quintain.host.web.api.team.uploads import ReadingModel
from quintain.host.web.requests import SiteOf, VisitorOf
from quintain.host.web.security.downloads import download
from quintain.runs.folder.paths import CARD

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
        ScoreModel(track=one.track, entry=one.entry, name=one.name, value=one.value)
        for one in history.scores
    ]
    submissions = [SubmissionModel.of(one) for one in history.submissions]
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
    edition: str, wish: DescriptionModel, site: SiteOf, visitor: VisitorOf
) -> DescriptionModel:
    """Write or replace the description of your team."""
    row = describe(site, visitor, edition, text=wish.text, code=wish.code, licence=wish.licence)
    return DescriptionModel(text=row.text, code=row.code, licence=row.licence)


@TELLING.post("/card", response_class=Response)
def make_card(edition: str, answers: Answers, site: SiteOf, visitor: VisitorOf) -> Response:  # noqa: ARG001
    """Answers to the questionnaire as ``card.json``, to be submitted with a release."""
    visitor.require_scope("submit")
    visitor.team_in(edition)
    return download(card_of(answers.model_dump()), CARD, "application/json")
