"""Mechanism: a sanitizer with what happens before it, which a claim must cover, too.

Before a sanitizer runs, somebody decides on the domains of the columns, and on how many rows of a
person count. Both read private records, so both are part of the mechanism. So do columns and kinds
that nobody stated, but nothing measures these: the claim says so.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np

from quintain.accounting.split import Split
from quintain.data import Column, Data, Schema, Table, as_table, as_trees
from quintain.data.arrays import Rows
from quintain.data.columns import Columns
from quintain.data.learning.learn import OTHERS_LEARNED
from quintain.data.plain import plain_schema
from quintain.errors import PartError
from quintain.randomness.noise import Noise
from quintain.releases import (
    Claim,
    ClaimedKinds,
    FocalPoint,
    Method,
    Sanitized,
    origins_through,
)
from quintain.sanitizers.domains import (
    OTHER,
    covers,
    is_nothing,
    learn_domain,
    measure_domain,
    refit,
)
from quintain.sanitizers.sanitizer import Sanitizer, sanitize

DomainSource = Literal["public", "measured", "learned"]
"""Where the domains of the columns come from."""

LEARNED = "the domain was learned from the data"
"""Why a release claims nothing although its sanitizer would."""


class Mechanism(Sanitizer):
    """A sanitizer, where the domains of its columns come from, and whose rows count.

    Parameters
    ----------
    sanitizer : what makes the release.
    domain : "public" takes the domains of the schema as they are; "measured" measures them with
        noise, for a part of the budget; "learned" reads them off the records, and then nothing is
        claimed. None leaves it to the sanitizer, which decides itself.
    names : the columns whose domains are measured or learned.
    kinds : whether somebody stated columns and kinds; if not, the claim says so.
    unit : the column that says whose row it is; empty if every row is a person.
    rows : the most rows of a person; of more rows, random ones are left out. The budget of each row
        is smaller by so many times, so the claim is about persons.
    comparable : put the release under the schema of the data, so that releases of several runs can
        be compared. Nobody publishes such a release.

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> table = people(example_table(rows=600))
    >>> release = q.sanitize("mst", table, epsilon=1, domain="measured", seed=1)
    >>> print(release.claim.words())
    epsilon 1, delta 1e-09, one row added or removed, domain measured with noise
    >>> print(q.sanitize("mst", table, epsilon=1, domain="learned", seed=1).facts())
    no privacy claimed: the domain was learned from the data; a test that protects nobody
    """

    id: ClassVar[str] = "sanitizer/mechanism-v0"

    sanitizer: Sanitizer
    domain: DomainSource | None = "public"
    names: tuple[str, ...] = ()
    kinds: ClaimedKinds = "stated"
    unit: str = ""
    rows: int = 1
    comparable: bool = False

    @classmethod
    def examples(cls) -> list[Any]:
        """None: a mechanism needs a sanitizer."""
        return []

    @property
    def aligned(self) -> bool:  # type: ignore[override]
        """As the sanitizer is; a mechanism that leaves rows out is not."""
        return self.sanitizer.aligned and not self.unit

    def parameters(self) -> dict[str, Any]:
        """Those of the sanitizer, and where the domains come from."""
        own = {} if self.domain is None else {"domain": self.domain}
        return {**self.sanitizer.parameters(), **own}

    def facts_of_run(self) -> dict[str, Any]:
        """Those of the sanitizer, the columns that are measured, and whose rows count."""
        own = {"names": self.names, "unit": self.unit, "rows": self.rows}
        return {**self.spec(), **own, "sanitizer": self.sanitizer.facts_of_run()}

    def require(self, schema: Schema) -> None:
        """The unit must be a column; the sanitizer may want more of the others."""
        if self._changes_table:
            super().require(schema)
        if self.unit and self.unit not in schema:
            raise PartError(
                f"the data have no column {self.unit!r}, which is to say whose row it is"
            )
        self.sanitizer.require(_without(schema, self.unit))

    def claim_for(self, schema: Schema) -> Claim | None:
        """The claim of the sanitizer, as far as domain and unit leave one."""
        claim = self.sanitizer.claim_for(_without(schema, self.unit))
        if claim is None or self.domain == "learned":
            return None
        facts: dict[str, Any] = {"kinds": self.kinds}
        if self._divides:
            facts |= {"delta": self._split()[0].total_delta, "domain": self.domain}
        if self.unit:
            facts |= {"unit": self.unit, "rows": self.rows}
        return claim.model_copy(update=facts)

    def tells_origins(self) -> bool:
        """Whether the sanitizer does."""
        return self.sanitizer.tells_origins()

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Bound the rows of each person, decide on the domains, and run the sanitizer."""
        claim = self.claim_for(data.schema)
        kept, prepared, part, methods = self._prepare(data, noise)
        made = sanitize(part, prepared, rng=rng, noise=noise)
        learned = self.domain == "learned" and made.release.claim
        release = replace(
            made.release,
            claim=claim,
            methods=(*methods, *made.release.methods),
            no_claim=LEARNED if learned else made.release.no_claim,
        )
        if self.comparable:
            release = replace(release, data=_under(as_table(release.data), data.schema))
        trace = replace(made.trace, origins=origins_through(kept, made.trace.origins))
        return Sanitized(release, trace)

    def choice(self, data: Data, *, noise: Noise) -> tuple[FocalPoint, ...]:
        """What the sanitizer chooses on the data that it would get."""
        _, prepared, part, _ = self._prepare(data, noise)
        return part.choice(prepared, noise=noise)

    def _prepare(
        self, data: Data, noise: Noise
    ) -> tuple[Rows, Data, Sanitizer, tuple[Method, ...]]:
        """The rows that count, the data of them, the sanitizer for these, and what was done."""
        if not self._changes_table:
            return np.arange(len(data)), data, self.sanitizer, ()
        table, part, methods = as_table(data), self.sanitizer, []
        kept = np.arange(len(table))
        if self.unit:
            kept = bound_rows(table, self.unit, self.rows, noise=noise)
            table = table.take(kept).drop(self.unit)
            detail = f"at most {self.rows} rows of each {self.unit}, chosen at random"
            methods.append(Method(name="record deletion", detail=detail))
        if self._divides and part.claim_for(table.schema) is not None:
            split, part = self._split()
            if self.domain == "measured":
                table = measure_domain(
                    table,
                    self.names,
                    rho=split.rho,
                    threshold=split.threshold,
                    rows=self.rows,
                    noise=noise,
                )
                methods.append(_measured_method(self.names, split))
        elif self.domain == "learned":
            table = learn_domain(table, self.names)
        return kept, table, part, tuple(methods)

    @property
    def _changes_table(self) -> bool:
        """Whether anything happens before the sanitizer, which is then about one table."""
        return bool(self.unit) or self.domain in ("measured", "learned")

    @property
    def _divides(self) -> bool:
        """Whether the budget of the sanitizer is divided."""
        return self.domain == "measured" or (self.domain == "public" and bool(self.unit))

    def _split(self) -> tuple[Split, Sanitizer]:
        return self.sanitizer.split(measured=self.domain == "measured", rows=self.rows)


