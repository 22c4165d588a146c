"""Cps: the working people by household of SNAKE, and a stand-in for them.

In the stand-in, a household has couples, married people whose spouse is not in the table, and
unmarried people. Its *head* is a partner of the oldest couple; without a couple, the oldest married
member; without a married member, the oldest member. The state, the family income and whether all
members are of one race belong to the household. Each person is drawn given the household and its
head, and a partner is drawn given the other partner.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from quintain.data.arrays import Array, Rows, distinct
from quintain.data.arrow import from_arrow
from quintain.data.column import Column
from quintain.data.kinds import as_table
from quintain.data.schema import Schema
from quintain.data.sources.bayesnet import read_networks
from quintain.data.sources.cps_extracts import base_from_extracts, find_extracts
from quintain.data.sources.source import Source
from quintain.data.table import Table
from quintain.errors import DataError, Fault
from quintain.registry import register

FILE = ("snake_base.parquet", "94548f60c6ab49176e3950ecff3f8e6fcdb88e8ee2dbf1534482f8a258216406")
ROWS = 201_279
HOUSEHOLDS = 77_111

AGECHILD = (
    "No own children under 18 years of age",
    "All own children 0-2 years of age",
    "All own children 3-5 years of age",
    "All own children 6-13 years of age",
    "All own children 14-17 years of age",
    "Own children 0-2 and 3-5 years of age (none 6-17)",
    "Own children 0-2 and 6-13 years of age (none 3-5 or 14-17)",
    "Own children 0-2 and 14-17 years of age (none 3-13)",
    "Own children 3-5 and 6-13 years of age (none 0-2 or 14-17)",
    "Own children 3-5 and 14-17 years of age (none 0-2 or 6-13)",
    "Own children 6-13 and 14-17 years of age (none 0-5)",
    "Own children 0-2, 3-5, and 6-13 years of age (none 14-17)",
    "Own children 0-2, 3-5, and 14-17 years of age (none 6-13)",
    "Own children 0-2, 6-13, and 14-17 years of age (none 3-5)",
    "Own children 3-5, 6-13, and 14-17 years of age (none 0-2)",
    "Own children from all age groups",
)
CITISTAT = (
    "Native, born in US",
    "Native, born in Puerto Rico or other US island areas",
    "Native, born abroad with American parent(s)",
    "Foreign born, naturalized US citizen",
    "Foreign born, not a US citizen",
)
WBHAOM = ("White", "Black", "Hispanic", "Asian", "Native American", "Multiple races")
GRADEATN = (
    "Less than 1st grade",
    "1st-4th grade",
    "5th-6th grade",
    "7th-8th grade",
    "9th grade",
    "10th grade",
    "11th grade",
    "12th grade-no diploma",
    "HS graduate, GED",
    "Some college but no degree",
    "Associate degree-occupational/vocational",
    "Associate degree-academic program",
    "Bachelor's degree",
    "Master's degree",
    "Professional school",
    "Doctorate",
)
COW1 = (
    "Government - Federal",
    "Government - State",
    "Government - Local",
    "Private, for profit",
    "Private, nonprofit",
    "Self-employed, incorporated",
    "Self-employed, unincorporated",
    "Without pay",
)
FTPTSTAT = (
    "Not in labor force",
    "FT hours (35+), usually FT",
    "PT for economic reasons, usually FT",
    "PT for non-economic reasons, usually FT",
    "Not at work, usually FT",
    "PT hrs, usually PT for economic reasons",
    "PT hrs, usually PT for non-economic reasons",
    "FT hours, usually PT for economic reasons",
    "FT hours, usually PT for non-economic",
    "Not at work, usually part-time",
    "Unemployed FT",
    "Unemployed PT",
)
STATEFIPS = (
    "AL", "AK", "AZ", "AR", "CA", "CO", "CT", "DE", "DC", "FL", "GA", "HI", "ID", "IL", "IN", "IA",
    "KS", "KY", "LA", "ME", "MD", "MA", "MI", "MN", "MS", "MO", "MT", "NE", "NV", "NH", "NJ", "NM",
    "NY", "NC", "ND", "OH", "OK", "OR", "PA", "RI", "SC", "SD", "TN", "TX", "UT", "VT", "VA", "WA",
    "WV", "WI", "WY",
)  # fmt: skip
FAMINC = (
    "Less than $5,000",
    "$5,000 - $7,499",
    "$7,500 - $9,999",
    "$10,000 - $12,499",
    "$12,500 - $14,999",
    "$15,000 - $19,999",
    "$20,000 - $24,999",
    "$25,000 - $29,999",
    "$30,000 - $34,999",
    "$35,000 - $39,999",
    "$40,000 - $49,999",
    "$50,000 - $74,999",
    "$75,000 - $99,999",
    "$100,000 - $149,999",
    "$150,000+",
)
MIND16 = (
    "Agriculture, mining, forestry and fisheries",
    "Construction",
    "Manufacturing, durable goods",
    "Manufacturing, nondurable goods",
    "Transportation",
    "Communications and utilities",
    "Wholesale trade",
    "Retail trade",
    "Finance, insurance and real estate. Business, auto, repair, and other professional services.",
    "Personal services, including private household",
    "Entertainment and recreation",
    "Hospital",
    "Medical, except hospital",
    "Educational",
    "Social Services",
    "Public administration",
)
MOCC10 = (
    "Managers and professionals",
    "Technicians",
    "Sales",
    "Office and admin",
    "Personal care and personal services",
    "Protective service",
    "Services",
    "Precision production, craft and repair",
    "Operators, fabricators and laborers",
    "Agriculture",
)

SCHEMA = Schema(
    title="Working people by household",
    columns=(
        Column(name="hhid", kind="id", role="household"),
        Column(name="age", kind="integer", low=16, high=80, unit="years"),
        Column(name="agechild", kind="category", values=AGECHILD),
        Column(name="citistat", kind="category", values=CITISTAT),
        Column(name="female", kind="category", values=("Male", "Female")),
        Column(name="married", kind="category", values=("Not married", "Married")),
        Column(name="ownchild", kind="integer", low=0, high=13, unit="children"),
        Column(name="wbhaom", kind="category", values=WBHAOM),
        Column(name="gradeatn", kind="category", values=GRADEATN, ordered=True),
        Column(name="cow1", kind="category", values=COW1),
        Column(name="ftptstat", kind="category", values=FTPTSTAT),
        Column(name="statefips", kind="category", values=STATEFIPS),
        Column(name="hoursut", kind="integer", low=0, high=198, unit="hours"),
        Column(name="faminc", kind="category", values=FAMINC, ordered=True),
        Column(name="mind16", kind="category", values=MIND16),
        Column(name="mocc10", kind="category", values=MOCC10),
    ),
)


@register("cps-v1")
class Cps(Source):
    """Working adults of the US population survey by household: the data set of SNAKE.

    The real table has 201,279 people in 77,111 households, 812 of them with five or more members.
    It is read from snake_base.parquet, as SNAKE prepared it. If that file is missing, it is
    prepared in the same way from the yearly extracts of the survey; the number of people then
    depends on the version of the extracts.

    The survey gave some households several numbers, so a household can appear more than once, as a
    whole or in large part. A target from such a household would be a member and a non-member at the
    same time. Therefore repeated households are left out by default. The stand-in simulates whole
    households from published shares and repeats none; its household sizes follow the real table.

    Parameters
    ----------
    rows : how many people. Households stay whole: the stand-in has exactly this many people, the
        real file is cut to at most this many.
    real : load the real files instead of generating the stand-in.
    duplicates : "drop" keeps one of each set of households that are copies of each other or share
        three or more people. "keep" gives the table as SNAKE used it. The stand-in has none.

    >>> import quintain as q
    >>> people = q.part("cps", rows=4).data(np.random.default_rng(1))
    >>> for person in people.select(["hhid", "age", "female", "married"]).records():
    ...     print(person)
    {'hhid': 1, 'age': 28, 'female': 'Female', 'married': 'Married'}
    {'hhid': 1, 'age': 28, 'female': 'Male', 'married': 'Married'}
    {'hhid': 2, 'age': 51, 'female': 'Male', 'married': 'Married'}
    {'hhid': 2, 'age': 45, 'female': 'Female', 'married': 'Married'}

    References
    ----------
    SNAKE 1 (2023), table 3. Economic Policy Institute, Current Population Survey extracts.
    """

    licence: ClassVar[str] = (
        "Public survey data, to be cited as: Economic Policy Institute, Current Population Survey "
        "Extracts, Version 1.0.39, https://microdata.epi.org; as prepared by SNAKE"
    )
    obtain: ClassVar[str] = (
        "snake_base.parquet is the base table of the SNAKE challenge, prepared from the EPI CPS "
        "extracts 1.0.39 (https://microdata.epi.org); get it from the challenge's public "
        "material. Or get the extracts themselves, epi_cpsbasic_2000_2023.zip or the yearly "
        "files in it from epi_cpsbasic_2005.dta to epi_cpsbasic_2022.dta; quintain then prepares "
        "the table from these."
    )

    duplicates: Literal["drop", "keep"] = "drop"

    def data_schema(self) -> Schema:
        """The household number and fifteen attributes with all their values."""
        return SCHEMA

    def generate(self, rng: np.random.Generator) -> Table:
        """The people of the stand-in in whole households: 201,279, or ``rows``."""
        return Table(SCHEMA, simulate(self.rows or ROWS, rng))

    def load(self) -> Table:
        """The real people, with repeated households only if ``duplicates`` is "keep"."""
        table = self.historic()
        return table if self.duplicates == "keep" else table.take(find_duplicates(table).kept)

    def data(self, rng: np.random.Generator) -> Table:
        """The data set; with fewer ``rows``, whole households of the real one in file order."""
        if not self.real:
            return self.generate(rng)
        table = self.load()
        if self.rows is None or self.rows >= len(table):
            return table
        _, household = np.unique(table.columns["hhid"], return_inverse=True)
        drawn = rng.permutation(int(household.max()) + 1)
        chosen = drawn[whole_households(np.bincount(household)[drawn], self.rows)]
        return table.take(np.isin(household, chosen))

    def report_duplicates(self) -> Duplicates:
        """How many people and households the real file repeats; ``duplicates`` has no effect."""
        return find_duplicates(self.historic()).report

    def historic(self) -> Table:
        """The real table with its repeated households, from its file or from the extracts."""
        # pyarrow's Parquet reader is slow to import and only real data needs it.
        import pyarrow.parquet

        if not (self.folder() / FILE[0]).is_file() and find_extracts(self.folder()):
            return base_from_extracts(self.folder(), SCHEMA)
        file = self.find(*FILE)
        table = as_table(from_arrow(pyarrow.parquet.read_table(file), SCHEMA, file.name))
        counted = (len(table), len(distinct(table.columns["hhid"])))
        if counted != (ROWS, HOUSEHOLDS):
            message = (
                f"{counted[0]} people in {counted[1]} households, expected {ROWS} in {HOUSEHOLDS}"
            )
            raise DataError([Fault(message, file.name)])
        return table


# --- households that the file has more than once, under different numbers ---

STABLE = (
    "female", "age", "citistat", "wbhaom", "statefips", "gradeatn", "married", "mocc10", "mind16",
)  # fmt: skip
"""Attributes that rarely change between interviews; people equal in all of them are the same."""

SHARED = 3
"""Households with this many people in common count as the same household."""

TARGET_SIZE = 5
"""A household with at least this many members can be a target in SNAKE."""


@dataclass(frozen=True, slots=True)
class Duplicates:
    """How many people and households a table repeats.

    Parameters
    ----------
    rows : people whose record appears earlier in the table with the same attributes.
    copied : households with exactly the same members as another household.
    linked : households that share three or more people with another household.
    eligible : households with five or more members, which can be targets in SNAKE.
    eligible_linked : eligible households that are linked.
    dropped : households to leave out so that one of each cluster remains.
    """

    rows: int
    copied: int
    linked: int
    eligible: int
    eligible_linked: int
    dropped: int


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """The report, and for every row of the table whether it stays."""

    report: Duplicates
    kept: Array


def find_duplicates(table: Table) -> Findings:
    """Find copies and overlaps of households, and which household of each cluster to keep.

    The largest household of a cluster stays; if several are largest, the one with the lowest
    number.
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    _, household = np.unique(table.columns["hhid"], return_inverse=True)
    size = np.bincount(household)
    record = table.drop("hhid").row_keys()
    person = table.select(STABLE).row_keys()
    copy_of = _first_copy(household, record, size)
    left, right = _overlapping(household, person, len(size))
    copies = np.flatnonzero(copy_of != np.arange(len(size)))
    start, end = np.r_[left, copies], np.r_[right, copy_of[copies]]
    ones = np.ones(len(start), np.int8)
    graph = coo_matrix((ones, (start, end)), shape=(len(size), len(size)))
    _, cluster = connected_components(graph, directed=False)
    order = np.lexsort((np.arange(len(size)), -size, cluster))
    kept = order[np.flatnonzero(np.diff(cluster[order], prepend=-1))]
    linked = distinct(np.r_[left, right])
    report = Duplicates(
        rows=len(record) - len(distinct(record)),
        copied=len(distinct(np.r_[copies, copy_of[copies]])),
        linked=len(linked),
        eligible=int((size >= TARGET_SIZE).sum()),
        eligible_linked=int((size[linked] >= TARGET_SIZE).sum()),
        dropped=len(size) - len(kept),
    )
    return Findings(report, np.isin(household, kept))


