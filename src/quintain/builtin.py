"""Importing this module announces every built-in part, without importing any of them.

``parts.json`` beside this file is the table of the built-in parts: ``family/name-vN`` to
``module:Class``. ``python scripts/list_parts.py`` writes it, and a test fails while it is out of
date. The table also serves where source files cannot be read: in a zip archive, or where only
compiled files are installed.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import import_module, resources

from quintain.registry import Part, register_later

STAGES = (
    "data",
    "samples",
    "releases",
    "sanitizers",
    "guesses",
    "attacks",
    "programs",
    "measures",
    "rankings",
)
TABLE = "parts.json"


@cache
def builtin_parts() -> dict[str, str]:
    """Where each built-in part is defined, as ``module:Class`` under its id."""
    text = (resources.files("quintain") / TABLE).read_text("utf-8")
    return dict(json.loads(text))


def part_classes(package: str) -> dict[str, str]:
    """The module of each part class below a package, by class name.

    >>> part_classes("quintain.attacks")["Nearest"]
    'quintain.attacks.nearest'
    """
    places = (place.split(":") for place in builtin_parts().values())
    return {name: module for module, name in places if module.startswith(f"{package}.")}


def part_class(package: str, name: str) -> type[Part]:
    """Import the part class of this name below a package; case does not matter.

    >>> part_class("quintain.sanitizers", "MST").__name__
    'Mst'
    """
    classes = part_classes(package)
    known = next((one for one in classes if one.casefold() == name.casefold()), None)
    if known is None or name.startswith("_"):
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    cls: type[Part] = getattr(import_module(classes[known]), known)
    return cls


for _id, _place in builtin_parts().items():
    register_later(_id, _place.partition(":")[0])
