"""Pair tables count like plain loops, and find the tree that the attack of the contests finds."""

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.attacks.membership.tree_ratio import mutual_information, spanning_tree
from quintain.data import Column, Schema, Table
from quintain.kernels.pair_tables import PairTables

SCHEMA = Schema(columns=tuple(Column(name=n, kind="integer", low=0, high=3) for n in "abcd"))


def example(seed, rows=60):
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 4, rows)
    others = [np.where(rng.random(rows) < share, first, rng.integers(0, 4, rows)) for share in
              (0.9, 0.5, 0.2)]  # fmt: skip
    return [first, *others]


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([4, 300]))
def test_cells_are_counted_and_looked_up(seed, size):
    columns = example(seed)
    tables = PairTables.of(columns, [size] * 4)
    cells = tables.layout.cells([values[:5] for values in columns])
    for place, (i, j) in enumerate(tables.layout.pairs):
        plain = Counter(zip(columns[i].tolist(), columns[j].tolist(), strict=True))
        expected = [plain[int(columns[i][r]), int(columns[j][r])] for r in range(5)]
        assert tables.counts[cells[place]].tolist() == expected
        assert np.isclose(tables.products()[place], (columns[i] * columns[j]).mean())


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_information_and_tree_are_those_of_the_attack(seed):
    columns = example(seed)
    table = Table(SCHEMA, dict(zip("abcd", columns, strict=True)))
    tables = PairTables.of(columns, [4] * 4)
    pairs = tables.layout.pairs
    expected = [mutual_information(table, "abcd"[i], "abcd"[j]) for i, j in pairs]
    assert np.allclose(tables.information(), expected)
    # Of equally good trees each may have its own, so what both of them hold is compared.
    best = sum(mutual_information(table, *edge) for edge in spanning_tree(table))
    assert np.isclose(tables.information()[tables.spanning_tree()].sum(), best)


def test_a_single_column_has_no_pairs():
    tables = PairTables.of([np.array([0, 1])], [2])
    assert tables.spanning_tree() == [] and len(tables.products()) == 0
