"""Synthesizers: fit a private model once, then draw any number of synthetic records from it.

:meth:`Synthesizer.fit` spends the whole privacy budget. Drawing records from the fitted model is
post-processing and costs no more privacy.
"""

from __future__ import annotations

import io
import json
from abc import ABC, abstractmethod
from typing import Annotated, Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from quintain.accounting.split import SHARES, Account, Split, split_budget, split_for_answers
from quintain.data import Data, Schema, Table, as_table
from quintain.data.coding import Coding, Edges, needs_bins
from quintain.data.column import optional_field
from quintain.errors import PartError
from quintain.randomness.noise import Noise
from quintain.releases import Claim, FocalPoint, Method, Release, Sanitized, Trace
from quintain.sanitizers.private_coding import MeasuredCoding
from quintain.sanitizers.sanitizer import Sanitizer

Arrays = dict[str, npt.NDArray[Any]]

LARGEST_RELEASE = 10_000_000
"""The largest number of records that is drawn without being asked for."""

MANY_VALUES = 1000
"""An integer with more values than this is cut into bins where a model has too many values."""

DEFAULT_SHARE = 0.1
"""The part of the budget that measured edges and groups cost, if the caller does not say it."""


class FittedModel(ABC):
    """A fitted model, which is already private: it may be stored, copied and sampled freely."""

    kind: ClassVar[str]
    """The name of this kind of model in a saved file."""

    schema: Schema
    size: int
    """About how many records the model was fitted on: a private estimate, or public."""

    @abstractmethod
    def sample(self, rows: int, *, rng: np.random.Generator) -> Table:
        """Draw this many synthetic records."""

    @abstractmethod
    def focal_points(self) -> tuple[FocalPoint, ...]:
        """The statistics of the private data that the model preserves."""

    @abstractmethod
    def arrays(self) -> Arrays:
        """Everything that :meth:`from_arrays` needs to make the model again."""

    @classmethod
    @abstractmethod
    def from_arrays(cls, schema: Schema, size: int, arrays: Arrays) -> FittedModel:
        """Make the model again from the result of :meth:`arrays`."""

    def to_bytes(self) -> bytes:
        """The model as the content of a file, which contains no code."""
        head = {"kind": self.kind, "size": self.size, "schema": self.schema.model_dump()}
        buffer = io.BytesIO()
        text = np.frombuffer(json.dumps(head).encode(), dtype=np.uint8)
        # Without the prefix, an array could have the name of an argument of savez.
        named = {f"array/{name}": array for name, array in self.arrays().items()}
        np.savez(buffer, allow_pickle=False, head=text, **named)
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, content: bytes) -> FittedModel:
        """Read a model from its file; the class must be the one that wrote it."""
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            head = json.loads(file["head"].tobytes())
            arrays = {n.removeprefix("array/"): file[n] for n in file.files if n != "head"}
        if head["kind"] != cls.kind:
            raise PartError(f"the file holds a {head['kind']} model, not a {cls.kind} model")
        return cls.from_arrays(Schema.model_validate(head["schema"]), head["size"], arrays)


