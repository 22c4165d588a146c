"""Copies: small cases by hand, and counts of almost equal rows."""

import numpy as np
import pytest

import quintain as q
from quintain.attacks.membership import copies
from quintain.attacks.membership.copies import NearCopies, Surprise, count_agreeing, row_hashes
from quintain.attacks.membership.neighbour_ratios import surroundings
from quintain.data import Column, Schema, Table

ABC = Schema(columns=tuple(Column(name=n, kind="integer", low=0, high=9) for n in "abc"))


def rows(*texts):
    """Rows of three digits."""
    return Table.of(ABC, {n: [int(t[i]) for t in texts] for i, n in enumerate("abc")})


def test_a_rare_copy_surprises_more_than_a_common_one():
    release = rows("111", "999")
    base = rows("111", "111", "112", "999", "123", "456")
    scores = Surprise(weight=0.1).scores(release, base, base, rng=np.random.default_rng(0))
    # 111: one equal person and one who differs in one column; 123 differs in two. m / n is 1/3.
    common = -np.log((1 + 0.1 + 0.01) / 3 + 0.001)
    rare = -np.log(0.001)
    absent = -np.log(4.0)
    expected = [common, common, absent, rare, absent, absent]
    np.testing.assert_allclose(scores, expected)


def test_a_near_copy_is_seen():
    release, base = rows("998"), rows("999", "111", "112")
    scores = NearCopies(weight=0.1).scores(release, base, base, rng=np.random.default_rng(0))
    expected = [
        np.log(0.1 + 0.01) - np.log(0.01),
        np.log(0.01) - np.log(0.1 / 3 + 0.01),
        np.log(0.01) - np.log(0.1 / 3 + 0.01),
    ]
    np.testing.assert_allclose(scores, expected)


def test_counts_by_the_number_of_differing_columns():
    table = rows("111", "112", "122", "222", "111")
    counts = count_agreeing(table, rows("111", "333"), 2)
    assert [count.tolist() for count in counts] == [[2, 0], [1, 0], [1, 0]]


def test_in_a_wide_table_fewer_columns_may_differ(monkeypatch):
    monkeypatch.setattr(copies, "MOST", 2)
    assert len(count_agreeing(rows("111"), rows("111"), 2)) == 1
    monkeypatch.setattr(copies, "MOST", 3)
    assert len(count_agreeing(rows("111"), rows("111"), 2)) == 3


def test_real_numbers_and_missing_ones_are_compared_exactly():
    schema = Schema(
        columns=(
            Column(name="wage", kind="real", nullable=True),
            Column(name="sex", kind="category", values=("f", "m")),
        )
    )
    table = Table.of(schema, {"wage": [0.1 + 0.2, None, 0.3], "sex": ["f", "f", "m"]})
    at = Table.of(schema, {"wage": [0.3, None], "sex": ["f", "f"]})
    equal, one_differs = count_agreeing(table, at, 1)
    assert equal.tolist() == [0, 1]
    assert one_differs.tolist() == [3, 1]


def test_equal_rows_have_equal_hashes_and_others_do_not():
    table = rows(*(f"{number:03d}" for number in range(1000)))
    one, other = row_hashes(table, table.take([5, 17]))
    assert len(set(one.tolist())) == 1000
    assert other.tolist() == [one[5], one[17]]


def test_a_record_is_not_its_own_neighbour_but_its_double_is():
    base = rows("111", "111", "119")
    near = surroundings(rows("000"), base, base, 2)
    np.testing.assert_allclose(near.others, [[0, 8 / 9], [0, 8 / 9], [8 / 9, 8 / 9]])
    assert near.inside.all()


def test_a_stranger_has_all_people_as_neighbours():
    near = surroundings(rows("000"), rows("111", "119"), rows("112"), 5)
    np.testing.assert_allclose(near.others, [[1 / 9, 7 / 9]])
    assert not near.inside.any()


@pytest.mark.parametrize("again", range(2))
def test_remembered_distances_are_the_same(again):
    base, release = rows("111", "119", "555"), rows("000", "118")
    first, second = (surroundings(release, base, base, 2) for _ in range(2))
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, other)


def test_nearest_uses_the_distances_that_others_searched_for(monkeypatch):
    rng = np.random.default_rng(4)
    base, release = (rows(*map("{:03d}".format, rng.integers(0, 999, 40))) for _ in range(2))
    known = {"targets": base, "population": base, "seed": 0}
    alone = q.attack("nearest", release, **known)
    q.attack("dcr-ratio", release, **known)
    monkeypatch.setattr("quintain.attacks.nearest.nearest", None)
    assert q.attack("nearest", release, **known).table.equals(alone.table)


def test_people_who_agree_are_counted_once_for_both_attacks(monkeypatch):
    base, release = rows("111", "119", "555"), rows("000", "118")
    draws = {"rng": np.random.default_rng(0)}
    first = [attack.scores(release, base, base, **draws) for attack in (Surprise(), NearCopies())]
    asked = []

    def counted(table, *others):
        asked.append(table)
        return count_agreeing(table, *others)

    monkeypatch.setattr("quintain.attacks.membership.copies.count_agreeing", counted)
    again = [attack.scores(release, base, base, **draws) for attack in (Surprise(), NearCopies())]
    assert all(map(np.array_equal, first, again))
    assert asked == [release, release]
