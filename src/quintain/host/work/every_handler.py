"""Every handler: import all modules that have one, so that each kind of job has its handler."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from quintain.host import work
from quintain.host.work.handler import HANDLERS, Handler


@cache
def every_handler() -> dict[str, Handler]:
    """The handlers by the kind of job that they do."""
    for module in pkgutil.iter_modules(work.__path__):
        importlib.import_module(f"{work.__name__}.{module.name}")
    importlib.import_module("quintain.host.programs.handler")
    return HANDLERS
