"""Mechanism: a sanitizer with what happens before it, which a claim must cover, too.

Before a sanitizer runs, somebody decides on the domains of the columns, and on how many rows of a
person count. Both read private records, so both are part of the mechanism.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np

from quintain.accounting.split import Split
from quintain.data import Data, Schema, Table, as_table, as_trees
from quintain.data.arrays import Rows
from quintain.data.columns import Columns
from quintain.errors import PartError
from quintain.noise import Noise
from quintain.releases import Claim, FocalPoint, Method, Sanitized, origins_through
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
        claimed.
    names : the columns whose domains are measured or learned.
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
    domain: DomainSource = "public"
    names: tuple[str, ...] = ()
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
        return {**self.sanitizer.parameters(), "domain": self.domain}

    def require(self, schema: Schema) -> None:
        """The unit must be a column; the sanitizer may want more of the others."""
        super().require(schema)
        if self.unit and self.unit not in schema:
            raise PartError(
                f"the data have no column {self.unit!r}, which is to say whose row it is"
            )
        self.sanitizer.require(_without(schema, self.unit))

    def claim_for(self, schema: Schema) -> Claim | None:
        """The claim of the sanitizer, as far as domain and unit leave one."""
        claim = self.sanitizer.claim_for(_without(schema, self.unit))
        if claim is None or not self._divides:
            return None
        split, _ = self._split()
        facts = {"delta": split.total_delta, "domain": self.domain}
        unit = {"unit": self.unit, "rows": self.rows} if self.unit else {}
        return claim.model_copy(update=facts | unit)

    def tells_origins(self) -> bool:
        """Whether the sanitizer does."""
        return self.sanitizer.tells_origins()

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Bound the rows of each person, decide on the domains, and run the sanitizer."""
        claim = self.claim_for(data.schema)
        kept, table, part, methods = self._prepare(as_table(data), noise)
        made = sanitize(part, table, rng=rng, noise=noise)
        no_claim = LEARNED if self.domain == "learned" and made.release.claim else ""
        release = replace(
            made.release,
            claim=claim,
            methods=(*methods, *made.release.methods),
            no_claim=no_claim,
        )
        if self.comparable:
            release = replace(release, data=_under(as_table(release.data), data.schema))
        trace = replace(made.trace, origins=origins_through(kept, made.trace.origins))
        return Sanitized(release, trace)

    def choice(self, data: Data, *, noise: Noise) -> tuple[FocalPoint, ...]:
        """What the sanitizer chooses on the data that it would get."""
        _, table, part, _ = self._prepare(as_table(data), noise)
        return part.choice(table, noise=noise)

    def _prepare(
        self, table: Table, noise: Noise
    ) -> tuple[Rows, Table, Sanitizer, tuple[Method, ...]]:
        """The rows that count, the table of them, the sanitizer for it, and what was done."""
        kept, part, methods = np.arange(len(table)), self.sanitizer, []
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
    """The rows to keep: at most so many of each unit, chosen at random.

    >>> from quintain.data import Column
    >>> schema = Schema(columns=(Column(name="pid", kind="id"),))
    >>> visits = Table.of(schema, {"pid": ["a", "a", "b", "a"]})
    >>> kept = bound_rows(visits, "pid", 2, noise=Noise.for_test(1))
    >>> sorted(visits.columns["pid"][kept].tolist())
    ['a', 'a', 'b']
    """
    names = table.columns[unit].astype(np.str_)
    if (names == "").any():
        gaps = int((names == "").sum())
        raise PartError(f"{unit} is missing in {gaps} rows, so nobody knows whose they are")
    _, people = np.unique(names, return_inverse=True)
    order = np.lexsort((noise.words(len(table)), people))
    starts = np.flatnonzero(np.diff(people[order], prepend=-1))
    place = np.arange(len(order)) - np.repeat(starts, np.diff(np.append(starts, len(order))))
    kept: Rows = np.sort(order[place < rows])
    return kept


