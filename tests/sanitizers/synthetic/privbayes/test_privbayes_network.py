"""The network of PrivBayes: the sensitivity of the score, the offered sets, and the cost."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain.jobs.progress import shown_by
from quintain.randomness.noise import Noise
from quintain.sanitizers.synthetic import privbayes as privbayes_network
from quintain.sanitizers.synthetic.pgm import Domain
from quintain.sanitizers.synthetic.privbayes import (
    SENSITIVITY,
    _NetworkSearch,
    any_pair_fits,
    combine_codes,
    dependence,
    largest_sets,
    learn_network,
)

NAMES = "abcdefgh"


class Scripted(Noise):
    """Noise that chooses by a script, and records every request."""

    def __init__(self, script=()):
        super().__init__(bytes(32), test=True)
        self.script, self.requests = list(script), []

    def choose(self, scores, epsilon, sensitivity):
        self.requests.append((np.array(scores), epsilon, sensitivity))
        turn = len(self.requests) - 1
        return self.script[turn] % len(scores) if turn < len(self.script) else 0


def by_definition(records):
    """Compute half the distance from independence, cell by cell."""
    n = len(records)
    return (
        sum(
            abs(
                sum(r == (p, x) for r in records)
                - sum(r[0] == p for r in records) * sum(r[1] == x for r in records) / n
            )
            for p, x in itertools.product(range(4), range(4))
        )
        / 2
    )


def score(records):
    codes = np.array(records, dtype=np.int64).reshape(-1, 2)
    return dependence(codes[:, 0], codes[:, 1], 4)


RECORDS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=12)


@given(RECORDS.filter(bool))
def test_the_score_follows_its_definition(records):
    assert score(records) == pytest.approx(by_definition(records))


@given(RECORDS, st.tuples(st.integers(0, 3), st.integers(0, 3)))
def test_a_record_more_changes_the_score_by_less_than_two(records, more):
    n = len(records)
    change = abs(score([*records, more]) - score(records))
    assert change < SENSITIVITY
    if n:  # the bound of the derivation, which is sharper
        row = sum(r[0] == more[0] for r in records)
        column = sum(r[1] == more[1] for r in records)
        assert change <= 2 * (n - row) * (n - column) / (n * (n + 1)) + 1e-9


def test_every_pair_of_tiny_neighbours_keeps_to_the_bound():
    # All multisets of up to five records in a table of two by three, with one more record each.
    cells = list(itertools.product(range(2), range(3)))
    largest = 0.0
    for n in range(6):
        for records in itertools.combinations_with_replacement(cells, n):
            for more in cells:
                largest = max(largest, abs(score([*records, more]) - score(records)))
    assert largest == pytest.approx(2 * 5 / 6)  # 2 n / (n + 1) is attained


def test_the_bound_is_the_best_possible():
    # n equal records and one that differs in both: 2 n / (n + 1), as close to two as wanted.
    n = 1000
    assert score([(0, 0)] * n) == 0
    assert score([(0, 0)] * n + [(1, 1)]) == pytest.approx(2 * n / (n + 1))


@given(RECORDS.filter(bool))
def test_independent_columns_have_a_score_of_zero(records):
    crossed = [(p, x) for p, _ in records for _, x in records]
    assert score(crossed) == pytest.approx(0, abs=1e-9)


def fits(names, sizes, room):
    return math.prod(sizes[name] for name in names) <= room


def largest_by_force(names, sizes, room):
    sets = [s for k in range(len(names) + 1) for s in itertools.combinations(names, k)]
    return {
        frozenset(s)
        for s in sets
        if fits(s, sizes, room)
        and not any(fits((*s, name), sizes, room) for name in set(names) - set(s))
    }


SIZES = st.lists(st.integers(2, 12), min_size=0, max_size=7)


@given(SIZES, st.integers(1, 3000))
def test_every_largest_set_is_listed_once(sizes, room):
    named = dict(zip(NAMES, sizes, strict=False))
    sets = largest_sets(list(named), named, room, limit=10**6)
    assert {frozenset(s) for s in sets} == largest_by_force(list(named), named, room)
    assert len({frozenset(s) for s in sets}) == len(sets)


def test_too_many_largest_sets_are_not_listed():
    sizes = dict.fromkeys(NAMES, 2)
    assert len(largest_sets(list(NAMES), sizes, 16, limit=70)) == 70  # 8 over 4
    assert largest_sets(list(NAMES), sizes, 16, limit=69) is None


def test_among_very_many_sets_the_search_gives_up_soon():
    names = [f"c{i}" for i in range(500)]
    assert largest_sets(names, dict.fromkeys(names, 2), 2**12, limit=100) is None


@given(SIZES.filter(lambda s: len(s) > 1), st.integers(4, 1000), st.randoms())
def test_a_growing_network_offers_every_largest_set(sizes, cells, random):
    named = dict(zip(NAMES, sizes, strict=False))
    rng = np.random.default_rng(0)
    columns = {name: rng.integers(size, size=5) for name, size in named.items()}
    search = _NetworkSearch(columns, named, cells, 10**6, rng)
    order = list(named)
    random.shuffle(order)
    for place, newest in enumerate(order, start=1):
        search.place(newest)
        for child, offers in search.waiting.items():
            room = cells // named[child]
            expected = largest_by_force(order[:place], named, room) if room else {frozenset()}
            assert {frozenset(offer.parents) for offer in offers} == expected
            for offer in offers:
                assert offer.combinations == math.prod(named[p] for p in offer.parents)


@pytest.fixture(name="data")
def _data():
    """Draw six columns of 2 to 5 values: b follows a, d follows b and c, the others are free."""
    rng = np.random.default_rng(3)
    sizes = {"a": 2, "b": 3, "c": 3, "d": 5, "e": 2, "f": 4}
    columns = {name: rng.integers(size, size=3000) for name, size in sizes.items()}
    columns["b"] = np.where(rng.random(3000) < 0.8, columns["a"], columns["b"])
    columns["d"] = np.where(rng.random(3000) < 0.8, (columns["b"] + columns["c"]) % 5, columns["d"])
    return columns, Domain.of(sizes)


def learned(data, *, cells=60, noise=None, epsilon=1.0, seed=0):
    columns, domain = data
    return learn_network(
        columns,
        domain,
        cells=cells,
        records=len(columns["a"]),
        epsilon=epsilon,
        rng=np.random.default_rng(seed),
        noise=noise or Noise.for_test(seed),
    )


def test_parents_come_before_children(data):
    network = learned(data)
    for place, child in enumerate(network.order):
        assert set(network.parents[child]) <= set(network.order[:place])
    assert sorted(network.order) == sorted(data[1].names) == sorted(network.parents)


def test_with_enough_epsilon_dependent_columns_are_joined(data):
    network = learned(data, epsilon=20.0)
    edges = {(p, c) for c, parents in network.parents.items() for p in parents}
    assert {("a", "b"), ("b", "a")} & edges
    together = [set(network.family(child)) for child in network.order]
    assert any({"b", "c", "d"} <= family for family in together)


def test_with_no_epsilon_the_choice_is_random(data):
    orders = {tuple(learned(data, epsilon=1e-9, seed=seed).order) for seed in range(20)}
    assert len(orders) > 15


@pytest.mark.parametrize("cells", [4, 6, 12, 40, 200])
def test_no_table_is_larger_than_allowed(data, cells):
    network = learned(data, cells=cells)
    assert max(data[1].cells(network.family(c)) for c in network.order) <= max(cells, 5)
    for child in network.order:
        if data[1].size(child) > cells:
            assert network.parents[child] == ()


def test_more_room_gives_more_parents(data):
    counts = [sum(map(len, learned(data, cells=c).parents.values())) for c in (6, 20, 100, 400)]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]


def test_the_choices_share_epsilon(data):
    noise = Scripted()
    learned(data, noise=noise, epsilon=0.7)
    assert len(noise.requests) == 5
    assert sum(epsilon for _, epsilon, _ in noise.requests) == pytest.approx(0.7)
    assert {sensitivity for *_, sensitivity in noise.requests} == {2.0}


def test_nothing_is_chosen_where_no_pair_fits(data):
    noise = Scripted()
    network = learned(data, cells=3, noise=noise)
    assert noise.requests == []
    assert set(network.parents.values()) == {()}
    assert not any_pair_fits(data[1], 3)
    assert any_pair_fits(data[1], 4)
    assert not any_pair_fits(Domain.of({"a": 1, "b": 1, "c": 7}), 10**6)


def test_the_first_column_is_not_chosen_by_the_data(data):
    columns, domain = data
    turned = {name: codes[::-1] // 2 for name, codes in columns.items()}
    assert learned(data).order[0] == learned((turned, domain)).order[0] == "a"


@given(
    st.lists(st.tuples(*[st.integers(0, k - 1) for k in (2, 3, 2, 4)]), min_size=1, max_size=10),
    st.integers(0, 9),
    st.lists(st.integers(0, 1000), min_size=3, max_size=3),
)
def test_removing_a_record_changes_no_offer_and_hardly_any_score(records, removed, script):
    # After any earlier choices, the next offers are the same with and without a record, and no
    # score differs by as much as the sensitivity.
    domain = Domain.of({"a": 2, "b": 3, "c": 2, "d": 4})
    offered = []
    for rows in (records, [r for i, r in enumerate(records) if i != removed % len(records)]):
        codes = np.array(rows, dtype=np.int64).reshape(-1, 4)
        columns = {name: codes[:, i] for i, name in enumerate("abcd")}
        noise = Scripted(script)
        args = {"cells": 24, "records": 10, "epsilon": 1.0, "rng": np.random.default_rng(0)}
        learn_network(columns, domain, **args, noise=noise)
        offered.append([scores for scores, *_ in noise.requests])
    for one, other in zip(*offered, strict=True):
        assert len(one) == len(other)
        assert np.abs(one - other).max() < SENSITIVITY


def test_sets_are_drawn_at_random_where_there_are_too_many(data, monkeypatch):
    monkeypatch.setattr(privbayes_network, "WORK", 1.0)
    networks = {tuple(sorted(learned(data, seed=seed).parents.items())) for seed in range(5)}
    assert len(networks) > 1
    for seed in range(5):
        network = learned(data, seed=seed)
        assert max(data[1].cells(network.family(c)) for c in network.order) <= 60
        assert sum(map(len, network.parents.values())) > 5


def test_progress_is_reported(data):
    reports = []
    with shown_by(lambda *report: reports.append(report)):
        learned(data)
    assert reports[0] == ("choosing the network", 0, 5)
    assert reports[-1] == ("choosing the network", 5, 5)


def test_combinations_are_numbered_with_the_last_column_fastest():
    columns = {"a": np.array([0, 1, 1]), "b": np.array([2, 0, 1])}
    assert combine_codes(columns, {"a": 2, "b": 3}, ("a", "b")).tolist() == [2, 3, 4]
