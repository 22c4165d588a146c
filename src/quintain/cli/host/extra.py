"""The extra that a site needs; a missing one is a sentence."""

from __future__ import annotations

from importlib.util import find_spec

from quintain.errors import MissingExtra

_PACKAGES = ("fastapi", "uvicorn", "sqlalchemy", "alembic", "argon2", "prometheus_client")


def require_server_extra() -> None:
    """Raise with the command that installs what a site needs, if it is not installed."""
    for package in _PACKAGES:
        if find_spec(package) is None:
            raise MissingExtra("a site", package, "server")
