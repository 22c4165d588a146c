"""Run a command that must fail."""

import pytest

from quintain.cli.main import main


def refusal(capsys, *arguments):
    """What a command that ends with code 1 says on standard error."""
    with pytest.raises(SystemExit) as done:
        main([str(argument) for argument in arguments])
    assert done.value.code == 1
    return capsys.readouterr().err
