"""People of the demonstration: accounts with passwords that the command prints."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from quintain_host.access import Visitor
from quintain_host.accounts.administration import add_account, set_password, sign_up
from quintain_host.accounts.sessions import sign_in, visitor_with_cookie
from quintain_host.site import Site


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with an account."""

    site: Site
    role: str
    name: str
    email: str
    password: str

    def visitor(self) -> Visitor:
        """The person, signed in now."""
        cookie = sign_in(self.site, self.email, self.password).cookie
        return visitor_with_cookie(self.site, cookie)


def operator(site: Site, name: str) -> Person:
    """Somebody who runs the site and organises its contests."""
    person = _person(site, "organiser", name)
    added = add_account(site, None, person.email, name, operator=True)
    set_password(site, added.secret, person.password)
    return person


def visitor(site: Site, name: str, role: str) -> Person:
    """Somebody who made an account."""
    person = _person(site, role, name)
    sign_up(site, person.email, name, person.password)
    return person


def _person(site: Site, role: str, name: str) -> Person:
    email = f"{name.split()[0].lower()}@example.org"
    return Person(site, role, name, email, secrets.token_urlsafe(9))
