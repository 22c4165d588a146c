"""Trees: the forest in an ONNX graph, as scikit-learn's converter writes it.

The operator ``TreeEnsembleClassifier`` has its trees as lists of numbers, one entry per node. A
forest is such an ensemble in which every leaf has the shares of classes, and the answer is their
mean. Boosted trees, whose leaves correct each other, are no forest and are refused.

References
----------
ONNX: operators of ai.onnx.ml, TreeEnsembleClassifier, https://onnx.ai/onnx/operators/.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from quintain.data.arrays import Array, Floats, Ints, Mask, Rows
from quintain.data.files.onnx_models.layers import PASSED, Places, passing_fault
from quintain.data.files.onnx_models.operators import (
    attributes,
    kind_of,
    operator_fault,
    tensor_fault,
    tensor_values,
)
from quintain.data.models import LEAF, rounded_down
from quintain.data.schema import ModelForm
from quintain.errors import Faults
from quintain.wording.languages import tell

FOREST = "ai.onnx.ml.TreeEnsembleClassifier"
_BRANCH, _LEAF = b"BRANCH_LEQ", b"LEAF"
_NEAR = 1e-3
"""How far the shares of a leaf may be from one, in 32 bits and thousands of trees."""


def read_forest(
    nodes: Places, start: str, end: str, form: ModelForm, places: Sequence[int], faults: Faults
) -> dict[str, Array] | None:
    """The tensors of the one forest of a graph; None with a fault.

    Parameters
    ----------
    places : the place of each class of the file among the values of the label.
    """
    at, tensors = start, None
    for place, node in nodes:
        kind, settings = kind_of(node), attributes(node)
        fault, result = "", node.output[0] if node.output else ""
        if [*node.input] != [at]:
            fault = "does not read the result of the operator before it alone"
        elif kind == FOREST and tensors is None:
            result = node.output[1] if len(node.output) > 1 else ""
            try:
                tensors = _Ensemble.of(settings, form).tensors(form, places)
            except _Unfit as unfit:
                fault = str(unfit)
        elif kind in PASSED:
            fault = passing_fault(kind, settings, ended=tensors is not None)
        else:
            fault = "a forest reads the variables as they are, and gives shares at once"
        if fault:
            faults.add(operator_fault(place, node, fault))
            return None
        at = result
    if at != end:
        faults.add(tell("its operators do not lead from the input to the shares of the forest"))
        return None
    return tensors


class _Unfit(ValueError):
    """Why an ensemble is not a forest."""


@dataclass(frozen=True, slots=True)
class _Ensemble:
    """The nodes of all trees, with their places instead of their ids.

    Parameters
    ----------
    tree : the tree of each node, by its number.
    left, right : the places of the nodes below; -1 at a leaf.
    shares : what each leaf gives to each class of the file.
    """

    tree: Ints
    feature: Ints
    threshold: Floats
    left: Ints
    right: Ints
    shares: Floats

    @classmethod
    def of(cls, settings: Mapping[str, Any], form: ModelForm) -> _Ensemble:
        """Read the lists of an ensemble; raises with the first thing that does not fit."""
        for name, expected in (("post_transform", b"NONE"), ("aggregate_function", b"SUM")):
            given = settings.get(name, expected)
            if given != expected:
                raise _Unfit(
                    f"{name} is {given.decode('utf-8', 'replace')[:20]}, as in boosted trees; "
                    "expected a forest whose leaves have the shares of classes"
                )
        if np.any(_floats(settings, "base_values")):
            raise _Unfit("base_values: a forest adds nothing to the shares of its leaves")
        ids = {name: _ints(settings, f"nodes_{name}") for name in _IDS}
        modes = [*settings.get("nodes_modes", ())]
        size, threshold = len(modes), _floats(settings, "nodes_values")
        if not size or any(len(values) != size for values in (*ids.values(), threshold)):
            raise _Unfit("its lists of nodes have different lengths, or no node")
        if size > form.most_nodes:
            raise _Unfit(f"has {size:,} nodes; the limit is {form.most_nodes:,}")
        unknown = sorted({mode.decode("utf-8", "replace") for mode in {*modes} - {_BRANCH, _LEAF}})
        if unknown:
            raise _Unfit(f"branches by {', '.join(unknown)[:60]}; expected BRANCH_LEQ")
        ends = np.array([mode == _LEAF for mode in modes])
        trees, tree = np.unique(ids["treeids"], return_inverse=True)
        place = _Place(tree, ids["nodeids"])
        left, right = (
            np.where(ends, -1, place.of(tree, ids[name], ~ends))
            for name in ("truenodeids", "falsenodeids")
        )
        classes = max(len(_labels(settings)), 1)
        shares = _shares(settings, place, trees, ends, classes)
        return cls(tree, ids["featureids"], threshold, left, right, shares)

    def tensors(self, form: ModelForm, places: Sequence[int]) -> dict[str, Array]:
        """The forest as plain arrays, in which the nodes of each tree follow their parents."""
        order = self._order()
        number = np.empty(len(order), np.int64)
        number[order] = np.arange(len(order))
        ends = self.left[order] < 0
        leaf = np.zeros((len(order), len(form.classes)))
        leaf[:, places] = self.shares[order]
        left, right = (np.where(ends, -1, number[side[order]]) for side in (self.left, self.right))
        return {
            "trees.root": number[self._roots()],
            "trees.feature": np.where(ends, 0, self.feature[order]),
            # Inputs have 32 bits: the next lower number of 32 bits sends each of them the same way.
            "trees.threshold": np.where(ends, 0, rounded_down(self.threshold[order])),
            "trees.left": left,
            "trees.right": right,
            LEAF: leaf,
        }

    def _roots(self) -> Rows:
        """The node of each tree to which no other leads."""
        going = self.left >= 0
        reached = np.bincount(
            np.concatenate([self.left[going], self.right[going]]), minlength=len(self.left)
        )
        roots = np.flatnonzero(reached == 0)
        if (reached > 1).any() or not np.array_equal(
            np.sort(self.tree[roots]), np.arange(self.tree.max() + 1)
        ):
            raise _Unfit("has a tree whose nodes do not lead from one root to every other node")
        return np.asarray(roots, np.int64)

    def _order(self) -> Rows:
        """All nodes, level by level; raises if some node is never reached."""
        level, levels = self._roots(), []
        while len(level):
            levels.append(level)
            going = level[self.left[level] >= 0]
            level = np.concatenate([self.left[going], self.right[going]])
        order = np.concatenate(levels)
        if len(order) != len(self.left):
            raise _Unfit("has nodes that lead to each other in a circle")
        return np.asarray(order, np.int64)


_IDS = ("treeids", "nodeids", "featureids", "truenodeids", "falsenodeids")


class _Place:
    """The place of each node in the lists, by the number of its tree and its id."""

    def __init__(self, tree: Ints, ids: Ints) -> None:
        self._base = int(ids.max(initial=0)) + 1
        if ids.min(initial=0) < 0 or self._base > 2**31:
            raise _Unfit("has ids of nodes that are negative or too large")
        keys = tree * self._base + ids
        self._order = np.argsort(keys, kind="stable")
        self._sorted = keys[self._order]
        if (np.diff(self._sorted) == 0).any():
            raise _Unfit("has two nodes with one id in a tree")

    def of(self, tree: Ints, ids: Ints, needed: Mask) -> Rows:
        """The places of nodes; raises if one that is needed does not exist."""
        known = (ids >= 0) & (ids < self._base)
        keys = tree * self._base + np.where(known, ids, 0)
        at = np.minimum(np.searchsorted(self._sorted, keys), len(self._sorted) - 1)
        if (needed & ~(known & (self._sorted[at] == keys))).any():
            raise _Unfit("leads to a node that its tree does not have")
        return np.asarray(self._order[at], np.int64)


def _shares(
    settings: Mapping[str, Any], place: _Place, trees: Ints, ends: Mask, classes: int
) -> Floats:
    """The shares of classes of every leaf, which the file divides by the number of trees."""
    tree, node, of = (_ints(settings, f"class_{name}") for name in ("treeids", "nodeids", "ids"))
    weight = _floats(settings, "class_weights") * len(trees)
    if not len(weight) or any(len(part) != len(weight) for part in (tree, node, of)):
        raise _Unfit("its lists of leaves have different lengths, or no leaf")
    known = np.isin(tree, trees)
    if not known.all() or (of < 0).any() or (of >= classes).any():
        raise _Unfit("its leaves name a tree or a class that does not exist")
    if not np.isfinite(weight).all() or (weight < 0).any():
        raise _Unfit("its leaves have negative shares, as boosted trees have")
    at = place.of(np.searchsorted(trees, tree), node, np.ones(len(node), bool))
    shares = np.zeros((len(ends), classes))
    np.add.at(shares, (at, of), weight)
    if classes == 2 and len(np.unique(of)) == 1:
        # Of two classes, a file has the shares of the second alone, whatever number it gives them.
        second = shares.sum(axis=1)
        shares = np.stack([np.maximum(1 - second, 0), second], axis=1)
    sums = shares.sum(axis=1)[ends]
    if np.abs(sums - 1).max(initial=0) > _NEAR:
        raise _Unfit(
            f"the shares of a leaf, times the number of trees, sum up to "
            f"{sums[np.argmax(np.abs(sums - 1))]:g}; expected 1, as in a forest"
        )
    return np.where(ends[:, None], shares, 0.0)


def _labels(settings: Mapping[str, Any]) -> Sequence[Any]:
    return settings.get("classlabels_strings") or settings.get("classlabels_int64s") or ()


def _ints(settings: Mapping[str, Any], name: str) -> Ints:
    return np.array(settings.get(name, ()), np.int64)


def _floats(settings: Mapping[str, Any], name: str) -> Floats:
    """A list of numbers, with 32 bits, or as a tensor with 64."""
    tensor = settings.get(f"{name}_as_tensor")
    if tensor is None:
        return np.array(settings.get(name, ()), np.float64)
    fault = tensor_fault(tensor, most=10_000_000)
    if fault:
        raise _Unfit(f"{name}_as_tensor: {fault}")
    return tensor_values(tensor).ravel()
