"""Formulas as MathML, which browsers draw without a script."""

import re

from latex2mathml.converter import convert

CODE = re.compile(r"(```.*?```|`[^`\n]*`|^(?: {4}|\t).*?$)", re.DOTALL | re.MULTILINE)
DISPLAY = re.compile(r"\$\$(.+?)\$\$", re.DOTALL)
INLINE = re.compile(r"(?<![\\$])\$([^$\n]+?)\$(?!\$)")


def with_formulas(text: str) -> str:
    """Turn ``$$ ... $$`` and ``$ ... $`` of a page into MathML, code left as it is."""
    pieces = CODE.split(text)
    pieces[::2] = [_converted(piece) for piece in pieces[::2]]
    return "".join(pieces)


def _converted(text: str) -> str:
    text = DISPLAY.sub(lambda m: convert(" ".join(m[1].split()), display="block"), text)
    return INLINE.sub(lambda m: convert(m[1]), text)
