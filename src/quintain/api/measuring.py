"""Measuring: compare a guess with the truth, or a release with its original."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from quintain.api.inputs import common_schema, is_data, names_of, recoded, unpacked
from quintain.api.parts import chosen
from quintain.data import Learned, Schema, Table
from quintain.data.arrays import Array
from quintain.data.codec import encode_values
from quintain.data.frames import arrow_of
from quintain.display import html_table
from quintain.errors import PartError
from quintain.guesses import Guess, Truth
from quintain.guesses.attribute import Attribute
from quintain.guesses.membership import Membership
from quintain.measures import Case, GuessMeasure, Measure, Reading, ReleaseMeasure, reading_rng


class NamedReadings(dict[str, Reading]):
    """Readings by name; a notebook shows them as a table."""

    def _repr_html_(self) -> str:
        head = ("reading", "value", "from", "to", "n", "better")
        rows = [
            (name, f"{r.value:.4g}", f"{r.low:.4g}", f"{r.high:.4g}", r.n, r.better)
            for name, r in self.items()
        ]
        return html_table(head, rows)


def measure(
    measure: str | Measure | type[Measure],
    first: Any,
    second: Any,
    *,
    members: Any = None,
    test: Any = None,
    schema: Schema | Learned | None = None,
    seed: int | None = None,
    **parameters: Any,
) -> NamedReadings:
    """Measure how much an attacker found out, or how a release differs from its original.

    Parameters
    ----------
    measure : the name of a measure such as "auc" or "marginals", a measure, or its class.
    first, second : a guess and the truth, or the original and the release. The truth is one value
        per target, in the order of the targets: whether it was in the data, its secret, or its row
        in the release. For secrets, it may also be a frame of the targets with the secret column.
    members : for guesses at a secret, which targets were in the data; the others are the control.
    test : further records of the population, for measures that need them.
    schema : the columns; by default they are learned from all given data together.
    seed : the same seed gives the same readings; by default, the public seed of published readings.
    parameters : the parameters of the measure.

    >>> import pyarrow as pa
    >>> from quintain.api.attacking import attack
    >>> release, targets = pa.table({"age": [30, 61]}), pa.table({"age": [61, 45]})
    >>> guess = attack("nearest", release, targets=targets, seed=0)
    >>> measure("auc", guess, [True, False])["auc"].value
    1.0
    """
    part = cast(Measure, chosen("measure", measure, parameters))
    rng = reading_rng() if seed is None else np.random.default_rng(seed)
    if isinstance(part, GuessMeasure):
        if not isinstance(first, Guess):
            raise PartError(f"{part.id} reads a guess and the truth; give the guess first")
        truth = second if isinstance(second, Truth) else _truth(first, second, members)
        return NamedReadings(part.measure([Case(truth, first)], rng=rng))
    assert isinstance(part, ReleaseMeasure)  # a measure is one of the two
    given = [unpacked(one) for one in (first, second, test) if one is not None]
    if any(isinstance(one, Guess) for one in given):
        raise PartError(f"{part.id} reads an original and its release, not a guess")
    if schema is None:
        _require_columns(part, given[0], given[1])
    compared = {"original": first, "test": test}
    common = common_schema(
        given[1], {n: unpacked(one) for n, one in compared.items() if one is not None}, schema
    )
    part.require(common)
    original, release, *more = (recoded(one, common) for one in given)
    return NamedReadings(part.measure(original, release, more[0] if more else None, rng=rng))


def _require_columns(part: Measure, original: Any, release: Any) -> None:
    """Refuse a release without some columns: nothing would say that their loss was not measured."""
    missing = [name for name in names_of(original) if name not in names_of(release)]
    if missing:
        raise PartError(
            f"{part.id} compares the same columns, but the release lacks {', '.join(missing)}: "
            "leave these out of the original, or give schema= with the columns to compare"
        )


def _truth(guess: Guess, given: Any, members: Any) -> Truth:
    target, answer = guess.table.schema.columns[:2]
    names = guess.table.columns[target.name]
    if answer.name == "probability":
        schema = Membership().truth_schema(guess.table.schema)
        return Truth(Table(schema, {"target": names, "member": _flags(given, len(names))}))
    if answer.name == "row":
        rows = np.asarray(given, np.int64)
        if rows.shape != (len(names),):
            raise PartError(f"expected {len(names)} rows of the release, one per target")
        return Truth(Table(guess.table.schema, {"target": names, "row": rows}))
    values = encode_values(answer, _values(given, answer.name, len(names)))
    if members is None:
        raise PartError(
            "a guess at a secret is compared with a control group: give members=, which says "
            "for each target whether it was in the data"
        )
    schema = Attribute(column=answer.name).truth_schema(guess.table.schema)
    flags = _flags(members, len(names))
    return Truth(Table(schema, {"target": names, "member": flags, answer.name: values}))


def _flags(given: Any, count: int) -> Array:
    flags = np.asarray(given)
    if flags.shape != (count,) or not np.isin(flags, (0, 1)).all():
        raise PartError(f"expected {count} values true or false, one per target")
    return flags.astype(np.int32)


def _values(given: Any, name: str, count: int) -> list[Any]:
    if is_data(given):
        values = [record[name] for record in given.records()]
    elif hasattr(given, "columns") or hasattr(given, "column_names"):
        values = arrow_of(given).column(name).to_pylist()
    else:
        values = list(given)
    if len(values) != count:
        raise PartError(f"expected {count} values of {name!r}, one per target, not {len(values)}")
    return values
