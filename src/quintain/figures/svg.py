"""Elements: builds drawings and tables from elements, so that text can never act as markup.

Elements have no style attributes, no references to other files and no namespaces. The page forbids
the first two, and drawings inside a page do not need the third.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias
from xml.etree import ElementTree

from markupsafe import Markup

from quintain.figures.format import places, printable

Element: TypeAlias = ElementTree.Element

EM = 0.6
"""The average width of a letter over the size of its font; system fonts differ."""


def drawing(width: float, height: float, css: str) -> Element:
    """An empty drawing that screen readers skip, unless :func:`describe` gives it a text."""
    root = Element("svg", {"class": css, "aria-hidden": "true", "focusable": "false"})
    _set(root, {"width": width, "height": height})
    root.set("viewBox", f"0 0 {_text(width)} {_text(height)}")
    return root


def describe(root: Element, name: str, title: str, desc: str) -> Element:
    """Give a drawing a title and a description; ``name`` must be unique on the page."""
    del root.attrib["aria-hidden"]
    root.set("role", "img")
    root.set("aria-labelledby", f"{name}-title {name}-desc")
    add(root, "title", title, id=f"{name}-title")
    add(root, "desc", desc, id=f"{name}-desc")
    return root


def add(parent: Element, tag: str, text: str = "", **attributes: str | float) -> Element:
    """Add a child; the attribute ``stroke_width`` becomes stroke-width, ``css`` becomes class."""
    child = ElementTree.SubElement(parent, tag)
    child.text = printable(text) or None
    _set(child, attributes)
    return child


def tooltip(element: Element, *lines: str) -> None:
    """Set the text that appears when a pointer rests on an element of a drawing."""
    title = Element("title")
    title.text = _lines(lines)
    element.insert(0, title)


def hint(element: Element, *lines: str) -> None:
    """Set the text that appears when a pointer rests on an element of a page."""
    if any(lines):
        element.set("title", _lines(lines))


def _lines(lines: Iterable[str]) -> str:
    return "\n".join(printable(line) for line in lines if line)


def markup(root: Element) -> Markup:
    """The drawing as HTML; ElementTree escapes every text and attribute."""
    return Markup(ElementTree.tostring(root, encoding="unicode"))  # noqa: S704


def html(root: Element) -> Markup:
    """Elements of a page as HTML, in which every element has an end tag, unlike in a drawing."""
    text = ElementTree.tostring(root, encoding="unicode", short_empty_elements=False)
    return Markup(text)  # noqa: S704 - escaped as in markup


def text_width(text: str, size: float) -> float:
    """The approximate width of a text in a font of this size."""
    return places(text) * size * EM


def _set(element: Element, attributes: dict[str, str | float]) -> None:
    for name, value in attributes.items():
        if value == "":
            continue
        key = "class" if name == "css" else name.replace("_", "-")
        element.set(key, printable(value) if isinstance(value, str) else _text(value))


def _text(value: float) -> str:
    return f"{round(value, 1) + 0.0:g}"
