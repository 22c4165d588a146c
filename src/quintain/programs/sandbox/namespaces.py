"""User namespaces: without them an ordinary user cannot build a sandbox; why a machine has none."""

from __future__ import annotations

from pathlib import Path

_SWITCHES = {
    "kernel/unprivileged_userns_clone": "0",
    "user/max_user_namespaces": "0",
    "kernel/apparmor_restrict_unprivileged_userns": "1",
}
"""Settings of the kernel with the value that switches user namespaces off for ordinary users."""


def why_no_namespaces(settings: Path = Path("/proc/sys")) -> str:
    """Which setting of the kernel forbids user namespaces; empty if none does."""
    off = []
    for name, value in _SWITCHES.items():
        path = settings / name
        if path.is_file() and path.read_text().strip() == value:
            off.append(f"{name.replace('/', '.')} = {value}")
    return "user namespaces are switched off: " + ", ".join(off) if off else ""
