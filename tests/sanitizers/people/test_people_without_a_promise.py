"""Resampled families, anonymous histories and pseudonyms per period."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quintain as q
from quintain.data import Column, Schema, Table, Trees
from quintain.data.sources.clinic import Clinic
from quintain.errors import PartError
from quintain.randomness.noise import Noise
from quintain.sanitizers.people.family_resampling import (
    FamilyResampling,
    SimilarPeople,
    copy_rows,
)
from quintain.sanitizers.people.history_anonymity import HistoryAnonymity, keep_shared
from quintain.sanitizers.people.period_pseudonyms import PeriodPseudonyms
from tests.sanitizers.people.test_people_marginals import tree

CLINIC = Clinic(rows=60).data(np.random.default_rng(1))


@settings(deadline=None, max_examples=25)
@given(
    st.lists(st.tuples(st.integers(0, 7), st.integers(0, 5)), max_size=40),
    st.integers(2, 4),
    st.integers(1, 3),
)
def test_every_small_set_of_values_that_is_left_is_shared(rows, k, m):
    person, value = (np.array([row[j] for row in rows], np.int64) for j in (0, 1))
    kept = keep_shared(person, value, 8, k=k, m=m)
    histories = [{v for p, v in np.array(rows)[kept].tolist() if p == i} for i in range(8)]
    for size in range(1, m + 1):
        shared = Counter(c for history in histories for c in combinations(sorted(history), size))
        assert all(count >= k for count in shared.values())


def test_nothing_is_dropped_where_everybody_is_alike():
    person, value = np.repeat(np.arange(5), 3), np.tile(np.arange(3), 5)
    assert keep_shared(person, value, 5, k=5, m=3).all()


def test_rows_of_shared_values_stay_as_they_are():
    part = HistoryAnonymity(k=3, m=1, columns=("visits.code",))
    release = q.sanitize(part, CLINIC, seed=1).data
    before, after = (data.people.tables["visits"].rows for data in (CLINIC, release))
    code = before.columns["code"]
    owners = CLINIC.people.tables["visits"].person
    common = [v for v in np.unique(code) if len(np.unique(owners[code == v])) >= 3]
    assert Counter(after.columns["code"].tolist()) == Counter(code[np.isin(code, common)].tolist())
    assert len(release.people.tables["prescriptions"]) <= len(CLINIC.people.tables["prescriptions"])
    with pytest.raises(PartError, match="several rows per person"):
        HistoryAnonymity(columns=("patients.sex",)).require(CLINIC.schema)


@settings(deadline=None, max_examples=20)
@given(st.lists(st.integers(-1, 4), max_size=12), st.lists(st.integers(0, 4), max_size=8))
def test_copied_rows_are_those_of_the_row_above(parent, above):
    copies = copy_rows(np.array(parent, np.int64), 5, np.array(above, np.int64))
    slow = [(r, i) for i, a in enumerate(above) for r, p in enumerate(parent) if p == a]
    assert list(zip(copies.rows.tolist(), copies.parent.tolist(), strict=True)) == slow


@pytest.mark.parametrize("donor_of", ["person", "table", "row"])
def test_resampled_rows_are_private_rows_with_all_that_belongs_to_them(donor_of):
    part = FamilyResampling(donor_of=donor_of, near=3, people=100)
    release = q.sanitize(part, CLINIC, seed=1)
    assert len(release.data) == 100
    assert release.claim is None
    drawn, private = (families(data.people) for data in (release.data, CLINIC))
    assert set(drawn) <= set(private)


def test_people_who_are_equally_similar_are_drawn_alike():
    schema = Schema(columns=(Column(name="age", kind="integer", low=0, high=99),))
    people = Table(schema, {"age": [20] * 6 + [21, 90]})
    similar = SimilarPeople.of(Table(schema, {"age": [20, 22, 89]}), people, 2)
    drawn = np.array([similar.draw(np.arange(3), noise=Noise.for_test(s)) for s in range(300)])
    assert [set(column.tolist()) for column in drawn.T] == [set(range(6)), set(range(7)), {6, 7}]
    assert np.bincount(drawn[:, 0]).min() > 20


def families(people):
    """Each visit with its prescriptions."""
    drugs = people.tables["prescriptions"]
    own = [r["drug"] for r in drugs.rows.records()]
    below = {v: [] for v in range(len(people.tables["visits"]))}
    for row, visit in enumerate(drugs.parent.tolist()):
        below[visit].append(own[row])
    return [
        (*record.values(), *sorted(below[row]))
        for row, record in enumerate(people.tables["visits"].rows.records())
    ]


def test_people_without_a_first_table_can_be_resampled():
    data = Trees.of(tree([2, 1, 3], [1] * 6, np.random.default_rng(1), root=False))
    release = q.sanitize("family-resampling", data, seed=1)
    assert set(release.data.people.tables) == {"visits", "drugs"}


def test_a_pseudonym_has_the_rows_of_one_period():
    release = q.sanitize("period-pseudonyms", CLINIC, seed=1).data
    visits = release.people.tables["visits"]
    assert len(visits) == len(CLINIC.people.tables["visits"])
    month = visits.rows.columns["day"].astype("datetime64[s]").astype("datetime64[M]").astype(int)
    for person in range(len(release)):
        assert len(set(month[visits.person == person].tolist())) <= 1
    before, after = (families(data.people) for data in (CLINIC, release))
    assert Counter(before) == Counter(after)
    with pytest.raises(PartError, match=r"available: visits\.day"):
        PeriodPseudonyms(column="visits.ward").require(CLINIC.schema)
