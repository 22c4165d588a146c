"""Synthesizers: fit a private model once, then draw as many synthetic records as you like.

All the privacy is spent in :meth:`Synthesizer.fit`. What is drawn from the model afterwards is
post-processing, and costs nothing more.
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


class FittedModel(ABC):
    """A fitted model: private already, so it may be kept, copied and sampled freely."""

    kind: ClassVar[str]
    """Names the kind of model in a saved file."""

    schema: Schema
    size: int
    """About how many records it was fitted on; itself a private estimate, or public."""

    @abstractmethod
    def sample(self, rows: int, *, rng: np.random.Generator) -> Table:
        """Draw synthetic records."""

    @abstractmethod
    def focal_points(self) -> tuple[FocalPoint, ...]:
        """The statistics it preserves."""

    @abstractmethod
    def arrays(self) -> Arrays:
        """Everything needed to make it again, as arrays."""

    @classmethod
    @abstractmethod
    def from_arrays(cls, schema: Schema, size: int, arrays: Arrays) -> FittedModel:
        """The model from what :meth:`arrays` gave."""

    def to_bytes(self) -> bytes:
        """The model as the content of a file; holds no code."""
        head = {"kind": self.kind, "size": self.size, "schema": self.schema.model_dump()}
        out = io.BytesIO()
        text = np.frombuffer(json.dumps(head).encode(), dtype=np.uint8)
        # A prefix, because a column may be called like an argument of savez.
        held = {f"array/{name}": array for name, array in self.arrays().items()}
        np.savez(out, allow_pickle=False, head=text, **held)
        return out.getvalue()

    @classmethod
    def from_bytes(cls, content: bytes) -> FittedModel:
        """A model from its file; the class must be the one that wrote it."""
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
    rows : how many records to draw; as many as the model thinks it was fitted on if not given.
    """

    rows: Annotated[int, Field(ge=1)] | None = None

    @abstractmethod
    def fit(self, data: Table, *, rng: np.random.Generator, noise: Noise) -> FittedModel:
        """Fit a model; everything that protects people happens here."""

    @abstractmethod
    def claim(self) -> Claim | None:
        """What is claimed of the model, and so of everything drawn from it."""

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Fit, then draw."""
        table = as_table(data)
        require_discrete(self, table.schema)
        model = self.fit(table, rng=rng, noise=noise)
        # At a tiny epsilon the private estimate of the size can be anything.
        rows = self.rows or min(max(1, model.size), LARGEST_RELEASE)
        method = Method(name="synthetic data generation", rows=rows, detail=self.summary())
        release = Release(model.sample(rows, rng=rng), self.claim(), (method,))
        return Sanitized(release, Trace(model.focal_points()))


def require_discrete(sanitizer: Sanitizer, schema: Schema) -> None:
    """Refuse columns without a finite domain: bounds must not be learned from private data."""
    advice = schema.open_domains()
    if advice:
        raise PartError(f"{sanitizer.id} needs a finite domain for every column: {advice}")
