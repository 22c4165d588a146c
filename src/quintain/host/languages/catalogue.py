"""Catalogue: the languages that the site speaks, and the translations of each."""

from __future__ import annotations

from functools import cache
from gettext import NullTranslations
from io import BytesIO
from pathlib import Path

from babel.core import Locale
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import Translations

FOLDER = Path(__file__).parent
DEFAULT = "en"

LANGUAGES = {"en": "English", "fr": "Français", "ja": "日本語"}
"""Every language with its own name; the keys are what ``<html lang>`` and the cookie say."""

_LOCALES = {"en": Locale("en", "GB")}
"""Locales that differ from their languages: English dates are written as in Britain."""


def locale_of(language: str) -> Locale:
    """How a language writes dates and numbers."""
    return _LOCALES.get(language) or Locale(language)


@cache
def translations(language: str) -> NullTranslations:
    """The translations of a language, read once; what has none stays English."""
    if language == DEFAULT:
        return NullTranslations()
    compiled = BytesIO()
    write_mo(compiled, read_catalogue(language))
    compiled.seek(0)
    return Translations(compiled)


def read_catalogue(language: str) -> Catalog:
    """The catalogue file of a language, as translators write it."""
    with (FOLDER / f"{language}.po").open("rb") as file:
        return read_po(file, locale=language)
