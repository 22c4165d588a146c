"""Sanitizer: an algorithm that turns private data into a release, and its shadow for attackers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from pydantic import ValidationError

from quintain.accounting.split import Split
from quintain.data import Data, Schema, shape_of
from quintain.data.arrays import Mask
from quintain.data.columns import Columns
from quintain.data.data_part import DataPart
from quintain.data.plain import gather, is_plain, plain_view
from quintain.errors import PartError
from quintain.randomness.noise import Noise
from quintain.releases import Claim, FocalPoint, Sanitized, origins_through


class Sanitizer(DataPart, ABC):
    """Turns private data into a release, and keeps a trace of the run apart from it.

    Attributes
    ----------
    aligned : whether record i of the release stands for record i of the input. If not, the order
        of the input must not matter, and the order of the release must reveal nothing;
        :func:`sanitize` takes care of both.
    keeps_nothing : marks a control. Its release has the shape of the input and almost none of its
        information. A utility gate that such a release passes is useless.
    """

    family: ClassVar[str] = "sanitizer"
    aligned: ClassVar[bool] = False
    keeps_nothing: ClassVar[bool] = False

    @classmethod
    def can_see(cls, schema: Schema) -> bool:
        """Whether data with this schema have one of its shapes; a view is not enough.

        A release has the shape of the private data, and a view cannot be turned back into them.
        """
        return schema.shape in cls.shapes

    def release_schema(self, schema: Schema) -> Schema:
        """The columns of its releases of data with these columns: the same, unless it trains."""
        return schema

    def tells_origins(self) -> bool:
        """Whether its trace names the private record that each released record was made from."""
        return False

    @abstractmethod
    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Make a release of private data, with its trace.

        ``noise`` is for everything that protects people. ``rng`` is for the rest: synthetic rows
        from a model that is already private, starting values, shuffles.
        """

    def claim_for(self, schema: Schema) -> Claim | None:
        """The differential privacy that it claims for releases of data with these columns."""
        return None

    @classmethod
    def decides_domain(cls) -> bool:
        """Whether it has a parameter that says where the domains of the columns come from.

        If not, a :class:`~quintain.sanitizers.mechanism.Mechanism` decides on them.
        """
        return "domain" in cls.fields()

    def split(self, *, measured: bool, rows: int) -> tuple[Split, Sanitizer]:
        """Divide the budget: a share for measured domains, the rest for a sanitizer.

        Raises a ``PartError`` if the sanitizer has no epsilon that could be divided.

        Parameters
        ----------
        measured : whether domains are measured; if not, they get nothing.
        rows : the most rows of a person; each of them may cost so many times less.
        """
        raise PartError(f"{self.id} has no epsilon that could be divided")

    def with_parameter(self, name: str, value: Any) -> Self:
        """The same sanitizer with another value of one parameter; raises if it has no such one."""
        if name not in type(self).fields():
            known = ", ".join(type(self).fields())
            raise PartError(f"{self.id} has no parameter {name!r}; available: {known}")
        try:
            return type(self)(**{**self.parameters(), name: value})
        except ValidationError as problem:
            reason = problem.errors()[0]["msg"]
            raise PartError(f"{self.id}: {name} = {value!r}: {reason}") from None

    def facts_of_run(self) -> dict[str, Any]:
        """Everything beside the data on which a run depends: with other facts, other noise."""
        return self.spec()

    def choice(self, data: Data, *, noise: Noise) -> tuple[FocalPoint, ...]:
        """Give only the statistics that a run on these data chooses to preserve.

        This must be far cheaper than a release. It is empty for a sanitizer that chooses nothing.
        """
        return ()


