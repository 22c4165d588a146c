"""``python -m quintain``."""

from quintain.cli.main import run

run()
