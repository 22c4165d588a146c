"""Operators: the names, settings and numbers of the operators in an ONNX graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from quintain.data.arrays import Floats
from quintain.wording.languages import tell

_MOST_SIZE = 4096
_NUMBERS = {1: "<f4", 10: "<f2", 11: "<f8"}
"""The types of numbers that weights may have, by their codes: 32, 16 and 64 bits."""
_LONGEST_SHAPE = 60
_FIELDS = {1: "f", 2: "i", 3: "s", 4: "t", 6: "floats", 7: "ints", 8: "strings"}
"""Where an attribute has its value, by the code of its type."""


def kind_of(node: Any) -> str:
    """The name of an operator; those of ONNX's first domain stand without it."""
    domain = "" if node.domain in ("", "ai.onnx") else f"{node.domain}."
    return f"{domain}{node.op_type}"


def attributes(node: Any) -> dict[str, Any]:
    """The settings of an operator by name; texts are bytes."""
    return {
        part.name: getattr(part, _FIELDS[part.type])
        for part in node.attribute
        if part.type in _FIELDS
    }


def operator_fault(place: int, node: Any, fault: str) -> str:
    """A fault of one operator, with its place in the graph and its name."""
    return tell(
        "operator %(place)s (%(op_type)s): %(fault)s",
        place=place,
        op_type=node.op_type,
        fault=fault,
    )


def tensor_fault(tensor: Any, most: int = _MOST_SIZE) -> str:
    """What is wrong with the numbers of one tensor; empty if nothing is."""
    if tensor.data_location or tensor.external_data:
        return "its numbers are in another file; save the model as one file"
    if tensor.data_type not in _NUMBERS:
        return "has another type than 16, 32 or 64 bit numbers with a point"
    dims = list(tensor.dims)
    if len(dims) > 2 or not all(1 <= size <= most for size in dims):
        return f"shape {str(dims)[:_LONGEST_SHAPE]}; expected one or two numbers in 1..{most}"
    count = int(np.prod(dims))
    if tensor.HasField("raw_data"):
        needed = count * np.dtype(_NUMBERS[tensor.data_type]).itemsize
        given, unit = len(tensor.raw_data), "bytes"
    else:
        needed, given, unit = count, len(tensor.float_data) + len(tensor.double_data), "numbers"
    return "" if given == needed else f"has {given} {unit}; its shape and type need {needed}"


def tensor_values(tensor: Any) -> Floats:
    """The numbers of a tensor without a fault, in its shape."""
    if tensor.HasField("raw_data"):
        numbers = np.frombuffer(tensor.raw_data, _NUMBERS[tensor.data_type])
    else:
        numbers = np.array([*tensor.float_data, *tensor.double_data])
    return np.asarray(numbers, np.float64).reshape(list(tensor.dims))
