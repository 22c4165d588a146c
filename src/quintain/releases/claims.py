"""Claims: the privacy that somebody claims for a release. Nothing here checks them."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator


class Claim(BaseModel):
    """The differential privacy that a sanitizer claims for its release.

    A claim is plain data: nothing here checks it.

    Parameters
    ----------
    epsilon, delta : the privacy loss, lower is more private; delta 0 is pure differential
        privacy.
    neighbours : "add-remove" compares data with and without one record, "replace" compares data
        that differ in one record.
    unit : what counts as one record: a "row", a "household", a "customer".
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    epsilon: float = Field(gt=0, allow_inf_nan=False)  # a card of JSON cannot say infinite
    delta: float = Field(default=0.0, ge=0, lt=1)
    neighbours: Literal["add-remove", "replace"] = "add-remove"
    unit: str = "row"


_VALUES = {
    "k-anonymity": ("k", 1.0, None),
    "pk-anonymity": ("k", 1.0, None),
    "l-diversity": ("l", 1.0, None),
    "t-closeness": ("t", 0.0, 1.0),
    "delta-presence": ("delta", 0.0, 1.0),
}
"""What the value of each known model is called, and its bounds."""

KNOWN_MODELS = tuple(_VALUES)
"""The privacy models whose values are checked; a card may name others."""


class ClaimedModel(BaseModel):
    """A privacy model that is claimed for a release, other than differential privacy.

    Parameters
    ----------
    name : the model: "k-anonymity", "pk-anonymity", "l-diversity", "t-closeness",
        "delta-presence" or another one.
    value : its k, l, t or delta.
    columns : the columns that it is about; empty means all of them.

    >>> ClaimedModel(name="k-anonymity", value=5, columns=("age", "sex")).words()
    'k-anonymity with k = 5 of age, sex'
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1)
    value: float = Field(allow_inf_nan=False)
    columns: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if self.name in _VALUES:
            letter, low, high = _VALUES[self.name]
            if self.value < low or (high is not None and self.value > high):
                most = "" if high is None else f" and at most {high:g}"
                raise ValueError(f"{letter} of {self.name} is at least {low:g}{most}")
        return self

    def words(self) -> str:
        """The model with its value in words."""
        letter = _VALUES[self.name][0] if self.name in _VALUES else "value"
        of = f" of {', '.join(self.columns)}" if self.columns else ""
        return f"{self.name} with {letter} = {self.value:g}{of}"