def choose_mechanism(
    sanitizer: Sanitizer,
    schema: Schema,
    *,
    learned: Collection[str],
    domain: DomainSource | None = None,
    unit: str | None = None,
    rows: int | None = None,
) -> Sanitizer:
    """The mechanism for data with this schema; the sanitizer itself if nothing happens before it.

    Parameters
    ----------
    learned : the columns whose domains nobody stated, so that the schema shows private records.
    domain : where the domains come from; by default as :func:`default_domain` says.
    unit : the column that says whose row it is.
    rows : the most rows of a person.
    """
    if sanitizer.decides_domain():
        if unit is not None:
            raise PartError(f"{sanitizer.id} is about whole persons; leave out the unit")
        source = domain or default_domain(sanitizer, schema, learned)
        _refuse_unstated(source, learned)
        if domain is None and source == "public":
            return sanitizer
        return sanitizer.with_parameter("domain", source)
    if (unit is None) != (rows is None):
        raise PartError(
            "a unit and the most rows of a unit belong together: give both, --unit and "
            "--rows-per-unit (unit= and rows_per_unit= in Python)"
        )
    own = _without(schema, unit or "")
    _refuse_unstated(domain, learned)
    claims = sanitizer.claim_for(own) is not None
    source = domain or default_domain(sanitizer, own, learned)
    plain = source == "public" or (domain is None and source == "learned" and not claims)
    if unit is None and plain:
        return sanitizer
    names = () if source == "public" else tuple(learned) or tuple(c.name for c in own.attributes)
    made = Mechanism(
        sanitizer=sanitizer, domain=source, names=names, unit=unit or "", rows=rows or 1
    )
    if source == "measured" and not claims:
        raise PartError(f"{sanitizer.id} claims nothing that could pay for measured domains")
    made.claim_for(schema)  # refuses a budget that cannot be divided
    return made


def domain_of_learned_people(
    sanitizer: Sanitizer, schema: Schema, domain: DomainSource | None
) -> DomainSource | None:
    """Where the domains of several tables come from, if their schema was learned.

    Learned domains show private records, so a sanitizer that claims differential privacy measures
    them, or refuses them if it cannot.
    """
    claims = sanitizer.claim_for(schema) is not None
    if claims and sanitizer.decides_domain():
        domain = domain or "measured"
    if claims and (domain == "public" or not sanitizer.decides_domain()):
        raise PartError(
            f"{sanitizer.id} claims differential privacy for public domains: give schema=, a "
            "schema of people with what is public"
        )
    return domain


def _refuse_unstated(domain: DomainSource | None, learned: Collection[str]) -> None:
    if domain == "public" and learned:
        named = ", ".join(learned)
        raise PartError(f"nobody stated the domains of {named}: give a schema with what is public")


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


def tell_lost_columns(sanitizer: Sanitizer, private: Data, release: Data) -> str:
    """Which columns lost all their values, because too few people have them; empty if none did.

    It reads the release alone, so it shows nothing that the release does not.
    """
    if shows_domain(sanitizer):
        return ""
    several = release.schema.tables is not None
    lost = ", ".join(_lost_of_people(release) if several else _lost_of_rows(sanitizer, release))
    if not lost:
        return ""
    return (
        f"{lost}: no value is left, because {len(private):,} {'people' if several else 'rows'} are "
        "too few to measure with this epsilon which values there are; use more people or a larger "
        "epsilon, or give a schema with public domains"
    )


def _lost_of_rows(sanitizer: Sanitizer, release: Data) -> Iterator[str]:
    if isinstance(sanitizer, Mechanism) and len(release):
        rows = as_table(release)
        measured = (name for name in sanitizer.names if name in rows.schema)
        yield from (repr(name) for name in measured if _is_lost(rows, name))


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
    if column.kind == "category":
        return OTHER in column.values and bool((cells == column.values.index(OTHER)).all())
    return is_nothing(column) or bool((cells == cells[:1]).all())


def shows_domain(sanitizer: Sanitizer) -> bool:
    """Whether a release shows the domains of the data: they are taken as they are, or learned.

    Domains that nobody stated are then not protected.
    """
    return sanitizer.parameters().get("domain") != "measured"
