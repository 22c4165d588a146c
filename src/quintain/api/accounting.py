"""Accounting: what the noisy answers of a sanitizer cost, beside what it claims."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from quintain import registry
from quintain.api.inputs import AnyData
from quintain.api.parts import AnySanitizer, choose_sanitizer
from quintain.api.sanitizing import sanitize
from quintain.audits.accounting import neighbours
from quintain.audits.accounting.audit import LIMITS, ReplayedCall, account
from quintain.audits.accounting.neighbours import (
    PEOPLE,
    SCHEMA,
    UNIT,
    people_neighbours,
    row_neighbours,
    trajectory_neighbours,
    unit_neighbours,
)
from quintain.audits.accounting.outcomes import Call
from quintain.audits.accounting.results import AccountingAudit
from quintain.audits.work_ahead import TableSize, accounting_audit
from quintain.data import Column, Schema, is_data
from quintain.data.learning.input_table import InputTable
from quintain.data.learning.learn import learn
from quintain.data.learning.people import learn_people
from quintain.data.people_files import open_tables
from quintain.data.plain import plain_schema
from quintain.data.sources.trips import Trips
from quintain.errors import DataError, PartError, Rejected
from quintain.randomness.noise import Noise
from quintain.releases import Release
from quintain.sanitizers import Sanitizer
from quintain.sanitizers.mechanism import DomainSource

ROWS_PER_UNIT = 3
"""The most rows of a person in made-up tables whose people have several."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large made-up tables are.

    Parameters
    ----------
    stated : the rows of a table whose schema is stated.
    measured : the rows of a table whose domains are measured; few rows show no domain at all.
    people : the people with rows in several tables.
    """

    stated: int = 120
    measured: int = 1500
    people: int = 300


def audit_accounting(
    sanitizer: AnySanitizer | None = None,
    data: AnyData | None = None,
    *,
    schema: Schema | Path | None = None,
    domain: DomainSource | None = None,
    unit: str | None = None,
    rows_per_unit: int | None = None,
    seed: int = 0,
    sizes: Sizes = Sizes(),  # noqa: B008 - frozen
    **parameters: Any,
) -> AccountingAudit:
    """Add up what the noisy answers of a sanitizer cost on neighbouring tables.

    The sanitizer runs on a table without noise, or with noise that is kept. Then it runs on a table
    with one person more or less, and gets the answers of the first run. So what the answers cost
    follows from the differences of the true values alone. It must not exceed the claim, and
    everything else that is published must be equal: card, schema, columns, warnings and records.

    Parameters
    ----------
    sanitizer : as for :func:`sanitize`; by default every part that claims differential privacy.
    data : the table to begin with; by default made-up data of every kind that the part takes, with
        stated, measured and learned domains, for rows, for people with several rows and for people
        in several tables.
    schema, domain, unit, rows_per_unit : for ``data``, as :func:`sanitize` takes them.
    seed : the same seed gives the same audit.
    sizes : how large made-up tables are.
    parameters : the parameters of the sanitizer, such as ``epsilon=1``.

    >>> sex = Column(name="sex", kind="category", values=("f", "m"))
    >>> table = pa.table({"sex": ["f", "m"] * 10})
    >>> audit = audit_accounting("independent", table, schema=Schema(columns=(sex,)), epsilon=2)
    >>> audit.settings[0].cost, audit.settings[0].worst
    (2.0, 'an ordinary person')
    """
    trials: list[ReplayedCall] = []
    parts = _parts(sanitizer, parameters)
    accounting_audit(len(parts), None if data is None else TableSize.of(data)).announce()
    for part in parts:
        if data is None:
            trials += made_up_trials(part, sizes=sizes, seed=seed)
        else:
            facts = {"domain": domain, "unit": unit, "rows_per_unit": rows_per_unit}
            trials.append(_own_trial(part, data, schema, facts, seed))
    return AccountingAudit(
        settings=tuple(account(trial, seed=seed) for trial in trials), limits=LIMITS
    )


def claiming_parts() -> list[Sanitizer]:
    """An example of every registered sanitizer that claims differential privacy for our tables."""
    out = []
    for cls in registry.parts(Sanitizer.family):
        assert issubclass(cls, Sanitizer)  # it is of the family
        example = next((part for part in cls.examples() if _claims(part)), None)
        if example is not None:
            out.append(example)
    return out


def _claims(part: Sanitizer) -> bool:
    """Whether a part claims something for one of the made-up data."""
    schemas = {"table": SCHEMA, "people": PEOPLE.flat(), "trajectories": _TRIPS.data_schema()}
    for shape, schema in schemas.items():
        able = shape in part.shapes and not part.refusal(schema)
        if able and part.claim_for(schema) is not None:
            return True
    return False


def _parts(given: AnySanitizer | None, parameters: Mapping[str, Any]) -> list[Sanitizer]:
    if given is None:
        if parameters:
            raise PartError("parameters belong to one sanitizer: name it")
        return claiming_parts()
    if isinstance(given, str) and not parameters:
        try:
            return [choose_sanitizer(given, {})]
        except Rejected:
            # A part without defaults for everything is tried as its examples have it.
            cls = registry.find(Sanitizer.family, given)
            assert issubclass(cls, Sanitizer)  # it is of the family
            return [_example(cls)]
    return [choose_sanitizer(given, dict(parameters))]


def _example(cls: type[Sanitizer]) -> Sanitizer:
    examples = cls.examples()
    if not examples:
        raise PartError(f"{cls.id} has no example: give its parameters")
    return next((part for part in examples if _claims(part)), examples[0])


# --- made-up data ---

_TRIPS = Trips(rows=12, days=3, points=4, width=8, height=8)


def made_up_trials(part: Sanitizer, *, sizes: Sizes, seed: int) -> Iterator[ReplayedCall]:
    """The settings that a part is tried in on made-up data."""
    rng = np.random.default_rng(seed)
    if "table" in part.shapes:
        yield from _table_trials(part, sizes, rng)
    if "people" in part.shapes and "table" not in part.shapes:
        yield from _people_trials(part, sizes, rng)
    if "trajectories" in part.shapes:
        pairs = trajectory_neighbours(_TRIPS.generate(rng), rng)
        yield _trial(part, "people on trips, public domain", {}, pairs)


def _table_trials(
    part: Sanitizer, sizes: Sizes, rng: np.random.Generator
) -> Iterator[ReplayedCall]:
    owned = Schema(columns=(Column(name=UNIT, kind="id"), *SCHEMA.columns))
    units = {"unit": UNIT, "rows_per_unit": ROWS_PER_UNIT}
    facts: dict[str, Any] = {"rows": ROWS_PER_UNIT, "ordered": ("grade",)}
    few = neighbours.made_up_rows(sizes.stated, rng)
    replaces = _replaces(part)
    pairs = row_neighbours(few, rng, schema=SCHEMA, ordered=("grade",), replace=replaces)
    stated = {"schema": SCHEMA}
    yield _trial(part, "rows, public domain", stated, pairs, list(_small(part)) if replaces else ())
    pairs = unit_neighbours(few, rng, schema=SCHEMA, **facts)
    name = f"people with {ROWS_PER_UNIT} rows"
    yield _trial(part, f"{name}, public domain", {"schema": owned, **units}, pairs)
    many = neighbours.made_up_rows(sizes.measured, rng)
    measured: dict[str, Any] = {"domain": "measured"}
    pairs = row_neighbours(many, rng, ordered=("grade",), replace=replaces)
    yield _trial(part, "rows, measured domain", measured, pairs)
    pairs = unit_neighbours(many, rng, **facts)
    yield _trial(part, f"{name}, measured domain", {**measured, **units}, pairs)
    pairs = row_neighbours(few, rng, ordered=("grade",), replace=replaces)
    yield _trial(part, "rows, learned domain", {"domain": "learned"}, pairs[:1])


def _people_trials(
    part: Sanitizer, sizes: Sizes, rng: np.random.Generator
) -> Iterator[ReplayedCall]:
    name = "people in three tables"
    pairs = people_neighbours(sizes.people, rng, stated=True)
    yield _trial(part, f"{name}, public domain", {"schema": PEOPLE}, pairs)
    pairs = people_neighbours(sizes.people, rng, stated=False)
    measured: dict[str, Any] = {"domain": "measured", "unit": "patient"}
    yield _trial(part, f"{name}, measured domain", measured, pairs)
    learned = measured | {"domain": "learned"}
    yield _trial(part, f"{name}, learned domain", learned, pairs[:1])


def _replaces(part: Sanitizer) -> bool:
    if part.refusal(SCHEMA):
        return False
    claim = part.claim_for(SCHEMA)
    return claim is not None and claim.neighbours == "replace"


def _small(part: Sanitizer) -> Iterator[tuple[Call, list[pa.Table]]]:
    """Tables of one and two rows whose records take all values."""
    flag = Column(name="flag", kind="category", values=("no", "yes"))
    test = Column(name="test", kind="category", values=("negative", "positive"), nullable=True)
    dose = Column(name="dose", kind="real", low=0, high=100, bins=2)
    both = Schema(columns=(flag, test))
    rows = product(flag.values, (None, *test.values))
    tables = [neighbours.rows_to_arrow([{"flag": f, "test": t}], ("flag", "test")) for f, t in rows]
    yield _call(part, {"schema": both}), tables
    numbers = [neighbours.to_arrow({"dose": [value]}) for value in (0.0, 30.0, 100.0)]
    yield _call(part, {"schema": Schema(columns=(dose,))}), numbers
    pairs = [neighbours.to_arrow({"flag": ["no", last]}) for last in flag.values]
    yield _call(part, {"schema": Schema(columns=(flag,))}), pairs


def _trial(
    part: Sanitizer,
    setting: str,
    options: Mapping[str, Any],
    pairs: Sequence[neighbours.TablePair],
    small: Sequence[tuple[Call, Sequence[Any]]] = (),
) -> ReplayedCall:
    kinds = None if "schema" in options else _kinds
    facts = part.parameters()
    return ReplayedCall(part.name(), facts, setting, _call(part, options), pairs, kinds, small)


def _kinds(data: Any) -> object:
    """The tables and columns that are learned from cells, with their kinds."""
    try:
        if isinstance(data, Mapping):
            with open_tables(data) as own:
                tables = learn_people(own).schema.tables
            columns = [(table.name, column) for table in tables for column in table.columns]
        else:
            columns = [("", column) for column in learn(InputTable.of(data)).schema.columns]
    except DataError as error:
        return str(error)
    return [(name, c.name, c.kind, c.ordered, c.time_format) for name, c in columns]


def _call(part: Sanitizer, options: Mapping[str, Any]) -> Call:
    """What a user calls; public randomness is the same each time."""

    def call(data: Any, noise: Noise) -> Release:
        return sanitize(part, data, seed=1, noise=noise, **options)

    return call


# --- data of the user ---


def _own_trial(
    part: Sanitizer,
    data: AnyData,
    schema: Schema | Path | None,
    options: Mapping[str, Any],
    seed: int,
) -> ReplayedCall:
    """One setting: the table of the user, and neighbours of it."""
    rng = np.random.default_rng(seed)
    cells, ordered = neighbours.plain_cells(data)
    given = {name: value for name, value in options.items() if value is not None}
    if schema is None and is_data(data):
        schema = data.schema  # as for a release of these data, it was stated
    if isinstance(schema, Path):
        schema = learn(InputTable.of(data), stated=schema).schema
    if schema is not None:
        given["schema"] = schema
    unit = options["unit"]
    if unit is None:
        claim = None
        if schema is not None and not part.refusal(schema):
            claim = part.claim_for(plain_schema(schema))
        replaces = claim is not None and claim.neighbours == "replace"
        pairs = row_neighbours(cells, rng, schema=schema, ordered=ordered, replace=replaces)
    else:
        most = options["rows_per_unit"] or 1
        own = None if schema is None else schema.drop(unit) if unit in schema else schema
        pairs = unit_neighbours(cells, rng, rows=most, unit=unit, schema=own, ordered=ordered)
    return _trial(part, "your table", given, pairs)
