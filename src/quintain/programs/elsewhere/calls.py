"""Calls: the input and the result of one call of a program, as bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from quintain.programs.failures import Reason
from quintain.programs.limits import CallLimits
from quintain.programs.sandbox.provider import Ending

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


def input_of(name: str) -> str:
    """The purpose for which the input of a call is sealed."""
    return f"input {name}"


def result_of(name: str) -> str:
    """The purpose for which the result of a call is sealed."""
    return f"result {name}"
