"""ONNX layers: the weights in an ONNX file that is a plain chain of layers.

An ONNX file is a graph of operators, so it is a program. Nobody runs it here: a graph that is one
chain of layers with rectifiers between them says the same as its weights, and these are taken out
of it. Any other graph is refused with what is in it. Sizes are counted before anything is built.
The library ``onnx`` (extra ``onnx``) parses the file; it is imported here and nowhere else.

References
----------
ONNX, Open Neural Network Exchange: intermediate representation, https://onnx.ai/onnx/repo-docs/IR.html.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from quintain.data.arrays import Array, Floats
from quintain.errors import Faults, MissingExtra
from quintain.languages import tell

START = b"\x08"
"""The first byte of an ONNX file: its field with the version comes first."""

_MOST_BYTES = 20_000_000
_MOST_NODES = 100
_MOST_SIZE = 4096
_OWN_DOMAINS = ("", "ai.onnx")
_NUMBERS = {1: "<f4", 10: "<f2", 11: "<f8"}
"""The types of numbers that weights may have, by their codes: 32, 16 and 64 bits."""
_LAYERS, _ENDS = ("Gemm", "MatMul", "Add"), ("Softmax", "LogSoftmax")
_PASSED = ("Identity", "Dropout", "Flatten")
_ACCEPTED = (*_LAYERS, "Relu", *_ENDS, *_PASSED)
_LONGEST_NAME = 60


def read_onnx(content: bytes, faults: Faults) -> dict[str, Array] | None:
    """The tensors of a chain of layers; notes every fault, and returns None then."""
    if len(content) > _MOST_BYTES:
        faults.add(
            tell(
                "is an ONNX file of %(n)s bytes; the limit is %(most)s",
                n=f"{len(content):,}",
                most=f"{_MOST_BYTES:,}",
            )
        )
        return None
    try:
        from google.protobuf.message import DecodeError
        from onnx import ModelProto
    except ImportError:
        faults.add(str(MissingExtra("an ONNX file", "onnx", "onnx")))
        return None
    try:
        model = ModelProto.FromString(content)
    except DecodeError:
        faults.add(tell("begins like an ONNX file, but it cannot be read as one"))
        return None
    before = faults.total
    for fault in (*_model_faults(model), *_graph_faults(model.graph)):
        faults.add(fault)
    if faults.total > before:
        return None
    return _Chain.of(model.graph, faults)


def _short(name: str) -> str:
    return repr(name[:_LONGEST_NAME])


def _model_faults(model: Any) -> Iterator[str]:
    """What a model may not have beside its graph."""
    if model.functions:
        yield f"defines operators of its own ({_short(model.functions[0].name)}), which nobody runs"
    if model.training_info:
        yield "has steps of training; save it for inference"
    for used in model.opset_import:
        if used.domain not in _OWN_DOMAINS:
            yield f"uses operators of {_short(used.domain)}; only those of ONNX itself are accepted"


def _graph_faults(graph: Any) -> Iterator[str]:
    """What a graph has that is not a chain of layers; nothing is built to find it."""
    weights = {tensor.name for tensor in graph.initializer}
    inputs = [value for value in graph.input if value.name not in weights]
    for word, values in (("input", inputs), ("output", graph.output)):
        if len(values) != 1:
            yield f"has {len(values)} {word}s; expected one"
        elif values[0].type.tensor_type.elem_type not in _NUMBERS:
            yield f"its {word} {_short(values[0].name)} is not a tensor of numbers with a point"
    if graph.sparse_initializer:
        yield "has sparse weights; save them as plain tensors"
    if len(graph.node) > _MOST_NODES or len(graph.initializer) > _MOST_NODES:
        count = max(len(graph.node), len(graph.initializer))
        yield f"has {count:,} operators or tensors; the limit is {_MOST_NODES}"
        return
    for tensor in graph.initializer:
        fault = _tensor_fault(tensor)
        if fault:
            yield f"tensor {_short(tensor.name)}: {fault}"
    for node in graph.node:
        if any(part.HasField("g") or part.graphs for part in node.attribute):
            yield f"{_short(node.op_type)} has a graph of its own, as branches and loops have"
        elif node.domain not in _OWN_DOMAINS or node.op_type not in _ACCEPTED:
            kind = f"{node.domain}.{node.op_type}" if node.domain else node.op_type
            yield f"operator {_short(kind)} is not accepted; accepted: {', '.join(_ACCEPTED)}"


def _tensor_fault(tensor: Any) -> str:
    """What is wrong with the weights of one tensor; empty if nothing is."""
    if tensor.data_location or tensor.external_data:
        return "its numbers are in another file; save the model as one file"
    if tensor.data_type not in _NUMBERS:
        return "has another type than 16, 32 or 64 bit numbers with a point"
    dims = list(tensor.dims)
    if len(dims) not in (1, 2) or not all(1 <= size <= _MOST_SIZE for size in dims):
        return f"shape {str(dims)[:_LONGEST_NAME]}; expected one or two numbers in 1..{_MOST_SIZE}"
    count = int(np.prod(dims))
    if tensor.HasField("raw_data"):
        needed = count * np.dtype(_NUMBERS[tensor.data_type]).itemsize
        given, unit = len(tensor.raw_data), "bytes"
    else:
        needed, given, unit = count, len(tensor.float_data) + len(tensor.double_data), "numbers"
    return "" if given == needed else f"has {given} {unit}; its shape and type need {needed}"


def _values(tensor: Any) -> Floats:
    if tensor.HasField("raw_data"):
        numbers = np.frombuffer(tensor.raw_data, _NUMBERS[tensor.data_type])
    else:
        numbers = np.array([*tensor.float_data, *tensor.double_data])
    return np.asarray(numbers, np.float64).reshape(list(tensor.dims))


@dataclass(slots=True)
class _Chain:
    """The layers of a graph, followed from its input.

    Parameters
    ----------
    at : the name of the value that the next operator must read.
    rectified : whether a rectifier stands after the last layer.
    ended : whether the shares of classes are computed already.
    """

    weights: Mapping[str, Any]
    at: str
    layers: list[tuple[Floats, Floats]] = field(default_factory=list)
    rectified: bool = True
    ended: bool = False

    @classmethod
    def of(cls, graph: Any, faults: Faults) -> dict[str, Array] | None:
        """The tensors of a graph; None with a fault if it is not a chain."""
        weights = {tensor.name: tensor for tensor in graph.initializer}
        (start,) = (value.name for value in graph.input if value.name not in weights)
        chain = cls(weights, start)
        for place, node in enumerate(graph.node):
            fault = chain._follow(node)
            if fault:
                faults.add(
                    tell(
                        "operator %(place)s (%(op_type)s): %(fault)s",
                        place=place,
                        op_type=node.op_type,
                        fault=fault,
                    )
                )
                return None
        if chain.at != graph.output[0].name or not chain.layers:
            faults.add(
                tell("its operators do not lead from the input to the output through layers")
            )
            return None
        if chain.rectified:
            faults.add(
                tell("has a rectifier after its last layer; expected one number per class there")
            )
            return None
        out: dict[str, Array] = {}
        for number, (weight, bias) in enumerate(chain.layers):
            out |= {f"layers.{number}.weight": weight, f"layers.{number}.bias": bias}
        return out

    def _follow(self, node: Any) -> str:
        """Go through one operator; returns why it is not the next link of a chain."""
        values = [name for name in node.input if name and name not in self.weights]
        given = [self.weights[name] for name in node.input if name in self.weights]
        if values != [self.at] or not node.output or not node.output[0]:
            return "does not read the result of the operator before it alone"
        if self.ended and node.op_type not in _PASSED:
            return "stands after the shares of classes"
        settings = {part.name: part.f if part.type == 1 else part.i for part in node.attribute}
        fault = self._link(node, given, settings)
        self.at = node.output[0]
        return fault

    def _link(self, node: Any, given: list[Any], settings: Mapping[str, float]) -> str:
        kind = node.op_type
        if kind in _LAYERS:
            return self._layer(node, [_values(tensor) for tensor in given], settings)
        if given or len(node.input) > 1:
            return "has more inputs than expected"
        if kind == "Relu":
            if self.rectified:
                return "a rectifier without a layer before it"
            self.rectified = True
        elif kind in _ENDS:
            if settings.get("axis", -1) not in (-1, 1):
                return "must be over the classes (axis 1)"
            self.ended = True
        elif kind == "Flatten" and settings.get("axis", 1) != 1:
            return "must keep records apart (axis 1)"
        return ""

    def _layer(self, node: Any, given: list[Floats], settings: Mapping[str, float]) -> str:
        """Add a layer, or a bias to the last one."""
        if node.op_type == "Add":
            if self.rectified or len(given) != 1:
                return "adds something that is not the bias of a layer"
            weight, bias = self.layers[-1]
            if given[0].size != len(weight):
                return f"adds {given[0].size} numbers to {len(weight)} units"
            self.layers[-1] = weight, bias + given[0].ravel()
            return ""
        if node.input[0] != self.at or not given or given[0].ndim != 2:
            return "expected the values first, then a matrix of weights"
        if not self.rectified:
            return "two layers without a rectifier (Relu) between them"
        if settings.get("transA", 0) or any(settings.get(name, 1.0) != 1 for name in _SCALES):
            return "transA must be 0, alpha and beta 1"
        weight = given[0] if settings.get("transB", 0) else given[0].T
        bias = given[1].ravel() if len(given) > 1 else np.zeros(len(weight))
        if bias.size != len(weight) or len(given) > 2:
            return f"has {bias.size} biases for {len(weight)} units"
        self.layers.append((weight, bias))
        self.rectified = False
        return ""


_SCALES = ("alpha", "beta")
