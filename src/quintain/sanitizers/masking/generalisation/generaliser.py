"""Generalisers: k-anonymity, l-diversity and t-closeness, by records that are made alike."""

from __future__ import annotations

from abc import abstractmethod
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import BeforeValidator, Field, model_validator

from quintain.data import Column, Data, Schema, Table, as_table
from quintain.data.arrays import Rows
from quintain.errors import PartError
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.releases import ClaimedModel, Method, Release, Sanitized, Trace
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
    Anonymous,
    Close,
    Diverse,
    Generalised,
    Model,
    RecodingTask,
    all_hold,
)
from quintain.sanitizers.masking.generalisation.mondrian import recode_locally
from quintain.sanitizers.masking.mask import ColumnNames, chosen_columns, has_order
from quintain.sanitizers.sanitizer import Sanitizer, changed_rows

GROUPABLE = "values that can be grouped, which ids have not"


# Sensitive columns: what an attacker must not learn about a person.


def _as_list(names: Any) -> Any:
    """One name may be written without a list."""
    return (names,) if isinstance(names, str) else names


SensitiveNames = Annotated[ColumnNames, BeforeValidator(_as_list)]
"""The names of one or more columns that are released as they are."""


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
    def make_claim(self, names: tuple[str, ...]) -> tuple[ClaimedModel, ...]:
        """What the card of a release claims, if these columns are generalised."""

    def sensitive_columns(self) -> tuple[str, ...]:
        """The sensitive columns, which are released as they are."""
        return ()

    def require(self, schema: Schema) -> None:
        """Columns, sensitive columns and hierarchies must fit the schema."""
        super().require(schema)
        self.choose_columns(schema)
        reasons = []
        for name, levels in self.hierarchies.items():
            try:
                check_levels(self.id, schema[name], levels)
            except PartError as error:
                reasons.append(str(error).removeprefix(f"{self.id}: "))
        if reasons:
            raise PartError(f"{self.id}: {'; '.join(reasons)}")

    def choose_columns(self, schema: Schema) -> tuple[str, ...]:
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
        columns = tuple(
            DistinctValues.of(table, name) for name in self.choose_columns(table.schema)
        )
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
        """Every released record is a private record with other values."""
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
            models=self.make_claim(self.choose_columns(table.schema)),
        )
        return Sanitized(release, Trace(origins=result.kept))

    def _methods(self, before: Table, after: Table, result: Generalised) -> tuple[Method, ...]:
        names = self.choose_columns(before.schema)
        old, new = (each.select(names).take(result.kept) for each in (before, after))
        changed = int(changed_rows(old, new, names).sum())
        others = [column.name for column in before.schema.attributes if column.name not in names]
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
    return not column.identifying


@register("k-anonymity-v1")
class KAnonymity(Generaliser):
    """Generalises values until every record is like ``k`` - 1 others or more in the chosen columns.

    ``small-class-deletion`` deletes the records of small classes instead.

    >>> import quintain as q
    >>> age = q.Column(name="age", kind="integer", low=0, high=99)
    >>> people = q.Table.of(q.Schema(columns=(age,)), {"age": [21, 30, 32, 34, 41, 47]})
    >>> release = q.sanitize("k-anonymity", people, k=2)
    >>> [record["age"] for record in release.data.records()]
    [30, 30, 30, 41, 41, 41]
    >>> decades = {"age": [10, 20]}
    >>> release = q.sanitize("k-anonymity", people, k=2, method="global", hierarchies=decades)
    >>> [record["age"] for record in release.data.records()]
    [30, 30, 30, 30, 41, 41]
    >>> print(release.methods[0].detail)
    k-anonymity with k = 2; global recoding, levels: age 2 of 3

    Parameters
    ----------
    k : the smallest number of records in a class.
    columns : the columns by which people could be recognised; all but ids if not given.
    hierarchies : for some columns their levels of groups, from fine to coarse: widths for numbers
        (``age = [5, 10, 20]``), cut points (``age = [[18, 30, 65], [30]]``), groups of categories
        (``degree = [[["BSc", "MSc"], ["none", "school"]]]``), periods for times (``born =
        ["month", "year"]``). Derived for other columns.
    method : "local" (Mondrian), or "global" for one level per column, chosen by an exact search.
    suppress : the largest share of records that global recoding may delete.

    References
    ----------
    Sweeney, k-anonymity, IJUFKS 10 (2002). Prasser and Kohlmayer, Putting statistical disclosure
    control into practice: the ARX data anonymization tool (2015).
    """

    k: Annotated[int, Field(ge=1)] = 5

    @classmethod
    def examples(cls) -> list[Self]:
        """Local recoding, and global recoding with and without deletions and given levels."""
        groups = {"size": (2.0, 4.0), "colour": ((("red", "green"),),)}
        return [
            cls(),
            cls(method="global", suppress=0.1, columns=("colour", "size")),
            cls(method="global", k=3, hierarchies=groups),
        ]

    def models(self, table: Table) -> tuple[Model, ...]:
        """A class has at least k records."""
        return (Anonymous(self.k),)

    def words(self) -> str:
        """The smallest size of a class in words."""
        return f"k-anonymity with k = {self.k}"

    def make_claim(self, names: tuple[str, ...]) -> tuple[ClaimedModel, ...]:
        """Claim the smallest size of a class."""
        return (ClaimedModel(name="k-anonymity", value=self.k, columns=names),)


