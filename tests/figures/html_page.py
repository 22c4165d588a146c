"""A parsed page, for the tests of reports: what it is made of, and whether it is self-contained."""

from __future__ import annotations

import re
from html.parser import HTMLParser

PLAIN = {"cannot-say", "dash-1", "point"}
"""Classes that look like nothing special: a verdict without a colour, a line without gaps."""

VOID = {"meta", "link", "br", "img", "input", "hr"}


class Page(HTMLParser):
    """What a page is made of; refuses tags that do not match."""

    def __init__(self, content: bytes) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(content.decode())
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())

    def count(self, css: str) -> int:
        """How many elements have a class."""
        return sum(css in (attrs.get("class") or "").split() for _, attrs in self.tags)


def styled_classes(css: str) -> set[str]:
    """The classes that a style sheet says something about."""
    return set(re.findall(r"\.([a-zA-Z][\w-]*)", re.sub(r"/\*.*?\*/", "", css, flags=re.S)))


def unstyled_classes(page: Page, css: str) -> set[str]:
    """Classes of a page that its style sheet lacks: somebody forgot a part of the style."""
    used = {name for _, attrs in page.tags for name in (attrs.get("class") or "").split()}
    return used - styled_classes(css) - PLAIN


def check_page(content: bytes) -> Page:
    """Parse a page that must be one file without scripts, requests and broken references.

    Its style sheet has every class that its elements have.
    """
    page = Page(content)
    known = {attrs["id"] for _, attrs in page.tags if "id" in attrs}
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(ids) == len(known)
    for tag, attrs in page.tags:
        assert tag not in {"script", "img", "link", "iframe", "object", "image", "use", "base"}
        assert not any(key in {"style", "src", "xmlns"} or key[:2] == "on" for key in attrs)
        if "href" in attrs:
            assert str(attrs["href"]).removeprefix("#") in known
        for key in ("aria-labelledby", "aria-describedby"):
            assert set((attrs.get(key) or "").split()) <= known
        if tag == "svg":
            assert attrs.get("role") == "img" or attrs.get("aria-hidden") == "true"
        if tag == "th":
            assert attrs.get("scope") in {"row", "col", "rowgroup"}
    text = content.decode()
    unstyled = unstyled_classes(page, text.split("<style>")[1].split("</style>")[0])
    assert not unstyled, unstyled
    assert "http:" not in text
    assert "https:" not in text
    assert "nan" not in page.text().lower().split()
    assert text.startswith("<!DOCTYPE html>\n")
    return page
