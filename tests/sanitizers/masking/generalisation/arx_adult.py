"""The Adult data as the tests of ARX use them: nine columns, and their hierarchies.

The groups are those of the files ``data/adult_hierarchy_*.csv`` in the repository of ARX
(arx-deidentifier/arx, Apache 2.0). There England is in a group of its own by a slip of spelling.
"""

import csv
import os
from functools import cache
from pathlib import Path

import pytest

from quintain.data import Column, Schema, Table
from quintain.data.sources.adult import FILE_COLUMNS

COLUMNS = (
    "sex", "age", "race", "marital-status", "education", "native-country", "workclass",
    "occupation", "income",
)  # fmt: skip

_EDUCATION = {
    "Undergraduate": "Bachelors Some-college",
    "High School": "11th HS-grad 9th 7th-8th 12th 10th",
    "Professional Education": "Prof-school Assoc-acdm Assoc-voc",
    "Graduate": "Masters Doctorate",
    "Primary School": "1st-4th 5th-6th Preschool",
}
_CONTINENTS = {
    "North America": "United-States Puerto-Rico Canada Outlying-US(Guam-USVI-etc) Cuba Honduras "
    "Jamaica Mexico Dominican-Republic Haiti Guatemala El-Salvador",
    "South America": "Ecuador Columbia Nicaragua Trinadad&Tobago Peru",
    "Asia": "Cambodia India Japan China Iran Philippines Vietnam Laos Taiwan Thailand Hong",
    "Europe": "Germany Greece Italy Poland Portugal Ireland France Hungary Scotland Yugoslavia "
    "Holand-Netherlands",
}
_HIGHER = "Undergraduate", "Professional Education", "Graduate"


def _split(*groups):
    return tuple(tuple(group.split()) for group in groups)


HIERARCHIES = {
    "sex": (),
    "age": tuple(tuple(map(float, range(first, 100, width))) for first, width in
                 ((6, 5), (11, 10), (21, 20))),
    "race": (),
    "marital-status": (
        _split(
            "Married-civ-spouse Married-AF-spouse",
            "Divorced Never-married Separated Widowed Married-spouse-absent",
        ),
    ),
    "education": (
        _split(*_EDUCATION.values()),
        _split(" ".join(_EDUCATION[name] for name in _HIGHER)),
    ),
    "native-country": (_split(*_CONTINENTS.values()),),
    "workclass": (
        _split("Private Self-emp-not-inc Self-emp-inc", "Federal-gov Local-gov State-gov"),
    ),
    "occupation": (
        _split(
            "Tech-support Craft-repair Prof-specialty Machine-op-inspct",
            "Sales Exec-managerial Handlers-cleaners",
            "Other-service Adm-clerical Farming-fishing Transport-moving Priv-house-serv "
            "Protective-serv Armed-Forces",
        ),
    ),
    "income": (),
}  # fmt: skip


@cache
def adult():
    """The 30,162 records without a missing value; skips the test where the file is not."""
    folder = os.environ.get("QUINTAIN_DATA")
    path = Path(folder or ".") / "adult.data"
    if not path.is_file():
        pytest.skip("adult.data is not in the folder QUINTAIN_DATA")
    rows = [
        [cell.strip() for cell in row] for row in csv.reader(path.read_text().splitlines()) if row
    ]
    cells = zip(*(row for row in rows if "?" not in row), strict=True)
    texts = dict(zip(FILE_COLUMNS, cells, strict=True))
    columns = tuple(
        Column(name="age", kind="integer", low=17, high=90)
        if name == "age"
        else Column(name=name, kind="category", values=tuple(sorted(set(texts[name]))))
        for name in COLUMNS
    )
    return Table.of(Schema(columns=columns), {name: texts[name] for name in COLUMNS})
