"""Adult: the census incomes of AMIC, and a stand-in for them."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import numpy as np

from quintain.data.codec import parse_texts
from quintain.data.column import Column
from quintain.data.schema import Schema
from quintain.data.sources.bayesnet import read_networks
from quintain.data.sources.source import Source
from quintain.data.table import Table
from quintain.errors import DataError, Fault, Faults
from quintain.registry import register

PARAMETERS = "adult.json.gz"
TRAIN = ("adult.data", "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d")
TEST = ("adult.test", "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05")
TRAIN_ROWS = 30_162
TEST_ROWS = 15_060

FILE_COLUMNS = (
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation",
    "relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week",
    "native-country", "income",
)  # fmt: skip

WORKCLASS = (
    "Private", "Self-emp-not-inc", "Self-emp-inc", "Federal-gov", "Local-gov", "State-gov",
    "Without-pay", "Never-worked",
)  # fmt: skip
EDUCATION = (
    "Bachelors", "Some-college", "11th", "HS-grad", "Prof-school", "Assoc-acdm", "Assoc-voc", "9th",
    "7th-8th", "12th", "Masters", "1st-4th", "10th", "Doctorate", "5th-6th", "Preschool",
)  # fmt: skip
MARITAL_STATUS = (
    "Married-civ-spouse", "Divorced", "Never-married", "Separated", "Widowed",
    "Married-spouse-absent", "Married-AF-spouse",
)  # fmt: skip
OCCUPATION = (
    "Tech-support", "Craft-repair", "Other-service", "Sales", "Exec-managerial", "Prof-specialty",
    "Handlers-cleaners", "Machine-op-inspct", "Adm-clerical", "Farming-fishing", "Transport-moving",
    "Priv-house-serv", "Protective-serv", "Armed-Forces",
)  # fmt: skip
RELATIONSHIP = (
    "Wife", "Own-child", "Husband", "Not-in-family", "Other-relative", "Unmarried",
)  # fmt: skip

SCHEMA = Schema(
    title="Census income",
    columns=(
        Column(name="age", kind="integer", low=17, high=90, unit="years"),
        Column(name="workclass", kind="category", values=WORKCLASS),
        Column(name="education", kind="category", values=EDUCATION),
        Column(name="marital-status", kind="category", values=MARITAL_STATUS),
        Column(name="occupation", kind="category", values=OCCUPATION),
        Column(name="relationship", kind="category", values=RELATIONSHIP),
        Column(name="sex", kind="category", values=("Female", "Male")),
        Column(name="hours-per-week", kind="integer", low=1, high=99, unit="hours"),
        Column(name="income", kind="category", values=(">50K", "<=50K")),
    ),
)


@register("adult-v1")
class Adult(Source):
    """Working adults of a US census sample of 1994 with nine attributes: the data set of AMIC.

    The real files have 30,162 people, and 15,060 for testing, after everybody with a missing answer
    in any of the fifteen original columns is left out. The stand-in draws people from published
    shares. It follows the real distributions of single columns and of pairs, and its people do not
    exist.

    Parameters
    ----------
    rows : how many people; 30,162 by default.
    real : load the real files instead of generating the stand-in.

    >>> import quintain as q
    >>> people = q.part("adult", rows=3).data(np.random.default_rng(1))
    >>> for person in people.select(["age", "occupation", "income"]).records():
    ...     print(person)
    {'age': 36, 'occupation': 'Craft-repair', 'income': '<=50K'}
    {'age': 53, 'occupation': 'Craft-repair', 'income': '<=50K'}
    {'age': 21, 'occupation': 'Adm-clerical', 'income': '<=50K'}

    References
    ----------
    AMIC (PWSCup 2020), table 1. Becker and Kohavi, Adult, UCI, doi 10.24432/C5XW20.
    """

    licence: ClassVar[str] = "CC BY 4.0 (Becker and Kohavi, UCI, doi 10.24432/C5XW20)"
    obtain: ClassVar[str] = (
        "Download adult.data and adult.test of the Adult data set from the UCI Machine Learning "
        "Repository (doi 10.24432/C5XW20)."
    )

    def data_schema(self) -> Schema:
        """The nine attributes with all values that the census allows."""
        return SCHEMA

    def generate(self, rng: np.random.Generator) -> Table:
        """The people of the stand-in: 30,162, or ``rows``."""
        return _people(self.rows or TRAIN_ROWS, rng)

    def load(self) -> Table:
        """The 30,162 complete records of adult.data."""
        return _read(self.find(*TRAIN), TRAIN_ROWS)

    def test_data(self, rng: np.random.Generator) -> Table:
        """The 15,060 complete records of adult.test; of the stand-in, at most ``rows``."""
        if self.real:
            return _read(self.find(*TEST), TEST_ROWS)
        return _people(min(TEST_ROWS, self.rows or TEST_ROWS), rng)


def _people(count: int, rng: np.random.Generator) -> Table:
    return Table(SCHEMA, read_networks(PARAMETERS)["person"].sample(count, rng, {}))


def _read(file: Path, expected: int) -> Table:
    """The complete records of one of the original files, in the order of the file."""
    faults = Faults(file.name)
    records: list[tuple[int, list[str]]] = []
    for number, line in enumerate(file.read_text(encoding="ascii").splitlines(), start=1):
        if not line.strip() or line.startswith("|"):
            continue
        cells = [cell.strip() for cell in line.split(",")]
        if len(cells) != len(FILE_COLUMNS):
            faults.add(f"expected {len(FILE_COLUMNS)} cells, found {len(cells)}", line=number)
        elif "?" not in cells:
            records.append((number, [*cells[:-1], cells[-1].removesuffix(".")]))
    columns = {}
    for column in SCHEMA.columns:
        position = FILE_COLUMNS.index(column.name)
        texts = [cells[position] for _, cells in records]
        columns[column.name], bad = parse_texts(column, texts)
        for row in np.flatnonzero(bad).tolist():
            faults.add(column.expected, line=records[row][0], column=column.name, got=texts[row])
    faults.raise_if_any(DataError)
    if len(records) != expected:
        message = f"{len(records)} complete records, expected {expected}"
        raise DataError([Fault(message, file.name)])
    return Table(SCHEMA, columns)
