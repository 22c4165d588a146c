"""Release: sanitized data, the privacy claimed for them, and the methods applied to them.

Nothing here checks a claim.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from os import PathLike
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from quintain.data import Data, to_pandas, to_polars
from quintain.errors import DataError
from quintain.registry import parameter_faults

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


ClaimedDomain = Literal["public", "measured", "published"]
"""Where the domains of the columns come from, if a claim covers the rest."""

_DOMAIN_WORDS: dict[ClaimedDomain, str] = {
    "public": "public domain",
    "measured": "domain measured with noise",
    "published": "beyond the domain, which was learned from the data and published",
}


ClaimedKinds = Literal["stated", "as in the data"]
"""Where it comes from which columns there are, and of which kinds, if a claim covers the rest."""


class Claim(BaseModel):
    """The differential privacy that a sanitizer claims for its release.

    A claim is plain data: nothing here checks it.

    >>> Claim(epsilon=10, delta=1e-5).words()
    'epsilon 10, delta 1e-05, one row added or removed, public domain'
    >>> Claim(epsilon=1, unit="pid", rows=5, domain="measured").words()
    'epsilon 1, one pid with at most 5 rows added or removed, domain measured with noise'
    >>> Claim(epsilon=1, kinds="as in the data").words()
    'epsilon 1, one row added or removed, public domain, columns and kinds as in the data'

    Parameters
    ----------
    epsilon, delta : the privacy loss, lower is more private; delta 0 is pure differential
        privacy.
    neighbours : "add-remove" compares data with and without one record, "replace" compares data
        that differ in one record.
    unit : what neighbours differ by: a "row", a "household", a "customer".
    rows : the most rows that a unit has; rows above it were left out.
    domain : "public" if the smallest and largest numbers and the categories were public before,
        "measured" if they were measured with noise, which the claim covers; "published" if they
        were learned from the data and everybody may read them, as in a contest whose organisers
        stated no domain. The claim is then about what the release tells beyond them.
    kinds : "stated" if somebody stated the columns, or else "as in the data". Then the cells
        decided what nothing measures: which tables and columns there are, their kinds, how cells
        are read, how times are written, and the order of ordered categories. One odd cell can
        change it, so the claim compares data that agree in it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    epsilon: float = Field(gt=0, allow_inf_nan=False)  # a card of JSON cannot say infinite
    delta: float = Field(default=0.0, ge=0, lt=1)
    neighbours: Literal["add-remove", "replace"] = "add-remove"
    unit: str = "row"
    rows: int = Field(default=1, ge=1, exclude_if=lambda rows: rows == 1)
    domain: ClaimedDomain = Field(default="public", exclude_if=lambda domain: domain == "public")
    kinds: ClaimedKinds = Field(default="stated", exclude_if=lambda kinds: kinds == "stated")

    def words(self) -> str:
        """The claim in one line, wherever it is told."""
        delta = f", delta {self.delta:g}" if self.delta else ""
        rows = f" with at most {self.rows} rows" if self.rows > 1 else ""
        change = "added or removed" if self.neighbours == "add-remove" else "replaced"
        domain = _DOMAIN_WORDS[self.domain]
        kinds = "" if self.kinds == "stated" else f", columns and kinds {self.kinds}"
        return f"epsilon {self.epsilon:.4g}{delta}, one {self.unit}{rows} {change}, {domain}{kinds}"


def make_claim(given: float | Claim | Mapping[str, Any]) -> Claim:
    """A claim from its epsilon, or from the facts of it; raises with every fault.

    >>> make_claim({"epsilon": 1, "unit": "household"}).unit
    'household'
    >>> make_claim({"epsilon": 0, "unt": "row"})
    Traceback (most recent call last):
    ...
    quintain.errors.DataError: epsilon=...
    """
    if isinstance(given, Claim):
        return given
    facts = dict(given) if isinstance(given, Mapping) else {"epsilon": given}
    try:
        return Claim.model_validate(facts)
    except ValidationError as problem:
        raise DataError(parameter_faults(Claim, problem)) from None


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
    models : the other privacy models claimed, such as k-anonymity.
    no_claim : why no differential privacy is claimed although the sanitizer would; else empty.
    weights : the model that the records were drawn from, as the content of a safetensors file;
        empty if the release does not carry it.
    """

    data: Data
    claim: Claim | None = None
    methods: tuple[Method, ...] = ()
    test: bool = False
    models: tuple[ClaimedModel, ...] = ()
    no_claim: str = ""
    weights: bytes = b""

    def to_pandas(self) -> Any:
        """The released records as a pandas data frame."""
        return to_pandas(self.data)

    def to_polars(self) -> Any:
        """The released records as a polars data frame."""
        return to_polars(self.data)

    def to_csv(self, path: PathLike[str] | str, *, replace: bool = False) -> None:
        """Write the released records as CSV; a file that is there stays, unless ``replace``."""
        self.data.to_csv(path, replace=replace)

    def __repr__(self) -> str:
        return f"<Release {self.facts()}: {self.data!r}>"

    def facts(self) -> str:
        """The claims in words, and whether this is a test."""
        return ReleaseCard.of(self).facts()

    def _repr_html_(self) -> str:
        names = "".join(f"; {method.name}" for method in self.methods)
        return f"{self.data._repr_html_()}<p>{escape(self.facts() + names)}</p>"


def _is_empty(value: object) -> bool:
    return not value


class ReleaseCard(BaseModel):
    """The facts that are published in a file beside a release: its claims and its methods."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["quintain.release/1"] = "quintain.release/1"
    claim: Claim | None = None
    models: tuple[ClaimedModel, ...] = Field(default=(), exclude_if=_is_empty)
    methods: tuple[Method, ...] = ()
    test: bool = False
    no_claim: str = Field(default="", exclude_if=_is_empty)

    @classmethod
    def of(cls, release: Release) -> ReleaseCard:
        """Make the card of a release."""
        return cls(
            claim=release.claim,
            models=release.models,
            methods=release.methods,
            test=release.test,
            no_claim=release.no_claim,
        )

    def claims(self) -> tuple[str, ...]:
        """Everything that is claimed, in words.

        >>> ReleaseCard(models=(ClaimedModel(name="k-anonymity", value=5),)).claims()
        ('k-anonymity with k = 5',)
        """
        private = () if self.claim is None else (self.claim.words(),)
        return (*private, *(model.words() for model in self.models))

    def facts(self) -> str:
        """The claims in a line, why there is none, and whether this is a test.

        >>> ReleaseCard(no_claim="the domain was learned from the data").facts()
        'no privacy claimed: the domain was learned from the data'
        """
        why = f": {self.no_claim}" if self.no_claim else ""
        claimed = [f"claimed: {words}" for words in self.claims()]
        if self.claim is None and (why or not claimed):
            claimed.insert(0, f"no {'differential ' if claimed else ''}privacy claimed{why}")
        return "; ".join([*claimed, *(["a test that protects nobody"] if self.test else [])])

    def to_bytes(self) -> bytes:
        """The card as the content of its JSON file, which a web page may embed as it is."""
        text = self.model_dump_json(indent=2)
        for mark in "<>&":  # JSON uses them only inside texts
            text = text.replace(mark, f"\\u{ord(mark):04x}")
        return text.encode() + b"\n"

    def release(self, data: Data) -> Release:
        """Put card and data together again: the published release."""
        return Release(data, self.claim, self.methods, self.test, self.models, self.no_claim)
