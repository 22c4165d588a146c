"""A parsed page, for the tests of reports: what it is made of, and whether it is self-contained."""

from __future__ import annotations

from html.parser import HTMLParser

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


def check_page(content: bytes) -> Page:
    """Parse a page that must be one file without scripts, requests and broken references."""
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
            assert attrs.get("scope") in {"row", "col"}
    text = content.decode()
    assert "http:" not in text
    assert "https:" not in text
    assert "nan" not in page.text().lower().split()
    assert text.startswith("<!DOCTYPE html>\n")
    return page
