"""Site key: the secret that the scoring worker and the program workers of a site share.

The web process cannot read it. It is part of every token of a worker, in the half that is never
sent.
"""

from __future__ import annotations

import secrets
from pathlib import Path

from quintain.jobs.files import write_file
from quintain.programs.remote import KEY_BYTES, Seal

KEY = "secret/program.key"
"""Where the key is in the folder of a site; groups never get to read a folder of this name."""


def site_seal(root: Path) -> Seal:
    """The seal of a site."""
    return Seal(bytes.fromhex(site_key(root)))


def site_key(root: Path) -> str:
    """The key of a site as digits; it is made when it is needed for the first time."""
    path = root / KEY
    if not path.is_file():
        _make(path)
    return path.read_text().strip()


def _make(path: Path) -> None:
    draft = path.with_name(f"program.{secrets.token_hex(8)}")
    write_file(draft, secrets.token_bytes(KEY_BYTES).hex().encode(), durable=True)
    try:
        path.hardlink_to(draft)  # of several processes, the first one decides
    except FileExistsError:
        pass
    finally:
        draft.unlink()
