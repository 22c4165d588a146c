"""Adapters: sanitizers of other makers, so that audits can run them.

A program, a Python function, or an object with ``fit`` and ``sample`` or ``generate`` becomes a
sanitizer. Adapters hold live objects or programs of yours, so they are not registered, and editions
cannot name them.
"""

from __future__ import annotations

from typing import Any

from quintain.errors import PartError
from quintain.sanitizers.adapters.command import Command, command
from quintain.sanitizers.adapters.python_objects import FitSample, Function, fit_sample, function
from quintain.sanitizers.adapters.standing_command import (
    REQUESTS,
    StandingCommand,
    end_programs,
    standing_command,
)
from quintain.sanitizers.sanitizer import Sanitizer

__all__ = [
    "Command",
    "FitSample",
    "Function",
    "StandingCommand",
    "adapt",
    "command",
    "end_programs",
    "fit_sample",
    "function",
    "is_command",
    "standing_command",
]


def is_command(text: str) -> bool:
    """Whether a text is a command line, and not the name of a part.

    >>> is_command("python tool.py {requests}"), is_command("mst")
    (True, False)
    """
    return "{input}" in text or REQUESTS in text


def adapt(thing: Any, **settings: Any) -> Sanitizer:
    """Anything that can sanitize, as a sanitizer; ``settings`` are parameters of a command.

    >>> adapt(lambda frame: frame.sample(frac=1.0)).summary()
    'A Python function that turns a data frame into another one.'
    >>> adapt("python tool.py {input} {output}").name()
    'command'
    >>> adapt("python tool.py {requests}", epsilon=1).name()
    'standing-command'
    >>> adapt(7)
    Traceback (most recent call last):
    ...
    quintain.errors.PartError: a sanitizer is a command with {input} and {output} or with
    {requests}, a function, or an object with fit and sample, or fit and generate; not a int
    """
    if isinstance(thing, str):
        return (standing_command if REQUESTS in thing else command)(thing, **settings)
    if settings:
        raise PartError(
            f"this {type(thing).__name__} has its parameters already; give {', '.join(settings)} "
            "when you make it"
        )
    if isinstance(thing, Sanitizer):
        return thing
    if hasattr(thing, "fit") and (hasattr(thing, "sample") or hasattr(thing, "generate")):
        return fit_sample(thing)
    if callable(thing):
        return function(thing)
    raise PartError(
        "a sanitizer is a command with {input} and {output} or with {requests}, a function, or an "
        f"object with fit and sample, or fit and generate; not a {type(thing).__name__}"
    )