class Synthesizer(Sanitizer):
    """A sanitizer that publishes synthetic records drawn from a model.

    A model counts values. So real numbers, times and large integers are cut into bins first, and a
    released value is drawn within its bin. The bins of the schema cost no privacy: they have equal
    widths, or the edges that the schema lists. Measured edges and groups follow the private data
    instead, with noise. That costs ``coding_share`` of the budget, the model gets the rest, and the
    claim is about both.

    Parameters
    ----------
    rows : how many records to draw; by default about as many as the model was fitted on.
    edges : "measured" gives narrow bins to dense parts of a column, and edges to jumps of its
        density; "equal" gives equal widths. By default, edges are measured for reals, times and
        integers with more than 256 values, unless the schema says how to cut them.
    groups : the most values of a category that the model tells apart; the rarest values share one
        group and are drawn back uniformly. By default, all values are told apart.
    coding_share : the part of the budget for edges and groups; by default 0.1.

    Attributes
    ----------
    keeps_missing : whether the model itself counts missing values. If not, it is given a code for
        them instead.
    most_values : the most possible values of all columns together. If there are more, integers
        with many values are cut into bins, too.
    account : how the costs of the model are added up.
    """

    keeps_missing: ClassVar[bool] = True
    most_values: ClassVar[int | None] = None
    account: ClassVar[Account] = "pure"

    rows: Annotated[int, Field(ge=1)] | None = None
    edges: Edges | None = optional_field()
    groups: Annotated[int, Field(ge=2)] | None = optional_field()
    coding_share: Annotated[float, Field(gt=0, le=0.9)] | None = optional_field()

    @model_validator(mode="after")
    def _share_has_an_effect(self) -> Self:
        if self.coding_share is not None and self.edges == "equal" and self.groups is None:
            raise ValueError(
                "coding_share has no effect on equal edges without groups; leave it out"
            )
        return self

    @abstractmethod
    def fit(self, data: Table, *, rng: np.random.Generator, noise: Noise) -> FittedModel:
        """Fit a model to private data whose columns are all discrete.

        Everything that protects people happens here, and in measured edges and groups.
        """

    @abstractmethod
    def claim(self) -> Claim | None:
        """The privacy claimed for the model, and so for everything drawn from it."""

    def claim_for(self, schema: Schema) -> Claim | None:
        """The claim of the model, whatever the columns are."""
        return self.claim()

    def split(self, *, measured: bool, rows: int) -> tuple[Split, Sanitizer]:
        """Divide epsilon and delta; the sanitizer gets what is left of them, per row."""
        claim = self.claim()
        if claim is None:
            return super().split(measured=measured, rows=rows)
        share = SHARES[self.account] if measured else 0.0
        split = split_budget(
            claim.epsilon, claim.delta, share=share, rows=rows, account=self.account
        )
        return split, self._with_budget(split.epsilon, split.delta)

    def detail(self, schema: Schema) -> str:
        """How the model is made from data with these (discrete) columns, in words."""
        return self.summary()

    def require(self, schema: Schema) -> None:
        """A model counts values, so every column needs a finite domain or bounds."""
        super().require(schema)
        require_bounds(self, schema)
        if self._measured.columns(schema) and "epsilon" not in type(self).model_fields:
            raise PartError(f"{self.id} has no epsilon, so it cannot measure edges or groups")

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Code the data, fit a model, and draw the release from it."""
        table = as_table(data)
        self.require(table.schema)
        coded = self.code(table, noise=noise)
        codes = coded.coding.encode(table)
        model = coded.synthesizer.fit(codes, rng=rng, noise=noise)
        # At a tiny epsilon the private estimate of the size can be anything.
        rows = self.rows or min(max(1, model.size), LARGEST_RELEASE)
        drawn = coded.coding.decode(model.sample(rows, rng=rng), rng)
        detail = coded.synthesizer.detail(codes.schema)
        method = Method(name="synthetic data generation", rows=rows, detail=detail)
        release = Release(drawn, self.claim(), (*coded.methods, method))
        return Sanitized(release, Trace(model.focal_points()))

    def choice(self, data: Data, *, noise: Noise) -> tuple[FocalPoint, ...]:
        """Code the data, and give the structure that the model chooses."""
        table = as_table(data)
        self.require(table.schema)
        coded = self.code(table, noise=noise)
        return coded.synthesizer.structure(coded.coding.encode(table), noise=noise)

    def structure(self, data: Table, *, noise: Noise) -> tuple[FocalPoint, ...]:
        """Give only the focal points of the model that one run would fit, without fitting it."""
        return ()

    def code(self, data: Table, *, noise: Noise) -> Coded:
        """Choose how the columns become codes, and what is left of the budget for the model."""
        names = self._measured.columns(data.schema)
        if not names:
            large = _large_integers(data.schema, self.most_values)
            coding = Coding.of(data.schema, missing_code=not self.keeps_missing, also=large)
            return Coded(coding, self, _binning(coding))
        share = self.coding_share or DEFAULT_SHARE
        claim = self.claim()
        assert claim is not None  # require refuses to measure without an epsilon
        each, epsilon, delta = split_for_answers(
            claim.epsilon, claim.delta, share=share, answers=len(names), account=self.account
        )
        spent = each * len(names)
        coding = self._measured.measure(
            data, epsilon=spent, noise=noise, missing_code=not self.keeps_missing
        )
        detail = f"edges and groups measured with epsilon {spent:.4g}; the model gets {epsilon:.4g}"
        if self.account == "zcdp":
            detail += f", a share of {share:g} in zCDP"
        method = Method(name="binning", columns=names, detail=detail)
        return Coded(coding, self._with_budget(epsilon, delta), (method,))

    def _with_budget(self, epsilon: float, delta: float) -> Self:
        """The same synthesizer with another budget."""
        fields = {"epsilon": epsilon, "delta": delta}
        known = type(self).model_fields
        return self.model_copy(update={name: v for name, v in fields.items() if name in known})

    @property
    def _measured(self) -> MeasuredCoding:
        private = "epsilon" in type(self).model_fields
        return MeasuredCoding(self.edges or (None if private else "equal"), self.groups)


class Coded(NamedTuple):
    """How a table becomes codes, the synthesizer for the codes, and what the release says of it."""

    coding: Coding
    synthesizer: Synthesizer
    methods: tuple[Method, ...]


def _large_integers(schema: Schema, most: int | None) -> list[str]:
    """List the integers with many values if a model cannot tell all values of the table apart."""
    kept = [c.size for c in schema.columns if c.discrete and not needs_bins(c)]
    values = sum(size for size in kept if size > 1)
    if most is None or values <= most:
        return []
    return [c.name for c in schema.columns if c.whole and c.size > MANY_VALUES]


def _binning(coding: Coding) -> tuple[Method, ...]:
    if not coding.columns:
        return ()
    names = tuple(coding.columns)
    return (Method(name="binning", columns=names, detail="bins of the schema"),)


def require_bounds(sanitizer: Sanitizer, schema: Schema) -> None:
    """Refuse columns that cannot be binned, because bounds must not come from private data."""
    advice = schema.unbounded_advice()
    if advice:
        raise PartError(f"{sanitizer.id} needs bounds for every column: {advice}")