def sanitize(
    sanitizer: Sanitizer, data: Data, *, rng: np.random.Generator, noise: Noise
) -> Sanitized:
    """Run a sanitizer as an edition does: check the columns, hide the order, check the domain.

    It sees plain columns alone; where it keeps those of a kind, the release has that kind again.
    """
    if not is_plain(data.schema):
        made = sanitize(sanitizer, plain_view(data), rng=rng, noise=noise)
        return replace(
            made, release=replace(made.release, data=gather(made.release.data, data.schema))
        )
    sanitizer.require(data.schema)
    if len(data) == 0 and not _hides_size(sanitizer.claim_for(data.schema)):
        raise PartError(f"the data have no records; {sanitizer.id} needs at least one")
    order = np.arange(len(data))
    hidden = None if sanitizer.aligned else shape_of(data).hidden_order(data)
    if hidden is not None:
        order, data = hidden, data.take(hidden)
    if noise.keyed:
        noise = noise.for_run(data.digest(), repr(sanitizer.facts_of_run()))
    result = sanitizer.sanitize(data, rng=rng, noise=noise)
    release, trace = result.release, result.trace
    if trace.origins is not None:
        trace = replace(trace, origins=origins_through(order, trace.origins))
    _check_domain(sanitizer, release.data)
    hidden = None if sanitizer.aligned else shape_of(release.data).hidden_order(release.data)
    if hidden is not None:
        release = replace(release, data=release.data.take(hidden))
        trace = replace(trace, origins=origins_through(trace.origins, hidden))
    return Sanitized(replace(release, test=release.test or noise.test), trace)


def _hides_size(claim: Claim | None) -> bool:
    """Whether a claim is about one record more. Then even a refusal must not tell of any record."""
    return claim is not None and claim.neighbours == "add-remove"


def _check_domain(sanitizer: Sanitizer, released: Data) -> None:
    discrete = [column for column in released.schema.columns if column.discrete]
    if not discrete:
        return
    rows = shape_of(released).to_rows(released)
    for column in discrete:
        values = rows.columns[column.name]
        low = -1 if column.nullable else 0
        if len(values) and (values.min() < low or values.max() >= column.size):
            raise PartError(
                f"{sanitizer.id} released values outside the domain of column {column.name!r}"
            )


def changed_rows(before: Columns, after: Columns, names: tuple[str, ...]) -> Mask:
    """A mask of the rows that differ in the named columns; ids are compared as text."""
    differs = np.zeros(len(before), bool)
    for name in names:
        old, new = before.columns[name], after.columns[name]
        if old.dtype.kind != new.dtype.kind:
            old, new = old.astype(np.str_), new.astype(np.str_)
        same = old == new
        if old.dtype.kind == "f":
            same |= np.isnan(old) & np.isnan(new)
        differs |= ~same
    return differs


@dataclass(frozen=True, slots=True)
class Shadow:
    """Runs the attacked sanitizer on an attacker's own data, with the attacker's own noise."""

    sanitizer: Sanitizer

    def __call__(self, data: Data, *, rng: np.random.Generator) -> Sanitized:
        """Make a shadow release, with the trace of its run."""
        return sanitize(self.sanitizer, data, rng=rng, noise=Noise.for_test(rng))

    def structure(self, data: Data) -> tuple[FocalPoint, ...]:
        """What the sanitizer would choose on these data if its noise were always zero.

        Nothing else changes: where the sanitizer decides by how large its noise is, it decides as
        with the noise.
        """
        return self.sanitizer.choice(data, noise=_Silence(bytes(32), test=True))


class _Silence(Noise):
    """Noise that is always zero and makes the likeliest choice; it protects nobody."""

    __slots__ = ()

    def bernoulli(self, probability: npt.ArrayLike, size: int) -> npt.NDArray[np.bool_]:
        """The likelier truth values."""
        return np.broadcast_to(np.asarray(probability) > 0.5, size)

    def laplace(self, scale: float, size: int) -> npt.NDArray[np.int64]:
        """The value that is likeliest, which is zero."""
        return np.zeros(size, np.int64)

    def gaussian(self, sigma: float, size: int) -> npt.NDArray[np.int64]:
        """The value that is likeliest, which is zero."""
        return np.zeros(size, np.int64)

    def choose(self, scores: npt.ArrayLike, epsilon: float, sensitivity: float) -> int:
        """The first of the options with the best score."""
        return int(np.argmax(np.asarray(scores)))
