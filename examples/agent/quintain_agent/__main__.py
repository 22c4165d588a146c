"""``python -m quintain_agent`` is the command ``quintain-agent``."""

from quintain_agent.command import main

main()
