"""Functions that a reader may have become: each misbehaves in its own way."""

import os
import signal
import time

import numpy as np


def echo(arguments, content):
    yield {"given": arguments}
    yield content.read()


def use_memory(arguments, content):
    yield {"size": len(bytearray(arguments["size"]))}


def burn(arguments, content):
    while True:
        pass
    yield {}


def sleep(arguments, content):
    time.sleep(3600)
    yield {}


def crash(arguments, content):
    os.kill(os.getpid(), signal.SIGSEGV)
    yield {}


def fail(arguments, content):
    raise LookupError("secret words")
    yield {}


def flood(arguments, content):
    while True:
        yield bytes(1 << 20)


def list_instead(arguments, content):
    yield {"fine": True}
    yield memoryview(np.zeros(3, np.int64)).cast("B")


def write(arguments, content):
    with open(arguments["path"], "wb") as file:
        file.write(b"x")
    yield {}


def pids(arguments, content):
    yield {"pid": os.getpid()}


def lie(arguments, content):
    """Cells of one row, of which some are not what was asked for."""
    yield {"total": 0, "faults": []}
    table = {"rows": 1, "first": 2, "blank": 0, "types": {"sex": "<i4"}, "refused": []}
    yield table | arguments["table"]
    for frame in arguments["frames"]:
        yield bytes.fromhex(frame)
