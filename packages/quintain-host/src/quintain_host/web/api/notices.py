"""Notices and questions over the API: the inbox of a person, and what teams ask the organisers."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from quintain_host.notices import inbox, questions
from quintain_host.notices.inbox import ShownNotice
from quintain_host.notices.questions import LONGEST_ANSWER, LONGEST_QUESTION, ShownQuestion
from quintain_host.web.api.organise.fields import Done, EditionId, Number, RequestBody, Text
from quintain_host.web.requests import SiteOf, VisitorOf

NOTICES = APIRouter(prefix="/notices", tags=["notices"])


class NoticeModel(BaseModel):
    """Something that you should know.

    Parameters
    ----------
    edition : the contest that it is about.
    advice : what you can do now.
    place : the path of the page where you can do it.
    read : when you read it.
    """

    id: int
    edition: str | None
    kind: str
    time: datetime
    title: str
    text: str
    advice: str
    place: str
    read: datetime | None

    @classmethod
    def of(cls, shown: ShownNotice) -> NoticeModel:
        """A notice for JSON."""
        return cls.model_validate(shown.notice, from_attributes=True)


@NOTICES.get("")
def list_notices(
    site: SiteOf,
    visitor: VisitorOf,
    edition: Annotated[str, Query(pattern=r"^([a-z0-9][a-z0-9._-]{0,63})?$")] = "",
    unread: bool = False,
) -> list[NoticeModel]:
    """Your newest notices, of one contest or of all."""
    shown = inbox.notices_of(site, visitor, edition, unread=unread)
    return [NoticeModel.of(notice) for notice in shown]


@NOTICES.post("/read")
def read_all(site: SiteOf, visitor: VisitorOf) -> Done:
    """Mark all your notices as read."""
    inbox.mark_read(site, visitor)
    return Done()


@NOTICES.post("/{number}/read")
def read_notice(site: SiteOf, visitor: VisitorOf, number: Number) -> Done:
    """Mark one of your notices as read."""
    inbox.mark_read(site, visitor, number)
    return Done()


QUESTIONS = APIRouter(prefix="/editions/{edition}", tags=["questions"])


class QuestionModel(BaseModel):
    """A question of a team, and the answer of the organisers.

    Parameters
    ----------
    team : the name of the team; empty if it is not yours.
    answered : when the organisers answered; null as long as they have not.
    to_all : whether everybody can read both.
    """

    id: int
    team: str
    time: datetime
    text: str
    answer: str
    answered: datetime | None
    to_all: bool

    @classmethod
    def of(cls, shown: ShownQuestion) -> QuestionModel:
        """A question for JSON."""
        row = shown.question
        fields = {name: getattr(row, name) for name in cls.model_fields if name != "team"}
        return cls(**fields, team=shown.team)


class NewQuestion(RequestBody):
    """What your team wants to know; plain text."""

    text: Annotated[Text, Field(min_length=1, max_length=LONGEST_QUESTION)]


class Numbered(BaseModel):
    """The number of a question."""

    question: int


class NewAnswer(RequestBody):
    """An answer in your own words, or one of the standard ones."""

    text: Annotated[Text, Field(max_length=LONGEST_ANSWER)] = ""
    standard: Annotated[Text, Field(max_length=LONGEST_ANSWER)] = ""
    to_all: bool = False


@QUESTIONS.get("/questions")
def list_questions(site: SiteOf, visitor: VisitorOf, edition: EditionId) -> list[QuestionModel]:
    """The questions that you may read: those of your team, and those answered to everybody."""
    shown = questions.questions_for(site, visitor, edition)
    return [QuestionModel.of(question) for question in shown]


@QUESTIONS.post("/questions", status_code=201)
def ask(site: SiteOf, visitor: VisitorOf, edition: EditionId, given: NewQuestion) -> Numbered:
    """Ask the organisers, in the name of your team."""
    return Numbered(question=questions.ask(site, visitor, edition, given.text))


@QUESTIONS.post("/organise/questions/{number}/answer", tags=["organisers"])
def answer(
    site: SiteOf, visitor: VisitorOf, edition: EditionId, number: Number, given: NewAnswer
) -> Done:
    """Answer a question, to its team or to everybody."""
    text = given.text.strip() or given.standard
    questions.answer(site, visitor, edition, number, text, to_all=given.to_all)
    return Done()