@register("l-diversity-v1")
class LDiversity(Generaliser):
    """Generalises values until every class has ``l`` well-represented values in a sensitive column.

    k-anonymity does not hide a value that all records of a class share. The sensitive columns are
    released as they are.

    >>> import quintain as q
    >>> age = q.Column(name="age", kind="integer", low=0, high=99)
    >>> ill = q.Column(name="ill", kind="category", values=("no", "flu", "cancer"))
    >>> schema = q.Schema(columns=(age, ill))
    >>> people = {"age": [21, 22, 41, 42], "ill": ["flu", "flu", "no", "cancer"]}
    >>> table = q.Table.of(schema, people)
    >>> release = q.sanitize("k-anonymity", table, k=2, columns=["age"])
    >>> [tuple(record.values()) for record in release.data.records()]
    [(21, 'flu'), (21, 'flu'), (41, 'no'), (41, 'cancer')]
    >>> release = q.sanitize("l-diversity", table, l=2, sensitive="ill")
    >>> [tuple(record.values()) for record in release.data.records()]
    [(22, 'no'), (22, 'flu'), (22, 'flu'), (22, 'cancer')]

    Parameters
    ----------
    l : how many values a class must have.
    sensitive : the sensitive column, or a list of them; each must be diverse.
    kind : "distinct" counts values; "entropy" asks for an entropy of at least log l; "recursive"
        asks that the most frequent value is less frequent than c times all values together from
        the l-th most frequent on.
    c : the constant of "recursive".
    k : the smallest number of records in a class.
    columns, hierarchies, method, suppress : as in ``k-anonymity``.

    References
    ----------
    Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam, l-diversity: privacy beyond k-anonymity,
    ACM TKDD 1 (2007).
    """

    l: Annotated[int, Field(ge=1)] = 2  # noqa: E741
    sensitive: SensitiveNames
    kind: Literal["distinct", "entropy", "recursive"] = "distinct"
    c: Annotated[float, Field(gt=0)] = 3.0
    k: Annotated[int, Field(ge=1)] = 1

    @classmethod
    def examples(cls) -> list[Self]:
        """One example of each kind of diversity."""
        return [
            cls(sensitive=("flag",)),
            cls(sensitive=("colour",), kind="entropy", method="global"),
            cls(sensitive=("flag", "colour"), kind="recursive", k=5),
        ]

    def sensitive_columns(self) -> tuple[str, ...]:
        """The sensitive columns."""
        return self.sensitive

    def models(self, table: Table) -> tuple[Model, ...]:
        """A class has k records, and l values in each sensitive column."""
        diverse = [Diverse(at, self.l, self.kind, self.c) for at in range(len(self.sensitive))]
        return (Anonymous(self.k), *diverse)

    def words(self) -> str:
        """The kind of diversity and its parameters in words."""
        constant = f", c = {self.c:g}" if self.kind == "recursive" else ""
        size = f" and k = {self.k}" if self.k > 1 else ""
        names = ", ".join(self.sensitive)
        return f"{self.kind} l-diversity of {names} with l = {self.l}{constant}{size}"

    def make_claim(self, names: tuple[str, ...]) -> tuple[ClaimedModel, ...]:
        """Claim how many values a class has in the sensitive columns, and the size of classes."""
        size = ClaimedModel(name="k-anonymity", value=self.k, columns=names)
        model = ClaimedModel(name="l-diversity", value=self.l, columns=self.sensitive)
        return (size, model) if self.k > 1 else (model,)


