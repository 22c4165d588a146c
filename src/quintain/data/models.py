"""Models: classifiers as data, so that a contest can publish, attack and measure them.

A model is the numbers in its tensors, one row per number. The names of the tensors declare the
architecture, from a short list: a chain of layers (``layers.0.weight``, ``layers.0.bias`` and so
on; one layer is a logistic regression, more are a network with rectifiers between them), or the
trees of a forest. So nobody's code runs to read a model or to ask it. A model of which only answers
are known is the list of these answers: what it was asked, and the share of each class.

What does not belong here: training, which is in ``kernels``, and the files of models, which are in
``files``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from quintain.data.arrays import MISSING_TIME, Array, Floats, Mask, Rows
from quintain.data.column import Column
from quintain.data.columns import Columns
from quintain.data.schema import ModelForm, ModelKind, Schema
from quintain.data.shape import Data, Shape, see
from quintain.data.table import Table
from quintain.errors import Faults
from quintain.registry import register
from quintain.wording.languages import tell

Tensors = Mapping[str, Floats]
"""The numbers of a model by the name of their tensor, each a vector or a matrix."""

COLUMNS = (
    Column(name="tensor", kind="id"),
    Column(name="row", kind="integer", low=0),
    Column(name="column", kind="integer", low=0),
    Column(name="value", kind="real"),
)
"""How a model is written as rows; a vector has column 0 alone."""

_LAYER = re.compile(r"layers\.(0|[1-9][0-9]{0,3})\.(weight|bias)")
TREES = ("trees.root", "trees.feature", "trees.threshold", "trees.left", "trees.right")
LEAF = "trees.leaf"
"""The tensors of a forest. Nodes are numbered through all trees; ``root`` has the first node of
each tree. A record goes to ``left`` if its variable ``feature`` is at most ``threshold``, else to
``right``; a leaf has -1 for both, and a row of ``leaf`` with the share of each class."""
ASKED, SHARES = "asked.records", "asked.shares"
"""The tensors of answers: a row per record that was asked about, written as :func:`record_codes`,
and the share that the model gave to each class."""

_EXPECTED = tell(
    "a model has the tensors layers.0.weight, layers.0.bias, layers.1.weight and so on, or "
    "%(names)s",
    names=", ".join((*TREES, LEAF)),
)
_MOST_NAMED = 5
_INDEFINITE: Mapping[ModelKind, str] = {
    "logistic": tell("a logistic model"),
    "network": tell("a network model"),
    "forest": tell("a forest model"),
    "answers": tell("a list of answers and not a model"),
}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TrainedModel(Columns):
    """A classifier, stored as the numbers in its tensors.

    >>> from quintain.testing import example
    >>> model = as_model(example("model"))
    >>> model
    <Model logistic: flag from 5 variables, 12 numbers>
    >>> model.tensors()["layers.0.bias"].shape
    (2,)
    """

    @classmethod
    def from_tensors(cls, form: ModelForm, tensors: Mapping[str, Array]) -> TrainedModel:
        """A model from its tensors; numbers are rounded to 32 bits, as files of models have them.

        A vector is a matrix with one column.
        """
        blocks: dict[str, list[Array]] = {column.name: [] for column in COLUMNS}
        for name in sorted(tensors):
            values = np.asarray(tensors[name], np.float32).astype(np.float64)
            matrix = values.reshape(len(values), -1)
            row, column = np.indices(matrix.shape)
            cells = (np.full(matrix.size, name), row.ravel(), column.ravel(), matrix.ravel())
            for block, part in zip(blocks.values(), cells, strict=True):
                block.append(part)
        joined = {name: np.concatenate(parts) for name, parts in blocks.items()}
        return cls(model_schema(form), joined)

    @property
    def form(self) -> ModelForm:
        """What the model reads and predicts."""
        assert self.schema.model is not None  # the shape demands it
        return self.schema.model

    @property
    def architecture(self) -> ModelKind:
        """Which kind of classifier it is; "answers" if nobody knows."""
        names = set(self.columns["tensor"].tolist())
        if LEAF in names:
            return "forest"
        if SHARES in names:
            return "answers"
        return "network" if "layers.1.weight" in names else "logistic"

    @property
    def has_weights(self) -> bool:
        """Whether everything inside the model is known, and not only answers."""
        return self.architecture != "answers"

    def tensors(self) -> dict[str, Floats]:
        """The numbers by tensor: matrices of weights and leaves, and vectors."""
        names, first, owner = np.unique(
            self.columns["tensor"], return_index=True, return_inverse=True
        )
        tensors = {}
        for number, name in enumerate(names.tolist()):
            rows = np.flatnonzero(owner == number) if len(first) > 1 else np.arange(len(owner))
            row, column = self.columns["row"][rows], self.columns["column"][rows]
            matrix = np.zeros((int(row.max()) + 1, int(column.max()) + 1))
            matrix[row, column] = self.columns["value"][rows]
            tensors[name] = matrix if _is_matrix(name) else matrix[:, 0]
        return tensors

    def __repr__(self) -> str:
        what = f"{self.form.label} from {count_variables(self.form)} variables"
        return f"<Model {self.architecture}: {what}, {len(self)} numbers>"


def _is_matrix(tensor: str) -> bool:
    return tensor in (LEAF, ASKED, SHARES) or tensor.endswith(".weight")


def as_model(data: Data) -> TrainedModel:
    """The data seen as a model; raises otherwise, for code that reads only models."""
    model: TrainedModel = see(data, "model")
    return model


def shows_weights(data: Data) -> bool:
    """Whether the data are a model with everything inside it."""
    return data.schema.model is not None and as_model(data).has_weights


def model_schema(form: ModelForm) -> Schema:
    """The schema of models of a form."""
    return Schema(shape="model", columns=COLUMNS, model=form)


def form_fault(label: str, schema: Schema) -> str:
    """Why no model can predict a column of records with this schema; empty if one can.

    >>> from quintain.testing.examples import TABLE
    >>> form_fault("size", TABLE)
    "'size' is not a category with two values or more that are never missing; available: ..."
    """
    possible = [
        column.name
        for column in schema.attributes
        if column.listed and len(column.values) > 1 and not column.nullable
    ]
    if label not in possible:
        return (
            f"{label!r} is not a category with two values or more that are never missing; "
            f"available: {', '.join(possible) or 'none'}"
        )
    if len(schema.attributes) < 2:
        return f"no other column is left to predict {label!r} from"
    advice = Schema(columns=schema.attributes).unbounded_advice()
    return f"a model reads numbers between bounds: {advice} in the schema" if advice else ""


def blank_model(form: ModelForm) -> TrainedModel:
    """A model of the first architecture that is allowed; it knows nothing and is never sure."""
    width, classes = count_variables(form), len(form.classes)
    if form.architectures[0] == "forest":
        node = {"root": [0], "feature": [0], "threshold": [0], "left": [-1], "right": [-1]}
        tensors = {f"trees.{name}": np.array(numbers) for name, numbers in node.items()}
        tensors[LEAF] = np.full((1, classes), 1 / classes)
        return TrainedModel.from_tensors(form, tensors)
    sizes = [width, *([1] if form.architectures[0] == "network" else []), classes]
    layers: dict[str, Floats] = {}
    for number, (before, after) in enumerate(pairwise(sizes)):
        layers[f"layers.{number}.weight"] = np.zeros((after, before))
        layers[f"layers.{number}.bias"] = np.zeros(after)
    return TrainedModel.from_tensors(form, layers)


def rounded_down(values: Floats) -> Floats:
    """Numbers as files of models have them, none above the number itself.

    A record has numbers of 32 bits, so each goes the same way at a threshold rounded like this.

    >>> rounded_down(np.array([0.1, 0.5])).tolist()
    [0.09999999403953552, 0.5]
    """
    single = values.astype(np.float32)
    lower = np.nextafter(single, np.float32(-np.inf))
    return np.where(single > values, lower, single).astype(np.float64)


# --- what a model reads: every record as numbers between 0 and 1, by the schema alone ---


def count_variables(form: ModelForm) -> int:
    """How many numbers a model reads of a record."""
    return sum(_width(column) for column in form.inputs)


def variable_names(form: ModelForm) -> list[str]:
    """What each number that a model reads stands for, in order.

    >>> from quintain.testing import example
    >>> variable_names(as_model(example("model")).form)
    ['colour=red', 'colour=green', 'colour=blue', 'colour=never seen', 'size']
    """
    names: list[str] = []
    for column in form.inputs:
        if column.listed:
            names += [f"{column.name}={value}" for value in column.values]
        else:
            names.append(column.name)
        names += [f"{column.name} is missing"] if column.nullable else []
    return names


def variables(form: ModelForm, records: Table) -> Floats:
    """The numbers that a model reads, one row per record.

    A category is one variable per value, which is 0 or 1. A number or a time is scaled from its
    bounds to 0..1. A column that may be missing has one more variable, which says so.

    >>> from quintain.testing import example, example_table
    >>> form = as_model(example("model")).form
    >>> variables(form, example_table(rows=2)).round(2).tolist()
    [[0.0, 1.0, 0.0, 0.0, 0.55], [1.0, 0.0, 0.0, 0.0, 0.27]]
    """
    out, at = np.zeros((len(records), count_variables(form))), 0
    for column in form.inputs:
        values = records.columns[column.name]
        if column.listed:
            known = np.flatnonzero(values >= 0)
            out[known, at + values[known]] = 1.0
            missing = values < 0
        else:
            out[:, at], missing = _scale(column, records)
        if column.nullable:
            out[missing, at + _width(column) - 1] = 1.0
        at += _width(column)
    return out


def _scale(column: Column, records: Table) -> tuple[Floats, Mask]:
    """A number or a time from its bounds to 0..1, with 0 where it is missing; and where it is."""
    number = records.numbers(column.name)
    if column.temporal:
        number[records.columns[column.name] == MISSING_TIME] = np.nan
    low, high = (float(bound) for bound in column.bounds if bound is not None)
    missing = np.isnan(number)
    return np.where(missing, 0.0, (number - low) / max(high - low, 1e-300)), missing


def _width(column: Column) -> int:
    return (len(column.values) if column.listed else 1) + column.nullable


def labels(form: ModelForm, records: Table) -> Rows:
    """The class of each record, as its place among the values of the label."""
    return records.columns[form.label].astype(np.int64)


# --- what a model answered, where nothing else of it is known ---


def record_codes(form: ModelForm, records: Table) -> Floats:
    """Records as a list of answers names them: one number per column that a model reads.

    A category is the place of its value, a number or a time is scaled from its bounds to 0..1, and
    what is missing is -1.

    >>> from quintain.testing import example, example_table
    >>> form = as_model(example("model")).form
    >>> record_codes(form, example_table(rows=2)).round(2).tolist()
    [[1.0, 0.55], [0.0, 0.27]]
    """
    out = np.zeros((len(records), len(form.inputs)))
    for at, column in enumerate(form.inputs):
        if column.listed:
            out[:, at] = records.columns[column.name]
        else:
            scaled, missing = _scale(column, records)
            out[:, at] = np.where(missing, -1.0, scaled)
    return out.astype(np.float32).astype(np.float64)  # as files of models have them


def distinct_records(form: ModelForm, records: Table) -> Table:
    """The first of all records that are the same to a model, in their order."""
    _, first = np.unique(record_codes(form, records), axis=0, return_index=True)
    return records.take(np.sort(first))


def list_answers(form: ModelForm, records: Table, shares: Array) -> TrainedModel:
    """The answers of a model about some records, each of which is asked about once."""
    seen = form.model_copy(update={"architectures": ("answers",)})
    return TrainedModel.from_tensors(seen, {ASKED: record_codes(form, records), SHARES: shares})


def join_answers(first: TrainedModel, *others: TrainedModel) -> TrainedModel:
    """All answers of one model from several lists, each record once."""
    lists = [model.tensors() for model in (first, *others)]
    queries, shares = (
        np.concatenate([tensors[name] for tensors in lists]) for name in (ASKED, SHARES)
    )
    _, kept = np.unique(queries, axis=0, return_index=True)
    kept.sort()
    return TrainedModel.from_tensors(first.form, {ASKED: queries[kept], SHARES: shares[kept]})


def find_answers(model: TrainedModel, records: Table) -> Rows:
    """The place of each record among the answers of a model; -1 if it was not asked about it."""
    queries = model.tensors()[ASKED]
    every = np.concatenate([queries, record_codes(model.form, records)])
    _, same = np.unique(every, axis=0, return_inverse=True)
    same = same.ravel()
    place: Rows = np.full(len(every), -1, np.int64)
    place[same[: len(queries)]] = np.arange(len(queries))
    return place[same[len(queries) :]]


# --- what a model must be ---


@register("model-v1")
class ModelShape(Shape):
    """A classifier that was trained on private records: the numbers in its tensors.

    >>> from quintain.data import shape_of
    >>> from quintain.testing import example
    >>> model = example("model")
    >>> shape_of(model).to_rows(model).records()[0]
    {'tensor': 'layers.0.bias', 'row': 0, 'column': 0, 'value': 0.0}
    """

    turn: ClassVar[int] = 6
    one_table: ClassVar[bool] = False
    rows_refer: ClassVar[bool] = True
    row_word: ClassVar[str] = "numbers"

    def from_rows(self, rows: Columns) -> TrainedModel:
        """The rows as a model."""
        return TrainedModel(rows.schema, rows.columns)

    def to_rows(self, data: TrainedModel) -> Columns:
        """The model itself: its rows are numbers that name their place."""
        return data

    def check_rows(self, rows: Columns, faults: Faults) -> None:
        """Note every way in which the tensors are not a classifier of the form."""
        if rows.schema.model is None:
            faults.add(tell("the schema does not say what the model predicts"))
        elif len(rows) == 0:
            faults.add(tell("has no numbers; %(expected)s", expected=_EXPECTED))
        else:
            sizes = _sizes(rows, faults)
            if sizes is not None:
                _check_architecture(TrainedModel(rows.schema, rows.columns), sizes, faults)

    def publish(self, data: TrainedModel, *, rng: np.random.Generator) -> tuple[TrainedModel, Rows]:
        """The model as it is."""
        return data, np.arange(len(data))


def _sizes(rows: Columns, faults: Faults) -> dict[str, tuple[int, int]] | None:
    """The size of each tensor; None with a fault if some tensor has gaps or repeated places."""
    names, owner = np.unique(rows.columns["tensor"].astype(np.str_), return_inverse=True)
    if len(names) > 10_000:
        faults.add(tell("%(n)s tensors; %(expected)s", n=len(names), expected=_EXPECTED))
        return None
    before, sizes = faults.total, {}
    for number, name in enumerate(names.tolist()):
        chosen = owner == number
        row, column = rows.columns["row"][chosen], rows.columns["column"][chosen]
        high, wide = int(row.max()) + 1, int(column.max()) + 1
        if high * wide != len(row) or len(np.unique(row * wide + column)) != len(row):
            faults.add(
                tell(
                    "%(name)s has %(n)s numbers, which do not fill %(high)s rows of %(wide)s",
                    name=name,
                    n=len(row),
                    high=high,
                    wide=wide,
                )
            )
        if not np.isfinite(rows.columns["value"][chosen]).all():
            faults.add(
                tell("%(name)s has numbers that are not finite (NaN or infinite)", name=name)
            )
        sizes[name] = (high, wide)
    return sizes if faults.total == before else None


def _check_architecture(
    model: TrainedModel, sizes: Mapping[str, tuple[int, int]], faults: Faults
) -> None:
    layered = {name: match for name in sizes if (match := _LAYER.fullmatch(name))}
    forest, answers = set(sizes) & {*TREES, LEAF}, set(sizes) & {ASKED, SHARES}
    unknown = sorted(set(sizes) - set(layered) - forest - answers)
    if unknown or sum(map(bool, (layered, forest, answers))) > 1:
        named = ", ".join(repr(name[:60]) for name in unknown[:_MOST_NAMED])
        what = tell("has tensors of several kinds of model")
        if unknown:
            what = tell("unknown tensors %(names)s", names=named)
        faults.add(tell("%(what)s; %(expected)s", what=what, expected=_EXPECTED))
        return
    kind: ModelKind = "network" if len(layered) > 2 else "logistic"
    kind = "forest" if forest else "answers" if answers else kind
    if kind not in model.form.architectures:
        allowed = " or ".join(model.form.architectures)
        faults.add(
            tell(
                "is %(kind)s; this contest takes %(allowed)s",
                kind=_INDEFINITE[kind],
                allowed=allowed,
            )
        )
    if answers:
        _check_answers(model, sizes, faults)
    elif forest:
        _check_trees(model, sizes, faults)
    else:
        _check_layers(model.form, sizes, faults)


def _check_answers(
    model: TrainedModel, sizes: Mapping[str, tuple[int, int]], faults: Faults
) -> None:
    form = model.form
    missing = [name for name in (ASKED, SHARES) if name not in sizes]
    if missing:
        faults.add(
            tell("these tensors of answers are missing: %(names)s", names=", ".join(missing))
        )
        return
    count = sizes[ASKED][0]
    expected = {ASKED: (count, len(form.inputs)), SHARES: (count, len(form.classes))}
    for name, (high, wide) in expected.items():
        if sizes[name] != (high, wide):
            size = " by ".join(map(str, sizes[name]))
            faults.add(
                tell(
                    "%(name)s is %(size)s; expected %(high)s by %(wide)s",
                    name=name,
                    size=size,
                    high=high,
                    wide=wide,
                )
            )
            return
    shares = model.tensors()[SHARES]
    if (shares < 0).any() or not (shares.sum(axis=1) > 0).all():
        faults.add(
            tell(
                "%(shares)s has a negative share, or an answer without a positive share",
                shares=SHARES,
            )
        )


def _check_layers(form: ModelForm, sizes: Mapping[str, tuple[int, int]], faults: Faults) -> None:
    count = 1 + max(int(name.split(".")[1]) for name in sizes)
    if count > form.most_layers:
        faults.add(tell("has %(n)s layers; the limit is %(most)s", n=count, most=form.most_layers))
        return
    before, of = count_variables(form), tell("as many as there are variables")
    for layer in range(count):
        weight, bias = f"layers.{layer}.weight", f"layers.{layer}.bias"
        for name in (weight, bias):
            if name not in sizes:
                faults.add(tell("%(name)s is missing", name=name))
        high, wide = sizes.get(weight, (0, before))
        if wide != before:
            faults.add(
                tell(
                    "%(weight)s is %(high)s by %(wide)s; expected %(before)s columns, %(of)s",
                    weight=weight,
                    high=high,
                    wide=wide,
                    before=before,
                    of=of,
                )
            )
        if layer == count - 1 and weight in sizes and high != len(form.classes):
            expected = f"{len(form.classes)} rows, one per value of {form.label}"
            faults.add(
                tell(
                    "%(weight)s is %(high)s by %(wide)s; expected %(expected)s",
                    weight=weight,
                    high=high,
                    wide=wide,
                    expected=expected,
                )
            )
        if high > form.most_width:
            faults.add(
                tell(
                    "%(weight)s has %(high)s units; the limit is %(most)s",
                    weight=weight,
                    high=high,
                    most=form.most_width,
                )
            )
        if bias in sizes and weight in sizes and sizes[bias] != (high, 1):
            faults.add(
                tell(
                    "%(bias)s has %(n)s numbers; expected %(high)s, one per unit",
                    bias=bias,
                    n=sizes[bias][0],
                    high=high,
                )
            )
        before, of = high, tell("as many as %(name)s has rows", name=weight)


def _check_trees(model: TrainedModel, sizes: Mapping[str, tuple[int, int]], faults: Faults) -> None:
    form = model.form
    missing = [name for name in (*TREES, LEAF) if name not in sizes]
    if missing:
        faults.add(
            tell("these tensors of a forest are missing: %(names)s", names=", ".join(missing))
        )
        return
    nodes = sizes["trees.feature"][0]
    if nodes > form.most_nodes:
        faults.add(
            tell("has %(nodes)s nodes; the limit is %(most)s", nodes=nodes, most=form.most_nodes)
        )
        return
    expected = dict.fromkeys(TREES, (nodes, 1)) | {LEAF: (nodes, len(form.classes))}
    expected["trees.root"] = (sizes["trees.root"][0], 1)
    wrong = [name for name, size in expected.items() if sizes[name] != size]
    for name in wrong:
        high, wide = expected[name]
        faults.add(
            tell(
                "%(name)s is %(size)s; expected %(high)s by %(wide)s",
                name=name,
                size=" by ".join(map(str, sizes[name])),
                high=high,
                wide=wide,
            )
        )
    if not wrong:
        _check_nodes(model, nodes, faults)


def _check_nodes(model: TrainedModel, nodes: int, faults: Faults) -> None:
    """Trees end: a record that goes down comes to a node with a higher number, or to a leaf."""
    tensors, form = model.tensors(), model.form
    root, feature, left, right = (
        tensors[f"trees.{name}"] for name in ("root", "feature", "left", "right")
    )
    for name in ("root", "feature", "left", "right"):
        if (tensors[f"trees.{name}"] % 1 != 0).any():
            faults.add(tell("trees.%(name)s has numbers that are not whole", name=name))
    ends, own = (left == -1) & (right == -1), np.arange(nodes)
    below = ((left > own) & (left < nodes) & (right > own) & (right < nodes)) | ends
    if not below.all():
        node = int(np.flatnonzero(~below)[0])
        faults.add(
            tell(
                "node %(node)s leads to %(left)s and %(right)s; a node leads to nodes with "
                "higher numbers up to %(nodes)s, or is a leaf with -1 twice",
                node=node,
                left=f"{left[node]:g}",
                right=f"{right[node]:g}",
                nodes=nodes - 1,
            )
        )
    if ((root < 0) | (root >= nodes)).any():
        faults.add(tell("trees.root has numbers outside 0..%(last)s", last=nodes - 1))
    most = count_variables(form) - 1
    if ((feature[~ends] < 0) | (feature[~ends] > most)).any():
        faults.add(
            tell(
                "trees.feature has numbers outside 0..%(last)s, the places of the variables",
                last=most,
            )
        )
    leaf = tensors[LEAF][ends]
    if (leaf < 0).any() or not (leaf.sum(axis=1) > 0).all():
        faults.add(
            tell(
                "%(leaf)s has a leaf without a positive share of some class, or a negative share",
                leaf=LEAF,
            )
        )
