"""Bring the catalogues of the site's languages up to date with its texts.

Writes quintain.pot in quintain_host/languages, which lists every text of the pages, of the rules in
words and of the parts that they name, and merges it into the catalogue of each language. A
translation whose text is gone is dropped; one whose text changed a little is kept and marked fuzzy,
and is not used until a translator looked at it.

Translators see no page, so each text comes with comments: where it stands, by the first line of its
module or by its page and the element around it, and what its values are, by
``placeholders.toml`` beside this file. A comment in the code that begins with "translators:" adds
what these cannot say.

python scripts/catalogue.py [FOLDER]
"""

import ast
import importlib
import json
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from inspect import getdoc
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

import quintain
from quintain.wording.languages import has_words, in_catalogue
from quintain_host.languages.catalogue import DEFAULT, FOLDER, LANGUAGES

PACKAGE = Path(quintain.__file__).parent
TEMPLATE = "quintain.pot"

SHARED = ("figures/page/words.html.j2", "runs/report/macros.html.j2")
"""Templates of reports that pages of the site use too."""

ENGINE = sorted(
    path.relative_to(PACKAGE).as_posix()
    for path in PACKAGE.rglob("*.py")
    if "quintain.wording.languages" in path.read_text()
)
"""Modules of the engine that say something; to read all the others would take long."""

OF_SITE = [("**.py", "python"), ("web/templates/**.j2", "jinja2")]
OF_ENGINE = [
    ("wording/languages.py", "python"),
    *((module, "python") for module in ENGINE),
    *((template, "jinja2") for template in SHARED),
]
AS_SITE = {
    "silent": "false",
    "newstyle_gettext": "true",
    "trim_blocks": "true",
    "lstrip_blocks": "true",
}
"""Templates are read as the site reads them, and one that cannot be read is an error."""
OPTIONS = {pattern: AS_SITE for pattern, method in (*OF_SITE, *OF_ENGINE) if method == "jinja2"}
KEYWORDS = {
    "_": None,
    "gettext": None,
    "ngettext": (1, 2),
    "say": None,
    "say_count": (1, 2),
    "in_context": ((1, "c"), 2),
    "pgettext": ((1, "c"), 2),
    "tell": None,
    "tell_count": (1, 2),
    "to_say": None,
    "to_say_count": (1, 2),
}
"""The functions whose first texts are in the catalogue."""

FAMILIES = ("goal", "measure", "ranking", "rule", "sample", "sanitizer", "source", "tie")
"""The families of parts whose summaries stand in the rules of a contest."""


NOTE = "translators:"
"""How a comment in the code begins that translators read."""

PLACEHOLDERS: dict[str, str] = tomllib.loads(
    Path(__file__).with_name("placeholders.toml").read_text()
)
"""What the values of texts are, by their names."""

ELEMENTS = {
    **dict.fromkeys(("h1", "h2", "h3", "legend", "caption", "summary", "block title"), "a heading"),
    **dict.fromkeys(("button", "form_button"), "a button"),
    **dict.fromkeys(("th", "table"), "the head of a column, or the name of a table"),
    **dict.fromkeys(("label", "field", "dt"), "the name of a field"),
    **dict.fromkeys(("a", "menu_entry"), "a link"),
    **dict.fromkeys(("status", "dd", "td"), "a state or a value"),
    "option": "a choice",
}
"""What people see where an element or a macro of a template has a text; others are plain text."""


PAGES = {
    "account": "a page about an account",
    "guide": "a page of the guide for organisers",
    "notices": "a page about notices and questions",
    "organise": "a page for organisers",
    "public": "a page for everybody",
    "team": "a page for a team",
}
"""The pages of the site, by the folders of their templates."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text of the catalogue, with one place where it stands."""

    path: str
    forms: str | tuple[str, ...]
    context: str | None
    place: str
    notes: tuple[str, ...] = ()

    @property
    def first(self) -> str:
        """The text, or its form for one thing."""
        return self.forms if isinstance(self.forms, str) else self.forms[0]


def texts() -> Catalog:
    """Every text of the pages, their code, the mails, the rules and the parts, in order of files.

    Places are named without lines, so that a change elsewhere in a file changes no catalogue.
    """
    found = Catalog(project="quintain", charset="utf-8", fuzzy=False)
    for text in [*_found(), *_of_parts()]:
        if has_words(text.first):
            comments = [f"Here: {text.place}", *text.notes, *_values_of(text)]
            found.add(
                text.forms,
                locations=[(text.path, 0)],
                flags=[],
                auto_comments=comments,
                context=text.context,
            )
    return found


