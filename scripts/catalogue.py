"""Bring the catalogues of the site's languages up to date with its texts.

Writes quintain.pot in quintain_host/languages, which lists every text of the pages, of the rules in
words and of the parts that they name, and merges it into the catalogue of each language. A
translation whose text is gone is dropped; one whose text changed a little is kept and marked fuzzy,
and is not used until a translator looked at it.

python scripts/catalogue.py [FOLDER]
"""

import importlib
import json
import sys
from collections.abc import Iterator, Mapping
from inspect import getdoc
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

import quintain
from quintain.wording.languages import in_catalogue
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
    "tell": None,
    "tell_count": (1, 2),
    "to_say": None,
    "to_say_count": (1, 2),
}
"""The functions whose first texts are in the catalogue."""

FAMILIES = ("goal", "measure", "ranking", "rule", "sample", "sanitizer", "source", "tie")
"""The families of parts whose summaries stand in the rules of a contest."""


def texts() -> Catalog:
    """Every text of the pages, their code, the mails, the rules and the parts, in order of files.

    Places are named without lines, so that a change elsewhere in a file changes no catalogue.
    """
    found = Catalog(project="quintain", charset="utf-8", fuzzy=False)
    for path, text in [*_found(), *_of_parts()]:
        found.add(text, locations=[(path, 0)], flags=[])
    return found


def _found() -> Iterator[tuple[str, str | tuple[str, ...]]]:
    messages = [
        (f"{prefix}{path}", line, text)
        for prefix, folder, methods in (("", PACKAGE, OF_ENGINE), ("host/", FOLDER.parent, OF_SITE))
        for path, line, text, _, _ in extract_from_dir(folder, methods, OPTIONS, KEYWORDS)
    ]
    for path, _line, text in sorted(messages, key=lambda m: m[:2]):
        yield path, text


def _of_parts() -> Iterator[tuple[str, str]]:
    """The summaries and the fixed captions of built-in parts."""
    for id, place in json.loads((PACKAGE / "parts.json").read_text()).items():
        if id.partition("/")[0] not in FAMILIES:
            continue
        module, _, name = place.partition(":")
        part = getattr(importlib.import_module(module), name)
        captions = vars(part).get("captions", {})
        fixed = captions.values() if isinstance(captions, Mapping) else ()
        for text in ((getdoc(part) or "").split("\n")[0], *fixed):
            yield "parts", in_catalogue(text)


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
