"""The command line as ``python -m quintain``."""

from quintain.cli.main import run

run()
