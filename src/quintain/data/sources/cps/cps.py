"""Cps: the working people by household of SNAKE, and a stand-in for them."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from quintain.data.arrays import distinct
from quintain.data.arrow import from_arrow
from quintain.data.lines import Lines
from quintain.data.schema import Column, Schema
from quintain.data.sources.cps.duplicates import Duplicates, find_duplicates
from quintain.data.sources.cps.extracts import base_from_extracts, find_extracts
from quintain.data.sources.cps.households import simulate, whole_households
from quintain.data.sources.source import Source
from quintain.data.table import Table
from quintain.errors import DataError, Fault, Faults
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
        faults = Faults(file.name)
        table = from_arrow(pyarrow.parquet.read_table(file), SCHEMA, faults, Lines(0))
        faults.raise_if_any(DataError)
        assert isinstance(table, Table)
        counted = (len(table), len(distinct(table.columns["hhid"])))
        if counted != (ROWS, HOUSEHOLDS):
            message = (
                f"{counted[0]} people in {counted[1]} households, expected {ROWS} in {HOUSEHOLDS}"
            )
            raise DataError([Fault(message, file.name)])
        return table
