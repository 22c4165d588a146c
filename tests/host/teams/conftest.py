"""Set-ups that the tests of teams share."""

import pytest

from quintain_host.intake import submitting


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """No answer waits for the intake worker: the tests do its work afterwards."""
    monkeypatch.setattr(submitting, "PATIENCE", 0.0)
