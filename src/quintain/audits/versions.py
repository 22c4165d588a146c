"""Versions: the software on which the numbers of an audit depend."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

from quintain import __version__

_PACKAGES = ("numpy", "scipy", "pyarrow", "scikit-learn")


def versions() -> dict[str, str]:
    """The versions by name; a package that is not installed is left out.

    >>> list(versions())[:2]
    ['quintain', 'python']
    """
    known = {"quintain": __version__, "python": platform.python_version()}
    for name in _PACKAGES:
        try:
            known[name] = version(name)
        except PackageNotFoundError:
            continue
    return known
