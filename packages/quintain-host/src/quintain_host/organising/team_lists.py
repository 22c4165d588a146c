"""Lists of teams: organisers approve many teams at once, with ticks or with a table (CSV).

Everything in a table is checked before anything is done, and every fault is named with its line.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from quintain.contests.roster import Quota
from quintain.errors import Faults, QuintainError, Refused, Rejected
from quintain.runs.organising.amend import checked_reason
from quintain.wording.languages import tell
from quintain_host.access import Visitor
from quintain_host.audit_log import log
from quintain_host.database.contests import Member, RegisteredTeam
from quintain_host.database.people import Account
from quintain_host.languages.states import tell_state
from quintain_host.organising.registrations import approve_row, refuse_row
from quintain_host.site import Site

COLUMNS = ("team", "name", "affiliation", "people", "state", "decision", "reason")
"""The columns of the table; the last two are the organisers'."""

DECISIONS = ("", "approve", "approve-without-rank", "refuse")
MOST_BYTES = 1_000_000
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How a cell begins that a spreadsheet would compute."""


class BadTable(Rejected):
    """A table of teams has faults; nothing of it was done."""

    status = 422


def approve_teams(site: Site, visitor: Visitor, edition: str, teams: Sequence[str]) -> int:
    """Approve several teams that wait, or none of them; returns how many."""
    visitor.require_organiser(edition)
    if not teams:
        raise Refused(tell("tick the teams that you approve"))
    faults = Faults("the list")
    with site.database.writing(edition) as session:
        rows = _rows(session, edition)
        chosen = list(dict.fromkeys(teams))
        for team in chosen:
            why = _obstacle(rows, team)
            if why:
                faults.add(why)
        faults.raise_if_any(BadTable)
        for team in chosen:
            approve_row(session, site, visitor, rows[team], competing=True, limits=Quota())
    return len(chosen)


def write_table(site: Site, visitor: Visitor, edition: str) -> bytes:
    """All teams as a table for a spreadsheet, with the names and addresses of their people.

    The look is recorded. No cell of a team can be a formula.
    """
    visitor.require_organiser(edition)
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    with site.database.writing(edition) as session:
        people = _people(session, edition)
        for row in _rows(session, edition).values():
            known = (row.id, row.name, row.affiliation, people.get(row.id, ""), row.state)
            writer.writerow([*map(_plain_cell, known), "", _plain_cell(row.reason)])
        log(session, site, visitor, "team.look-all", edition)
    return text.getvalue().encode()


def _plain_cell(text: str) -> str:
    """A cell that a spreadsheet shows as it is.

    >>> _plain_cell("=1+1"), _plain_cell("red")
    ("'=1+1", 'red')
    """
    return f"'{text}" if text.startswith(_FORMULA) else text


def answer_table(site: Site, visitor: Visitor, edition: str, content: bytes) -> int:
    """Approve and refuse teams as a table says, or change nothing; returns how many.

    Parameters
    ----------
    content : a table as :func:`write_table` writes it; only ``team``, ``decision`` and ``reason``
        are read, and rows without a decision are left alone.
    """
    visitor.require_organiser(edition)
    faults = Faults("the table")
    answers = _read(content, faults)
    with site.database.writing(edition) as session:
        rows = _rows(session, edition)
        for line, team, decision, reason in answers:
            why = _obstacle(rows, team) or _bad_answer(decision, reason)
            if why:
                faults.add(why, line=line)
        faults.raise_if_any(BadTable)
        for _, team, decision, reason in answers:
            if decision == "refuse":
                refuse_row(session, site, visitor, rows[team], checked_reason(reason))
            else:
                competing = decision == "approve"
                approve_row(session, site, visitor, rows[team], competing=competing, limits=Quota())
    return len(answers)


def _read(content: bytes, faults: Faults) -> list[tuple[int, str, str, str]]:
    """Line, team, decision and reason of every row with a decision."""
    if len(content) > MOST_BYTES:
        faults.add(
            tell("it has %(n)s bytes; the limit is %(most)s", n=len(content), most=MOST_BYTES)
        )
        return []
    try:
        text = content.decode("utf-8-sig")
        reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        missing = [name for name in ("team", "decision") if name not in (reader.fieldnames or ())]
        if missing:
            faults.add(
                tell("the first line has no column %(names)s", names=", ".join(missing)),
                line=1,
            )
            return []
        return _answers(reader, faults)
    except UnicodeDecodeError:
        faults.add(tell("it is not a text in UTF-8: store it as CSV UTF-8"))
    except csv.Error as problem:
        faults.add(tell("it is not a table (CSV): %(problem)s", problem=problem))
    return []


def _answers(reader: csv.DictReader[str], faults: Faults) -> list[tuple[int, str, str, str]]:
    answers: list[tuple[int, str, str, str]] = []
    seen: set[str] = set()
    for row in reader:
        line = reader.line_num
        if None in row:
            faults.add(tell("the row has more cells than the first line"), line=line)
            continue
        team, decision = (row["team"] or "").strip(), (row["decision"] or "").strip().lower()
        if not decision:
            continue
        if team in seen:
            faults.add(
                tell("two rows decide on this team"), line=line, column="team", got=team[:80]
            )
        seen.add(team)
        answers.append((line, team, decision, row.get("reason") or ""))
    return answers


def _obstacle(rows: dict[str, RegisteredTeam], team: str) -> str:
    if team not in rows:
        return tell("there is no team %(team)s", team=repr(team[:80]))
    state = rows[team].state
    if state == "waiting":
        return ""
    return tell(
        "team %(team)s does not wait for an answer (%(state)s)",
        team=team,
        state=tell_state(state, "team"),
    )


def _bad_answer(decision: str, reason: str) -> str:
    if decision not in DECISIONS:
        return tell(
            "the decision is %(decision)s; write one of: %(names)s",
            decision=repr(decision[:80]),
            names=", ".join(DECISIONS[1:]),
        )
    if decision != "refuse":
        return ""
    try:
        checked_reason(reason)
    except QuintainError as problem:
        return problem.say()
    return ""


def _rows(session: Session, edition: str) -> dict[str, RegisteredTeam]:
    every = select(RegisteredTeam).where(RegisteredTeam.edition == edition)
    ordered = session.scalars(every.order_by(RegisteredTeam.created, RegisteredTeam.id))
    return {row.id: row for row in ordered}


def _people(session: Session, edition: str) -> dict[str, str]:
    """The people of each team, the captain first."""
    rows = session.execute(
        select(Member.team, Account.name, Account.email)
        .join(Account, Account.id == Member.account)
        .where(Member.edition == edition)
        .order_by(Member.captain.desc(), Account.id)
    )
    people: dict[str, list[str]] = {}
    for team, name, email in rows:
        people.setdefault(team, []).append(f"{name} <{email}>")
    return {team: "; ".join(texts) for team, texts in people.items()}
