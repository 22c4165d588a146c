"""t-closeness: in every class sensitive values are spread almost as in all released records."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field

from quintain.data import Table
from quintain.data.arrays import Rows
from quintain.registry import register
from quintain.releases import ClaimedModel
from quintain.sanitizers.masking.columns import has_order
from quintain.sanitizers.masking.generalisation.classes import DistinctValues
from quintain.sanitizers.masking.generalisation.generaliser import Generaliser, SensitiveNames
from quintain.sanitizers.masking.generalisation.models import Anonymous, Close, Model


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

    def claimed(self, names: tuple[str, ...]) -> tuple[ClaimedModel, ...]:
        """Claim how close a class is in the sensitive columns, and the size of classes."""
        size = ClaimedModel(name="k-anonymity", value=self.k, columns=names)
        model = ClaimedModel(name="t-closeness", value=self.t, columns=self.sensitive)
        return (size, model) if self.k > 1 else (model,)
