"""Noisy histograms, column by column: the simplest differentially private synthetic data."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from quintain.data import Data, Table, as_table
from quintain.errors import PartError
from quintain.noise import Noise
from quintain.registry import register
from quintain.releases import Claim, Method, Release
from quintain.sanitizers.sanitizer import Sanitizer


@register("independent-v1")
class Independent(Sanitizer):
    """Draws every column from its own noisy histogram; dependence between columns is lost.

    With d columns each histogram gets discrete Laplace noise of scale d / epsilon. One record
    more or less changes one count in each histogram by one, so the release is epsilon-private
    under adding or removing a record. Only the schema's domain is used; the number of records
    published is a parameter or is itself read from the noisy counts.

    Parameters
    ----------
    epsilon : the privacy loss in all.
    rows : how many records to draw; the noisy size of the input if not given.
    """

    epsilon: Annotated[float, Field(gt=0, lt=1e6)] = 1.0
    rows: Annotated[int, Field(ge=1)] | None = None

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Release:
        """Count, add noise, draw."""
        data = as_table(data)
        names = data.schema.names
        weights, sizes = {}, []
        for name in names:
            column = data.schema[name]
            if not column.discrete:
                raise PartError(f"a histogram needs a finite domain; column {name!r} has none")
            held = data.columns[name]
            counts = np.bincount(held[held >= 0], minlength=column.size)
            noisy = counts + noise.laplace(len(names) / self.epsilon, column.size)
            sizes.append(int(noisy.sum()))
            weights[name] = np.maximum(noisy, 0)
        rows = self.rows or max(1, round(float(np.mean(sizes))))
        drawn = {}
        for name, weight in weights.items():
            total = weight.sum()
            p = weight / total if total else np.full(len(weight), 1 / len(weight))
            drawn[name] = rng.choice(len(p), rows, p=p)
        method = Method(
            name="synthetic data generation",
            rows=rows,
            detail="columns drawn independently from noisy histograms",
        )
        return Release(Table(data.schema, drawn), Claim(epsilon=self.epsilon), (method,))
