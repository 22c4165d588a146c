"""Generator: a synthesizer that protects nobody by proof; it claims no differential privacy."""

from __future__ import annotations

from abc import abstractmethod
from typing import Annotated

import numpy as np
from pydantic import Field

from quintain.data import Data, Schema, Table, as_table
from quintain.errors import PartError
from quintain.randomness.noise import Noise
from quintain.releases import Method, Release, Sanitized, Trace
from quintain.sanitizers.sanitizer import Sanitizer
from quintain.sanitizers.synthesizer import LARGEST_RELEASE, FittedModel


class TableGenerator(Sanitizer):
    """Learns a model from the private records as they are, and releases records drawn from it.

    The values that occur in the release are values, or lie between values, of the private data. So
    no claim covers them, and the schema needs no bounds.

    Parameters
    ----------
    rows : how many records to draw; if not given, as many as the private data has.
    """

    rows: Annotated[int, Field(ge=1, le=LARGEST_RELEASE)] | None = None

    @abstractmethod
    def fit(self, data: Table, *, rng: np.random.Generator) -> FittedModel:
        """Learn the model from private records."""

    def model_file(self, model: FittedModel) -> bytes:
        """The file of the model that the release carries; empty if it carries none."""
        return b""

    def require(self, schema: Schema) -> None:
        """Refuse ids: nobody can draw new ones from a distribution."""
        super().require(schema)
        ids = [column.name for column in schema.columns if column.identifying]
        if ids:
            raise PartError(f"{self.id} draws no ids: leave out {', '.join(ids)}")

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Learn a model, and draw the release from it."""
        table = as_table(data)
        self.require(table.schema)
        model = self.fit(table, rng=rng)
        rows = self.rows or model.size
        method = Method(name="synthetic data generation", rows=rows, detail=self.summary())
        weights = self.model_file(model)
        release = Release(model.sample(rows, rng=rng), methods=(method,), weights=weights)
        return Sanitized(release, Trace(model.focal_points()))
