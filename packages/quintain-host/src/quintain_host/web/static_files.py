"""Static files: the style and the scripts of the site, under addresses that change with them."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response
from fastapi.staticfiles import StaticFiles

FOLDER = Path(__file__).parent / "static"
STYLES = APIRouter()

_FOR_EVER = "public, max-age=31536000, immutable"
_SHARED = (("quintain.figures.page", "base.css"), ("quintain.runs.report", "report.css"))


class Versioned(StaticFiles):
    """Files that a browser may remember for ever if their address has their version."""

    async def get_response(self, path: str, scope: Any) -> Response:
        """A file, and how long a browser may remember it."""
        response = await super().get_response(path, scope)
        if scope.get("query_string", b"").startswith(b"v=") and response.status_code == 200:
            response.headers["Cache-Control"] = _FOR_EVER
        return response


@cache
def style() -> str:
    """The style of all pages: that of the reports, and what only the site has."""
    shared = [(resources.files(package) / name).read_text("utf-8") for package, name in _SHARED]
    return "\n".join([*shared, (FOLDER / "site.css").read_text("utf-8")])


@STYLES.get("/static/style.css")
def style_sheet() -> Response:
    """The style sheet of the site; templates name it with its version."""
    return Response(style(), media_type="text/css", headers={"Cache-Control": _FOR_EVER})


@cache
def static(name: str) -> str:
    """The address of a static file, with its version."""
    if name == "style.css":
        return f"/static/{name}?v={_version(style().encode())}"
    return f"/static/{name}?v={_version((FOLDER / name).read_bytes())}"


def _version(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:12]
