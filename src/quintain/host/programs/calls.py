"""Calls: the input and the result of one call of a program, as bytes and as files of a site."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quintain.errors import QuintainError
from quintain.host.programs.sealing import Seal
from quintain.jobs.files import write_file
from quintain.programs.failures import Reason
from quintain.programs.limits import CallLimits
from quintain.programs.sandbox.provider import Ending

FOLDER = "calls"
_NAME = re.compile(r"[0-9a-f]{64}")
_LENGTH = 8


@dataclass(frozen=True, slots=True)
class Call:
    """What a sandbox needs for one call.

    Parameters
    ----------
    message : what the process of the program reads.
    most : how many bytes it may answer.
    """

    message: bytes
    limits: CallLimits
    most: int

    def to_bytes(self) -> bytes:
        """The call as bytes."""
        return _packed({"limits": self.limits.model_dump(), "most": self.most}, self.message)

    @classmethod
    def from_bytes(cls, content: bytes) -> Call:
        """The call that :meth:`to_bytes` wrote."""
        facts, message = _unpacked(content)
        return cls(message, CallLimits(**facts["limits"]), int(facts["most"]))


def ending_bytes(ending: Ending) -> bytes:
    """How a call ended, as bytes."""
    facts = {
        "answer": len(ending.answer),
        "code": ending.code,
        "stopped": None if ending.stopped is None else ending.stopped.name,
        "seconds": ending.seconds,
    }
    return _packed(facts, ending.answer + ending.log)


def read_ending(content: bytes) -> Ending:
    """The ending that :func:`ending_bytes` wrote."""
    facts, data = _unpacked(content)
    size, stopped = int(facts["answer"]), facts["stopped"]
    reason = None if stopped is None else Reason[stopped]
    return Ending(data[:size], data[size:], int(facts["code"]), reason, float(facts["seconds"]))


def _packed(facts: Mapping[str, Any], content: bytes) -> bytes:
    text = json.dumps(facts).encode()
    return len(text).to_bytes(_LENGTH, "big") + text + content


def _unpacked(content: bytes) -> tuple[dict[str, Any], bytes]:
    end = _LENGTH + int.from_bytes(content[:_LENGTH], "big")
    return json.loads(content[_LENGTH:end]), content[end:]


class CallFiles:
    """The sealed files of calls in the folder of a site; nobody reads them without the key."""

    def __init__(self, root: Path) -> None:
        self.root = root / FOLDER

    def input(self, name: str) -> Path:
        """Where the input of a call is."""
        return self.root / f"{_checked(name)}.input"

    def result(self, name: str, attempt: int) -> Path:
        """Where the result of an attempt is. A worker that lost its job has another attempt."""
        return self.root / f"{_checked(name)}.{attempt}.result"

    def keep_input(self, seal: Seal, call: Call) -> str:
        """Store the input of a call; returns its name, which is the same for the same call."""
        content = call.to_bytes()
        name = seal.name(content)
        if not self.input(name).is_file():
            write_file(self.input(name), seal.close(content, input_of(name)), durable=True)
        return name

    def keep_result(self, name: str, attempt: int, sealed: bytes) -> None:
        """Store the sealed result of an attempt."""
        write_file(self.result(name, attempt), sealed, durable=True)

    def read_result(self, seal: Seal, name: str, attempt: int) -> Ending:
        """How an attempt ended."""
        sealed = self.result(name, attempt).read_bytes()
        return read_ending(seal.open(sealed, result_of(name)))

    def remove(self, name: str) -> None:
        """Remove everything about a call."""
        for path in self.root.glob(f"{_checked(name)}.*"):
            path.unlink(missing_ok=True)


def input_of(name: str) -> str:
    """The purpose for which the input of a call is sealed."""
    return f"input {name}"


def result_of(name: str) -> str:
    """The purpose for which the result of a call is sealed."""
    return f"result {name}"


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise QuintainError(f"{name[:80]!r} is no name of a call")
    return name
