"""Markdown: what people write about a contest, as HTML that is safe on any page.

There are two walls. The parser knows no HTML: what looks like a tag is text. Its result then passes
a second program that lets through only the tags and attributes that are listed here. A picture is
shown if it is one of the contest's own, and is words otherwise, so that no page calls another host.
Headings stand below those of the page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from urllib.parse import urlsplit

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from quintain.figures.format import visible_lines
from quintain_host.views.own_look import ShownPicture

LONGEST = 100_000
"""How many characters are read as Markdown; services limit texts to fewer."""

TAGS = {
    *("p", "br", "hr", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote"),
    *("em", "strong", "s", "code", "pre", "a", "img"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
"""All that a text can become."""

REL = "nofollow noopener noreferrer ugc"
SCHEMES = {"http", "https", "mailto"}

_LOCAL = re.compile(r"/(?![/\\]).*|#.+")
_PICTURE = re.compile(r"[a-z0-9-]+\.(?:png|jpg|webp)")
"""What can be the name of a picture of the contest."""


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
    if _LOCAL.fullmatch(url) or _PICTURE.fullmatch(url):
        return True
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme.lower() in SCHEMES and bool(parts.netloc or parts.path)


@lru_cache(maxsize=1000)
def markdown(
    text: str, below: int = 1, *, flowing: bool = False, pictures: tuple[ShownPicture, ...] = ()
) -> Markup:
    """A text as HTML.

    Parameters
    ----------
    below : the level of the heading under which the text stands; its own come one below.
    flowing : whether lines of a paragraph flow together, as edition files break them anywhere; in
        what people type into a form, the end of a line is meant.
    pictures : those that the text may show and link, by their names.

    Examples
    --------
    >>> markdown("# Prizes\\n**100 €** <script>")
    Markup('<h2>Prizes</h2>\\n<p><strong>100 €</strong> &lt;script&gt;</p>\\n')
    """
    shown = visible_lines(text[:LONGEST])
    parser = _FLOWING if flowing else _WITH_LINES
    tokens = parser.parse(shown)
    _lower_headings(tokens, below)
    _show_pictures(tokens, {picture.name: picture for picture in pictures})
    html = parser.renderer.render(tokens, parser.options, {})
    clean = nh3.clean(
        html,
        tags=TAGS,
        attributes={
            "a": {"href", "title"},
            "ol": {"start"},
            "img": {"src", "alt", "title", "width", "height", "loading"},
        },
        attribute_filter=_without_outside,
        url_schemes=SCHEMES,
        link_rel=REL,
    )
    return Markup(clean)  # noqa: S704 -- both walls are behind it


def _without_outside(tag: str, attribute: str, value: str) -> str | None:
    """The value of an attribute; None for a picture that is not on this site."""
    return None if (tag, attribute) == ("img", "src") and not _LOCAL.fullmatch(value) else value


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


def _show_pictures(tokens: Sequence[Token], known: Mapping[str, ShownPicture]) -> None:
    """Show and link the pictures of the contest; of any other one, only words and address stay."""
    for block in tokens:
        for token in block.children or []:
            if token.type == "image":
                _show_picture(token, known.get(str(token.attrs.get("src", ""))))
            elif token.type == "link_open" and _PICTURE.fullmatch(str(token.attrs["href"])):
                own = known.get(str(token.attrs.pop("href")))
                token.attrs |= {} if own is None else {"href": own.address}


def _show_picture(token: Token, own: ShownPicture | None) -> None:
    if own is None:
        token.type, token.tag, token.nesting = "text", "", 0
        token.content = f"{token.content or 'picture'} ({token.attrs.get('src', '')})"
        return
    token.attrs |= {
        "src": own.address,
        "width": own.width,
        "height": own.height,
        "loading": "lazy",
    }


_WITH_LINES, _FLOWING = _parser(breaks=True), _parser(breaks=False)
