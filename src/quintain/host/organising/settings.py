"""Settings of a contest: who can see it, who can register, and its call for participation."""

from __future__ import annotations

from typing import Any

from quintain.errors import Refused
from quintain.host.access import Visitor
from quintain.host.audit_log import log
from quintain.host.database.contests import HostedEdition
from quintain.host.refusals import Conflict
from quintain.host.site import Site

REGISTRATIONS = ("open", "approval", "invitation", "closed")
LONGEST_CALL = 20_000


def change_settings(site: Site, visitor: Visitor, edition: str, **values: Any) -> HostedEdition:
    """Change some settings; what is not named stays as it is.

    Parameters
    ----------
    values : ``visible``, ``registration``, ``team_size``, ``max_teams`` or ``call``; None lifts a
        limit.
    """
    visitor.require_organiser(edition)
    with site.database.writing(edition) as session:
        row = session.get_one(HostedEdition, edition)
        if values.get("visible") and row.state == "draft":
            raise Conflict("a draft is shown to nobody; fix the rules first")
        for name, value in values.items():
            setattr(row, name, _checked(name, value))
        shown = {name: value for name, value in values.items() if name != "call"}
        log(session, site, visitor, "edition.settings", edition, changed=sorted(values), **shown)
        return row


def _checked(name: str, value: Any) -> Any:
    match name:
        case "visible":
            return bool(value)
        case "registration":
            return _registration(str(value))
        case "team_size" | "max_teams":
            return _limit(name, value)
        case "call":
            return _call(str(value))
    raise Refused(f"{name} is no setting of a contest")


def _registration(mode: str) -> str:
    if mode not in REGISTRATIONS:
        raise Refused(f"registration is one of: {', '.join(REGISTRATIONS)}")
    return mode


def _limit(name: str, value: int | None) -> int | None:
    if value is not None and not 1 <= value <= 10_000:
        raise Refused(f"{name.replace('_', ' ')}: choose a number from 1 to 10000, or none")
    return value


def _call(text: str) -> str:
    text = text.replace("\r\n", "\n").strip()
    if len(text) > LONGEST_CALL:
        raise Refused(f"the call has {len(text)} characters; the limit is {LONGEST_CALL}")
    return plain_text(text)


def plain_text(text: str) -> str:
    """A text of several lines that any page can show; raises for control characters."""
    if not all(char.isprintable() or char in "\n\t" for char in text):
        raise Refused("the text has a character that cannot be printed")
    return text