def _under(release: Table, schema: Schema) -> Table:
    """A release under the columns of a schema that cover its own."""
    columns = tuple(
        schema[c.name] if c.name in schema and covers(schema[c.name], c) else c
        for c in release.schema.columns
    )
    return refit(release, release.schema.model_copy(update={"columns": columns}))


def _measured_method(names: tuple[str, ...], split: Split) -> Method:
    detail = (
        "smallest and largest numbers and categories measured with noise, for a share of "
        f"{split.share:g} of the budget and delta {split.threshold:.2g}; rare categories became "
        f"{OTHER}"
    )
    return Method(name="domain measured with noise", columns=names, detail=detail)


def _without(schema: Schema, unit: str) -> Schema:
    return schema.drop(unit) if unit in schema else schema


def bound_rows(table: Table, unit: str, rows: int, *, noise: Noise) -> Rows:
    """The rows to keep: at most so many of each unit, chosen at random, and none of nobody.

    >>> from quintain.data import Column
    >>> schema = Schema(columns=(Column(name="pid", kind="id", nullable=True),))
    >>> visits = Table.of(schema, {"pid": ["a", "a", "b", "a", None]})
    >>> kept = bound_rows(visits, "pid", 2, noise=Noise.for_test(1))
    >>> sorted(visits.columns["pid"][kept].tolist())
    ['a', 'a', 'b']
    """
    names = table.columns[unit].astype(np.str_)
    owned: Rows = np.flatnonzero(names != "")
    _, people = np.unique(names[owned], return_inverse=True)
    order = np.lexsort((noise.words(len(owned)), people))
    starts = np.flatnonzero(np.diff(people[order], prepend=-1))
    place = np.arange(len(order)) - np.repeat(starts, np.diff(np.append(starts, len(order))))
    return owned[np.sort(order[place < rows])]


def choose_mechanism(
    sanitizer: Sanitizer,
    schema: Schema,
    *,
    learned: Collection[str],
    kinds_stated: bool | None = None,
    domain: DomainSource | None = None,
    unit: str | None = None,
    rows: int | None = None,
) -> Sanitizer:
    """The mechanism for data with this schema; the sanitizer itself if nothing happens before it.

    Parameters
    ----------
    learned : the columns whose domains nobody stated, so that the schema shows private records.
    kinds_stated : whether somebody stated columns and kinds; by default if nothing is learned.
    domain : where the domains come from; by default as :func:`default_domain` says.
    unit : the column that says whose row it is.
    rows : the most rows of a person.
    """
    decides = sanitizer.decides_domain()
    if decides and unit is not None:
        raise PartError(f"{sanitizer.id} is about whole persons; leave out the unit")
    if (unit is None) != (rows is None):
        raise PartError(
            "a unit and the most rows of a unit belong together: give both, --unit and "
            "--rows-per-unit (unit= and rows_per_unit= in Python)"
        )
    schema = plain_schema(schema)
    own = _without(schema, unit or "")
    claims = sanitizer.claim_for(own) is not None
    if learned and claims and schema.tables is not None and not decides:
        raise PartError(f"{sanitizer.id} cannot measure the domains of several tables: {_STATE}")
    _refuse_unstated(domain, learned)
    source = domain or default_domain(sanitizer, own, learned)
    stated = not learned if kinds_stated is None else kinds_stated
    kinds: ClaimedKinds = "stated" if stated else "as in the data"
    if decides:
        if domain is not None or source != "public":
            sanitizer = sanitizer.with_parameter("domain", source)
        if stated or sanitizer.claim_for(own) is None:
            return sanitizer
        return Mechanism(sanitizer=sanitizer, domain=None, kinds=kinds)
    plain = source == "public" and (stated or not claims)
    if unit is None and (plain or (domain is None and source == "learned" and not claims)):
        return sanitizer
    names = () if source == "public" else tuple(learned) or tuple(c.name for c in own.attributes)
    made = Mechanism(
        sanitizer=sanitizer,
        domain=source,
        names=names,
        kinds=kinds,
        unit=unit or "",
        rows=rows or 1,
    )
    if source == "measured" and not claims:
        raise PartError(f"{sanitizer.id} claims nothing that could pay for measured domains")
    made.claim_for(schema)  # refuses a budget that cannot be divided
    return made


