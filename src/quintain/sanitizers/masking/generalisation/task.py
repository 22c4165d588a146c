"""Task: the columns to generalise with their hierarchies, and the models to satisfy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import Rows
from quintain.sanitizers.masking.generalisation.hierarchies.hierarchy import Hierarchy
from quintain.sanitizers.masking.generalisation.models import Model
from quintain.sanitizers.masking.generalisation.values import DistinctValues


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """What a search gets.

    Parameters
    ----------
    columns : the quasi-identifying columns.
    hierarchies : the hierarchy of each of them.
    models : what every class must satisfy.
    sensitive : for each sensitive column the code of every record.
    suppress : how many records may be deleted.
    """

    columns: tuple[DistinctValues, ...]
    hierarchies: tuple[Hierarchy, ...]
    models: tuple[Model, ...]
    sensitive: tuple[Rows, ...] = ()
    suppress: int = 0

    def __len__(self) -> int:
        return len(self.columns[0].codes)

    @property
    def least(self) -> int:
        """The smallest number of records that a class can have."""
        return max((model.least for model in self.models), default=1)


@dataclass(frozen=True, slots=True, eq=False)
class Generalised:
    """What a search gives back.

    Parameters
    ----------
    codes : for each column the new code of every record.
    kept : the rows of the records that stay.
    detail : how the records were generalised, in words.
    """

    codes: tuple[Rows, ...]
    kept: Rows
    detail: str

    @classmethod
    def everyone(cls, codes: tuple[Rows, ...], detail: str) -> Generalised:
        """A result that deletes nobody."""
        return cls(codes, np.arange(len(codes[0])), detail)
