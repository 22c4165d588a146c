"""URLs: the links of accounts as people get them."""

from __future__ import annotations

from quintain.host.site import Site


def set_password_url(site: Site, secret: str) -> str:
    """The link that somebody gets to set a password."""
    return f"{site.settings.url.rstrip('/')}/set-password/{secret}"


def sign_up_url(site: Site, secret: str) -> str:
    """The link that somebody gets to make an account."""
    return f"{site.settings.url.rstrip('/')}/sign-up?link={secret}"
