"""Generaliser: the base of sanitizers that make records alike until a privacy model holds."""

from __future__ import annotations

from abc import abstractmethod
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import BeforeValidator, Field, model_validator

from quintain.data import Column, Data, Schema, Table, as_table
from quintain.errors import PartError
from quintain.noise import Noise
from quintain.releases import ClaimedModel, Method, Release, Sanitized, Trace
from quintain.sanitizers.masking.columns import ColumnNames, chosen_columns
from quintain.sanitizers.masking.generalisation.classes import Classes, DistinctValues
from quintain.sanitizers.masking.generalisation.hierarchies import (
    Hierarchy,
    Levels,
    check_levels,
    derived_hierarchy,
    given_hierarchy,
)
from quintain.sanitizers.masking.generalisation.lattice import recode_globally
from quintain.sanitizers.masking.generalisation.models import (
    Generalised,
    Model,
    RecodingTask,
    all_hold,
)
from quintain.sanitizers.masking.generalisation.mondrian import recode_locally
from quintain.sanitizers.masking.mask import changed_rows
from quintain.sanitizers.sanitizer import Sanitizer

# Sensitive columns: what an attacker must not learn about a person.


def _listed(names: Any) -> Any:
    """One name may be written without a list."""
    return (names,) if isinstance(names, str) else names


SensitiveNames = Annotated[ColumnNames, BeforeValidator(_listed)]
"""The names of one or more columns that are released as they are."""


GROUPABLE = "values that can be grouped, which ids have not"


class Generaliser(Sanitizer):
    """A sanitizer that replaces values by one value for their group, so that records become alike.

    The records that are alike in the chosen columns are an equivalence class, and every class of
    the release satisfies the privacy model. A released value is one of its group: the median of
    numbers, times and ordered categories, the most frequent of other categories. A missing value
    counts as a value.

    Parameters
    ----------
    columns : the columns by which people could be recognised; all but ids and sensitive columns if
        not given.
    hierarchies : for some columns their levels of groups, from fine to coarse; see the guide "Mask
        a table". Levels are derived for other columns.
    method : "local" cuts the records into ever smaller classes (Mondrian), so that equal values
        may become different ones. "global" chooses one level for each column, the same for all
        records, with an exact search for the smallest loss.
    suppress : the largest share of records that global recoding may delete.
    """

    columns: ColumnNames | None = None
    hierarchies: dict[str, Levels] = Field(default_factory=dict)
    method: Literal["local", "global"] = "local"
    suppress: Annotated[float, Field(ge=0, lt=1)] = 0.0

    @model_validator(mode="after")
    def _deletes_globally(self) -> Self:
        if self.suppress and self.method == "local":
            raise ValueError('suppress needs method = "global"; local recoding deletes nobody')
        return self

    @abstractmethod
    def models(self, table: Table) -> tuple[Model, ...]:
        """What every class must satisfy."""

    @abstractmethod
    def words(self) -> str:
        """The privacy model and its parameters in words."""

    @abstractmethod
    def claimed(self, names: tuple[str, ...]) -> tuple[ClaimedModel, ...]:
        """What the card of a release claims, if these columns are generalised."""

    def sensitive_columns(self) -> tuple[str, ...]:
        """The sensitive columns, which are released as they are."""
        return ()

    def require(self, schema: Schema) -> None:
        """Columns, sensitive columns and hierarchies must fit the schema."""
        super().require(schema)
        self.chosen(schema)
        reasons = []
        for name, levels in self.hierarchies.items():
            try:
                check_levels(self.id, schema[name], levels)
            except PartError as error:
                reasons.append(str(error).removeprefix(f"{self.id}: "))
        if reasons:
            raise PartError(f"{self.id}: {'; '.join(reasons)}")

    def chosen(self, schema: Schema) -> tuple[str, ...]:
        """The columns to generalise; refuse hierarchies and sensitive columns that do not fit."""
        sensitive = self.sensitive_columns()
        chosen_columns(self.id, schema, sensitive, _not_id, GROUPABLE)
        chosen_columns(self.id, schema, tuple(self.hierarchies), _not_id, GROUPABLE)
        names = tuple(c.name for c in schema.columns if _not_id(c) and c.name not in sensitive)
        names = self.columns or names
        both = [name for name in names if name in sensitive]
        if both:
            raise PartError(f"{self.id}: {', '.join(both)} cannot be sensitive and generalised")
        unused = [name for name in self.hierarchies if name not in {*names, *sensitive}]
        if unused:
            raise PartError(
                f"{self.id}: hierarchies names {', '.join(unused)}, which columns does not"
            )
        if not names:
            raise PartError(f"{self.id}: no column is left to generalise")
        return chosen_columns(self.id, schema, names, _not_id, GROUPABLE)

    def hierarchy(self, values: DistinctValues) -> Hierarchy:
        """The hierarchy of a column: as given, or derived."""
        levels = self.hierarchies.get(values.column.name)
        if levels is None:
            return derived_hierarchy(values)
        return given_hierarchy(self.id, values, levels)

    def task(self, table: Table) -> RecodingTask:
        """What is to be generalised, and what for; refuse what no generalisation can satisfy."""
        columns = tuple(DistinctValues.of(table, name) for name in self.chosen(table.schema))
        sensitive = tuple(DistinctValues.of(table, name).codes for name in self.sensitive_columns())
        models = self.models(table)
        ones = np.ones(len(table), np.int64)
        if not all_hold(models, Classes(0 * ones, 1, ones, sensitive)).all():
            raise PartError(
                f"{self.id} cannot be satisfied: {self.words()} does not even hold for all "
                f"{len(table)} records as one class"
            )
        hierarchies = tuple(self.hierarchy(values) for values in columns)
        return RecodingTask(
            columns, hierarchies, models, sensitive, int(self.suppress * len(table))
        )

    def tells_origins(self) -> bool:
        """Yes: every released record is a private record with other values."""
        return True

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Search for classes, then write the value of its class into every record."""
        table = as_table(data)
        task = self.task(table)
        local = self.method == "local"
        result = recode_locally(task) if local else recode_globally(self.id, task)
        masked = table.replace(
            {v.column.name: v.contents(c) for v, c in zip(task.columns, result.codes, strict=True)}
        )
        release = Release(
            masked.take(result.kept),
            methods=self._methods(table, masked, result),
            models=self.claimed(self.chosen(table.schema)),
        )
        return Sanitized(release, Trace(origins=result.kept))

    def _methods(self, before: Table, after: Table, result: Generalised) -> tuple[Method, ...]:
        names = self.chosen(before.schema)
        changed = changed_rows(*(each.select(names).take(result.kept) for each in (before, after)))
        others = [one.name for one in before.schema.attributes if one.name not in names]
        how = f"{self.words()}; {self.method} recoding, {result.detail}"
        if others:
            how += f"; columns released as they are: {len(others)}"
        done = Method(name="generalisation", columns=names, rows=changed, detail=how)
        deleted = len(before) - len(result.kept)
        if not deleted:
            return (done,)
        detail = f"records deleted for which {self.words()} did not hold"
        return done, Method(name="record deletion", rows=deleted, detail=detail)


def _not_id(column: Column) -> bool:
    return column.kind != "id"
