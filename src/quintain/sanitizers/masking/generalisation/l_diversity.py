"""l-diversity: every class of alike records has several values in a sensitive column."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field

from quintain.data import Table
from quintain.registry import register
from quintain.releases import ClaimedModel
from quintain.sanitizers.masking.generalisation.generaliser import Generaliser, SensitiveNames
from quintain.sanitizers.masking.generalisation.models import Anonymous, Diverse, Model


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

    def claimed(self, names: tuple[str, ...]) -> tuple[ClaimedModel, ...]:
        """Claim how many values a class has in the sensitive columns, and the size of classes."""
        size = ClaimedModel(name="k-anonymity", value=self.k, columns=names)
        model = ClaimedModel(name="l-diversity", value=self.l, columns=self.sensitive)
        return (size, model) if self.k > 1 else (model,)
