"""Most common: the majority value of each hidden column, for every target."""

from __future__ import annotations

import numpy as np

from quintain.attacks.reconstruction.rebuilding import Rebuilding, RebuildingAttack
from quintain.data.arrays import Floats
from quintain.registry import register


@register("most-common-v1")
class MostCommon(RebuildingAttack):
    """Guesses the most common released value of each hidden column for everybody.

    This is the baseline of reconstruction: it does not look at what is known of a target.

    >>> import pyarrow as pa
    >>> import quintain as q
    >>> release = pa.table({"sex": ["f", "f", "m"], "ill": ["no", "no", "yes"]})
    >>> guess = q.attack("most-common", release, targets=pa.table({"sex": ["m"]}), secret="ill")
    >>> [record["ill"] for record in guess.table.records()]
    ['no']
    """

    def believe(self, task: Rebuilding, *, rng: np.random.Generator) -> list[Floats]:
        """The shares of the release."""
        return [np.tile(column.prior(), (len(task.known), 1)) for column in task.hidden]
