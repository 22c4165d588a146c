"""``python -m quintain``."""

from quintain.cli.main import main

main()