@register("t-closeness-v1")
class TCloseness(Generaliser):
    """Generalises values until sensitive values are spread in every class almost as in the release.

    Somebody who knows the class of a person then learns little about the sensitive value. The
    distance between the distribution in a class and that in all released records is the earth
    mover's distance, and at most ``t``. The sensitive columns are released as they are.

    >>> import quintain as q
    >>> age = q.Column(name="age", kind="integer", low=0, high=99)
    >>> wage = q.Column(name="wage", kind="integer", low=0, high=99)
    >>> people = {"age": [21, 22, 31, 32, 41, 42], "wage": [3, 9, 4, 8, 5, 7]}
    >>> table = q.Table.of(q.Schema(columns=(age, wage)), people)
    >>> release = q.sanitize("t-closeness", table, t=0.25, k=2, sensitive="wage")
    >>> [tuple(record.values()) for record in release.data.records()]
    [(22, 3), (22, 4), (22, 9), (41, 5), (41, 7), (41, 8)]

    Parameters
    ----------
    t : the largest distance, from 0 to 1.
    sensitive : the sensitive column, or a list of them; each must be close.
    distance : the distance of two values. "equal": all values are equally distant. "ordered": the
        number of steps between them. "hierarchical": the lowest level of the column's hierarchy at
        which they are in one group. "auto": hierarchical for a column in ``hierarchies``, ordered
        for numbers, times and ordered categories, equal for the rest.
    k : the smallest number of records in a class.
    columns, hierarchies, method, suppress : as in ``k-anonymity``; ``hierarchies`` may also have
        sensitive columns.

    References
    ----------
    Li, Li and Venkatasubramanian, t-closeness: privacy beyond k-anonymity and l-diversity, ICDE
    (2007).
    """

    t: Annotated[float, Field(ge=0, le=1)] = 0.2
    sensitive: SensitiveNames
    distance: Literal["auto", "equal", "ordered", "hierarchical"] = "auto"
    k: Annotated[int, Field(ge=1)] = 5

    @classmethod
    def examples(cls) -> list[Self]:
        """Equal, ordered and hierarchical distances."""
        groups = {"colour": ((("red", "green"),),)}
        return [
            cls(sensitive=("flag",)),
            cls(sensitive=("size", "flag"), method="global", suppress=0.2),
            cls(sensitive=("colour",), hierarchies=groups, t=0.3),
        ]

    def sensitive_columns(self) -> tuple[str, ...]:
        """The sensitive columns."""
        return self.sensitive

    def models(self, table: Table) -> tuple[Model, ...]:
        """A class has k records, and is close in each sensitive column."""
        values = [DistinctValues.of(table, name) for name in self.sensitive]
        close = [Close(at, self.t, self._levels(each)) for at, each in enumerate(values)]
        return (Anonymous(self.k), *close)

    def _levels(self, values: DistinctValues) -> tuple[Rows, ...]:
        """The levels that define the distance of two values; empty for values in order."""
        auto, given = self.distance == "auto", values.column.name in self.hierarchies
        if self.distance == "ordered" or (auto and not given and has_order(values.column)):
            return ()
        levels = self.hierarchy(values).levels
        if self.distance == "equal" or (auto and not given):
            return levels[:1]
        return levels[: max(1, len(levels) - 1)]

    def words(self) -> str:
        """The largest distance in words."""
        size = f" and k = {self.k}" if self.k > 1 else ""
        return f"t-closeness of {', '.join(self.sensitive)} with t = {self.t:g}{size}"

    def make_claim(self, names: tuple[str, ...]) -> tuple[ClaimedModel, ...]:
        """Claim how close a class is in the sensitive columns, and the size of classes."""
        size = ClaimedModel(name="k-anonymity", value=self.k, columns=names)
        model = ClaimedModel(name="t-closeness", value=self.t, columns=self.sensitive)
        return (size, model) if self.k > 1 else (model,)
