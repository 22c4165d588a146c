"""k-anonymity by generalisation: every record is like at least k - 1 others."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field

from quintain.data import Table
from quintain.registry import register
from quintain.releases import ClaimedModel
from quintain.sanitizers.masking.generalisation.generaliser import Generaliser
from quintain.sanitizers.masking.generalisation.models import Anonymous, Model


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

    def claimed(self, names: tuple[str, ...]) -> tuple[ClaimedModel, ...]:
        """Claim the smallest size of a class."""
        return (ClaimedModel(name="k-anonymity", value=self.k, columns=names),)