def _first_copy(household: Rows, record: Rows, size: Rows) -> Rows:
    """For every household, the first household with exactly the same members; it may be itself."""
    order = np.lexsort((record, household))
    start = np.cumsum(size) - size
    key = size.astype(np.int64)
    # Compare the members in a fixed order, one at a time: households equal so far share a key.
    for place in range(int(size.max(initial=0))):
        has = size > place
        member = np.zeros(len(size), np.int64)
        member[has] = record[order[start[has] + place]] + 1
        _, key = np.unique(key * (len(record) + 1) + member, return_inverse=True)
    _, first, copy = np.unique(key, return_index=True, return_inverse=True)
    result: Rows = first[copy]
    return result


def _overlapping(household: Rows, person: Rows, households: int) -> tuple[Rows, Rows]:
    """Pairs of households that have at least ``SHARED`` people in common."""
    order = np.lexsort((household, person))
    person, household = person[order], household[order]
    twin = _run_position(person * households + household)
    # If a household has two equal people, the second matches only the second one elsewhere.
    _, identity = np.unique(person * (int(twin.max(initial=0)) + 1) + twin, return_inverse=True)
    order = np.lexsort((household, identity))
    identity, household = identity[order], household[order]
    pairs = [np.empty(0, np.int64)]
    for step in range(1, int(np.bincount(identity).max(initial=0))):
        same = identity[step:] == identity[:-step]
        pairs.append(household[:-step][same] * households + household[step:][same])
    pair, common = np.unique(np.concatenate(pairs), return_counts=True)
    strong = pair[common >= SHARED]
    return strong // households, strong % households


