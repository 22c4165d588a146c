"""Schema: the columns of a data set, with their domains, units, roles and bins.

The domain belongs to the schema, never to the data. A release must not reveal which categories
occur in a private sample, or what its largest age is.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import pairwise
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from quintain.data.arrays import Array
from quintain.data.shape import find_shape, is_shape, shape_names
from quintain.wording.display import html_table
from quintain.wording.languages import tell

Kind = Literal["category", "integer", "real", "time", "id"]


LARGEST_DOMAIN = 10_000_000
"""An integer with more possible values than this has no list of values."""


MOST_BINS = 100_000
"""The limit on the number of bins of a column."""


CONTROL = re.compile(r"[\x00-\x1f\x7f]")
"""Characters that no value of a table may have."""


# --- times: how a text becomes one under a format, and the smallest unit that a format writes ---


TimeUnit = Literal["s", "m", "h", "D", "M", "Y"]
"""A unit of time, as NumPy spells it."""


_UNITS: tuple[tuple[TimeUnit, str], ...] = (
    ("s", "STXcfs"),
    ("m", "MR"),
    ("h", "HI"),
    ("D", "djDFxUWVuwaA"),
    ("M", "mbBh"),
)
"""For each unit, the directives of a format that express it."""


def parse_time(text: str, form: str) -> int | None:
    """The seconds since 1970 UTC of a time; None if the text is not written in the format.

    >>> parse_time("1970-01-02", "%Y-%m-%d"), parse_time("1970-1-2", "%Y-%m-%d")
    (86400, None)
    """
    try:
        moment = datetime.strptime(text, form).replace(tzinfo=UTC)
    except ValueError:
        return None
    # strptime reads 2011/1/5 under %Y/%m/%d; two spellings of one day would make comparisons fail.
    return int(moment.timestamp()) if moment.strftime(form) == text else None


def smallest_unit(form: str) -> TimeUnit:
    """The smallest unit of time that a format writes.

    >>> smallest_unit("%Y-%m-%d"), smallest_unit("%d.%m.%Y %H:%M"), smallest_unit("%Y-%m")
    ('D', 'm', 'M')
    """
    directives = set(re.findall(r"%[-#]?(.)", form))
    for unit, letters in _UNITS:
        if directives & set(letters):
            return unit
    return "Y"


def in_units(seconds: Array, unit: TimeUnit) -> Array:
    """Seconds since 1970 as whole units since 1970.

    >>> in_units(np.array([0, 86_400 * 40]), "M").tolist()
    [0, 1]
    """
    return seconds.astype("datetime64[s]").astype(f"datetime64[{unit}]").astype(np.int64)


def in_seconds(units: Array, unit: TimeUnit) -> Array:
    """The seconds since 1970 at which units since 1970 begin."""
    return units.astype(f"datetime64[{unit}]").astype("datetime64[s]").astype(np.int64)


# --- columns ---


def without_remarks(table: Any, *keys: str) -> Any:
    """A table without the keys that are remarks; anything else comes back unchanged.

    >>> without_remarks({"name": "age", "note": "whole numbers"}, "note")
    {'name': 'age'}
    """
    if not isinstance(table, Mapping) or not any(key in table for key in keys):
        return table
    return {key: value for key, value in table.items() if key not in keys}


def optional_field() -> Any:
    """A field that files leave out while it is not set, so that older files do not change."""
    return Field(default=None, exclude_if=lambda value: value is None)


class Column(BaseModel):
    """One column, and the values that it may have.

    Parameters
    ----------
    name : the header of the column.
    kind : category (one of ``values``), integer, real, time (text in ``time_format``) or id.
    values : the categories; the first has code 0, the second code 1, and so on.
    ordered : whether the order of the categories has a meaning.
    low, high : the smallest and the largest number allowed, both included.
    unit : what a number counts, for readers: "years", "hours".
    role : what the column is for: "person", "household", "customer", "time", "item", "secret".
    nullable : whether a value may be missing.
    missing : how files write a missing value; by default, as an empty cell.
    earliest, latest : the first and the last time allowed, written in ``time_format``.
    bins : the number of bins into which parts that need a finite domain cut the column.
    edges : the numbers at which bins begin instead, between ``low`` and ``high``, in order.
    step : the distance between neighbouring values after such a part, counted from ``low`` or
        ``earliest``: 0.5 rounds to halves. For times, a number of days, or of the smallest unit
        of ``time_format``.
    aliases : other names of the column that the header of a file may have.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    kind: Kind
    values: tuple[str, ...] = ()
    ordered: bool = False
    low: float | None = None
    high: float | None = None
    unit: str = ""
    role: str = ""
    nullable: bool = False
    missing: str = ""
    time_format: str = "%Y-%m-%d"
    earliest: str | None = optional_field()
    latest: str | None = optional_field()
    bins: int | None = optional_field()
    edges: tuple[float, ...] | None = optional_field()
    step: float | None = optional_field()
    aliases: tuple[str, ...] | None = optional_field()

    @model_validator(mode="before")
    @classmethod
    def _without_note(cls, table: Any) -> Any:
        """A schema file may explain a column in ``note``; it is for people and not kept."""
        return without_remarks(table, "note", "learned")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.kind == "category" and not self.values:
            raise ValueError(f"category {self.name!r} needs its list of values")
        if self.kind != "category" and self.values:
            raise ValueError(f"{self.name!r} is not a category, so it cannot have a list of values")
        if len(set(self.values)) != len(self.values):
            raise ValueError(f"category {self.name!r} lists a value twice")
        if any(CONTROL.search(value) for value in self.values):
            raise ValueError(f"a value of category {self.name!r} contains a control character")
        if self.missing and not self.nullable:
            raise ValueError(
                f"{self.name!r} is not nullable, so missing = {self.missing!r} has no effect; "
                "leave it out"
            )
        if CONTROL.search(self.missing):
            raise ValueError(f"{self.name!r}: missing contains a control character")
        if self.nullable and self.missing in self.values:
            text = repr(self.missing) if self.missing else "the empty text"
            raise ValueError(f"{self.name!r} is nullable: {text} means missing, so drop this value")
        return self

    @model_validator(mode="after")
    def _bounds_in_order(self) -> Self:
        for bound in (self.low, self.high):
            if bound is not None and not math.isfinite(bound):
                raise ValueError(f"{self.name!r}: {bound} is not a bound; leave it out")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError(f"{self.name!r}: low {self.low} is above high {self.high}")
        if self.kind == "integer" and self.nullable and not self.discrete:
            raise ValueError(
                f"{self.name!r} is a nullable integer, so it needs low and high, less than "
                f"{LARGEST_DOMAIN} apart"
            )
        if self.kind == "integer":
            for bound in (self.low, self.high):
                if bound is not None and bound != int(bound):
                    raise ValueError(f"{self.name!r} is an integer, so its bound cannot be {bound}")
        return self

    @model_validator(mode="after")
    def _times_in_order(self) -> Self:
        given = {"earliest": self.earliest, "latest": self.latest}
        for field, text in given.items():
            if text is not None and self.kind != "time":
                raise ValueError(f"{self.name!r} is not a time, so it cannot have {field}")
            if text is not None and parse_time(text, self.time_format) is None:
                raise ValueError(
                    f"{self.name!r}: {field} = {text!r} is not a time written {self.time_format}"
                )
        first, last = self.bounds if self.kind == "time" else (None, None)
        if first is not None and last is not None and first > last:
            raise ValueError(f"{self.name!r}: earliest {self.earliest} is after {self.latest}")
        return self

    @model_validator(mode="after")
    def _cut_into_bins(self) -> Self:
        fields = {"bins": self.bins, "edges": self.edges, "step": self.step}
        field = next((name for name, value in fields.items() if value is not None), None)
        if field is None:
            return self
        if self.kind not in ("integer", "real", "time"):
            raise ValueError(
                f"{self.name!r} has no numbers and no times, so it cannot have {field}"
            )
        if not self.bounded:
            names = "earliest and latest" if self.kind == "time" else "low and high"
            raise ValueError(f"{self.name!r} has {field}, so it needs {names}")
        if self.bins is not None and not 1 <= self.bins <= MOST_BINS:
            raise ValueError(f"{self.name!r}: bins is {self.bins}; the limit is 1 to {MOST_BINS}")
        if self.edges is not None:
            self._edges_in_order(self.edges)
        if self.step is not None and not (math.isfinite(self.step) and self.step > 0):
            raise ValueError(f"{self.name!r}: step is {self.step}; it must be above 0")
        if self.step is not None and self.kind != "real" and self.step != int(self.step):
            raise ValueError(f"{self.name!r}: step is {self.step}; it must be a whole number")
        return self

    def _edges_in_order(self, edges: tuple[float, ...]) -> None:
        if self.bins is not None:
            raise ValueError(f"{self.name!r} has bins and edges; give one of them")
        if self.kind == "time":
            raise ValueError(f"{self.name!r} is a time, so it cannot have edges; give bins")
        row = (self.low, *edges, self.high)
        if not all(a is not None and b is not None and a < b for a, b in pairwise(row)):
            raise ValueError(
                f"{self.name!r}: edges must be numbers between {self.low} and {self.high}, each "
                "above the one before"
            )

    @property
    def discrete(self) -> bool:
        """Whether the domain has a finite list of values: a category, or a bounded integer."""
        if self.kind == "category":
            return True
        if self.kind != "integer" or self.low is None or self.high is None:
            return False
        return self.high - self.low < LARGEST_DOMAIN

    @property
    def bounds(self) -> tuple[float | None, float | None]:
        """The smallest and the largest number allowed; for a time, in seconds since 1970."""
        if self.kind != "time":
            return self.low, self.high
        first, last = (
            None if text is None else parse_time(text, self.time_format)
            for text in (self.earliest, self.latest)
        )
        return first, last

    @property
    def bounded(self) -> bool:
        """Whether the column can be cut into bins, or has a finite list of values already."""
        return self.kind == "category" or (self.kind != "id" and None not in self.bounds)

    @property
    def size(self) -> int:
        """The number of values in the domain of a discrete column."""
        if self.kind == "category":
            return len(self.values)
        if self.low is None or self.high is None:
            raise ValueError(f"column {self.name!r} has no finite domain")
        return int(self.high) - int(self.low) + 1

    @property
    def offset(self) -> int:
        """The integer that code 0 stands for."""
        return int(self.low) if self.kind == "integer" and self.low is not None else 0

    @property
    def expected(self) -> str:
        """What a cell must be, in words for an error message."""
        words = tell("expected %(what)s%(range)s", what=self._kind_in_words(), range=self._range())
        if not self.nullable:
            return words
        missing = self.missing or tell("empty")
        return tell("%(expected)s, or %(missing)s", expected=words, missing=missing)

    def _kind_in_words(self) -> str:
        match self.kind:
            case "category":
                some = ", ".join(self.values[:3])
                return tell("one of %(n)s values such as %(some)s", n=len(self.values), some=some)
            case "integer":
                return tell("an integer")
            case "real":
                return tell("a number")
            case "time":
                return tell("a time written %(form)s", form=self.time_format)
            case _:
                return tell("an identifier without control characters")

    def _range(self) -> str:
        def show(bound: float | str) -> str:
            return str(int(bound)) if not isinstance(bound, str) and bound % 1 == 0 else str(bound)

        first, last = (self.earliest, self.latest) if self.kind == "time" else (self.low, self.high)
        if first is not None and last is not None:
            return tell(" in %(low)s..%(high)s", low=show(first), high=show(last))
        if first is not None:
            return tell(" of at least %(bound)s", bound=show(first))
        return "" if last is None else tell(" of at most %(bound)s", bound=show(last))


