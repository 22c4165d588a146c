"""Kept table: a file that somebody sent with a form that has faults, so that nobody sends it twice.

The content lies among the uploads under its hash, until somebody removes what no draft needs. The
form brings a mark that only the session of its sender can have: a hash alone opens nothing.
"""

from __future__ import annotations

import hashlib
import hmac

from quintain_host.access import Visitor
from quintain_host.organising.guide.path import SentTable
from quintain_host.site import Site


def keep_table(site: Site, visitor: Visitor, file: SentTable) -> str:
    """Store a file that came with a form; returns the mark with which it is found again."""
    digest = site.uploads.keep(file.content)
    return f"{_seal(visitor, digest, file.name)}:{digest}:{file.name}"


def kept_table(site: Site, visitor: Visitor, mark: str) -> SentTable:
    """The file of a mark; no file if it is gone, or if the mark is not of this session."""
    seal, _, rest = mark.partition(":")
    digest, _, name = rest.partition(":")
    if not name or not hmac.compare_digest(seal, _seal(visitor, digest, name)):
        return SentTable()
    try:
        return SentTable(name, site.uploads.read(digest))
    except OSError:
        return SentTable()


def kept_name(mark: str) -> str:
    """The name of the file of a mark."""
    return mark.partition(":")[2].partition(":")[2]


def _seal(visitor: Visitor, digest: str, name: str) -> str:
    text = f"kept table {digest} {name}".encode()
    return hmac.new(visitor.csrf.encode(), text, hashlib.sha256).hexdigest()
