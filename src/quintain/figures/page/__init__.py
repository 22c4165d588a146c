"""Page: what every page of ours shares: its style, its words, and how templates become one file.

A page is a single file without scripts and without requests. :func:`render` fills templates in,
``base.css`` is the style of all pages and figures, and ``words.html.j2`` has the macros that write
readings.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache, partial
from importlib import resources
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from quintain.figures.format import (
    count,
    interval,
    interval_name,
    number,
    printable,
    probability,
    spaced,
)

if TYPE_CHECKING:
    from jinja2 import Environment

WORDS = {
    word.__name__: word for word in (count, interval, interval_name, number, probability, spaced)
}
"""What templates can do with numbers and names, by name."""


def render(package: str, template: str, *css: str, **values: Any) -> str:
    """Fill in a template of a package.

    Parameters
    ----------
    package : where the template is; templates that all pages share are found, too.
    css : further style sheets, of the package or shared, which follow the one of all pages.
    values : what the template names. Text from outside is escaped.
    """
    style = "".join(_own_or_shared(package, name) for name in ("base.css", *css))
    allowed = Markup(style)  # noqa: S704 - our own files
    page = _environment(package).get_template(template)
    return page.render(style=allowed, style_hash=style_hash(style), **values)


def texts(package: str) -> list[str]:
    """The texts of all templates and styles of a page: with another text, it is another page."""
    files = [
        (folder, file.name)
        for folder in (__package__, package)
        for file in resources.files(folder).iterdir()
    ]
    return [_text(*file) for file in sorted(files) if file[1].endswith((".j2", ".css"))]


def style_hash(style: str) -> str:
    """The hash by which a content security policy allows a style sheet."""
    return "sha256-" + base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()


@cache
def _environment(package: str) -> Environment:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        extensions=["jinja2.ext.i18n"],  # a site shows some templates in other languages
        loader=FunctionLoader(partial(_own_or_shared, package)),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=remove_invisible,
    )
    environment.filters.update(WORDS)
    environment.install_null_translations(newstyle=True)  # type: ignore[attr-defined]
    return environment


def _own_or_shared(package: str, name: str) -> str:
    """The text of a file of a package, or else of the files that all pages share."""
    own = resources.files(package) / name
    return _text(package if own.is_file() else __package__, name)


def _text(package: str, name: str) -> str:
    return (resources.files(package) / name).read_text("utf-8").replace("\r\n", "\n")


def remove_invisible(value: object) -> object:
    """Remove invisible characters from text that comes from outside; Jinja escapes the rest."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value