def _values_of(text: Text) -> Iterator[str]:
    """What each value of a text is."""
    last = text.forms if isinstance(text.forms, str) else text.forms[-1]
    for name in dict.fromkeys(re.findall(r"%\((\w+)\)s", last)):
        if name not in PLACEHOLDERS:
            raise SystemExit(
                f"{text.path}: nothing says what %({name})s is in the text {text.first!r}: name "
                "the value after what it holds, or add the name to scripts/placeholders.toml"
            )
        yield f"%({name})s is {PLACEHOLDERS[name]}"


def _found() -> Iterator[Text]:
    messages = [
        (f"{prefix}{path}", line, text, tuple(notes), context, folder / path)
        for prefix, folder, methods in (("", PACKAGE, OF_ENGINE), ("host/", FOLDER.parent, OF_SITE))
        for path, line, text, notes, context in extract_from_dir(
            folder, methods, OPTIONS, KEYWORDS, comment_tags=(NOTE,), strip_comment_tags=True
        )
    ]
    for path, line, text, notes, context, file in sorted(messages, key=lambda m: m[:2]):
        yield Text(path, text, context, _place(file, line, text), notes)


def _place(file: Path, line: int, text: str | tuple[str, ...]) -> str:
    """Where a text stands, in words."""
    source = _read(file)
    if file.suffix == ".py":
        return (ast.get_docstring(_syntax_of(file)) or "").partition("\n")[0].rstrip(".")
    page = re.sub(r"(\.html)?\.j2$", "", file.name).replace("_", " ")
    page = f"{PAGES.get(file.parent.name, 'several pages')}: {page}"
    element = _element(source.splitlines()[line - 1], text if isinstance(text, str) else text[0])
    return page if element is None else f"{element} on {page}"


def _element(source: str, text: str) -> str | None:
    """What people see where a line of a template has a text; None if that is plain text."""
    element = None
    here = source[: source.find(text.partition("%")[0])]
    for closing, name in re.findall(r"(</)?\b(block title|\w+)\b(?=[^<]*?[>(])", here):
        if name in ELEMENTS:
            element = None if closing else ELEMENTS[name]
    return element


@cache
def _read(file: Path) -> str:
    return file.read_text()


@cache
def _syntax_of(file: Path) -> ast.Module:
    return ast.parse(_read(file))


def _of_parts() -> Iterator[Text]:
    """The summaries and the fixed captions of built-in parts."""
    for id, place in json.loads((PACKAGE / "parts.json").read_text()).items():
        if id.partition("/")[0] not in FAMILIES:
            continue
        module, _, name = place.partition(":")
        part = getattr(importlib.import_module(module), name)
        captions = vars(part).get("captions", {})
        fixed = captions.values() if isinstance(captions, Mapping) else ()
        for text in ((getdoc(part) or "").split("\n")[0], *fixed):
            place = f"the summary or a reading of the {id.partition('/')[0]} {id.partition('/')[2]}"
            yield Text("parts", in_catalogue(text), None, place)


def template_bytes(catalogue: Catalog) -> bytes:
    """The list of all texts as a file; the same texts give the same bytes."""
    return _written(catalogue)


def updated_bytes(catalogue: Catalog, language: str, path: Path) -> bytes:
    """The catalogue of a language with all texts and the translations that it has."""
    known = Catalog(locale=language)
    if path.exists():
        known = read_po(BytesIO(path.read_bytes()), locale=language)
    known.update(catalogue)
    known.obsolete.clear()
    for message in known:
        if not any(_forms(message.string)):
            message.flags.discard("fuzzy")  # it resembles a text that has no translation either
    return _written(known, language)


def _forms(translation: str | tuple[str, ...] | None) -> tuple[str, ...]:
    return translation if isinstance(translation, tuple) else (translation or "",)


def _written(catalogue: Catalog, language: str | None = None) -> bytes:
    lines = ["Content-Type: text/plain; charset=utf-8"]
    if language is not None:
        counted = f"nplurals={catalogue.num_plurals}; plural={catalogue.plural_expr};"
        lines += [f"Language: {language}", f"Plural-Forms: {counted}"]
    header = "".join(f'"{line}\\n"\n' for line in lines)
    body = BytesIO()
    write_po(
        body, catalogue, width=100, omit_header=True, include_lineno=False, ignore_obsolete=True
    )
    return f'msgid ""\nmsgstr ""\n{header}\n'.encode() + body.getvalue()


def main(folder: Path = FOLDER) -> None:
    """Write the list and the catalogues."""
    catalogue = texts()
    (folder / TEMPLATE).write_bytes(template_bytes(catalogue))
    for language in LANGUAGES:
        if language != DEFAULT:
            path = folder / f"{language}.po"
            path.write_bytes(updated_bytes(catalogue, language, path))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
