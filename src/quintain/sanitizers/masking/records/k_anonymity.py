"""k-anonymity by suppression: release a record only if k people share its values."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from quintain.data import Data, as_table
from quintain.errors import PartError
from quintain.noise import Noise
from quintain.registry import register
from quintain.releases import Method, Release, Sanitized
from quintain.sanitizers.masking.columns import ColumnNames, chosen_columns
from quintain.sanitizers.sanitizer import Sanitizer


@register("k-anonymity-v1")
class KAnonymity(Sanitizer):
    """Deletes every record that shares its chosen values with fewer than ``k`` - 1 others.

    What is left is as it was and in the order it was in. A k-anonymous release is no defence
    against the question who was in the data: a published record is a true one.

    Parameters
    ----------
    k : the size of the smallest group that stays.
    columns : the columns by which records are told apart; all if not given.

    References
    ----------
    Sweeney, k-anonymity, IJUFKS 10 (2002). AMIC (PWSCup 2020), sample code "kanony.py".
    """

    k: Annotated[int, Field(ge=1)] = 5
    columns: ColumnNames | None = None

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Count the groups and leave out the small ones."""
        table = as_table(data)
        names = chosen_columns(self.id, table.schema, self.columns)
        group = table.select(names).row_keys()
        kept = np.bincount(group)[group] >= self.k
        if not kept.any():
            advice = table.schema.select(names).open_domains()
            raise PartError(
                f"{self.id} would leave nothing: no {self.k} records agree in {', '.join(names)}; "
                + (advice or "choose fewer columns or a smaller k")
            )
        method = Method(
            name="record deletion",
            columns=names,
            rows=int((~kept).sum()),
            detail=f"k-anonymity with k = {self.k}: records of smaller groups suppressed",
        )
        return Sanitized(Release(table.take(kept), methods=(method,)))
