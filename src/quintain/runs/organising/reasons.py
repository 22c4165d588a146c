"""Reasons and beacons: what the organisers write into the journal; everybody can read it."""

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


def checked_beacon(text: str) -> str:
    """A beacon; raises if two of them could look the same.

    Else the organisers could try many spellings, and nobody would see that they chose one.
    """
    if len(text) > LONGEST_REASON:
        raise Refused(f"the beacon has {len(text)} characters; the limit is {LONGEST_REASON}")
    if not text.isascii() or not text.isprintable():
        raise Refused("the beacon has a character that is not plain ASCII; write it without")
    if " ".join(text.split()) != text:
        raise Refused("the beacon has spaces that nobody can see; write one between two words")
    return text
