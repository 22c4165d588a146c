"""Together: run several functions in one call, each in a process of its own.

A call costs far more than most attacks, so one call runs many of them. The host hears the result of
each before the next begins: if one ends the whole call, it is known which, and what came before.
"""

import importlib
import json
import os
import select
from contextlib import suppress
from typing import Any


def run(given: dict[str, Any]) -> str:
    """Run the functions that are named, in their order, and tell the host about each."""
    report = given["ask"]
    for name in given["functions"].split():
        report("outcome", function=name, **_outcome(name, given))
    return "done"


def _outcome(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """What a function returned, or the built-in name of its error."""
    with suppress(Exception):  # the child says what is wrong with it
        importlib.import_module(name.rpartition(".")[0])  # once for all functions in it
    source, sink = os.pipe()
    parent = os.getppid()
    child = os.fork()
    if child == 0:
        os.close(source)
        os._exit(_work(name, {**given, "parent": parent}, sink))
    os.close(sink)
    content = _read(child, source)
    outcome: dict[str, Any] = json.loads(content or "{}")  # one that crashed wrote nothing
    return outcome


def _work(name: str, given: dict[str, Any], sink: int) -> int:
    module, _, function = name.rpartition(".")
    try:
        outcome = {"got": getattr(importlib.import_module(module), function)(given)}
    except BaseException as error:
        kinds = [kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins"]
        outcome = {"error": kinds[0]}
    with os.fdopen(sink, "w") as out:
        json.dump(outcome, out)
    return 0


def _read(child: int, source: int) -> str:
    """All that a child writes until it ends; its own children may hold the pipe open for longer."""
    content, ended = bytearray(), False
    os.set_blocking(source, False)
    while True:
        readable = bool(select.select([source], [], [], 0 if ended else 0.01)[0])
        part = os.read(source, 1 << 16) if readable else b""
        content += part
        if ended and not part:
            os.close(source)
            return content.decode()
        ended = ended or os.waitpid(child, os.WNOHANG)[0] == child
