"""Seeding: how a foreign object is given a seed, where it takes one."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any


def named_parameters(call: Callable[..., Any]) -> frozenset[str]:
    """The names of the parameters of a function; empty if nobody knows.

    >>> sorted(named_parameters(lambda frame, seed=1: frame))
    ['frame', 'seed']
    """
    try:
        return frozenset(inspect.signature(call).parameters)
    except (TypeError, ValueError):
        return frozenset()


def seeded(thing: Any, seed: int) -> Any:
    """Give an object a seed: by ``set_params``, or as its attribute ``random_state``."""
    known = thing.get_params() if hasattr(thing, "get_params") else {}
    for name in ("random_state", "seed"):
        if name in known and hasattr(thing, "set_params"):
            thing.set_params(**{name: seed})
        elif hasattr(thing, name):
            setattr(thing, name, seed)
    return thing
