"""Associated pairs: all of a narrow table, and of a wide one those with the strongest relations."""

from itertools import combinations

import numpy as np

from quintain.attacks.membership.network_ratio import dependence_network
from quintain.attacks.membership.tree_ratio import forest, mutual_information, spanning_tree
from quintain.data import Column, Schema, Table
from quintain.kernels.associated_pairs import (
    MANY_COLUMNS,
    PARTNERS,
    _association,
    associated_pairs,
)
from quintain.testing import example_table

WIDE = MANY_COLUMNS + 20
VALUES = ("a", "b", "c")


def wide_table(rows, seed, columns=WIDE):
    """Each second column mostly repeats the one before it; missing values occur."""
    rng = np.random.default_rng(seed)
    names = [f"c{place:03d}" for place in range(columns)]
    kind = {"kind": "category", "values": VALUES, "nullable": True}
    schema = Schema(columns=tuple(Column(name=name, **kind) for name in names))
    cells, before = {}, np.zeros(rows, np.int32)
    for place, name in enumerate(names):
        new = rng.integers(-1, 3, rows)
        before = np.where(rng.random(rows) < 0.7, before, new) if place % 2 else new
        cells[name] = before
    return Table(schema, cells)


def couples(table):
    names = table.schema.names
    return set(zip(names[::2], names[1::2], strict=True))


def test_a_narrow_table_gives_all_pairs():
    table = example_table(rows=20)
    assert associated_pairs(table) == list(combinations(table.schema.names, 2))
    just = wide_table(30, 0, columns=MANY_COLUMNS)
    assert associated_pairs(just) == list(combinations(just.schema.names, 2))


def test_a_wide_table_gives_each_column_its_partners():
    table = wide_table(300, 1)
    pairs = associated_pairs(table)
    assert couples(table) <= set(pairs) and pairs == sorted(set(pairs))
    assert all(sum(name in pair for pair in pairs) >= PARTNERS for name in table.schema.names)
    assert len(pairs) <= PARTNERS * WIDE < WIDE * (WIDE - 1) / 2
    assert len(associated_pairs(table.take([]))) == WIDE * (WIDE - 1) // 2  # nothing to choose by


def test_association_is_chi_squared_less_its_degrees_of_freedom():
    table = wide_table(90, 2, columns=5)
    found = _association(table)
    for one, other in combinations(range(5), 2):
        a, b = (table.columns[table.schema.names[place]] + 1 for place in (one, other))
        counts = np.zeros((4, 4))
        np.add.at(counts, (a, b), 1)
        expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / len(table)
        squared = ((counts - expected) ** 2 / expected).sum()
        np.testing.assert_allclose(found[one, other], squared - 9, atol=1e-9)


def test_trees_forests_and_networks_of_wide_tables_have_the_dependences():
    table = wide_table(300, 3)
    rng = np.random.default_rng(0)
    tree = {tuple(sorted(edge)) for edge in spanning_tree(table)}
    assert len(tree) == WIDE - 1 and couples(table) <= tree
    assert couples(table) <= {tuple(sorted(edge)) for edge in forest(table, 1.5, rng=rng)}
    network = dependence_network(table, parents=2, candidates=3, rng=rng)
    given = {tuple(sorted((*p.columns, parent))) for p in network for parent in p.given}
    assert len(network) == WIDE and couples(table) <= given


def plain_tree(table):
    """Prim's algorithm over all pairs, edge by edge."""
    names = table.schema.names
    weights = {pair: mutual_information(table, *pair) for pair in combinations(names, 2)}
    inside, edges = [names[0]], []
    while len(inside) < len(names):
        outside = [name for name in names if name not in inside]
        edges.append(
            max(
                ((a, b) for a in inside for b in outside),
                key=lambda edge: weights.get(edge, weights.get((edge[1], edge[0]))),
            )
        )
        inside.append(edges[-1][1])
    return edges


def test_the_spanning_tree_is_that_of_the_plain_algorithm_ties_included():
    for seed in range(10):
        table = wide_table(12, seed, columns=9)  # so few rows have many equal weights
        twice = table.replace({table.schema.names[8]: table.columns[table.schema.names[0]]})
        assert spanning_tree(table) == plain_tree(table)
        assert spanning_tree(twice) == plain_tree(twice)
