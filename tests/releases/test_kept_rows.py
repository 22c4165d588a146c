"""Kept rows: a release beside its original, and how many faults it has."""

import numpy as np

from quintain.data import Transactions
from quintain.errors import Faults
from quintain.releases.kept_rows import KeptRows
from quintain.testing import example


def test_thousands_of_faults_are_not_all_listed_but_all_counted():
    small = example("transactions")
    many = small.take(np.resize(np.arange(len(small)), 3000))
    person = many.person_column.name
    columns = {**many.columns, person: np.full(len(many), "a")}
    original = Transactions(many.schema, columns)
    pseudonyms = np.array([f"p{i}" for i in range(len(many))])
    release = Transactions(many.schema, {**columns, person: pseudonyms})
    faults = Faults("release.csv", first_line=2)
    faults.add("found before")
    KeptRows().check(original, release, faults)
    assert len(faults.findings) == 1000
    # In every month one person is called otherwise on each row but the first.
    when = many.columns[many.time_column.name].astype("datetime64[s]").astype("datetime64[M]")
    assert faults.total == 1 + len(many) - len(np.unique(when))
