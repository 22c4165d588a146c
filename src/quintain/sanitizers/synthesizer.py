"""Synthesizers: fit a private model once, then draw any number of synthetic records from it.

:meth:`Synthesizer.fit` spends the whole privacy budget. Drawing records from the fitted model is
post-processing and costs no more privacy.
"""

from __future__ import annotations

import io
import json
from abc import ABC, abstractmethod
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.data import Data, Schema, Table, as_table
from quintain.errors import PartError
from quintain.noise import Noise
from quintain.releases import Claim, FocalPoint, Method, Release, Sanitized, Trace
from quintain.sanitizers.sanitizer import Sanitizer

Arrays = dict[str, npt.NDArray[Any]]

LARGEST_RELEASE = 10_000_000
"""The largest number of records that is drawn without being asked for."""


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

    Parameters
    ----------
    rows : how many records to draw; by default about as many as the model was fitted on.
    """

    rows: Annotated[int, Field(ge=1)] | None = None

    @abstractmethod
    def fit(self, data: Table, *, rng: np.random.Generator, noise: Noise) -> FittedModel:
        """Fit a model to private data; everything that protects people happens here."""

    @abstractmethod
    def claim(self) -> Claim | None:
        """The privacy claimed for the model, and so for everything drawn from it."""

    def require(self, schema: Schema) -> None:
        """A model counts values, so every column needs a finite domain."""
        super().require(schema)
        require_discrete(self, schema)

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Fit a model, then draw the release from it."""
        table = as_table(data)
        model = self.fit(table, rng=rng, noise=noise)
        # At a tiny epsilon the private estimate of the size can be anything.
        rows = self.rows or min(max(1, model.size), LARGEST_RELEASE)
        method = Method(name="synthetic data generation", rows=rows, detail=self.summary())
        release = Release(model.sample(rows, rng=rng), self.claim(), (method,))
        return Sanitized(release, Trace(model.focal_points()))


def require_discrete(sanitizer: Sanitizer, schema: Schema) -> None:
    """Refuse columns without a finite domain, because bounds must not come from private data."""
    advice = schema.open_domains()
    if advice:
        raise PartError(f"{sanitizer.id} needs a finite domain for every column: {advice}")
