"""Choosing: which language a visitor reads.

What the visitor chose on the site comes first, then what the browser asks for, then the language
of the contest, then English.
"""

from __future__ import annotations

from collections.abc import Iterator

from quintain_host.languages.catalogue import DEFAULT, LANGUAGES

COOKIE = "language"
"""The cookie with what a visitor chose; it is not a secret, and says nothing else."""

_MOST_RANGES = 20
"""How many languages of a browser are read; nobody speaks more."""


def language_asked(chosen: str, accepted: str) -> str:
    """What a visitor chose, or what the browser asks for; empty if the site speaks none of it.

    >>> language_asked("ja", "fr"), language_asked("", "de, fr-CA;q=0.8, en;q=0.5")
    ('ja', 'fr')
    >>> language_asked("xx", "de")
    ''
    """
    if chosen in LANGUAGES:
        return chosen
    wanted = sorted(_ranges(accepted), key=lambda pair: -pair[0])  # equal ones keep their order
    for quality, language in wanted:
        if language == "*":
            return ""  # everything is as good: the contest may choose
        if quality > 0 and language in LANGUAGES:
            return language
    return ""


def _ranges(accepted: str) -> Iterator[tuple[float, str]]:
    """The languages of a header ``Accept-Language``, without their regions."""
    for part in accepted.split(",")[:_MOST_RANGES]:
        name, _, rest = part.partition(";")
        language = name.strip().lower().partition("-")[0]
        key, _, value = rest.replace(" ", "").partition("=")
        try:
            quality = float(value) if key == "q" else 1.0
        except ValueError:
            continue
        if language and 0 <= quality <= 1:
            yield quality, language


def language_for(chosen: str, accepted: str, contest: str = "") -> str:
    """The language of a page.

    >>> language_for("", "de", "ja"), language_for("", "fr", "ja"), language_for("", "", "")
    ('ja', 'fr', 'en')
    """
    language = language_asked(chosen, accepted)
    return language or (contest if contest in LANGUAGES else DEFAULT)
