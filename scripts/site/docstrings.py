"""How the API pages read the docstrings of quintain.

The docstrings write ``name : meaning`` and leave types to annotations. They may have examples and
formulas at any place.
"""

import re
import sys
from pathlib import Path

import griffe

sys.path.insert(0, str(Path(__file__).parent))  # griffe loads this file alone

from formulas import with_formulas

SECTION = re.compile(r"^(?:Parameters|Attributes|Returns)\n-+\n((?:.+\n?)*)", re.MULTILINE)
ENTRY = re.compile(r"^(\w+(?:, \w+)*) : (.+)$", re.MULTILINE)
EXAMPLE = re.compile(r"^>>> (?:.+\n?)+", re.MULTILINE)


class Docstrings(griffe.Extension):
    """Rewrites docstrings into what the NumPy style and Markdown expect."""

    def on_object(self, *, obj: griffe.Object, **_: object) -> None:
        """Rewrite the docstring of one object."""
        if obj.docstring is not None:
            text = EXAMPLE.sub(lambda m: f"```pycon\n{m[0].rstrip()}\n```\n", obj.docstring.value)
            text = SECTION.sub(lambda m: ENTRY.sub(r"\1\n    \2", m[0]), text)
            obj.docstring.value = with_formulas(text)
