"""The loader of Adult on the real files, how close its stand-in comes, and what both promise."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from quintain.data import Table
from quintain.data.sources import adult, cps
from quintain.data.sources.adult import Adult
from quintain.data.sources.cps import Cps
from tests.data.sources.real_cases import FOLDER, assert_close, need, shared_rows
from tests.data.sources.source_cases import rng

pytestmark = pytest.mark.real_data
ROOT = Path(__file__).resolve().parents[3]

# --- adult ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def real_people() -> Table:
    need("adult.data")
    return Adult(real=True).load()


@pytest.fixture(scope="module")
def people() -> Table:
    return Adult().generate(rng())


def test_adult_is_the_population_of_amic(real_people: Table) -> None:
    assert len(real_people) == 30_162
    assert len(np.unique(real_people.row_keys())) == 25_014
    assert real_people.records()[0] == {
        "age": 39,
        "workclass": "State-gov",
        "education": "Bachelors",
        "marital-status": "Never-married",
        "occupation": "Adm-clerical",
        "relationship": "Not-in-family",
        "sex": "Male",
        "hours-per-week": 40,
        "income": "<=50K",
    }
    part = Adult(real=True, rows=500).data(rng())
    assert len(part) == 500


def test_adult_has_its_test_records() -> None:
    need("adult.test")
    test = Adult(real=True).test_data(rng())
    assert len(test) == 15_060
    assert 0.2 < (test.columns["income"] == 0).mean() < 0.3


def test_the_files_of_census_income_have_as_many_records_as_the_rules_of_amic_say() -> None:
    need("adult.data", "adult.test")
    records = [
        sum(line.count(",") == 14 for line in (FOLDER / name).read_text().splitlines())
        for name in ("adult.data", "adult.test")
    ]
    assert records == [32_561, 16_281]


def test_adult_stand_in_is_close(real_people: Table, people: Table) -> None:
    assert_close(real_people, people)


def test_adult_stand_in_copies_nobody(real_people: Table, people: Table) -> None:
    order = rng().permutation(len(real_people))
    half, rest = np.array_split(order, 2)
    coincide, natural = shared_rows(real_people.take(half), people, real_people.take(rest))
    assert coincide <= natural, f"{coincide:.4f} of the stand-in, {natural:.4f} of the other half"


# --- both -----------------------------------------------------------------------------------------


def test_stand_ins_are_made_soon() -> None:
    for source, limit in ((Adult(), 10), (Cps(), 60)):
        started = time.process_time()
        source.generate(rng())
        took = time.process_time() - started
        assert took < limit, f"{source.id} took {took:.2f} s"


def test_shipped_parameters_are_what_the_script_fits(tmp_path: Path) -> None:
    need("adult.data", "snake_base.parquet")
    command = [sys.executable, str(ROOT / "scripts" / "fit_sources.py"), str(tmp_path)]
    environment = {**os.environ, "QUINTAIN_DATA": str(FOLDER)}
    subprocess.run(command, env=environment, check=True, capture_output=True)
    for file in (adult.PARAMETERS, cps.PARAMETERS):
        shipped = (Path(adult.__file__).parent / file).read_bytes()
        fitted = (tmp_path / file).read_bytes()
        assert gzip.decompress(fitted) == gzip.decompress(shipped), f"{file}: fit it again"