# --- schemas ---


_BOUNDS: dict[Kind, str] = {
    "real": "give low and high for {}",
    "integer": "give low and high for {}",
    "time": "give earliest and latest for {}",
    "id": "leave out the ids {}",
}


def _known_shape(name: str) -> str:
    if is_shape(name):
        return name
    *first, last = map(repr, shape_names())
    raise PydanticCustomError(
        "unknown_shape", "Input should be {names}", {"names": f"{', '.join(first)} or {last}"}
    )


def _list_shapes(field: dict[str, Any]) -> None:
    """Put the shapes into the JSON Schema of a field, those of plugins, too."""
    field["enum"] = shape_names()


ShapeName = Annotated[
    str, AfterValidator(_known_shape), Field(json_schema_extra=_list_shapes, title="Shape")
]
"""The name of a registered shape."""


class TableLinks(BaseModel):
    """How the rows of one table about people belong to people or to rows of another table.

    Parameters
    ----------
    name : what the table is called.
    parent : the table to whose rows its rows belong; empty if they belong to people.
    key : the column of the file that names a row, if rows of other tables belong to it.
    reference : the column of the file that names the row of the parent, or the person. A table
        without a reference is the root: it has one row per person, and its key names people.
    order : the columns by which the rows of a person are ordered, such as a time.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    parent: str = ""
    key: str | None = None
    reference: str | None = None
    order: tuple[str, ...] = ()

    @property
    def links(self) -> tuple[str, ...]:
        """The columns of the file that name rows: the key and the reference."""
        return tuple(dict.fromkeys(name for name in (self.key, self.reference) if name))


class FlatTable(TableLinks):
    """One of the tables whose rows lie in one file, where each column has the name of its table.

    Parameters
    ----------
    required : the columns that are empty in rows of other tables alone.
    """

    required: tuple[str, ...] = ()


Architecture = Literal["logistic", "network", "forest"]
"""The kinds of classifier that a contest can run without running anybody's code."""
ModelKind = Literal[Architecture, "answers"]
"""The same, and a classifier of which only its answers about some records are known."""


