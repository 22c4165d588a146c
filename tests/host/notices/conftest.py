"""Set-ups that the tests of notices share: a site with a mail server beside it."""

from collections import namedtuple

import pytest

from tests.host.conftest import DATABASES
from tests.host.notices.post_office import open_office

Posting = namedtuple("Posting", "site office")


@pytest.fixture(params=DATABASES)
def posting(request, new_site, tmp_path):
    """A site that sends mail, once on each database, and the office that gets it."""
    with open_office(refuse={"nobody@example.org"}) as (office, mail):
        site = new_site(tmp_path, request.param, mail=mail)
        yield Posting(site, office)
        site.close()


@pytest.fixture
def one_posting(new_site, tmp_path):
    """A site that sends mail, on the first database."""
    with open_office(refuse={"nobody@example.org"}) as (office, mail):
        site = new_site(tmp_path, mail=mail)
        yield Posting(site, office)
        site.close()
