"""Graph: what an ONNX file has, and the line of operators from its input to the shares of classes.

An ONNX file is a graph of operators, so it is a program. Nobody runs it here: a graph that is one
chain of layers, or one forest, says the same as its numbers, and these are taken out of it. Any
other graph is refused with what is in it. Sizes are counted before anything is built. The library
``onnx`` (extra ``onnx``) parses the file; it is imported here and nowhere else. Its checker and
ONNX Runtime cannot do the rest: both accept boosted trees, negative shares, numbers that are not
finite and two inputs, and neither gives the weights.

References
----------
ONNX, Open Neural Network Exchange: intermediate representation, https://onnx.ai/onnx/repo-docs/IR.html.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from quintain.data.arrays import Array
from quintain.data.files.onnx_models.layers import ENDS, LAYERS, LINEAR, PASSED, SCALER, LayerChain
from quintain.data.files.onnx_models.operators import attributes, kind_of, tensor_fault
from quintain.data.files.onnx_models.trees import FOREST, read_forest
from quintain.data.schema import ModelForm
from quintain.errors import Faults, MissingExtra
from quintain.wording.languages import tell

START = b"\x08"
"""The first byte of an ONNX file: its field with the version comes first."""

_MOST_BYTES = 20_000_000
_MOST_NODES = 100
_OWN_DOMAINS = ("", "ai.onnx", "ai.onnx.ml")
_POINT_NUMBERS, _NAMES = (1, 10, 11), (6, 7, 8)
"""Codes of types: numbers with a point, and what names a class (whole numbers or texts)."""
_PAIR = ("Sub", "Concat")
"""How scikit-learn's networks make two shares of one."""
_ACCEPTED = (*LAYERS, "Relu", *ENDS, SCALER, LINEAR, FOREST, *PASSED, *_PAIR)
_NAMING = ("ArgMax", "ai.onnx.ml.ArrayFeatureExtractor", "Cast", "Reshape", "Identity")
"""Operators that find the name of the class with the largest share; nobody needs them."""
_LONGEST_NAME = 60


def read_onnx(content: bytes, form: ModelForm, faults: Faults) -> dict[str, Array] | None:
    """The tensors of a chain of layers or of a forest; notes every fault, and returns None then."""
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
    return None if faults.total > before else _read_trunk(model.graph, form, faults)


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
    """What a graph has that is neither in a chain nor in a forest; nothing is built to find it."""
    yield from _value_faults(graph)
    if graph.sparse_initializer:
        yield "has sparse weights; save them as plain tensors"
    if len(graph.node) > _MOST_NODES or len(graph.initializer) > _MOST_NODES:
        count = max(len(graph.node), len(graph.initializer))
        yield f"has {count:,} operators or tensors; the limit is {_MOST_NODES}"
        return
    trunk, naming = _parts(graph)
    only_names = {name for place in naming for name in graph.node[place].input}
    only_names -= {name for place in trunk for name in graph.node[place].input}
    for tensor in graph.initializer:
        fault = "" if tensor.name in only_names else tensor_fault(tensor)
        if fault:
            yield f"tensor {_short(tensor.name)}: {fault}"
    for place, node in enumerate(graph.node):
        kind, accepted = kind_of(node), _NAMING if place in naming else _ACCEPTED
        if any(part.HasField("g") or part.graphs for part in node.attribute):
            yield f"{_short(node.op_type)} has a graph of its own, as branches and loops have"
        elif kind not in accepted:
            yield f"operator {_short(kind)} is not accepted; accepted: {', '.join(accepted)}"
        elif place not in trunk | naming:
            yield f"operator {place} ({node.op_type}) leads to no output"


def _value_faults(graph: Any) -> Iterator[str]:
    """A graph reads one tensor of numbers, and gives shares; it may name the class as well."""
    inputs, outputs = _inputs(graph), _shares(graph)
    if graph.output and not outputs:
        yield "its outputs name a class alone; save the model with the shares of classes"
        outputs = [*graph.output]
    for word, values in (("input", inputs), ("output", outputs)):
        if len(values) != 1:
            yield f"has {len(values)} {word}s; expected one"
        elif values[0].type.HasField("sequence_type") and word == "output":
            continue  # one table of shares per record, as ZipMap writes it
        elif values[0].type.tensor_type.elem_type not in _POINT_NUMBERS:
            yield f"its {word} {_short(values[0].name)} is not a tensor of numbers with a point"


