"""Release: sanitized data, the privacy claimed for them, and the methods applied to them."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from os import PathLike
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from quintain.data import Data, to_pandas, to_polars


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


class Method(BaseModel):
    """One method that was applied to the data, as a contest's questionnaire asks for it.

    Parameters
    ----------
    name : the method: "noise addition", "record deletion", "synthetic data generation" ...
    columns : the columns it was applied to; empty means all of them.
    rows : about how many records it changed.
    detail : its parameters in words.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    columns: tuple[str, ...] = ()
    rows: int | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Release:
    """Sanitized data, ready to be published: it has nothing that must stay secret.

    Parameters
    ----------
    data : the sanitized records.
    claim : the differential privacy claimed, if any.
    methods : the methods that were applied to the data.
    test : whether the noise came from a seed that anybody can repeat. Such a release protects
        nobody.
    """

    data: Data
    claim: Claim | None = None
    methods: tuple[Method, ...] = ()
    test: bool = False

    def to_pandas(self) -> Any:
        """The released records as a pandas data frame."""
        return to_pandas(self.data)

    def to_polars(self) -> Any:
        """The released records as a polars data frame."""
        return to_polars(self.data)

    def to_csv(self, path: PathLike[str] | str) -> None:
        """Write the released records to a CSV file."""
        self.data.to_csv(path)

    def __repr__(self) -> str:
        return f"<Release {self.facts()}: {self.data!r}>"

    def facts(self) -> str:
        """The claim in words, and whether this is a test."""
        claim = "no privacy claimed"
        if self.claim is not None:
            claim = f"epsilon {self.claim.epsilon:g}, delta {self.claim.delta:g} claimed"
        return claim + (", a test that protects nobody" if self.test else "")

    def _repr_html_(self) -> str:
        names = "".join(f"; {method.name}" for method in self.methods)
        return f"{self.data._repr_html_()}<p>{escape(self.facts() + names)}</p>"


class ReleaseCard(BaseModel):
    """The facts that are published in a file beside a release: its claim and its methods."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["quintain.release/1"] = "quintain.release/1"
    claim: Claim | None = None
    methods: tuple[Method, ...] = ()
    test: bool = False

    @classmethod
    def of(cls, release: Release) -> ReleaseCard:
        """Make the card of a release."""
        return cls(claim=release.claim, methods=release.methods, test=release.test)

    def to_bytes(self) -> bytes:
        """The card as the content of its JSON file, which a web page may embed as it is."""
        text = self.model_dump_json(indent=2)
        for mark in "<>&":  # JSON uses them only inside texts
            text = text.replace(mark, f"\\u{ord(mark):04x}")
        return text.encode() + b"\n"

    def release(self, data: Data) -> Release:
        """Put card and data together again: the published release."""
        return Release(data, self.claim, self.methods, self.test)
