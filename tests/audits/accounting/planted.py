"""A sanitizer of noisy counts, right or with one planted fault."""

from typing import ClassVar, Literal

import numpy as np

from quintain.accounting.zcdp import exponential_epsilon, gaussian_sigma, rho_for
from quintain.data import Table
from quintain.registry import register
from quintain.releases import Claim, Method, Release, Sanitized
from quintain.sanitizers import Sanitizer


@register("planted-counts-v1")
class PlantedCounts(Sanitizer):
    """Counts the values of every category with noise, and draws records from the counts.

    Parameters
    ----------
    fault : what is wrong; "" if nothing is.
    noise_kind : which noise hides the counts.
    """

    shapes: ClassVar[tuple[str, ...]] = ("table",)

    epsilon: float = 1.0
    fault: str = ""
    noise_kind: Literal["laplace", "gaussian", "chosen"] = "laplace"

    def claim_for(self, schema):
        if not any(column.kind == "category" for column in schema.columns):
            return None
        delta = 0.0 if self.noise_kind == "laplace" else 1e-6
        return Claim(epsilon=self.epsilon, delta=delta)

    def sanitize(self, data, *, rng, noise):
        table = data
        columns = [column for column in table.schema.columns if column.kind == "category"]
        counts = [self._count(table, column) for column in columns]
        noisy = [self._answer(count, len(columns), noise) for count in counts]
        rows = max(1, int(np.mean([count.sum() for count in noisy])))
        methods = (Method(name="counts"),)
        if self.fault == "rows-in-card":
            methods = (Method(name="counts", rows=len(table)),)
        if self.fault == "rows-released":
            rows = max(1, len(table))
        if self.fault == "refusal" and (table.columns[columns[0].name] == 3).any():
            raise ValueError("a value that was never seen")
        if self.fault == "warning":
            import warnings

            warnings.warn(f"made from {len(table)} rows", stacklevel=2)
        cells = {}
        for column, count in zip(columns, noisy, strict=True):
            weights = np.maximum(count, 0) + 1e-9
            cells[column.name] = rng.choice(len(weights), rows, p=weights / weights.sum())
            cells[column.name][cells[column.name] == column.size] = -1
        if self.fault == "values-released":
            top = np.bincount(table.columns[columns[0].name], minlength=columns[0].size)
            cells[columns[0].name][0] = int(np.flatnonzero(top)[-1])
        released = Table(table.schema.select([c.name for c in columns]), cells)
        return Sanitized(Release(released, self.claim_for(table.schema), methods))

    def _count(self, table, column):
        codes = table.columns[column.name].astype(np.int64)
        codes = np.where(codes < 0, column.size, codes)
        return np.bincount(codes, minlength=column.size + column.nullable)

    def _answer(self, counts, answers, noise):
        each = self.epsilon if self.fault == "not-split" else self.epsilon / answers
        each *= 2 if self.fault == "half" else 1
        if self.noise_kind == "gaussian":
            rho = rho_for(self.epsilon, 1e-6)
            rho = rho if self.fault == "not-split" else rho / answers
            sigma = gaussian_sigma(rho) / (2 if self.fault == "half" else 1)
            return counts + noise.gaussian(sigma, len(counts))
        if self.noise_kind == "chosen":
            best = exponential_epsilon(rho_for(self.epsilon, 1e-6) / answers)
            sensitivity = 0.5 if self.fault == "half" else 1.0
            best *= answers**0.5 if self.fault == "not-split" else 1
            picked = noise.choose(counts - np.roll(counts, 1), best, sensitivity)
            return np.eye(len(counts))[picked] * 100
        drawn = noise.laplace(1 / each, len(counts))
        if self.fault == "reused":
            return np.maximum(counts + drawn, counts[::-1] + drawn)
        if self.fault == "compared":
            return np.where(drawn > 0, counts, 0)
        if self.fault == "escaped":
            return counts + np.asarray(drawn)
        if self.fault == "fraction":
            return counts / 3 + drawn
        if self.fault == "scale":
            return counts + noise.laplace(answers + counts.sum() / 1000, len(counts))
        return counts + drawn
