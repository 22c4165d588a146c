"""Catalogue: the languages that the site speaks, and the translations of each."""

from __future__ import annotations

import re
from datetime import datetime
from functools import cache
from gettext import NullTranslations
from io import BytesIO
from pathlib import Path

from babel.core import Locale
from babel.dates import format_date
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.numbers import get_decimal_symbol, get_group_symbol
from babel.support import Translations

from quintain.wording.languages import DEFAULT as DEFAULT
from quintain.wording.languages import Language, install

FOLDER = Path(__file__).parent

LANGUAGES = {"en": "English", "fr": "Français", "ja": "日本語"}
"""Every language with its own name; the keys are what ``<html lang>`` and the cookie say."""

SIGNS = {
    "fr": ((": ", "\u00a0: "), ("; ", "\u00a0; ")),
    "ja": (
        *((": ", "："), ("; ", "、"), (", ", "、"), (". ", "。"), (".", "。")),
        *((" (", "（"), (")", "）")),
    ),
}
"""What languages write for English signs between values."""

_VALUE = re.compile(r"(%\(\w+\)s)")

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


class TranslatedLanguage(Language):
    """A language with a catalogue, which writes dates and numbers as its locale does."""

    def __init__(self, code: str) -> None:
        self._code, self._locale = code, locale_of(code)
        self.group, self.point = get_group_symbol(self._locale), get_decimal_symbol(self._locale)

    def text(self, text: str, context: str = "") -> str:
        """The translation of a text in the catalogue."""
        if context:
            return translations(self._code).pgettext(context, text)
        return translations(self._code).gettext(text)

    def signs(self, text: str) -> str:
        """A text without words, with the signs of the language."""
        return "".join(
            piece if i % 2 else self._with_signs(piece)
            for i, piece in enumerate(_VALUE.split(text))
        )

    def _with_signs(self, piece: str) -> str:
        for english, written in SIGNS.get(self._code, ()):
            piece = piece.replace(english, written)
        return piece

    def text_for(self, one: str, many: str, n: int) -> str:
        """The translation of a text for a number in the catalogue."""
        return translations(self._code).ngettext(one, many, n)

    def day(self, time: datetime) -> str:
        """The day of a time as the locale writes it in full."""
        return str(format_date(time, "long", self._locale))


install({code: TranslatedLanguage(code) for code in LANGUAGES})