class ModelForm(BaseModel):
    """What a classifier reads and predicts, and how large it may be.

    Parameters
    ----------
    label : the category that it predicts.
    columns : the columns of the records that it learned from, the label among them.
    architectures : the kinds of classifier that are allowed; "answers" is one of which only answers
        to queries are known.
    most_layers : the most layers of weights of a network.
    most_width : the most units in a layer.
    most_nodes : the most nodes of all trees of a forest together.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    label: str
    columns: tuple[Column, ...]
    architectures: tuple[ModelKind, ...] = ("logistic", "network", "forest")
    most_layers: int = 4
    most_width: int = 512
    most_nodes: int = 100_000

    @property
    def inputs(self) -> tuple[Column, ...]:
        """The columns from which the label is predicted."""
        return tuple(column for column in self.columns if column.name != self.label)

    @property
    def classes(self) -> tuple[str, ...]:
        """The values of the label, in the order of a model's answers."""
        return next(column.values for column in self.columns if column.name == self.label)


class Schema(BaseModel):
    """The columns of a data set, in order, and the shape of its records.

    The shape is one of ``table`` (one row per person), ``transactions`` (many rows per person, each
    with a time), ``series`` (one irregular multivariate time series per person) and ``people`` (a
    tree of rows per person, from several ``tables``), or that of a plugin. A release may also have
    the shape ``model``: the numbers of a classifier, of which ``model`` says what it predicts.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["quintain.schema/1"] = "quintain.schema/1"
    shape: ShapeName = "table"
    title: str = ""
    columns: tuple[Column, ...]
    tables: tuple[FlatTable, ...] | None = optional_field()
    model: ModelForm | None = optional_field()

    @model_validator(mode="before")
    @classmethod
    def _without_remarks(cls, table: Any) -> Any:
        """A schema file may have a caution and say what it left out; neither is kept."""
        return without_remarks(table, "caution", "left_out")

    @field_validator("columns")
    @classmethod
    def _distinct(cls, columns: tuple[Column, ...]) -> tuple[Column, ...]:
        names = [column.name for column in columns]
        twice = sorted({name for name in names if names.count(name) > 1})
        if not columns:
            raise ValueError("a schema needs at least one column")
        if twice:
            raise ValueError(f"these column names appear twice: {', '.join(twice)}")
        return columns

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(column.name for column in self.columns)

    def __getitem__(self, name: str) -> Column:
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(f"unknown column {name!r}; available: {', '.join(self.names)}")

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def role(self, role: str) -> Column | None:
        """The first column with this role, or None."""
        return next((column for column in self.columns if column.role == role), None)

    @property
    def attributes(self) -> tuple[Column, ...]:
        """The columns that describe people: all except ids."""
        return tuple(column for column in self.columns if column.kind != "id")

    @property
    def private(self) -> Schema:
        """The columns that sanitizers see: in a plain table, all but the ids."""
        if find_shape(self.shape).keeps_ids:
            return self
        return self.select([column.name for column in self.attributes])

    @property
    def records(self) -> Schema:
        """The columns of people's records: its own, or those of whom a model learned from."""
        return self if self.model is None else Schema(columns=self.model.columns)

    def select(self, names: tuple[str, ...] | list[str]) -> Schema:
        """The schema with only these columns, in this order."""
        return self.model_copy(update={"columns": tuple(self[name] for name in names)})

    def drop(self, *names: str) -> Schema:
        """The schema without these columns."""
        return self.select([name for name in self.names if name not in names])

    def with_id(self, name: str) -> Schema:
        """The schema with a column of ids of this name, in its place or in front.

        >>> age = Column(name="age", kind="integer", low=0, high=99)
        >>> Schema(columns=(age,)).with_id("pid").names
        ('pid', 'age')
        """
        column = Column(name=name, kind="id", nullable=True)
        if name not in self:
            return self.extended(column)
        columns = tuple(column if c.name == name else c for c in self.columns)
        return self.model_copy(update={"columns": columns})

    def extended(self, *columns: Column) -> Schema:
        """The schema with further columns in front."""
        whole = (*columns, *self.columns)
        return Schema(shape=self.shape, title=self.title, columns=whole, tables=self.tables)

    def unbounded_advice(self) -> str:
        """Advice about columns that cannot be cut into bins; empty if there are none.

        >>> Schema(columns=(Column(name="bmi", kind="real", low=10),)).unbounded_advice()
        'give low and high for bmi'
        """
        advice: dict[str, list[str]] = {}
        for kind, sentence in _BOUNDS.items():
            names = [c.name for c in self.columns if c.kind == kind and not c.bounded]
            if names:
                advice.setdefault(sentence, []).extend(names)
        return "; ".join(text.format(", ".join(names)) for text, names in advice.items())

    def _repr_html_(self) -> str:
        rows = [(c.name, c.kind, _domain(c), c.role) for c in self.columns]
        return html_table(("column", "kind", "domain", "role"), rows)


def _domain(column: Column) -> str:
    return re.sub(r"^expected (an? )?", "", column.expected)


def _distinct(names: tuple[str, ...]) -> tuple[str, ...]:
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(f"these columns appear twice: {', '.join(repeated)}")
    return names


ColumnNames = Annotated[tuple[str, ...], Field(min_length=1), AfterValidator(_distinct)]
"""At least one column, and none of them twice."""