def _inputs(graph: Any) -> list[Any]:
    weights = {tensor.name for tensor in graph.initializer}
    return [value for value in graph.input if value.name not in weights]


def _shares(graph: Any) -> list[Any]:
    """The outputs that do not only name a class."""
    return [value for value in graph.output if value.type.tensor_type.elem_type not in _NAMES]


def _parts(graph: Any) -> tuple[set[int], set[int]]:
    """The places of the operators that the shares need, and of those that only name a class."""
    makers = {name: place for place, node in enumerate(graph.node) for name in node.output}
    shares = {value.name for value in _shares(graph)}
    trunk = _ancestors(graph, makers, shares)
    names = {value.name for value in graph.output} - shares
    return trunk, _ancestors(graph, makers, names) - trunk


def _ancestors(graph: Any, makers: Mapping[str, int], wanted: set[str]) -> set[int]:
    needed: set[int] = set()
    waiting = [makers[name] for name in wanted if name in makers]
    while waiting:
        place = waiting.pop()
        if place not in needed:
            needed.add(place)
            waiting += [makers[name] for name in graph.node[place].input if name in makers]
    return needed


def _read_trunk(graph: Any, form: ModelForm, faults: Faults) -> dict[str, Array] | None:
    """The tensors of a classifier, with its classes in the order of the form."""
    weights = {tensor.name: tensor for tensor in graph.initializer}
    (start,), (end,) = _inputs(graph), _shares(graph)
    trunk, _ = _parts(graph)
    nodes = [(place, node) for place, node in enumerate(graph.node) if place in trunk]
    labels: list[str | int] = []
    for _, node in nodes:
        own = _class_names(attributes(node))
        if labels and own and own != labels:
            faults.add(tell("names its classes twice, in two ways"))
            return None
        labels = labels or own
    places = _places(labels, form, faults) if labels else [*range(len(form.classes))]
    if places is None:
        return None
    if any(kind_of(node) == FOREST for _, node in nodes):
        return read_forest(nodes, start.name, end.name, form, places, faults)
    tensors = LayerChain.of(nodes, weights, start.name, end.name, faults)
    return None if tensors is None else _in_order(tensors, places, form, faults)


def _class_names(given: Mapping[str, Any]) -> list[str | int]:
    """The classes that an operator names, in its order; empty if it names none."""
    for key, values in given.items():
        if key.startswith("classlabels"):
            return [v.decode("utf-8", "replace") if isinstance(v, bytes) else v for v in values]
    return []


def _places(labels: list[str | int], form: ModelForm, faults: Faults) -> list[int] | None:
    """The place of each class among the values of the label; None with a fault."""
    known: dict[str | int, int] = {value: place for place, value in enumerate(form.classes)}
    known |= {place: place for place in range(len(form.classes))}
    unknown = [label for label in labels if label not in known]
    if unknown or len({known[label] for label in labels}) < len(labels):
        faults.add(
            tell(
                "its classes are %(classes)s; expected those of %(label)s: %(values)s, or 0 to "
                "%(last)s",
                classes=", ".join(repr(label) for label in labels[:10])[:200],
                label=form.label,
                values=", ".join(form.classes),
                last=len(form.classes) - 1,
            )
        )
        return None
    return [known[label] for label in labels]


def _in_order(
    tensors: dict[str, Array], places: list[int], form: ModelForm, faults: Faults
) -> dict[str, Array] | None:
    """A chain whose last layer has the classes in the order of the form."""
    last = len(tensors) // 2 - 1
    count = len(tensors[f"layers.{last}.weight"])
    if len(places) < len(form.classes):
        missing = set(range(len(form.classes))) - set(places)
        faults.add(
            tell(
                "knows nothing of %(values)s; train on records of every class, or send a forest",
                values=", ".join(form.classes[place] for place in sorted(missing)),
            )
        )
        return None
    if count != len(places):
        return tensors  # the shape says what was expected
    for part in ("weight", "bias"):
        name = f"layers.{last}.{part}"
        tensors[name] = tensors[name][np.argsort(places)]
    return tensors
