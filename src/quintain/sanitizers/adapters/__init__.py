"""Adapters: sanitizers of other makers, so that audits can run them.

A program, a Python function or any object with ``fit`` and ``sample`` becomes a sanitizer. Adapters
hold live objects or programs of yours, so they are not registered, and editions cannot name them.
"""

from __future__ import annotations

from typing import Any

from quintain.errors import PartError
from quintain.sanitizers.adapters.command import Command, command
from quintain.sanitizers.adapters.python_objects import FitSample, Function, fit_sample, function
from quintain.sanitizers.sanitizer import Sanitizer

__all__ = ["Command", "FitSample", "Function", "adapt", "command", "fit_sample", "function"]


def adapt(thing: Any) -> Sanitizer:
    """Anything that can sanitize, as a sanitizer.

    >>> adapt(lambda frame: frame.sample(frac=1.0)).summary()
    'A Python function that turns a data frame into another one.'
    >>> adapt("python tool.py {input} {output}").name()
    'command'
    >>> adapt(7)
    Traceback (most recent call last):
    ...
    quintain.errors.PartError: a sanitizer is a command with {input} and {output}, a function, or an
    object with fit and sample; not a int
    """
    if isinstance(thing, Sanitizer):
        return thing
    if isinstance(thing, str):
        return command(thing)
    if hasattr(thing, "fit") and hasattr(thing, "sample"):
        return fit_sample(thing)
    if callable(thing):
        return function(thing)
    raise PartError(
        "a sanitizer is a command with {input} and {output}, a function, or an object with fit and "
        f"sample; not a {type(thing).__name__}"
    )
