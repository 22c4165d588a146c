"""Questions: a team asks the organisers, who answer to the team or to everybody."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from quintain.errors import Refused
from quintain.wording.languages import say, to_say
from quintain_host.access import BadInput, Conflict, NotThere, Visitor
from quintain_host.audit_log import log
from quintain_host.database.contests import RegisteredTeam
from quintain_host.database.notices import TeamQuestion
from quintain_host.editions.shown import edition_for
from quintain_host.notices.inbox import everybody, members, notify, organisers
from quintain_host.notices.words import answer_for_all, question_answered, question_arrived
from quintain_host.site import Site

LONGEST_QUESTION, LONGEST_ANSWER = 2000, 5000
MOST_OPEN = 10
"""How many questions of one team may wait at the same time."""

STANDARD = (
    to_say("We cannot answer this before the results are out."),
    to_say("The rules say it: read them again, please."),
    to_say("Your kit has it: read its README, please."),
    to_say("Yes."),
    to_say("No."),
    to_say("We look into it and publish news about it."),
)
"""Answers that organisers give often."""


@dataclass(frozen=True, slots=True)
class ShownQuestion:
    """A question with the name of its team; the name is empty for members of other teams."""

    question: TeamQuestion
    team: str


def ask(site: Site, visitor: Visitor, edition: str, text: str) -> int:
    """Ask the organisers something, in the name of the visitor's team; returns its number."""
    visitor.require_scope("submit")
    team = visitor.team_in(edition)
    text = _checked_text(text, LONGEST_QUESTION, say("a question"))
    with site.database.writing(edition) as session:
        name = session.get_one(RegisteredTeam, (edition, team)).name
        waiting = _open_questions(edition).where(TeamQuestion.team == team)
        if (session.scalar(waiting) or 0) >= MOST_OPEN:
            raise Refused(
                say(
                    "%(most_open)s questions of your team wait for an answer: wait for one",
                    most_open=MOST_OPEN,
                )
            )
        row = TeamQuestion(
            edition=edition,
            team=team,
            account=visitor.require_signed_in(),
            time=site.clock.now(),
            text=text,
        )
        session.add(row)
        session.flush()
        message = partial(question_arrived, name, text)
        notify(session, site, edition, organisers(session, edition), message)
        log(session, site, visitor, "question.ask", edition, team=team, question=row.id)
        return row.id


def answer(
    site: Site, visitor: Visitor, edition: str, number: int, text: str, *, to_all: bool
) -> None:
    """Answer a question once, to its team or to everybody.

    Parameters
    ----------
    to_all : show question and answer to everybody who sees the contest, without the team's name.
    """
    account = visitor.require_organiser(edition)
    text = _checked_text(text, LONGEST_ANSWER, say("an answer"))
    with site.database.writing(edition) as session:
        row = session.get(TeamQuestion, number)
        if row is None or row.edition != edition:
            raise NotThere(say("there is no question %(number)s", number=number))
        if row.answered is not None:
            raise Conflict(say("question %(number)s was answered already", number=number))
        row.answer, row.to_all = text, to_all
        row.answered, row.answerer = site.clock.now(), account
        own = members(session, edition, row.team)
        notify(session, site, edition, own, partial(question_answered, row.text, text))
        if to_all:
            others = set(everybody(session, edition)) - set(own)
            notify(session, site, edition, others, partial(answer_for_all, row.text, text))
        log(session, site, visitor, "question.answer", edition, question=number, to_all=to_all)


def _checked_text(text: str, most: int, what: str) -> str:
    text = text.replace("\r\n", "\n").strip()
    if not text or len(text) > most:
        raise BadInput(say("%(what)s has 1 to %(most)s characters", what=what, most=most)).about(
            "text"
        )
    if not all(char.isprintable() or char in "\n\t" for char in text):
        raise BadInput(say("%(what)s has no characters that cannot be printed", what=what)).about(
            "text"
        )
    return text


def questions_for(site: Site, visitor: Visitor, edition: str) -> list[ShownQuestion]:
    """The questions that the visitor may read, the newest first.

    Organisers read all, a team its own ones, and everybody those that were answered to all.
    """
    edition_for(site, visitor, edition)
    visitor.require_scope("read")
    rows = select(TeamQuestion, RegisteredTeam.name).join(
        RegisteredTeam,
        (RegisteredTeam.edition == TeamQuestion.edition) & (RegisteredTeam.id == TeamQuestion.team),
    )
    rows = rows.where(TeamQuestion.edition == edition)
    membership = visitor.teams.get(edition)
    team = None if membership is None else membership.team
    every = visitor.organises_edition(edition)
    if not every:
        rows = rows.where(TeamQuestion.to_all | (TeamQuestion.team == team))
    with site.database.reading() as session:
        every_row = session.execute(rows.order_by(TeamQuestion.id.desc())).all()
    return [
        ShownQuestion(row, name if every or row.team == team else "") for row, name in every_row
    ]


def public_answers(site: Site, edition: str) -> list[TeamQuestion]:
    """The questions that were answered to everybody; the caller knows who may see the contest."""
    rows = select(TeamQuestion).where(TeamQuestion.edition == edition, TeamQuestion.to_all)
    with site.database.reading() as session:
        return list(session.scalars(rows.order_by(TeamQuestion.id)))


def unanswered_count(session: Session, edition: str) -> int:
    """How many questions wait for the organisers."""
    return session.scalar(_open_questions(edition)) or 0


def _open_questions(edition: str) -> Select[int]:
    return select(func.count()).where(
        TeamQuestion.edition == edition, TeamQuestion.answered.is_(None)
    )
