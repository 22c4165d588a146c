"""Fixtures for programs on a site; where nothing contains programs, tests are skipped."""

import pytest

from quintain.programs.choice import ability


@pytest.fixture(scope="session")
def able():
    """Skip where this machine cannot contain programs of strangers."""
    here = ability(trust=False)
    if not here.able:
        pytest.skip(here.why)
