"""Three tables of people, and which of their columns are known and which are to be rebuilt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.audit import adult_people
from benchmarks.bench import person_tables
from quintain.data import Table
from quintain.data.sources.cps import Cps


@dataclass(frozen=True, slots=True, eq=False)
class RebuiltPeople:
    """A population, with the columns that attackers know and those that they must rebuild."""

    table: Table
    known: tuple[str, ...]
    hidden: tuple[str, ...]


def adult() -> RebuiltPeople:
    """Census Income: five columns about work and family are hidden."""
    known = ("age", "education", "race", "sex", "hours-per-week")
    hidden = ("workclass", "marital-status", "occupation", "relationship", "income")
    people = adult_people.population()
    names = people.schema.names
    kept = tuple(name for name in hidden if name in names)  # the stand-in has fewer columns
    return RebuiltPeople(people, tuple(name for name in known if name in names), kept)


def cps() -> RebuiltPeople:
    """The base table of SNAKE: family, income and work are hidden."""
    people = Cps(rows=40_000).data(np.random.default_rng(0))
    table = people.select([column.name for column in people.schema.attributes])
    known = ("age", "citistat", "female", "wbhaom", "gradeatn", "statefips")
    hidden = ("married", "cow1", "ftptstat", "faminc", "mind16", "mocc10")
    return RebuiltPeople(table, known, hidden)


def bank() -> RebuiltPeople:
    """The 4,500 accounts of a bank with their owners: what they use is hidden.

    Without the files, the stand-in of Census Income takes their place.
    """
    people = person_tables.bank()
    names, known = people.table.schema.names, 5 if people.real else 4
    return RebuiltPeople(people.table, names[:known], names[known:])


DATA = {"Adult": adult, "CPS": cps, "bank": bank}
