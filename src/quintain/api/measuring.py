"""Measuring: compare a guess with the truth, or a release with its original."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from quintain.api.inputs import (
    AnyData,
    names_of,
    read_as,
    read_together,
    unpack_release,
    with_schema,
)
from quintain.api.parts import choose_part
from quintain.data import Learned, Schema, Table, as_table, is_data
from quintain.data.arrays import Array
from quintain.data.codec import encode_values
from quintain.data.frames import arrow_of
from quintain.data.kinds import flat
from quintain.data.plain import plain_view
from quintain.errors import PartError
from quintain.guesses import Goal, Guess, Truth
from quintain.guesses.goal import TARGET
from quintain.guesses.linkability import Linkability
from quintain.guesses.membership import Membership
from quintain.guesses.reconstruction import Reconstruction
from quintain.guesses.singling_out import SinglingOut
from quintain.measures import Case, GuessMeasure, Measure, Reading, ReleaseMeasure, reading_rng
from quintain.wording.display import html_table


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
    first: AnyData | Guess,
    second: Any,
    *,
    members: Any = None,
    test: AnyData | None = None,
    schema: Schema | Learned | None = None,
    header: bool | None = None,
    seed: int | None = None,
    **parameters: Any,
) -> NamedReadings:
    """Measure how much an attacker found out, or how a release differs from its original.

    Parameters
    ----------
    measure : the name of a measure such as "auc" or "marginals", a measure, or its class.
    first, second : a guess and the truth, or the original and the release. The truth is one value
        per target, in the order of the targets: whether it was in the data, its secret, its row in
        the release, or the number of its right half. For secrets, it may also be a frame of the
        targets with the secret columns. For rows of the population, it says of each whether it was
        in the data; for descriptions, it is the population; for pseudonyms, it is a frame like the
        guess.
    members : for guesses at secrets, at halves and for descriptions, who was in the data; the
        others are the control.
    test : further records of the population, for measures that need them.
    schema : the columns; by default they are learned from all given data together.
    header : whether the first rows of files have the column names, if they look like the others.
    seed : the same seed gives the same readings; by default, the public seed of published readings.
    parameters : the parameters of the measure.

    >>> import pyarrow as pa
    >>> from quintain.api.attacking import attack
    >>> release, targets = pa.table({"age": [30, 61]}), pa.table({"age": [61, 45]})
    >>> guess = attack("nearest", release, targets=targets, seed=0)
    >>> measure("auc", guess, [True, False])["auc"].value
    1.0
    """
    part = cast(Measure, choose_part("measure", measure, parameters))
    rng = reading_rng() if seed is None else np.random.default_rng(seed)
    if isinstance(part, GuessMeasure):
        if not isinstance(first, Guess):
            raise PartError(f"{part.id} reads a guess and the truth; give the guess first")
        truth = second
        if not isinstance(second, Truth):
            truth = _truth(first, second, members, schema, header)
        return NamedReadings(part.measure([Case(truth, first)], rng=rng))
    assert isinstance(part, ReleaseMeasure)  # a measure is one of the two
    given = {"original": unpack_release(first), "release": unpack_release(second)}
    if test is not None:
        given["test"] = unpack_release(test)
    if any(isinstance(data, Guess) for data in given.values()):
        raise PartError(f"{part.id} reads an original and its release, not a guess")
    if schema is None:
        _require_columns(part, given["original"], given["release"], header)
    read = read_together(given, schema, header=header)
    read = {role: plain_view(data) for role, data in read.items()}
    part.require(read["release"].schema)
    return NamedReadings(part.measure(read["original"], read["release"], read.get("test"), rng=rng))


def _require_columns(part: Measure, original: Any, release: Any, header: bool | None) -> None:
    """Refuse a release without some columns: nothing would say that their loss was not measured."""
    released = names_of(release, header)
    if is_data(release) and release.schema.model is not None:
        released = list(release.schema.records.names)
    missing = [name for name in names_of(original, header) if name not in released]
    if missing:
        raise PartError(
            f"{part.id} compares the same columns, but the release lacks {', '.join(missing)}: "
            "leave these out of the original, or give schema= with the columns to compare"
        )


def _truth(
    guess: Guess, given: Any, members: Any, schema: Schema | Learned | None, header: bool | None
) -> Truth:
    """The truth behind a guess; the columns of the guess say what was asked."""
    shown = guess.table.schema
    first, *answers = shown.names
    if first == "row":  # rows of the population
        return Truth(Table(shown, {"row": np.flatnonzero(_flags(given))}))
    if first == "predicate":
        return _people_described(given, members, schema, header)
    if first != TARGET.name:
        table = as_table(read_as(given, shown, header))
        return Truth(Table(shown, {name: table.columns[name] for name in shown.names}))
    names = guess.table.columns[first]
    count = len(names)
    if answers == ["probability"]:
        member = {"target": names, "member": _flags(given, count)}
        return Truth(Table(Membership().truth_schema(shown), member))
    if answers == ["row"] or (answers == ["pseudonym"] and not shown["pseudonym"].identifying):
        what = "rows of the release" if answers == ["row"] else "pseudonyms"
        return Truth(Table(shown, {"target": names, answers[0]: _numbers(given, count, what)}))
    if answers == ["pseudonym"]:
        given = np.asarray(_values(given, "pseudonym", count)).astype(np.str_)
        return Truth(Table(shown, {"target": names, "pseudonym": given}))
    secrets = {name: shown[name] for name in answers if answers != ["half"]}
    values = {n: encode_values(c, _values(given, n, count)) for n, c in secrets.items()}
    if len(answers) > 1 and members is None:
        return Truth(Table(shown, {"target": names, **values}))
    if members is None:
        raise PartError(
            "this guess is compared with a control group: give members=, which says for each "
            "target whether it was in the data"
        )
    known = {"target": names, "member": _flags(members, count)}
    if not secrets:
        goal: Goal = Linkability(left=("left",), right=("right",))
        values = {"half": _numbers(given, count, "numbers of right halves")}
    else:
        goal = Reconstruction(columns=tuple(answers))
    return Truth(Table(goal.truth_schema(shown), {**known, **values}))


def _people_described(
    population: Any, members: Any, schema: Schema | Learned | None, header: bool | None
) -> Truth:
    """The truth behind descriptions of people: the population, and who of it was in the data."""
    if members is None:
        raise PartError(
            "descriptions are compared with the population: give its records as the truth, and "
            "members=, which says for each of them whether it was in the data"
        )
    people = as_table(with_schema(unpack_release(population), schema, header))
    goal = SinglingOut()
    goal.require(people.schema)
    columns = {"member": _flags(members, len(people)), **people.columns}
    wanted = goal.truth_schema(people.schema)
    return Truth(Table(wanted, {name: columns[name] for name in wanted.names}))


def _numbers(given: Any, count: int, what: str) -> Array:
    numbers = np.asarray(given, np.int64)
    if numbers.shape != (count,):
        raise PartError(f"expected {count} {what}, one per target")
    return numbers


def _flags(given: Any, count: int | None = None) -> Array:
    """Truth values, one per target; without a count, one per record of the population."""
    flags = np.asarray(given)
    if flags.ndim != 1 or len(flags) != (count or len(flags)) or not np.isin(flags, (0, 1)).all():
        if count is None:
            raise PartError("expected values true or false, one per record of the population")
        raise PartError(f"expected {count} values true or false, one per target")
    return flags.astype(np.int32)


def _values(given: Any, name: str, count: int) -> list[Any]:
    if is_data(given):
        values = [record[name] for record in flat(given).records()]
    elif hasattr(given, "columns") or hasattr(given, "column_names"):
        values = arrow_of(given).column(name).to_pylist()
    else:
        values = list(given)
    if len(values) != count:
        raise PartError(f"expected {count} values of {name!r}, one per target, not {len(values)}")
    return values
