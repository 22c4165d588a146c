"""Redirects: after signing in, people go back to a page of this site and to no other."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_LOCAL = re.compile(r"/(?:[A-Za-z0-9._~!$&'()*+,;=:@%-][A-Za-z0-9._~!$&'()*+,;=:@%/?-]*)?")


def local_path(text: str, otherwise: str = "/") -> str:
    """A path of this site from a form or a query; everything else becomes ``otherwise``.

    Examples
    --------
    >>> local_path("/contests/amic?team=1")
    '/contests/amic?team=1'
    >>> local_path("//evil.example"), local_path(r"/\\evil.example"), local_path("https://a.b")
    ('/', '/', '/')
    """
    parts = urlsplit(text) if len(text) <= 500 and _LOCAL.fullmatch(text) else None
    return otherwise if parts is None or parts.scheme or parts.netloc else text
