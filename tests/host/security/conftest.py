"""Set-ups that the tests of security share."""

import pytest

from tests.host.security.people import site_in


@pytest.fixture
def site(tmp_path):
    with site_in(tmp_path / "site") as made:
        yield made
