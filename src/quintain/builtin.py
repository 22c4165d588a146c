"""Importing this module announces every built-in part, without importing any of them.

``parts.json`` beside this file is the table of the built-in parts: ``family/name-vN`` to
``module:Class``. ``python scripts/list_parts.py`` writes it, with the stubs of the stages, and a
test fails while they are out of date. The table also serves where source files cannot be read: in a
zip archive, or where only compiled files are installed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import import_module, resources
from types import MappingProxyType
from typing import Any

from quintain.on_demand import on_demand
from quintain.registry import Part, register_later
from quintain.wording.suggestion import suggestion

STAGES = (
    "data",
    "samples",
    "releases",
    "sanitizers",
    "guesses",
    "attacks",
    "programs",
    "recipes",
    "measures",
    "rankings",
    "audits",
)
OPEN_STAGES = ("samples", "releases", "sanitizers", "guesses", "attacks", "measures", "rankings")
"""The stages that offer their parts as classes, such as ``quintain.attacks.Nearest``."""
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
    """Import the part class of this name below a package.

    >>> part_class("quintain.sanitizers", "Mst").id
    'sanitizer/mst-v1'
    """
    classes = part_classes(package)
    if name not in classes:
        hint = "" if name.startswith("_") else _closest_class(name, classes)
        raise AttributeError(f"module {package!r} has no attribute {name!r}{hint}")
    cls: type[Part] = getattr(import_module(classes[name]), name)
    return cls


def _closest_class(name: str, classes: Iterable[str]) -> str:
    """A hint at the class that a wrong name may mean; upper and lower case count as equal."""
    same = [known for known in classes if known.casefold() == name.casefold()]
    return f"; did you mean {same[0]!r}?" if same else suggestion(name, classes)


def offer_parts(
    package: str, names: Iterable[str], places: Mapping[str, str] = MappingProxyType({})
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a stage: its parts are imported when first used.

    So are the ``places``, which name the module of the package for each of some other names.

    Type checkers and editors read the same names in the stub of the package, ``__init__.pyi``,
    which ``scripts/list_parts.py`` writes as well.
    """

    load_name, _ = on_demand(package, places)

    def load(name: str) -> Any:
        return load_name(name) if name in places else part_class(package, name)

    def list_names() -> list[str]:
        return sorted([*names, *part_classes(package)])

    return load, list_names


for _id, _place in builtin_parts().items():
    register_later(_id, _place.partition(":")[0])
