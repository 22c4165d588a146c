"""Classifiers: train the models that contests know, and ask a model about records."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from quintain.data.arrays import Floats, Ints, Mask, Rows
from quintain.data.models import (
    LEAF,
    SHARES,
    Tensors,
    TrainedModel,
    distinct_records,
    find_answers,
    labels,
    list_answers,
    rounded_down,
    variables,
)
from quintain.data.schema import ModelForm
from quintain.data.table import Table
from quintain.errors import KnowledgeError, MissingExtra
from quintain.kernels.dense_layers import (
    layer_sizes,
    layer_tensors,
    mean_gradient,
    record_gradients,
    run_layers,
    softmax,
    split_layers,
    train_layers,
)

_ROUNDS = 500  # of the search for the best logistic regression, at most
_PARTS = ("weight", "bias")
_USUAL_HIDDEN = (16,)
_LEAST = 1e-7
"""A confidence below this counts as this, so that every loss is finite."""


def confidences(model: TrainedModel, records: Table) -> Floats:
    """The share that a model gives to each class, one row per record.

    This is the one door to a model, whether its weights are known or only answers; then a
    ``KnowledgeError`` says about how many records it was not asked.

    >>> from quintain.testing import example, example_table
    >>> from quintain.data import as_model
    >>> confidences(as_model(example("model")), example_table(rows=2)).tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    if not model.has_weights:
        return _known_answers(model, records)
    inputs, tensors = variables(model.form, records), model.tensors()
    if model.architecture == "forest":
        return _forest_shares(tensors, inputs)
    named = range(len(tensors) // 2)
    layers = [(tensors[f"layers.{i}.weight"], tensors[f"layers.{i}.bias"]) for i in named]
    with np.errstate(over="ignore", invalid="ignore"):
        scores = run_layers(layers, inputs)[-1]
    return softmax(np.nan_to_num(scores, nan=0.0, posinf=1e300, neginf=-1e300))


def label_confidence(model: TrainedModel, records: Table) -> Floats:
    """The share that a model gives to the true class of each record."""
    shares = confidences(model, records)
    own = shares[np.arange(len(records)), labels(model.form, records)]
    return np.asarray(np.clip(own, _LEAST, 1 - _LEAST))


def gradients_at(model: TrainedModel, records: Table) -> Floats:
    """How the loss of each record changes with the weights of a chain of layers, a row each."""
    tensors = model.tensors()
    layers = [tensors[f"layers.{i}.{part}"] for i in range(len(tensors) // 2) for part in _PARTS]
    parameters = np.concatenate([layer.ravel() for layer in layers])
    inputs, known = variables(model.form, records), labels(model.form, records)
    return record_gradients(parameters, layer_sizes(tensors), inputs, known)


def _known_answers(model: TrainedModel, records: Table) -> Floats:
    shares, place = model.tensors()[SHARES], find_answers(model, records)
    unknown = int((place < 0).sum())
    if unknown:
        raise KnowledgeError(
            f"the model was not asked about {unknown} of {len(records)} records; attackers have "
            f"its answers to {len(shares)} queries"
        )
    known = shares[place]
    return np.asarray(known / known.sum(axis=1, keepdims=True))


def is_answered(model: TrainedModel, records: Table) -> Mask:
    """Which records can be asked about: all of them where the weights are known."""
    if model.has_weights:
        return np.ones(len(records), bool)
    return np.asarray(find_answers(model, records) >= 0)


def answers_about(model: TrainedModel, records: Table, *, trained_on: int) -> TrainedModel:
    """What a model answers about some records, and nothing else of the model.

    The maker of a model could write into finer digits who was among its training records, for a
    friend to read. So a share has as many decimals as one training record of all needs.

    >>> from quintain.testing import example, example_table
    >>> from quintain.data import as_model
    >>> answers_about(as_model(example("model")), example_table(rows=2), trained_on=500)
    <Model answers: flag from 5 variables, 8 numbers>
    """
    queries = distinct_records(model.form, records)
    return list_answers(model.form, queries, round_shares(confidences(model, queries), trained_on))


def round_shares(shares: Floats, records: int) -> Floats:
    """Shares with as many decimals as the share of one of so many records needs.

    The sums of the first shares are rounded, so each row still has the sum 1.

    >>> round_shares(np.array([[0.12345, 0.87655], [0.25, 0.75]]), 500).tolist()
    [[0.123, 0.877], [0.25, 0.75]]
    """
    decimals = len(str(records - 1))
    ends = np.round(np.cumsum(shares, axis=1), decimals)
    rounded: Floats = np.round(np.diff(ends, axis=1, prepend=0.0), decimals)
    return rounded


def _forest_shares(tensors: Tensors, inputs: Floats) -> Floats:
    """The mean over all trees of the shares in the leaf that a record reaches."""
    feature, left, right = (
        tensors[f"trees.{name}"].astype(np.int64) for name in ("feature", "left", "right")
    )
    threshold, leaf = tensors["trees.threshold"], tensors[LEAF]
    values = inputs.astype(np.float32).astype(np.float64)
    everybody, total = np.arange(len(inputs)), np.zeros((len(inputs), leaf.shape[1]))
    for root in tensors["trees.root"].astype(np.int64):
        node: Ints = np.full(len(inputs), root)
        while True:
            going = left[node] >= 0
            if not going.any():
                break
            goes_left = values[everybody, feature[node]] <= threshold[node]
            node = np.where(going, np.where(goes_left, left[node], right[node]), node)
        shares = leaf[node]
        total += shares / shares.sum(axis=1, keepdims=True)
    return np.asarray(total / len(tensors["trees.root"]))


def train_logistic(form: ModelForm, records: Table, *, ridge: float) -> TrainedModel:
    """The logistic regression with the smallest loss plus a penalty on its weights.

    ``ridge`` is the penalty on half the squared length of the weights, for all records together.
    """
    from scipy.optimize import minimize

    inputs, known = variables(form, records), labels(form, records)
    sizes = [inputs.shape[1], len(form.classes)]
    pull = np.concatenate([np.full(sizes[0] * sizes[1], ridge), np.zeros(sizes[1])]) / len(known)

    def loss(parameters: Floats) -> tuple[float, Floats]:
        shares = softmax(run_layers(split_layers(parameters, sizes), inputs)[-1])
        own = np.log(np.maximum(shares[np.arange(len(known)), known], 1e-300))
        gradient = mean_gradient(parameters, sizes, inputs, known) + pull * parameters
        return float(-own.mean() + (pull * parameters**2).sum() / 2), gradient

    start = np.zeros(len(pull))
    best = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": _ROUNDS})
    return TrainedModel.from_tensors(form, layer_tensors(best.x, sizes))


def train_network(
    form: ModelForm,
    records: Table,
    *,
    hidden: Sequence[int],
    epochs: int,
    rng: np.random.Generator,
    batch: int = 32,
    rate: float = 0.005,
    decay: float = 0.0,
) -> TrainedModel:
    """A network with these hidden layers, trained by stochastic gradients."""
    inputs, known = variables(form, records), labels(form, records)
    sizes = [inputs.shape[1], *hidden, len(form.classes)]
    fitted = train_layers(
        sizes, inputs, known, epochs=epochs, batch=batch, rate=rate, decay=decay, rng=rng
    )
    return TrainedModel.from_tensors(form, layer_tensors(fitted, sizes))


def train_forest(
    form: ModelForm,
    records: Table,
    *,
    trees: int,
    depth: int,
    smallest: int,
    rng: np.random.Generator,
) -> TrainedModel:
    """A random forest of scikit-learn as plain arrays.

    Parameters
    ----------
    depth : the largest depth of a tree.
    smallest : how many records a leaf has, at least.
    """
    try:
        from sklearn.ensemble import RandomForestClassifier
    except ModuleNotFoundError:
        raise MissingExtra("a random forest", "scikit-learn", "ml") from None
    inputs, known = variables(form, records), labels(form, records)
    forest = RandomForestClassifier(
        trees,
        max_depth=depth,
        min_samples_leaf=smallest,
        random_state=int(rng.integers(2**31)),
        n_jobs=1,
    ).fit(inputs, known)
    seen: Rows = np.asarray(forest.classes_, np.int64)
    blocks: dict[str, list[Floats]] = {}
    roots, at = [], 0
    for tree in (estimator.tree_ for estimator in forest.estimators_):
        ends = tree.children_left < 0
        leaf = np.zeros((tree.node_count, len(form.classes)))
        leaf[:, seen] = tree.value[:, 0, :]
        parts = {
            "trees.feature": np.where(ends, 0, tree.feature),
            "trees.threshold": np.where(ends, 0, rounded_down(tree.threshold)),
            "trees.left": np.where(ends, -1, tree.children_left + at),
            "trees.right": np.where(ends, -1, tree.children_right + at),
            LEAF: leaf,
        }
        for name, part in parts.items():
            blocks.setdefault(name, []).append(part)
        roots.append(at)
        at += tree.node_count
    joined = {name: np.concatenate(parts) for name, parts in blocks.items()}
    return TrainedModel.from_tensors(form, {**joined, "trees.root": np.array(roots, float)})


def train_like(model: TrainedModel, records: Table, *, rng: np.random.Generator) -> TrainedModel:
    """A model with the architecture and the size of another one, trained on other records.

    An attacker who has a model but not its recipe trains so: a network runs for a usual number of
    epochs, and a forest has as many trees, as deep as they grow. One who has only answers trains a
    small network.
    """
    if not model.has_weights:
        return train_network(model.form, records, hidden=_USUAL_HIDDEN, epochs=30, rng=rng)
    tensors = model.tensors()
    if model.architecture == "logistic":
        return train_logistic(model.form, records, ridge=1.0)
    if model.architecture == "network":
        hidden = layer_sizes(tensors)[1:-1]
        return train_network(model.form, records, hidden=hidden, epochs=30, rng=rng)
    trees = len(tensors["trees.root"])
    return train_forest(model.form, records, trees=trees, depth=32, smallest=1, rng=rng)