def _run_position(values: Rows) -> Rows:
    """The position of every element within its run of equal neighbours."""
    starts = np.flatnonzero(np.diff(values, prepend=values[:1] - 1))
    lengths = np.diff(np.r_[starts, len(values)])
    return np.arange(len(values)) - np.repeat(starts, lengths)


# --- simulated households ---

PARAMETERS = "cps.json.gz"

COUPLE, APART, SINGLE = range(3)
"""Roles: in a couple, married without the spouse in the table, not married."""

TYPES = (
    (0, 1, 0), (0, 0, 1),
    (1, 0, 0), (0, 1, 1), (0, 0, 2), (0, 2, 0),
    (1, 0, 1), (1, 1, 0), (0, 1, 2), (0, 0, 3), (0, 2, 1), (0, 3, 0),
    (2, 0, 0), (1, 0, 2), (1, 1, 1), (1, 2, 0), (0, 2, 2), (0, 3, 1), (0, 0, 4),
    (2, 0, 1), (2, 1, 0), (1, 1, 2), (1, 2, 1),
    (3, 0, 0), (2, 1, 1), (2, 2, 0), (2, 0, 2),
    (3, 1, 0), (3, 0, 1), (2, 1, 2),
    (4, 0, 0),
)  # fmt: skip
"""The types of households: how many couples, married people apart and singles they have."""

