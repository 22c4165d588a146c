"""Tokens: what a site gave to this person, in a file that only this person can read."""

from __future__ import annotations

import json
import os
from pathlib import Path

from quintain.client.connection import normalised
from quintain.errors import QuintainError
from quintain.jobs.files import write_file

VARIABLE = "QUINTAIN_TOKEN"
"""A token in the environment counts before those that are stored, e.g. in a pipeline."""


def path() -> Path:
    """Where the tokens are: in the folder for settings of this person."""
    home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(home) / "quintain" / "tokens.json"


def token_for(server: str) -> str:
    """The token for a site; empty if there is none."""
    return os.environ.get(VARIABLE) or _read().get(normalised(server), "")


def keep_token(server: str, token: str) -> Path:
    """Store the token for a site, in place of an older one; returns where."""
    content = json.dumps({**_read(), normalised(server): token}, indent=1, sort_keys=True)
    write_file(path(), content.encode())
    return path()


def forget_token(server: str) -> bool:
    """Remove the token for a site; False if there is none."""
    tokens = _read()
    known = tokens.pop(normalised(server), None) is not None
    if known:
        write_file(path(), json.dumps(tokens, indent=1, sort_keys=True).encode())
    return known


def _read() -> dict[str, str]:
    if not path().is_file():
        return {}
    try:
        tokens = json.loads(path().read_bytes())
        return {str(server): str(token) for server, token in tokens.items()}
    except (ValueError, AttributeError):
        raise QuintainError(f"{path()} is damaged; remove it and sign in again") from None
