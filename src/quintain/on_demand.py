"""Names of a package that are imported when they are first used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def on_demand(
    package: str, places: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a package whose modules are loaded when they are needed.

    Parameters
    ----------
    places : for each name the module of the package that defines it.

    >>> load, _ = on_demand("quintain.data", {"Table": "table"})
    >>> load("Table").__module__
    'quintain.data.table'
    """

    def load(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{places[name]}"), name)
        setattr(sys.modules[package], name, value)  # the next use need not come here
        return value

    return load, lambda: sorted(places)