SIZES = np.array(TYPES) @ np.array([2, 1, 1])
"""The number of people in a household of each type."""

HOUSEHOLD = ("type", "statefips")
PERSON = (
    "age", "agechild", "citistat", "female", "ownchild", "wbhaom", "gradeatn", "cow1", "ftptstat",
    "hoursut", "mind16", "mocc10",
)  # fmt: skip
MEAN_SIZE = 2.6

Columns = dict[str, Array]


def simulate(rows: int, rng: np.random.Generator) -> Columns:
    """Exactly ``rows`` people in whole households, as the coded columns of a table.

    Households are drawn until they have enough people. A household that is too large for the rest
    is left out, and the next ones that fit take its place: in practice the last is a single.
    """
    houses, size = _draw_houses(0, rng), np.empty(0, np.int64)
    chosen = size
    while size[chosen].sum() < rows:
        more = _draw_houses(int(rows / MEAN_SIZE) + 200, rng)
        houses = {name: np.concatenate([houses[name], more[name]]) for name in HOUSEHOLD}
        size = SIZES[houses["type"]]
        chosen = whole_households(size, rows)
    return _people(_take(houses, chosen), rng)


def whole_households(size: Rows, rows: int) -> Rows:
    """The first households that together have at most ``rows`` people; later ones fill gaps."""
    total = np.cumsum(size)
    first = int(np.searchsorted(total, rows, side="right"))
    left = rows - int(total[first - 1]) if first else rows
    chosen = list(range(first))
    for household in range(first, len(size)):
        if left == 0:
            break
        if size[household] <= left:
            chosen.append(household)
            left -= int(size[household])
    return np.array(chosen, np.int64)