_STATE = "give a schema (--schema, or schema= in Python) with what is public"


def _refuse_unstated(domain: DomainSource | None, learned: Collection[str]) -> None:
    if domain == "public" and learned:
        named = ", ".join(learned)
        raise PartError(f"nobody stated the domains of {named}: {_STATE}")


def default_domain(sanitizer: Sanitizer, schema: Schema, learned: Collection[str]) -> DomainSource:
    """Where domains come from if nobody says it.

    They are public if somebody stated all of them. Else they are measured if the sanitizer claims
    something and has a budget to pay with, and learned if not.
    """
    if not learned:
        return "public"
    if sanitizer.claim_for(schema) is None:
        return "learned"
    if sanitizer.decides_domain():
        return "measured"
    try:
        sanitizer.split(measured=True, rows=1)
    except PartError:
        return "learned"
    return "measured"


def tell_lost_columns(sanitizer: Sanitizer, release: Data) -> str:
    """Which columns lost all their values, because too few people have them; empty if none did.

    Of one table it gives the lines of a schema file that state these columns. It reads the release
    alone, so it shows nothing that the release does not: the values are left open.
    """
    if shows_domain(sanitizer):
        return ""
    if release.schema.tables is not None:
        lost, who = list(_lost_of_people(release)), "people"
        instead = "or give a schema of people with public domains"
    else:
        columns = list(_lost_of_rows(sanitizer, release))
        lost, who = [repr(column.name) for column in columns], "rows"
        instead = (
            "or write what is public about these columns into a schema file, and give it with "
            "--schema (schema= in Python). The other columns are measured as before:\n"
            f"{_lines_to_fill(columns)}"
        )
    if not lost:
        return ""
    return (
        f"{', '.join(lost)}: no value is left, because the {who} are too few to measure with this "
        f"epsilon which values there are; use more {who} or a larger epsilon, {instead}"
    )


def _lost_of_rows(sanitizer: Sanitizer, release: Data) -> Iterator[Column]:
    if isinstance(sanitizer, Mechanism) and len(release):
        rows = as_table(release)
        measured = (name for name in sanitizer.names if name in rows.schema)
        yield from (rows.schema[name] for name in measured if _is_lost(rows, name))


def _lines_to_fill(columns: Sequence[Column]) -> str:
    """A schema file with only these columns, with dots in the place of what nobody stated."""
    lines = ",\n".join(f"  {json.dumps(_facts_to_fill(column))}" for column in columns)
    head = f'{{"format": "{Schema.model_fields["format"].default}", "others": "{OTHERS_LEARNED}"'
    return f'{head}, "columns": [\n{lines}\n]}}'


def _facts_to_fill(column: Column) -> dict[str, Any]:
    facts: dict[str, Any] = {"name": column.name, "kind": column.kind}
    if column.listed:
        return facts | {"values": ["...", "..."]}
    if column.temporal:
        form = {"time_format": column.time_format}
        return facts | form | {"earliest": "...", "latest": "..."}
    return facts | {"low": "...", "high": "..."}


def _lost_of_people(release: Data) -> Iterator[str]:
    people = as_trees(release).people
    for table in people.schema.tables:
        rows = people.tables[table.name].rows
        if not len(rows):
            yield f"all rows of {table.name}"
        if len(rows) > 1:  # one row has one value of everything
            lost = (column.name for column in table.columns if _is_lost(rows, column.name))
            yield from (f"{name!r} of {table.name}" for name in lost)


def _is_lost(released: Columns, name: str) -> bool:
    column, cells = released.schema[name], released.columns[name]
    if column.listed:
        return OTHER in column.values and bool((cells == column.values.index(OTHER)).all())
    return is_nothing(column) or bool((cells == cells[:1]).all())


def shows_domain(sanitizer: Sanitizer) -> bool:
    """Whether a release shows the domains of the data: they are taken as they are, or learned.

    Domains that nobody stated are then not protected.
    """
    return sanitizer.parameters().get("domain") != "measured"
