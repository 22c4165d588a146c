"""Column: the values that one column of a data set may have, and what a kind of column must say.

A column names its kind: ``category``, ``integer``, ``coordinates`` and so on. A kind is a
registered part in one file, and a plugin adds one as it adds an attack. Code that treats columns
differently asks the column, which asks its kind; nobody compares names of kinds.

What does not belong here: the kinds of our own, which are in ``column_kinds``.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from quintain.data.arrays import Array, Mask
from quintain.errors import PartError
from quintain.registry import Part, find, find_imported, parts
from quintain.wording.languages import in_context, tell

LARGEST_DOMAIN = 10_000_000
"""An integer with more possible values than this has no list of values."""


MOST_BINS = 100_000
"""The limit on the number of bins of a column."""


CONTROL = re.compile(r"[\x00-\x1f\x7f]")
"""Characters that no value of a table may have."""


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


# --- kinds ---


class ColumnKind(Part, ABC):
    """A kind of column, and how the stages treat its values.

    Methods get the column, because two columns of a kind differ in their bounds, values or format.

    Attributes
    ----------
    turn : the place in lists of kinds; a lower number comes first.
    listed : whether a schema lists its values, so that a value is its place in the list.
    numeric : whether its values are numbers.
    whole : whether these are whole numbers.
    temporal : whether its values are times, stored as seconds since 1970 UTC.
    identifying : whether its values name people or rows, and describe nobody.
    has_corners : whether its values lie within two corners.
    cuttable : whether it can have bins or a step.
    in_digits : whether cells are plain numbers in digits, so that many can be read at once.
    spelling : a regular expression that every cell of such a column matches, and hardly any other
        text; empty if cells do not tell the kind.
    plural : the word for several of its values.
    anything : what its values are, for the rules of a contest; by default ``plural``.
    advice : what to do if it has no bounds; ``{}`` stands for the names of the columns.
    missing : what a column stores for a missing value.
    """

    family: ClassVar[str] = "kind"
    turn: ClassVar[int] = 100
    listed: ClassVar[bool] = False
    numeric: ClassVar[bool] = False
    whole: ClassVar[bool] = False
    temporal: ClassVar[bool] = False
    identifying: ClassVar[bool] = False
    has_corners: ClassVar[bool] = False
    cuttable: ClassVar[bool] = False
    in_digits: ClassVar[bool] = False
    spelling: ClassVar[str] = ""
    plural: ClassVar[str] = "values"
    anything: ClassVar[str] = ""
    advice: ClassVar[str] = "leave out {}"
    missing: ClassVar[Any] = -1

    # --- the domain ---

    def check(self, column: Column) -> None:
        """Raise a ``ValueError`` with a sentence if no column of this kind can be like this."""
        return

    def has_codes(self, column: Column) -> bool:
        """Whether the domain has a finite list of values, which are stored as codes."""
        return self.listed

    def count_values(self, column: Column) -> int:
        """The number of values in the domain of a column with codes."""
        raise ValueError(f"column {column.name!r} has no finite domain")

    def bounds(self, column: Column) -> tuple[float | None, float | None]:
        """The smallest and the largest number allowed."""
        return column.low, column.high

    def has_bounds(self, column: Column) -> bool:
        """Whether the column can be cut into bins, or has a finite list of values already."""
        return self.listed or None not in self.bounds(column)

    def offset(self, column: Column) -> int:
        """The number that a stored 0 stands for."""
        return 0

    def example(self) -> Column:
        """A column for the generic checks, whose values may be missing if they name nobody."""
        return Column(name="example", kind=self.name())

    @abstractmethod
    def draw(self, column: Column, size: int, *, rng: np.random.Generator) -> Array:
        """Random stored values that the column may have, none of them missing."""

    # --- plain columns ---

    @property
    def plain(self) -> bool:
        """Whether every part knows such values: it has names, numbers, times or ids."""
        return self.listed or self.numeric or self.temporal or self.identifying

    def plain_columns(self, column: Column) -> tuple[Column, ...]:
        """The plain columns as which parts see a column that is not plain itself.

        Without any, parts refuse the column, and an audit says that nothing looked at it.
        """
        return ()

    def to_plain(self, column: Column, stored: Array) -> tuple[Array, ...]:
        """Stored values as those of :meth:`plain_columns`."""
        raise PartError(f"{self.id} does not say how parts see its {self.plural}")

    def from_plain(self, column: Column, stored: Sequence[Array]) -> Array:
        """Stored values of :meth:`plain_columns` as those of the column."""
        raise PartError(f"{self.id} does not say how parts see its {self.plural}")

    # --- words ---

    @abstractmethod
    def words(self, column: Column) -> str:
        """What a value is, for sentences: "a number"."""

    def limits(self, column: Column) -> tuple[float | str | None, float | str | None]:
        """The bounds as people read them."""
        return column.low, column.high

    # --- what is stored ---

    def dtype(self, column: Column, given: Array | None = None) -> np.dtype[Any]:
        """The NumPy type of stored values; ``given`` are the values to store, if there are any."""
        return np.dtype(np.int32 if self.has_codes(column) else np.int64)

    @abstractmethod
    def parser(self, column: Column) -> Callable[[str], Any]:
        """What turns the cell of a file into a stored value; None if the cell is not allowed.

        A value has one spelling as far as possible, so the reading is strict.
        """

    @abstractmethod
    def decode(self, column: Column, stored: Array) -> list[Any]:
        """Stored values as plain values; None where missing."""

    def spell(self, column: Column, value: Any) -> str:
        """A plain value, which is not missing, as the cell of a file."""
        return str(value)

    def format(self, column: Column, stored: Array) -> list[str]:
        """Stored values as the cells of a file."""
        values = self.decode(column, stored)
        return [column.missing if v is None else self.spell(column, v) for v in values]

    def encode(self, column: Column, values: Sequence[Any] | Array) -> Array | None:
        """Plain values as stored ones, if that needs no texts; else None."""
        return None

    def missing_cells(self, column: Column, stored: Array) -> Mask:
        """For each stored value, whether it is missing."""
        missing: Mask = stored == self.missing
        return missing


def find_kind(name: str) -> ColumnKind:
    """The kind that a column names.

    >>> find_kind("integer").numeric
    True
    >>> find_kind("integre")
    Traceback (most recent call last):
    ...
    quintain.errors.PartError: unknown kind 'integre'; did you mean 'integer'?
    """
    return _the_kind(_find_loaded(name) or find(ColumnKind.family, name))


def _find_loaded(name: str) -> type[Part] | None:
    """The class of a kind of ours, or of a plugin that is loaded already; loads no plugin.

    Columns are described while modules of ours are imported, and a plugin that was loaded then
    could not import them.
    """
    found = find_imported(ColumnKind.family, name)
    if found is None:
        import_module("quintain.data.column_kinds")
        found = find_imported(ColumnKind.family, name)
    return found


@cache
def _the_kind(cls: type[Part]) -> ColumnKind:
    kind = cls()
    assert isinstance(kind, ColumnKind)
    return kind


def kind_names() -> list[str]:
    """The names of all kinds of columns, ours first.

    >>> kind_names()[:3]
    ['category', 'integer', 'real']
    """
    kinds = (cls for cls in parts(ColumnKind.family) if issubclass(cls, ColumnKind))
    listed = sorted(kinds, key=lambda cls: (cls.turn, cls.id))
    return list(dict.fromkeys(cls.name() for cls in listed))


def all_kinds() -> list[ColumnKind]:
    """All kinds of columns, ours first."""
    return [find_kind(name) for name in kind_names()]


def require_name(name: str, known: Sequence[str]) -> str:
    """The name if it is known; else the error that a wrong name gets in a file."""
    if name in known:
        return name
    *first, last = map(repr, known)
    raise PydanticCustomError(
        "unknown_name", "Input should be {names}", {"names": f"{', '.join(first)} or {last}"}
    )


def _known_kind(name: str) -> str:
    """Plugins are loaded only for kinds that are not ours."""
    if _find_loaded(name) is not None:
        return name
    return require_name(name, kind_names())


def _list_kinds(field: dict[str, Any]) -> None:
    """Put the kinds into the JSON Schema of a field, those of plugins, too."""
    field["enum"] = kind_names()


KindName = Annotated[
    str, AfterValidator(_known_kind), Field(json_schema_extra=_list_kinds, title="Kind")
]
"""The name of a registered kind of column."""


# --- columns ---


class Column(BaseModel):
    """One column, and the values that it may have.

    Parameters
    ----------
    name : the header of the column.
    kind : category (one of ``values``), integer, real, time (text in ``time_format``), id,
        coordinates, or a kind of a plugin.
    values : the categories; the first has code 0, the second code 1, and so on.
    ordered : whether the order of the categories has a meaning.
    low, high : the smallest and the largest number allowed, both included.
    unit : what a number counts, for readers: "years", "hours".
    role : what the column is for: "person", "household", "customer", "time", "item", "secret".
    nullable : whether a value may be missing.
    missing : how files write a missing value; by default, as an empty cell.
    earliest, latest : the first and the last time allowed, written in ``time_format``.
    within : the south-western and the north-eastern corner of the coordinates allowed.
    bins : the number of bins into which parts that need a finite domain cut the column.
    edges : the numbers at which bins begin instead, between ``low`` and ``high``, in order.
    step : the distance between neighbouring values after such a part, counted from ``low`` or
        ``earliest``: 0.5 rounds to halves. For times, a number of days, or of the smallest unit
        of ``time_format``.
    aliases : other names of the column that the header of a file may have.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    kind: KindName
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
    within: tuple[str, str] | None = optional_field()
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
        if self.listed and not self.values:
            raise ValueError(f"{self.kind} {self.name!r} needs its list of values")
        if not self.listed and self.values:
            raise ValueError(f"{self.name!r} is not a category, so it cannot have a list of values")
        if len(set(self.values)) != len(self.values):
            raise ValueError(f"{self.kind} {self.name!r} lists a value twice")
        if any(CONTROL.search(value) for value in self.values):
            raise ValueError(f"a value of {self.kind} {self.name!r} contains a control character")
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
        return self

    @model_validator(mode="after")
    def _fits_its_kind(self) -> Self:
        for field in ("earliest", "latest"):
            if getattr(self, field) is not None and not self.temporal:
                raise ValueError(f"{self.name!r} is not a time, so it cannot have {field}")
        if self.within is not None and not self.its_kind.has_corners:
            raise ValueError(f"{self.name!r} has no coordinates, so it cannot have within")
        self.its_kind.check(self)
        return self

    @model_validator(mode="after")
    def _cut_into_bins(self) -> Self:
        fields = {"bins": self.bins, "edges": self.edges, "step": self.step}
        field = next((name for name, value in fields.items() if value is not None), None)
        if field is None:
            return self
        if not self.its_kind.cuttable:
            raise ValueError(
                f"{self.name!r} has no numbers and no times, so it cannot have {field}"
            )
        if not self.bounded:
            names = "earliest and latest" if self.temporal else "low and high"
            raise ValueError(f"{self.name!r} has {field}, so it needs {names}")
        if self.bins is not None and not 1 <= self.bins <= MOST_BINS:
            raise ValueError(f"{self.name!r}: bins is {self.bins}; the limit is 1 to {MOST_BINS}")
        if self.edges is not None:
            self._edges_in_order(self.edges)
        if self.step is not None and not (math.isfinite(self.step) and self.step > 0):
            raise ValueError(f"{self.name!r}: step is {self.step}; it must be above 0")
        in_wholes = self.whole or self.temporal
        if self.step is not None and in_wholes and self.step != int(self.step):
            raise ValueError(f"{self.name!r}: step is {self.step}; it must be a whole number")
        return self

    def _edges_in_order(self, edges: tuple[float, ...]) -> None:
        if self.bins is not None:
            raise ValueError(f"{self.name!r} has bins and edges; give one of them")
        if not self.numeric:
            raise ValueError(f"{self.name!r} is a {self.kind}, so it cannot have edges; give bins")
        row = (self.low, *edges, self.high)
        if not all(a is not None and b is not None and a < b for a, b in pairwise(row)):
            raise ValueError(
                f"{self.name!r}: edges must be numbers between {self.low} and {self.high}, each "
                "above the one before"
            )

    @property
    def its_kind(self) -> ColumnKind:
        """What its kind says of such columns."""
        return find_kind(self.kind)

    @property
    def listed(self) -> bool:
        """Whether the schema lists its values, so that a value is its place in the list."""
        return self.its_kind.listed

    @property
    def numeric(self) -> bool:
        """Whether its values are numbers."""
        return self.its_kind.numeric

    @property
    def whole(self) -> bool:
        """Whether its values are whole numbers."""
        return self.its_kind.whole

    @property
    def fractional(self) -> bool:
        """Whether its values are numbers that need not be whole; they are stored as floats."""
        return self.numeric and not self.whole

    @property
    def temporal(self) -> bool:
        """Whether its values are times, stored as seconds since 1970 UTC."""
        return self.its_kind.temporal

    @property
    def scaled(self) -> bool:
        """Whether its values are numbers or times, so that they lie on a line."""
        return self.numeric or self.temporal

    @property
    def identifying(self) -> bool:
        """Whether its values name people or rows, and describe nobody."""
        return self.its_kind.identifying

    @property
    def plain(self) -> bool:
        """Whether every part knows such values: it has names, numbers, times or ids."""
        return self.its_kind.plain

    @property
    def discrete(self) -> bool:
        """Whether the domain has a finite list of values: a category, or a bounded integer."""
        return self.its_kind.has_codes(self)

    @property
    def bounds(self) -> tuple[float | None, float | None]:
        """The smallest and the largest number allowed; for a time, in seconds since 1970."""
        return self.its_kind.bounds(self)

    @property
    def bounded(self) -> bool:
        """Whether the column can be cut into bins, or has a finite list of values already."""
        return self.its_kind.has_bounds(self)

    @property
    def size(self) -> int:
        """The number of values in the domain of a discrete column."""
        return self.its_kind.count_values(self)

    @property
    def offset(self) -> int:
        """The integer that code 0 stands for."""
        return self.its_kind.offset(self)

    @property
    def expected(self) -> str:
        """What a cell must be, in words for an error message."""
        what = self.its_kind.words(self)
        words = tell("expected %(what)s%(range)s", what=what, range=self._range())
        if not self.nullable:
            return words
        missing = self.missing or tell(in_context("a cell", "empty"))
        return tell("%(expected)s, or %(missing)s", expected=words, missing=missing)

    def _range(self) -> str:
        def show(bound: float | str) -> str:
            return str(int(bound)) if not isinstance(bound, str) and bound % 1 == 0 else str(bound)

        first, last = self.its_kind.limits(self)
        if first is not None and last is not None:
            return tell(" in %(low)s..%(high)s", low=show(first), high=show(last))
        if first is not None:
            return tell(" of at least %(bound)s", bound=show(first))
        return "" if last is None else tell(" of at most %(bound)s", bound=show(last))
