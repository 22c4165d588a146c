"""Pseudonyms: give each person another name, for a month, a year or the whole time."""

from __future__ import annotations

from typing import ClassVar, Literal, Self

import numpy as np

from quintain.data import Transactions
from quintain.data.arrays import Array
from quintain.kernels.purchases import Purchases, months_of
from quintain.noise import Noise
from quintain.registry import register
from quintain.sanitizers.transactions.names.fresh_names import fresh_names
from quintain.sanitizers.transactions.row_by_row import NAMING, RowByRow

MONTHS = {"month": 1, "year": 12}


@register("pseudonyms-v1")
class Pseudonyms(RowByRow):
    """Gives everybody a random name, the same one for a month, a year or the whole time.

    Nothing else changes: an attacker who knows some purchases of a person finds the name,
    and with a name that stays, all other purchases.

    Parameters
    ----------
    period : how long a name is kept. Years are calendar years.
    """

    method: ClassVar[str] = NAMING

    period: Literal["month", "year", "whole"] = "month"

    @classmethod
    def examples(cls) -> list[Self]:
        """For a month, and for good."""
        return [cls(), cls(period="whole")]

    def change(self, data: Transactions, bought: Purchases, *, noise: Noise) -> dict[str, Array]:
        """Number persons and periods together and name the numbers."""
        when = np.zeros(len(bought), np.int64)
        if self.period != "whole":
            when[bought.live] = months_of(bought.day[bought.live]) // MONTHS[self.period]
            when[bought.live] -= when[bought.live].min(initial=0)
        bearer = when * max(len(bought.persons), 1) + bought.person
        bearer[~bought.live] = -1
        return {data.person_column.name: fresh_names(bearer, noise)}

    def detail(self) -> str:
        """How long a name is kept."""
        kept = "for the whole time" if self.period == "whole" else f"for a {self.period}"
        return f"a random name, kept {kept}"