def _draw_houses(count: int, rng: np.random.Generator) -> Columns:
    return read_networks(PARAMETERS)["household"].sample(count, rng, {})


def _people(houses: Columns, rng: np.random.Generator) -> Columns:
    """The people of these households, household by household, in random order within each."""
    networks = read_networks(PARAMETERS)
    count = len(houses["type"])
    units = np.array(TYPES)[houses["type"]]
    head_role = np.argmax(units > 0, axis=1)
    heads = networks["head"].sample(count, rng, houses)
    houses = houses | {name: heads[name] for name in ("faminc", "one-race")}

    units[np.arange(count), head_role] -= 1
    places = np.repeat(np.arange(units.size), units.ravel())
    home, role = places // 3, places % 3
    given = {"role": role, **_take(houses, home), **_seen_as_head(heads, home)}
    others = networks["other"].sample(len(home), rng, given)

    first = {name: np.concatenate([heads[name], others[name]]) for name in PERSON}
    home = np.concatenate([np.arange(count), home])
    role = np.concatenate([head_role, role])
    leads = np.flatnonzero(role == COUPLE)
    given = {**_take(houses, home[leads]), **_seen_as_head(first, leads)}
    partners = networks["partner"].sample(len(leads), rng, given)

    people = {name: np.concatenate([first[name], partners[name]]) for name in PERSON}
    people["married"] = np.concatenate([role != SINGLE, np.ones(len(leads), bool)])
    home = np.concatenate([home, home[leads]])
    people |= {name: houses[name][home] for name in ("statefips", "faminc")}
    people["hhid"] = home + 1
    # As in the real table, the order of people says nothing about their roles.
    return _take(people, np.lexsort((rng.permutation(len(home)), home)))


def _seen_as_head(people: Columns, rows: Rows) -> Columns:
    return {f"head.{name}": people[name][rows] for name in PERSON}


def _take(columns: Columns, rows: Rows) -> Columns:
    return {name: values[rows] for name, values in columns.items()}
