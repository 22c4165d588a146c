"""Page: what every page of ours shares: its style, its words, and how templates become one file.

A page is a single file without scripts and without requests. ``templates`` fills templates in,
``base.css`` is the style of all pages, and ``words.html.j2`` has the macros that write readings.
"""

from quintain.figures.page.templates import WORDS, render, shown, style_hash, texts

__all__ = ["WORDS", "render", "shown", "style_hash", "texts"]
