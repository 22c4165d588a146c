"""Python objects as sanitizers: a function of a data frame, or an object with fit and sample.

Libraries of synthesizers differ in small things: what ``fit`` takes, how ``sample`` calls the
number of records, and what comes back. None of them is imported here; the names of the parameters
tell.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import pyarrow as pa
from pydantic import Field

from quintain.data import Schema, Table
from quintain.data.arrays import Floats
from quintain.data.column import Column
from quintain.data.frames import Library
from quintain.errors import PartError, QuintainError
from quintain.kernels.dummies import numbers
from quintain.sanitizers.adapters.adapter import (
    Adapter,
    frame_of,
    plain_arrow,
    plain_table,
    short_seed,
    written_arrow,
)
from quintain.sanitizers.adapters.global_seeds import global_seeds, has_short_generator

Manner = Literal["frames", "tables", "matrix"]
SEEDS = ("random_state", "seed")
"""What functions and objects call a seed."""
_SEED_METHODS = ("set_random_state", "_set_random_state")
MOST_LEVELS = 100
"""An integer with more possible values than this counts as continuous, for tools that ask."""


class Function(Adapter):
    """A Python function that turns a data frame into another one.

    The frame has the cells of the file or frame that somebody gave, in all its columns: numbers are
    numbers if their writing follows from them, and all other texts are as they are in the file.
    If the function has a parameter ``seed``, ``rng`` or ``random_state``, it gets one. Seeds have
    32 bits, which others can guess; a generator has 256.

    Parameters
    ----------
    call : the function.
    library : whose data frames it takes: "pandas", "polars" or "pyarrow".

    >>> import numpy as np
    >>> from quintain.randomness.noise import Noise
    >>> from quintain.sanitizers import sanitize
    >>> from quintain.testing import example_table, people
    >>> part = function(lambda frame, seed: frame.sample(frac=0.5, random_state=seed))
    >>> private, rng = people(example_table(rows=10)), np.random.default_rng(0)
    >>> len(sanitize(part, private, rng=rng, noise=Noise.for_test(0)).release.data)
    5
    """

    id: ClassVar[str] = "sanitizer/function-v0"
    label: ClassVar[str] = "function"
    reads_cells: ClassVar[bool] = True

    call: Callable[..., Any]
    library: Library = "pandas"

    def run(self, table: Table, *, seed: int) -> pa.Table:
        """Call the function; what it raises is part of the message."""
        short = short_seed(seed)
        given = {"seed": short, "random_state": short, "rng": np.random.default_rng(seed)}
        wanted = named_parameters(self.call)
        cells = written_arrow(table)
        frame = frame_of(cells, self.library)
        try:
            with global_seeds(seed):
                made = self.call(frame, **{n: v for n, v in given.items() if n in wanted})
        except QuintainError:
            raise
        except Exception as error:
            raise PartError(f"{self.describe()} failed: {type(error).__name__}: {error}") from error
        return plain_table(made, cells.column_names, self.label)

    def has_short_seed(self) -> bool:
        """Whether it asks for a seed, or may draw from torch."""
        return has_short_generator() or not named_parameters(self.call).isdisjoint(SEEDS)

    def describe(self) -> str:
        """The name of the function, and where it is defined."""
        name = getattr(self.call, "__qualname__", type(self.call).__name__)
        return f"function {getattr(self.call, '__module__', '?')}.{name}"


def function(call: Callable[..., Any], library: Library = "pandas") -> Function:
    """A function from data frame to data frame, as a sanitizer."""
    return Function(call=call, library=library)


class FitSample(Adapter):
    """An object with ``fit`` and ``sample``, in the manner of SDV, scikit-learn and others.

    Every run fits a copy of its own, so the given object stays as it is. The names of the
    parameters tell what it wants:

    - SDV 1, and others that take data frames, are fitted to one and asked for ``num_rows``.
    - SDV 2 (``main_table_name``) takes and gives tables by name: ``fit({"table": frame})``.
    - smartnoise-synth and ctgan ask for the kinds of columns, which the schema tells.
    - synthcity has ``generate(count)`` in the place of ``sample``, and gives a data loader back.
    - scikit-learn (``n_samples``) gets a matrix: numbers with mean 0 and standard deviation 1, one
      variable per category. What it samples is turned back: the largest variable of a category
      wins. A tuple of sample and labels is read without the labels.

    The seed of a run goes to the global generators of Python, NumPy and torch, which are put back
    afterwards. Its last 32 bits go to ``random_state`` or ``seed`` of the object.

    Parameters
    ----------
    maker : the object, or a function or class that makes one.
    manner : "frames", "tables" or "matrix"; by default as the parameters of ``sample`` say.
    rows : how many records are sampled; by default, as many as there are private records.
    library : whose data frames it takes.
    fit_options : further arguments of ``fit``, such as ``{"preprocessor_eps": 0.1}``.

    >>> class Shuffled:
    ...     def fit(self, frame): self.frame = frame
    ...     def sample(self, num_rows): return self.frame.sample(num_rows, random_state=1)
    >>> fit_sample(Shuffled()).describe()
    'object with fit and sample: Shuffled (frames of pandas)'
    """

    id: ClassVar[str] = "sanitizer/fit-sample-v0"
    label: ClassVar[str] = "object with fit and sample"

    maker: Any
    manner: Manner | None = None
    rows: int | None = Field(default=None, ge=1)
    library: Library = "pandas"
    fit_options: dict[str, Any] = Field(default={})

    def run(self, table: Table, *, seed: int) -> pa.Table:
        """Fit a copy and sample from it; what it raises is part of the message."""
        try:
            with global_seeds(seed):
                model = give_seed(self._fresh(), short_seed(seed))
                return self._make(model, table, self.rows or len(table), short_seed(seed))
        except QuintainError:
            raise
        except Exception as error:
            raise PartError(f"{self.describe()} failed: {type(error).__name__}: {error}") from error

    def has_short_seed(self) -> bool:
        """Whether it has a seed of its own, or may draw from torch."""
        thing = self._thing()
        known = thing.get_params() if hasattr(thing, "get_params") else ()
        own = any(name in known or hasattr(thing, name) for name in (*SEEDS, *_SEED_METHODS))
        return has_short_generator() or own or "random_state" in named_parameters(_sampler(thing))

    def describe(self) -> str:
        """The class of the object, and what it is given."""
        thing = self._thing()
        name = (thing if isinstance(thing, type) else type(thing)).__qualname__
        forms = {"matrix": "a matrix", "tables": f"tables of {self.library}"}
        form = forms.get(self._manner(thing), f"frames of {self.library}")
        options = "".join(f", {key} {value}" for key, value in self.fit_options.items())
        return f"object with fit and {_sampler(thing).__name__}: {name} ({form}{options})"

    def _thing(self) -> Any:
        """The object, or one like those that are fitted."""
        return self.maker if hasattr(self.maker, "fit") else self._fresh()

    def _fresh(self) -> Any:
        made = self.maker
        if isinstance(made, type) or not hasattr(made, "fit"):
            return made()
        return deepcopy(made)

    def _manner(self, model: Any) -> Manner:
        if self.manner:
            return self.manner
        names = named_parameters(_sampler(model))
        if "main_table_name" in names:
            return "tables"
        return "matrix" if "n_samples" in names else "frames"

    def _make(self, model: Any, table: Table, rows: int, seed: int) -> pa.Table:
        manner = self._manner(model)
        if manner == "matrix":
            return self._make_matrix(model, table, rows, seed)
        hints = {**column_hints(model.fit, table.schema), **self.fit_options}
        arrow = plain_arrow(table, label_missing="nullable" in hints)
        frame = frame_of(arrow, self.library, keep_whole=False)
        if manner == "frames":
            model.fit(frame, **hints)
            made = _sample(model, rows, seed)
        else:
            name = next(iter(model.metadata.tables))
            model.fit({name: frame}, **hints)
            made = _sample(model, rows, seed)[name]
        return plain_table(made, table.schema.names, self.label)

    def _make_matrix(self, model: Any, table: Table, rows: int, seed: int) -> pa.Table:
        matrix = NumberMatrix(table)
        model.fit(matrix.encode(), **self.fit_options)
        values = np.asarray(_sample(model, rows, seed), np.float64)
        if values.ndim != 2 or values.shape[1] != matrix.width:
            raise PartError(
                f"{self.describe()} sampled an array of shape {values.shape}; expected "
                f"{matrix.width} variables"
            )
        return matrix.decode(values)


def fit_sample(
    maker: Any,
    *,
    manner: Manner | None = None,
    rows: int | None = None,
    library: Library = "pandas",
    fit_options: dict[str, Any] | None = None,
) -> FitSample:
    """An object with ``fit`` and ``sample``, or with ``fit`` and ``generate``, as a sanitizer."""
    options = fit_options or {}
    return FitSample(maker=maker, manner=manner, rows=rows, library=library, fit_options=options)


def column_hints(fit: Callable[..., Any], schema: Schema) -> dict[str, Any]:
    """What a tool asks about the columns, by the names of its parameters.

    >>> from quintain.testing import example_table
    >>> sorted(column_hints(lambda data, discrete_columns: data, example_table().schema))
    ['discrete_columns']
    """
    listed = [c.name for c in schema.columns if c.listed]
    few = [c.name for c in schema.columns if c.whole and c.discrete and c.size <= MOST_LEVELS]
    many = [c.name for c in schema.columns if c.scaled and c.name not in few]
    hints = {
        "categorical_columns": listed,
        "discrete_columns": listed,
        "ordinal_columns": few,
        "continuous_columns": many,
        # A missing category gets a label; numbers without a value need a mark.
        "nullable": any(c.nullable for c in schema.columns if not c.listed),
    }
    wanted = named_parameters(fit)
    return {name: hint for name, hint in hints.items() if name in wanted}


# Matrix: a table as numbers for objects in the manner of scikit-learn, and back.


@dataclass(frozen=True, slots=True, eq=False)
class NumberMatrix:
    """Numbers with mean 0 and standard deviation 1, and one variable per category.

    A missing number counts as the mean, and one more variable marks it. Going back, the largest of
    the variables of a category wins, and a mark above one half means missing.

    Parameters
    ----------
    table : the table whose means and standard deviations are used.
    """

    table: Table

    def encode(self) -> Floats:
        """The table as numbers."""
        return np.concatenate([self._block(c) for c in self.table.schema.columns], axis=1)

    def decode(self, values: Floats) -> pa.Table:
        """Numbers as an Arrow table, before they are put under the schema."""
        columns, at = {}, 0
        for column in self.table.schema.columns:
            width = self._block(column).shape[1]
            columns[column.name] = self._cells(column, values[:, at : at + width])
            at += width
        return pa.table(columns)

    @property
    def width(self) -> int:
        """The number of variables."""
        return sum(self._block(c).shape[1] for c in self.table.schema.columns)

    def _block(self, column: Column) -> Floats:
        if column.listed:
            size = len(column.values) + column.nullable
            return np.eye(size)[np.where((c := self.table.columns[column.name]) < 0, size - 1, c)]
        values, middle, spread = self._scale(column)
        parts = [np.nan_to_num((values - middle) / spread)]
        parts += [np.isnan(values).astype(np.float64)] if column.nullable else []
        return np.stack(parts, axis=1)

    def _scale(self, column: Column) -> tuple[Floats, float, float]:
        values = numbers(column, self.table)
        seen = values[~np.isnan(values)]
        if not len(seen):
            return values, 0.0, 1.0
        return values, float(seen.mean()), float(seen.std()) or 1.0

    def _cells(self, column: Column, block: Floats) -> pa.Array:
        if column.listed:
            names = [*column.values, None]
            return pa.array([names[code] for code in block.argmax(axis=1).tolist()], pa.string())
        _, middle, spread = self._scale(column)
        values = block[:, 0] * spread + middle
        missing = block[:, 1] > 0.5 if column.nullable else np.zeros(len(values), bool)
        if column.temporal:
            seconds = np.rint(values).astype(np.int64)
            return pa.array(seconds, mask=missing).cast(pa.timestamp("s"))
        return pa.array(values, mask=missing | np.isnan(values))


def _sampler(model: Any) -> Callable[..., Any]:
    """What gives records: ``sample``, or ``generate`` in the manner of synthcity."""
    call: Callable[..., Any] = model.sample if hasattr(model, "sample") else model.generate
    return call


def _sample(model: Any, rows: int, seed: int) -> Any:
    if hasattr(model, "_set_random_state"):  # SDV: every fitted object has the same seed otherwise
        model._set_random_state(seed)
    sampler = _sampler(model)
    names = named_parameters(sampler)
    counts = [name for name in ("num_rows", "n_samples", "count", "n", "size") if name in names]
    given = {"random_state": seed} if "random_state" in names else {}
    made = sampler(**{counts[0]: rows}, **given) if counts else sampler(rows, **given)
    if callable(loaded := getattr(made, "dataframe", None)):  # a data loader of synthcity
        return loaded()
    return made[0] if isinstance(made, tuple) else made


def named_parameters(call: Callable[..., Any]) -> frozenset[str]:
    """The names of the parameters of a function; empty if nobody knows.

    >>> sorted(named_parameters(lambda frame, seed=1: frame))
    ['frame', 'seed']
    """
    try:
        return frozenset(inspect.signature(call).parameters)
    except (TypeError, ValueError):
        return frozenset()


def give_seed(thing: Any, seed: int) -> Any:
    """Give an object a seed: by ``set_params``, a method, or as its attribute ``random_state``."""
    if callable(set_state := getattr(thing, "set_random_state", None)):
        set_state(seed)
        return thing
    known = thing.get_params() if hasattr(thing, "get_params") else {}
    for name in SEEDS:
        if name in known and hasattr(thing, "set_params"):
            thing.set_params(**{name: seed})
        elif hasattr(thing, name):
            setattr(thing, name, seed)
    return thing
