"""Reasons: what the organisers say when they change a running contest; everybody can read it."""

from __future__ import annotations

from quintain.errors import Refused

LONGEST_REASON = 1000
"""How many characters a reason may have: a paragraph, not a document."""


def checked_reason(text: str) -> str:
    """A reason without space around it; raises if nobody could read it.

    >>> checked_reason(" the site was down on 1 May ")
    'the site was down on 1 May'
    """
    reason = " ".join(text.split())
    if not reason:
        raise Refused("say why: the journal and the report tell everybody the reason")
    if len(reason) > LONGEST_REASON:
        raise Refused(f"the reason has {len(reason)} characters; the limit is {LONGEST_REASON}")
    if not reason.isprintable():
        raise Refused("the reason has a character that cannot be printed")
    return reason
