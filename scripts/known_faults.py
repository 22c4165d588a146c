"""Look for known faults of the packages of ``uv.lock``: ``known_faults.py FOLDER``.

The folder has advisories in the format of OSV, as YAML or JSON: a clone of
github.com/pypa/advisory-database, or what osv.dev offers to download. It is for machines that reach
no advisory service; elsewhere ``make audit`` asks osv.dev. Ends with 1 if a fault is known.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

ROOT = Path(__file__).resolve().parent.parent
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def locked_versions(lock: Path) -> dict[str, str]:
    """The version of every package that a lock names, but for the project itself."""
    packages = tomllib.loads(lock.read_text())["package"]
    return {one["name"]: one["version"] for one in packages if "registry" in one["source"]}


def read_advisories(folder: Path, names: set[str]) -> Iterator[dict[str, Any]]:
    """The advisories of a folder that may be about packages with these names."""
    for path in sorted(folder.rglob("*")):
        if path.suffix not in (".yaml", ".yml", ".json"):
            continue
        # A folder of PyPI's advisories is named after its package; reading all would take minutes.
        text = path.read_text()
        if path.parent.name in names or any(f'"{name}"' in text for name in names):
            yield yaml.load(text, _LOADER)  # noqa: S506 -- a safe one


def is_affected(advisory: dict[str, Any], name: str, version: str) -> bool:
    """Whether an advisory is about a version of a package of PyPI."""
    if "withdrawn" in advisory:
        return False
    for affected in advisory.get("affected", ()):
        package = affected.get("package", {})
        if package.get("ecosystem") != "PyPI" or canonicalize_name(package["name"]) != name:
            continue
        if version in affected.get("versions", ()):
            return True
        ranges = (one for one in affected.get("ranges", ()) if one["type"] == "ECOSYSTEM")
        if any(_is_inside(one["events"], Version(version)) for one in ranges):
            return True
    return False


def _is_inside(events: list[dict[str, str]], version: Version) -> bool:
    """Whether a version lies between "introduced" and "fixed", which come in order."""
    inside = False
    for event in events:
        if "introduced" in event and _order(event["introduced"]) <= version:
            inside = True
        if "fixed" in event and _order(event["fixed"]) <= version:
            inside = False
        if "last_affected" in event and _order(event["last_affected"]) < version:
            inside = False
    return inside


def _order(text: str) -> Version:
    try:
        return Version(text)
    except InvalidVersion:
        return Version("0")


def main(folder: Path) -> int:
    """Print every known fault; returns how many there are."""
    versions = locked_versions(ROOT / "uv.lock")
    newest, number, count = "", 0, 0
    for advisory in read_advisories(folder, set(versions)):
        number += 1
        newest = max(newest, str(advisory.get("published", "")))
        for name, version in versions.items():
            if is_affected(advisory, name, version):
                count += 1
                text = " ".join(str(advisory.get("summary") or advisory.get("details")).split())
                sys.stdout.write(f"{name} {version}: {advisory['id']}: {text[:200]}\n")
    sys.stdout.write(
        f"{len(versions)} packages, {number} advisories about them, the newest of {newest[:10]}; "
        f"known faults: {count}\n"
    )
    return count


if __name__ == "__main__":
    sys.exit(1 if main(Path(sys.argv[1])) else 0)
