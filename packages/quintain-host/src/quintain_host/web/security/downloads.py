"""Downloads: files that a browser stores and never shows, under names that are safe everywhere."""

from __future__ import annotations

import re
from pathlib import Path

from fastapi.responses import FileResponse, Response

_ODD = re.compile(r"[^A-Za-z0-9._-]+")


def safe_name(text: str) -> str:
    """A file name that needs no quotes and is hidden nowhere.

    Examples
    --------
    >>> safe_name('../../etc/pass"wd.csv')
    'etc-pass-wd.csv'
    >>> safe_name("...")
    'file'
    """
    return _ODD.sub("-", text).strip(".-_")[-100:].strip(".-_") or "file"


def download(content: bytes, name: str, kind: str = "application/octet-stream") -> Response:
    """Bytes as a file."""
    return Response(content, media_type=kind, headers=_headers(name))


def download_file(path: Path, name: str, kind: str = "application/octet-stream") -> FileResponse:
    """A file of this machine as a file; the caller has checked who may have it."""
    return FileResponse(path, media_type=kind, headers=_headers(name))


def _headers(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{safe_name(name)}"'}
