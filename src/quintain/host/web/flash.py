"""Flash: one sentence for the next page, after a form did its work.

The sentence travels in a cookie of this site and is shown once, as text. Addresses stay free of it,
so nobody can send a link that makes the site say something.
"""

from __future__ import annotations

import base64
import binascii

from fastapi import Request
from fastapi.responses import RedirectResponse, Response

from quintain.host.site import Site

_LONGEST = 500


def redirect(request: Request, to: str, notice: str = "") -> RedirectResponse:
    """Send a browser to a page after a form, with a sentence that the page shows once.

    Parameters
    ----------
    to : a path of this site; it has to begin with one slash.
    """
    response = RedirectResponse(to, status_code=303)
    site: Site = request.app.state.site
    if notice:
        text = base64.urlsafe_b64encode(notice[:_LONGEST].encode()).decode()
        response.set_cookie(
            _name(site),
            text,
            max_age=60,
            httponly=True,
            samesite="lax",
            secure=site.settings.secure,
        )
    return response


def notice(request: Request) -> str:
    """The sentence for this page; empty if there is none."""
    value = request.cookies.get(_name(request.app.state.site), "")
    try:
        return base64.urlsafe_b64decode(value.encode()).decode()[:_LONGEST]
    except (binascii.Error, UnicodeError):
        return ""


def forget(request: Request, response: Response) -> None:
    """Remove the sentence once a page has shown it."""
    site: Site = request.app.state.site
    if _name(site) in request.cookies:
        response.delete_cookie(_name(site), secure=site.settings.secure, httponly=True)


def _name(site: Site) -> str:
    """A browser accepts a name that begins with ``__Host-`` from this very host alone."""
    return "__Host-notice" if site.settings.secure else "notice"
