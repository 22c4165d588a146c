"""Kept rows: a release beside its original, and how many faults it has."""

import numpy as np

from quintain.data import Transactions
from quintain.errors import Faults
from quintain.kernels.purchases import column_of
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


def without(original, persons):
    """A release that deletes all rows of these persons."""
    name = original.person_column.name
    names = original.columns[name].astype(np.str_)
    return original.replace({name: np.where(np.isin(names, persons), "", names)})


def faults_of(rule, original, release):
    faults = Faults("release.csv", first_line=2)
    rule.check(original, release, faults)
    return [str(fault) for fault in faults]


def test_a_person_without_rows_is_a_warning_or_a_fault():
    original = example("transactions", rows=30)
    one = str(original.columns[original.person_column.name][0])
    release = without(original, [one])
    said = f"1 of {len(original.persons())} persons have no row left: {one}"
    assert faults_of(KeptRows(), original, release) == []
    assert KeptRows().remarks(original, release) == [said]
    assert KeptRows().remarks(original, original) == []
    assert KeptRows(everybody=True).remarks(original, release) == []
    strict = faults_of(KeptRows(everybody=True), original, release)
    assert strict == [f"release.csv: {said}; each person must keep at least one row"]


def test_items_that_nobody_bought_are_foreign():
    original = example("transactions", rows=30)
    item = column_of(original, "item").name
    kept = original.take(np.flatnonzero(original.columns[item] != 0))
    release = kept.replace({item: np.zeros(len(kept), np.int32)})
    assert faults_of(KeptRows(), kept, release) == []
    foreign = faults_of(KeptRows(own_items=True), kept, release)
    assert len(foreign) == len(kept)
    assert "is not an item of the original" in foreign[0]
    assert faults_of(KeptRows(own_items=True), kept, kept) == []
