"""Checking: what an operator should change before people use a site."""

from __future__ import annotations

from ipaddress import ip_address

from quintain.host.serving.opening import DatabaseAway, has_operator, version_of
from quintain.host.serving.safety import findings
from quintain.host.site import SETTINGS, Site

_OTHERS = 0o007
"""The rights of every user of this machine."""


def check_site(site: Site, host: str) -> list[str]:
    """Sentences about what is unsafe or wrong; none if nothing is."""
    return [*_address(site, host), *_files(site), *_database(site)]


def _address(site: Site, host: str) -> list[str]:
    findings = []
    if not is_loopback(host):
        findings.append(
            f"--host {host}: anybody on the network can reach the server without TLS; listen on "
            "127.0.0.1 and let a reverse proxy answer"
        )
    if not site.settings.secure:
        findings.append(f"{SETTINGS}: url is {site.settings.url}; people need an https:// address")
    elif site.settings.proxies == 0:
        findings.append(
            f"{SETTINGS}: proxies is 0, but only a proxy can offer {site.settings.url}; all "
            "visitors would share one limit on sign-ins"
        )
    return findings


def _files(site: Site) -> list[str]:
    private = [site.root, site.root / SETTINGS, *site.root.glob("site.db*")]
    return [
        f"{path}: other users of this machine can read it; run: chmod o= {path}"
        for path in private
        if path.exists() and path.stat().st_mode & _OTHERS
    ]


def _database(site: Site) -> list[str]:
    try:
        if version_of(site.database) is None:
            return ["the database has no tables; quintain serve makes them"]
    except DatabaseAway as problem:
        return [str(problem)]
    nobody = [] if has_operator(site) else ["nobody can make a contest: quintain host account add"]
    return [*nobody, *findings(site)]


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
