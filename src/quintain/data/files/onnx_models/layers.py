"""Layers: the weights of an ONNX graph that is a plain chain of layers with rectifiers between."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from quintain.data.arrays import Array, Floats
from quintain.data.files.onnx_models.operators import (
    attributes,
    kind_of,
    operator_fault,
    tensor_values,
)
from quintain.errors import Faults
from quintain.wording.languages import tell

LINEAR, SCALER = "ai.onnx.ml.LinearClassifier", "ai.onnx.ml.Scaler"
LAYERS, ENDS = ("Gemm", "MatMul", "Add"), ("Softmax", "LogSoftmax", "Sigmoid")
_NORMALIZER = "ai.onnx.ml.Normalizer"
PASSED = ("Identity", "Dropout", "Flatten", "Cast", _NORMALIZER, "ai.onnx.ml.ZipMap")
_SCALES = ("alpha", "beta")
_POINT_NUMBERS = (1, 10, 11)

Places = Sequence[tuple[int, Any]]
"""Operators with their places in a graph, in its order."""


def passing_fault(kind: str, settings: Mapping[str, Any], *, ended: bool) -> str:
    """Why an operator that changes no share cannot be passed over here; empty if it can."""
    if kind == "Cast" and settings.get("to") not in _POINT_NUMBERS:
        return "must keep numbers with a point"
    if kind == "Flatten" and settings.get("axis", 1) != 1:
        return "must keep records apart (axis 1)"
    if kind == _NORMALIZER and (settings.get("norm", b"MAX") != b"L1" or not ended):
        return "must divide shares by their sum (norm L1)"
    return "must stand after the shares" if kind == "ai.onnx.ml.ZipMap" and not ended else ""


@dataclass(slots=True)
class LayerChain:
    """The layers of a graph, followed from its input.

    Parameters
    ----------
    at : the name of the value that the next operator must read.
    scaling : what is taken from each variable, and by what it is multiplied then.
    rectified : whether a rectifier stands after the last layer.
    ended : whether the shares of classes are computed already.
    first : the name of the share of the first of two classes, once it is computed.
    """

    weights: Mapping[str, Any]
    at: str
    layers: list[tuple[Floats, Floats]] = field(default_factory=list)
    scaling: tuple[Floats, Floats] | None = None
    rectified: bool = True
    ended: bool = False
    first: str = ""

    @classmethod
    def of(
        cls, nodes: Places, weights: Mapping[str, Any], start: str, end: str, faults: Faults
    ) -> dict[str, Array] | None:
        """The tensors of a graph; None with a fault if it is not a chain."""
        chain = cls(weights, start)
        for place, node in nodes:
            fault = chain._follow(node)
            if fault:
                faults.add(operator_fault(place, node, fault))
                return None
        if chain.at != end or not chain.layers:
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
        kind, settings = kind_of(node), attributes(node)
        if kind in ("Sub", "Concat"):
            return self._pair(kind, node, settings)
        values = [name for name in node.input if name and name not in self.weights]
        given = [self.weights[name] for name in node.input if name in self.weights]
        if values != [self.at] or not node.output or not node.output[0]:
            return "does not read the result of the operator before it alone"
        if self.ended and kind not in PASSED:
            return "stands after the shares of classes"
        if kind in LAYERS:
            fault = self._layer(node, [tensor_values(tensor) for tensor in given], settings)
        elif given or len(node.input) > 1:
            return "has more inputs than expected"
        else:
            fault = self._link(kind, settings)
        self.at = node.output[1 if kind == LINEAR and len(node.output) > 1 else 0]
        return fault

    def _link(self, kind: str, settings: Mapping[str, Any]) -> str:
        if kind == "Relu":
            if self.rectified:
                return "a rectifier without a layer before it"
            self.rectified = True
        elif kind in ENDS:
            return self._end(kind, settings)
        elif kind == SCALER:
            return self._scale(settings)
        elif kind == LINEAR:
            return self._classifier(settings)
        else:
            return passing_fault(kind, settings, ended=self.ended)
        return ""

    def _layer(self, node: Any, given: list[Floats], settings: Mapping[str, Any]) -> str:
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
        if settings.get("transA", 0) or any(settings.get(name, 1.0) != 1 for name in _SCALES):
            return "transA must be 0, alpha and beta 1"
        weight = given[0] if settings.get("transB", 0) else given[0].T
        bias = given[1].ravel() if len(given) > 1 else np.zeros(len(weight))
        if bias.size != len(weight) or len(given) > 2:
            return f"has {bias.size} biases for {len(weight)} units"
        return self._append(weight, bias)

    def _append(self, weight: Floats, bias: Floats) -> str:
        """Add a layer; the first one takes what was done to the variables before it."""
        if not self.rectified:
            return "two layers without a rectifier (Relu) between them"
        if self.scaling is not None:
            offset, factor = self.scaling
            if any(part.size not in (1, weight.shape[1]) for part in self.scaling):
                return f"has {weight.shape[1]} variables, but the Scaler before it {offset.size}"
            weight = weight * factor
            bias = bias - weight @ np.broadcast_to(offset, weight.shape[1:])
            self.scaling = None
        self.layers.append((weight, bias))
        self.rectified = False
        return ""

    def _scale(self, settings: Mapping[str, Any]) -> str:
        """Remember how the variables are scaled before the first layer."""
        if self.layers or self.scaling is not None:
            return "variables may be scaled once, before the first layer"
        offset, factor = (np.array(settings.get(name, ())) for name in ("offset", "scale"))
        if not offset.size or not factor.size or 1 < offset.size != factor.size > 1:
            return f"has {offset.size} offsets and {factor.size} scales"
        self.scaling = offset.astype(np.float64), factor.astype(np.float64)
        return ""

    def _classifier(self, settings: Mapping[str, Any]) -> str:
        """Add the one layer of a linear classifier, whose shares follow from its scores."""
        bias = np.array(settings.get("intercepts", ()), np.float64)
        weight = np.array(settings.get("coefficients", ()), np.float64)
        if not bias.size or not weight.size or weight.size % bias.size:
            return f"has {weight.size} coefficients for {bias.size} classes"
        weight = weight.reshape(len(bias), -1)
        ending = settings.get("post_transform", b"NONE").decode("utf-8", "replace")
        if ending == "LOGISTIC" and len(bias) == 1:
            weight, bias = _against_zero(weight, bias)
        elif ending == "LOGISTIC" and len(bias) == 2:
            if not np.allclose(weight[0], -weight[1]) or not np.allclose(bias[0], -bias[1]):
                return "its two scores are not opposite, so they are no logistic regression"
            weight, bias = weight / 2, bias / 2  # their difference is the score of the second
        elif ending != "SOFTMAX":
            return (
                f"makes shares of {len(bias)} scores by {ending}; expected SOFTMAX, or LOGISTIC "
                "with two classes"
            )
        fault = self._append(weight, bias)
        self.ended = not fault
        return fault

    def _end(self, kind: str, settings: Mapping[str, Any]) -> str:
        """Shares of classes: all scores together, or the score of one of two classes."""
        if kind == "Sigmoid":
            if self.rectified or len(self.layers[-1][0]) != 1:
                return "must follow a layer of one unit, the score of the second of two classes"
            self.layers[-1] = _against_zero(*self.layers[-1])
        elif settings.get("axis", -1) not in (-1, 1):
            return "must be over the classes (axis 1)"
        self.ended = True
        return ""

    def _pair(self, kind: str, node: Any, settings: Mapping[str, Any]) -> str:
        """The share of the first class, which is one less that of the second, beside it."""
        ones = [name for name in node.input if name in self.weights]
        if kind == "Sub":
            if not self.ended or len(ones) != 1 or [*node.input] != [ones[0], self.at]:
                return "expected one less the share of the second class"
            value = tensor_values(self.weights[ones[0]])
            self.first = node.output[0] if value.size == 1 and value.item() == 1 else ""
            return "" if self.first else "expected one less the share of the second class"
        if [*node.input] != [self.first, self.at] or settings.get("axis", 1) not in (-1, 1):
            return "expected the shares of the first and of the second class (axis 1)"
        self.at = node.output[0]
        return ""


def _against_zero(weight: Floats, bias: Floats) -> tuple[Floats, Floats]:
    """The score of the second of two classes, as a layer in which that of the first is zero."""
    return np.concatenate([0 * weight, weight]), np.concatenate([0 * bias, bias])
