"""Addresses of databases: what they are called in reports, and what in them is secret.

Whatever is printed or written about an address takes its words from here, so no other code can show
a password by cutting an address in another place than the driver does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from urllib.parse import unquote, unquote_plus

from quintain.errors import DataError, Fault

_PLAIN = re.compile(
    r"""
    (?P<kind>[a-zA-Z][\w+.-]*)://
    (?:
        (?:[^:/@?#\s]*(?::[^/@?#\s]*)?@)?              # user and password
        (?:\[[0-9a-fA-F:.]+\]|[\w.-]*)(?::\d+)?        # the server
        (?:,[\w.-]+(?::\d+)?)*                         # further ones
        (?:/(?P<database>[^@?#]*))?
      |
        /(?P<file>[^?#]*)
    )
    (?:\?[^@#]*)?(?:\#[^@]*)?
    """,
    re.VERBOSE | re.ASCII,
)
"""An address that can be cut in one way only: its secrets have no sign that ends a part."""

_LIKE_AN_ADDRESS = re.compile(r"[a-zA-Z][\w+.:-]*:/", re.ASCII)
_PAIRS = re.compile(
    r"(?:driver|dsn|server|host|hostaddr|database|dbname|uid|user|pwd|password)\s*="
    r"[^;]*[;\s]\s*\w+\s*=",
    re.IGNORECASE | re.ASCII,
)
"""What other programs use in place of an address: ``Server=db;Uid=eve;Pwd=secret``."""

_LOGIN = re.compile(r"://([^/\s]*:\S*)@|:/([^/\s]*:\S*)@")
_SECRET_VALUE = re.compile(
    r"(?:\w*password|passwd|passphrase|pwd|\w*secret\w*|\w*token|(?<![-\w])key)\s*=\s*"
    r"(?:\{([^}]*)\}|'([^']*)'|([^&;\s'{][^&;\s]*))",
    re.IGNORECASE,
)
_SHORTEST = 4
"""A secret with fewer letters is part of many words; it is hidden only together with its user."""


def is_address(source: object) -> bool:
    """Whether a text is the address of a database, or is meant to be one.

    >>> is_address("sqlite:///hospital.db"), is_address("hospital.db")
    (True, False)
    >>> is_address("Server=db;Uid=eve;Pwd=secret")
    True
    """
    return isinstance(source, str) and bool(_LIKE_AN_ADDRESS.match(source) or _PAIRS.match(source))


def address_name(address: str) -> str:
    """What a database is called: its kind and its name, without server, user, password, options.

    >>> address_name("postgresql://eve:secret@server/hospital?sslmode=require#visits")
    'postgresql://.../hospital'
    >>> address_name("postgresql://eve:secret@server"), address_name("postgresql://eve:se/cr@et@s")
    ('postgresql://...', 'a database')
    """
    parts = _PLAIN.fullmatch(address)
    if parts is None:
        return "a database"
    database = (parts["database"] or parts["file"] or "").rpartition("/")[2]
    return f"{parts['kind']}://..." + (f"/{database}" if database else "")


def require_file(given: str | PathLike[str], role: str) -> None:
    """Refuse what is not a file, and do not repeat an address where a file is expected."""
    if isinstance(given, str) and is_address(given):
        message = (
            f"expected a file like the other tables; this is a database: {address_name(given)}"
        )
        raise DataError([Fault(message, role)])
    if not Path(given).is_file():
        raise DataError([Fault(f"there is no such file: {given}", role)])


def require_plain(address: str) -> None:
    """Refuse an address that the driver might cut elsewhere than we do."""
    if _PLAIN.fullmatch(address) is None:
        raise DataError(
            [
                Fault(
                    "cannot be read as an address; expected KIND://USER@SERVER/NAME, such as "
                    "postgresql://reader@server/hospital. Write the signs / : @ ? # and spaces in "
                    "names and passwords as percent codes (%2F %3A %40 %3F %23 %20)",
                    "the address of a database",
                )
            ]
        )


def secrets_of(text: str) -> list[str]:
    """What must never be shown of a text that has an address in it, the longest first.

    >>> secrets_of("tool password=top%40secret")
    ['top%40secret', 'top@secret']
    """
    secrets = [
        secret
        for form in (text, unquote_plus(text))  # an option may be a whole address of its own
        for pattern in (_LOGIN, _SECRET_VALUE)
        for groups in pattern.findall(form)
        for secret in groups
        if secret
    ]
    secrets += [login.partition(":")[2] for login in secrets]
    words = [text, *text.split()]
    secrets += [
        word for word in words if is_address(word) and (secrets or not _PLAIN.fullmatch(word))
    ]
    spelled = {form(secret) for secret in secrets for form in (str, unquote, unquote_plus)}
    long = (secret for secret in spelled if len(secret) >= _SHORTEST)
    return sorted(long, key=lambda secret: (-len(secret), secret))


def without_secrets(text: str) -> str:
    """A command or another text as a report may repeat it.

    >>> without_secrets("tool --db postgresql://eve:secret@db {input}")
    'tool --db ... {input}'
    """
    return hide(text, secrets_of(text))


def hide(words: str, secrets: Iterable[str]) -> str:
    """Words with three dots in place of secrets.

    >>> hide("no server: 'eve:secret@db'", secrets_of("postgresql://eve:secret@db"))
    "no server: '...@db'"
    """
    for secret in secrets:
        words = words.replace(secret, "...")
    return words
