"""Density ratio: overfitted places, where the release is denser than the population."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.attacks.attack import Attack
from quintain.attacks.shadows import without_ids
from quintain.attacks.threat import Fact, Knowledge
from quintain.data import Table, as_table
from quintain.guesses import Guess, MembershipQuestion, Question
from quintain.registry import register
from quintain.releases import Release

_BLOCK = 1 << 22


@register("density-ratio-v1")
class DensityRatio(Attack):
    r"""Scores a record by its density in the release over that in the base data.

    $$ p_{release}(x) / p_{base}(x) $$

    after DOMIAS (van Breugel et al. 2023). Densities are kernel estimates over mixed columns: a
    category that differs multiplies the kernel by ``mismatch``, a number that is off by its
    schema's range times t multiplies it by exp(-t / width). A household averages its records.

    Parameters
    ----------
    mismatch : the factor for a differing category.
    width : the scale of numeric differences, as a share of the column's range.
    reference : how many base records the reference density is estimated from.
    """

    answers: ClassVar[tuple[type[Question], ...]] = (MembershipQuestion,)
    needs: ClassVar[frozenset[Fact]] = frozenset({"base"})

    mismatch: Annotated[float, Field(gt=0, lt=1)] = 0.2
    width: Annotated[float, Field(gt=0)] = 0.05
    reference: Annotated[int, Field(ge=10)] = 10_000

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Estimate both densities at every target record."""
        question, published = knowledge.asked(MembershipQuestion), as_table(release.data)
        records = question.records().select(published.schema.names)
        base = without_ids(knowledge.population())
        some = rng.choice(len(base), min(self.reference, len(base)), replace=False)
        ratio = self._log_density(published, records) - self._log_density(base.take(some), records)
        return question.answer_by_rank(question.by_target(ratio))

    def _log_density(self, table: Table, records: Table) -> npt.NDArray[np.float64]:
        out = np.empty(len(records))
        step = max(1, _BLOCK // max(1, len(table)))
        for start in range(0, len(records), step):
            some = np.arange(start, min(start + step, len(records)))
            kernel = np.zeros((len(some), len(table)), dtype=np.float32)
            for column in records.schema.columns:
                mine = records.columns[column.name][some][:, None]
                theirs = table.columns[column.name][None, :]
                if column.kind == "category":
                    kernel += np.where(mine == theirs, 0.0, np.log(self.mismatch)).astype(
                        np.float32
                    )
                else:
                    scale = self.width * max(1, column.size - 1)
                    kernel -= (np.abs(mine - theirs) / scale).astype(np.float32)
            top = kernel.max(axis=1, keepdims=True)
            out[some] = top[:, 0] + np.log(np.exp(kernel - top).mean(axis=1))
        return out
