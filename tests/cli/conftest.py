"""Shared fixtures of the tests of commands."""

import pytest

from quintain.cli.main import main
from tests.contest_folders import small


@pytest.fixture
def quintain(capsys):
    """Runs a command that must fail; returns its code and what it said on standard error."""

    def run(*arguments):
        capsys.readouterr()
        with pytest.raises(SystemExit) as done:
            main([str(argument) for argument in arguments])
        shown = capsys.readouterr()
        assert done.value.code not in (0, None)
        assert "Traceback" not in shown.err
        return done.value.code, shown.err, shown.out

    return run


@pytest.fixture(scope="session")
def contest(tmp_path_factory):
    """A prepared contest in which nobody has submitted anything; read only."""
    out = tmp_path_factory.mktemp("errors") / "contest"
    return small(out, team=[{"id": "red"}], repeats=1).root
