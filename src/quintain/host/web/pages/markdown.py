"""Markdown: what people write about a contest, as HTML that is safe on any page.

There are two walls. The parser knows no HTML: what looks like a tag is text. Its result then passes
a second program that lets through only the tags and attributes that are listed here. Pictures
become links, so that no page calls another host, and headings stand below those of the page.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from urllib.parse import urlsplit

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from quintain.figures.format import visible_lines

LONGEST = 100_000
"""How many characters are read as Markdown; services limit texts to fewer."""

TAGS = {
    *("p", "br", "hr", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote"),
    *("em", "strong", "s", "code", "pre", "a"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
"""All that a text can become."""

REL = "nofollow noopener noreferrer ugc"
SCHEMES = {"http", "https", "mailto"}

_LOCAL = re.compile(r"/(?![/\\]).*|#.+")


def _parser(*, breaks: bool) -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "linkify": True, "breaks": breaks})
    parser.options["maxNesting"] = 20
    parser.enable(["table", "strikethrough", "linkify"])
    parser.disable(["html_block", "html_inline"])
    parser.validateLink = _is_safe_link  # type: ignore[method-assign]
    assert parser.linkify is not None
    parser.linkify.set({"fuzzy_link": False, "fuzzy_email": False, "fuzzy_ip": False})
    return parser


def _is_safe_link(url: str) -> bool:
    if _LOCAL.fullmatch(url):
        return True
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme.lower() in SCHEMES and bool(parts.netloc or parts.path)


@lru_cache(maxsize=1000)
def markdown(text: str, below: int = 1, *, flowing: bool = False) -> Markup:
    """A text as HTML.

    Parameters
    ----------
    below : the level of the heading under which the text stands; its own come one below.
    flowing : whether lines of a paragraph flow together, as edition files break them anywhere; in
        what people type into a form, the end of a line is meant.

    Examples
    --------
    >>> markdown("# Prizes\\n**100 €** <script>")
    Markup('<h2>Prizes</h2>\\n<p><strong>100 €</strong> &lt;script&gt;</p>\\n')
    """
    shown = visible_lines(text[:LONGEST])
    parser = _FLOWING if flowing else _WITH_LINES
    tokens = parser.parse(shown)
    _lower_headings(tokens, below)
    _link_pictures(tokens)
    html = parser.renderer.render(tokens, parser.options, {})
    clean = nh3.clean(
        html,
        tags=TAGS,
        attributes={"a": {"href", "title"}, "ol": {"start"}},
        url_schemes=SCHEMES,
        link_rel=REL,
    )
    return Markup(clean)  # noqa: S704 -- both walls are behind it


def plain_words(text: str) -> str:
    """A text without its marks, for places that show one line of it.

    Examples
    --------
    >>> plain_words("**400 students**, see [the data](https://a.example)")
    '400 students, see the data'
    """
    return markdown(text).striptags()


def _lower_headings(tokens: Sequence[Token], below: int) -> None:
    """Let the headings of a text follow those of the page, without a gap between levels."""
    heads = [token for token in tokens if token.type in ("heading_open", "heading_close")]
    levels = sorted({token.tag for token in heads})
    for token in heads:
        token.tag = f"h{min(below + 1 + levels.index(token.tag), 6)}"


def _link_pictures(tokens: Sequence[Token]) -> None:
    """Show a picture as a link to it."""
    for block in tokens:
        for token in block.children or []:
            if token.type == "image":
                token.type, token.tag, token.nesting = "text", "", 0
                token.content = f"{token.content or 'picture'} ({token.attrs.get('src', '')})"


_WITH_LINES, _FLOWING = _parser(breaks=True), _parser(breaks=False)
