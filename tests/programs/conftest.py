"""Sandboxes of this machine for the tests; where there is none, tests are skipped and say why."""

import pytest

from quintain.errors import QuintainError
from quintain.programs import CallLimits
from quintain.programs.runner import call
from quintain.programs.sandbox.bubblewrap import Bubblewrap
from quintain.programs.sandbox.process import Process


@pytest.fixture(scope="session")
def bubblewrap():
    """The sandbox that contains programs."""
    try:
        call({"m.py": b"def f(d): return 1"}, "m", "f", {}, CallLimits(seconds=600), Bubblewrap())
    except QuintainError as problem:
        pytest.skip(f"no bubblewrap on this machine: {problem}")
    return Bubblewrap()


@pytest.fixture(params=["bubblewrap", "process"])
def sandbox(request):
    """Every sandbox that this machine has."""
    return Process() if request.param == "process" else request.getfixturevalue("bubblewrap")
