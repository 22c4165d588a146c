"""Print the commands of a page, by heading: ``steps.py PAGE '1. Name' '2. Packages'``."""

from __future__ import annotations

import re
import sys
from pathlib import Path

_HEADING = re.compile(r"^#{2,3} (.+)$")


def read_steps(page: str) -> dict[str, str]:
    """The bash blocks under each heading of a page, joined in their order."""
    steps: dict[str, str] = {}
    heading, inside = "", False
    for line in page.splitlines():
        if line.startswith("```"):
            inside = line == "```bash"
        elif inside:
            steps[heading] = steps.get(heading, "") + line + "\n"
        elif match := _HEADING.match(line):
            heading = match[1]
    return steps


if __name__ == "__main__":
    path, *headings = sys.argv[1:]
    steps = read_steps(Path(path).read_text())
    sys.stdout.write("".join(steps[heading] for heading in headings))
