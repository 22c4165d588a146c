"""Schema: the columns of a data set, with their domains, units, roles and bins.

The domain belongs to the schema, never to the data. A release must not reveal which categories
occur in a private sample, or what its largest age is.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator, model_validator

from quintain.data.column import Column, optional_field, require_name, without_remarks
from quintain.data.shape_facts import is_shape, shape_facts, shape_names
from quintain.wording.display import html_table


def _known_shape(name: str) -> str:
    return name if is_shape(name) else require_name(name, shape_names())


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
        return tuple(column for column in self.columns if not column.identifying)

    @property
    def private(self) -> Schema:
        """The columns that sanitizers see: in a plain table, all but the ids."""
        if shape_facts(self.shape).keeps_ids:
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
        for column in sorted(self.columns, key=lambda column: column.identifying):
            if not column.bounded:
                advice.setdefault(column.its_kind.advice, []).append(column.name)
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
