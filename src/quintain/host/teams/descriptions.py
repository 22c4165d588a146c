"""Descriptions: what a team says about its method; everybody reads it after the reveal."""

from __future__ import annotations

from urllib.parse import urlsplit

from quintain.host.access import Visitor
from quintain.host.audit_log import log
from quintain.host.database.contests import Description, RegisteredTeam
from quintain.host.refusals import BadInput
from quintain.host.site import Site

LONGEST_TEXT = 10_000
LONGEST_ADDRESS = 500
LONGEST_LICENCE = 100


def description_for(site: Site, visitor: Visitor, edition: str) -> Description:
    """What the visitor's team has written so far; empty if nothing."""
    visitor.require_scope("read")
    team = visitor.team_in(edition)
    with site.database.reading() as session:
        row = session.get(Description, (edition, team))
    empty = Description(edition=edition, team=team, text="", code="", licence="")
    return empty if row is None else row


def describe(
    site: Site, visitor: Visitor, edition: str, *, text: str, code: str = "", licence: str = ""
) -> Description:
    """Write or replace the description of the visitor's team; it is plain text.

    Parameters
    ----------
    code : the address of the team's code on the web.
    licence : the licence of the code, such as "Apache-2.0".
    """
    visitor.require_scope("submit")
    team = visitor.team_in(edition)
    row = Description(
        edition=edition,
        team=team,
        text=_plain("the description", text, LONGEST_TEXT),
        code=_address(code),
        licence=_plain("the licence", licence, LONGEST_LICENCE),
        changed=site.clock.now(),
    )
    with site.database.writing(edition) as session:
        session.get_one(RegisteredTeam, (edition, team))
        row = session.merge(row)
        log(session, site, visitor, "team.describe", edition, team=team)
    return row


def _plain(what: str, text: str, most: int) -> str:
    """A text that can be shown as it is; lines may end in any way."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    if len(plain) > most:
        raise BadInput(f"{what} has {len(plain)} characters; the limit is {most}")
    if not plain.replace("\n", " ").replace("\t", " ").isprintable():
        raise BadInput(f"{what} has a character that cannot be shown")
    return plain


def _address(text: str) -> str:
    address = _plain("the address of the code", text, LONGEST_ADDRESS)
    if not address:
        return ""
    try:
        parts = urlsplit(address)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
        raise BadInput("the address of the code begins with https:// or http:// and names a host")
    if any(char.isspace() for char in address):
        raise BadInput("the address of the code has a space")
    return address
