"""Outcomes: everything that a call publishes, field by field, and in what two of them differ."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from quintain.audits.accounting.followed import Departure, NotFollowed
from quintain.data import shape_of
from quintain.data.arrays import array_bytes
from quintain.randomness.noise import Noise
from quintain.releases import Claim, Release, ReleaseCard

Call = Callable[[Any, Noise], Release]
"""What a user calls: data and noise in, a release out."""

_SHOWN = 60
"""The longest value that a finding quotes."""


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """What one call published.

    Parameters
    ----------
    claim : what it claims; None if it refused.
    refused : whether it gave no release.
    facts : all other fields, by what they are.
    """

    claim: Claim | None
    refused: bool
    facts: Mapping[str, str]


def observe(call: Call, data: Any, noise: Noise) -> CallOutcome:
    """Call once, and note everything that becomes public."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            release = call(data, noise)
        except (NotFollowed, Departure):
            raise
        except Exception as error:  # whatever a part raises, its caller sees that it did
            text = f"{type(error).__name__}: {error}"
            return CallOutcome(None, True, {"the refusal": text})
    facts = {f"warning {number}": str(warning.message) for number, warning in enumerate(caught, 1)}
    return CallOutcome(release.claim, False, {**facts, **_facts(release)})


def _facts(release: Release) -> dict[str, str]:
    card = _flat(ReleaseCard.of(release).model_dump(mode="json"), "the card's")
    schema = release.data.schema
    known = schema.model_dump(mode="json", exclude={"columns"})
    rows = shape_of(release.data).to_rows(release.data)
    facts = {
        **card,
        **_flat(known, "the schema's"),
        "the columns": ", ".join(schema.names),
        "the number of records": str(len(release.data)),
        "the number of rows": str(len(rows)),
        "the weights": hashlib.sha256(release.weights).hexdigest() if release.weights else "",
    }
    for column in schema.columns:
        facts |= _flat(column.model_dump(mode="json", exclude={"name"}), f"column {column.name!r}:")
    for name in rows.schema.names:
        digest = hashlib.sha256(array_bytes(rows.columns[name])).hexdigest()[:12]
        facts[f"the cells of {name!r}"] = digest
    return facts


def _flat(value: Any, path: str) -> dict[str, str]:
    if isinstance(value, Mapping):
        out: dict[str, str] = {}
        for name, inner in value.items():
            out |= _flat(inner, f"{path} {name}")
        return out
    if isinstance(value, list) and value and isinstance(value[0], Mapping):
        out = {}
        for number, inner in enumerate(value, 1):
            out |= _flat(inner, f"{path} {number}")
        return out
    return {path: str(value)}


def differences(first: CallOutcome, second: CallOutcome) -> list[str]:
    """In what two outcomes differ, in words; the most telling ones first."""
    if first.refused != second.refused:
        refusal = (first if first.refused else second).facts["the refusal"]
        return [f"one table is refused and its neighbour is not: {_short(refusal, 200)}"]
    out = []
    for name in dict.fromkeys([*first.facts, *second.facts]):
        one, other = first.facts.get(name), second.facts.get(name)
        if one == other:
            continue
        if one is None or other is None:
            value = _short(one or other or "")
            out.append(f"{name} is there for one of the two tables only: {value}")
        elif name.startswith("the cells of"):
            out.append(f"{name} differ, although all noisy answers are equal")
        else:
            out.append(f"{name} = {_short(one)} for one table, {_short(other)} for its neighbour")
    return out


def _short(text: str, most: int = _SHOWN) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 3]}..."
