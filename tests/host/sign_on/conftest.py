"""Set-ups that the tests of sign-on share: a site, and a provider beside it."""

from collections import namedtuple

import pytest

from quintain_host.web.app import make_app
from tests.host.clocks import TestClock
from tests.host.sign_on.issuer import open_issuer, sign_on_table

Campus = namedtuple("Campus", "site issuer app")


@pytest.fixture
def open_campus(new_site, tmp_path):
    """Opens a site with a provider: ``open_campus(accounts="invitation")``."""
    pytest.importorskip("authlib", reason="Authlib is not installed: quintain[oidc]")
    opened = []

    def made(table=None, **settings):
        door = open_issuer(TestClock())
        issuer = door.__enter__()
        tables = [sign_on_table(issuer, **(table or {}))]
        site = new_site(tmp_path, sign_on=tables, **settings)
        issuer.clock = site.clock
        opened.append((door, site))
        return Campus(site, issuer, make_app(site))

    yield made
    for door, site in opened:
        site.close()
        door.__exit__(None, None, None)


@pytest.fixture
def campus(open_campus):
    """A site at which everybody can make an account, with a provider beside it."""
    return open_campus()
