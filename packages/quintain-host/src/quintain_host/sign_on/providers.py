"""Providers: all those that a site has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from quintain.errors import MissingExtra
from quintain_host.settings import Settings

if TYPE_CHECKING:
    from quintain_host.sign_on.provider import Provider


def open_providers(settings: Settings) -> Mapping[str, Provider]:
    """The providers of a site by their ids; Authlib is needed if there is one."""
    if not settings.sign_on:
        return {}
    try:
        from quintain_host.sign_on.provider import Provider
    except ModuleNotFoundError as problem:
        if (problem.name or "").partition(".")[0] not in {"authlib", "joserfc"}:
            raise
        raise MissingExtra(
            "sign-on by OpenID Connect", "authlib", "oidc", "quintain-host"
        ) from None
    return {entry.id: Provider(entry, settings.url) for entry in settings.sign_on}
