"""Record linkage: what it learns of a sanitizer, and whom it finds where nearest records fail."""

import math
from itertools import combinations

import numpy as np
import pytest

from quintain.attacks import Knowledge
from quintain.attacks.membership.record_linkage import (
    Habits,
    LinkageKeys,
    Pairs,
    RecordLinkage,
    likely_pairs,
)
from quintain.attacks.nearest import Nearest
from quintain.data import Column, Schema, Table
from quintain.data.sources.adult import Adult
from quintain.guesses import members_and_scores
from quintain.guesses.membership import Membership
from quintain.guesses.membership_set import MembershipSet
from quintain.releases import Release
from quintain.samples.sample import Subset
from quintain.samples.targets import Targets

SCHEMA = Schema(
    columns=(
        Column(name="town", kind="category", values=("A", "B", "C")),
        Column(name="sex", kind="category", values=("f", "m")),
        Column(name="age", kind="integer", low=0, high=19),
    )
)


def small(rows, seed):
    rng = np.random.default_rng(seed)
    columns = {c.name: rng.integers(c.size, size=rows) for c in SCHEMA.columns}
    return Table(SCHEMA, columns)


def older_or_younger(table, rng, least=3, most=5):
    """Everybody's age is off by three to five years, so nobody is published as they are."""
    shift = rng.integers(least, most + 1, len(table)) * rng.choice([-1, 1], len(table))
    age, top = table.columns["age"], table.schema["age"].size
    moved = np.where((age + shift < 0) | (age + shift >= top), age - shift, age + shift)
    return table.replace({"age": moved})


def contest(change, seed, rows=20_000, members=2_000):
    """The hits of 100 of record linkage and of nearest records."""
    rng = np.random.default_rng(seed)
    people = Adult(rows=2 * rows).generate(rng)
    _, first = np.unique(people.row_keys(), return_index=True)
    base = people.take(np.sort(rng.permutation(first)[:rows]))
    sample = Subset(rows=members).draw(base, rng=rng)
    release = Release(change(sample.private, rng))
    question, truth = MembershipSet(guesses=100).ask(sample, release)
    hits = []
    for attacker in (RecordLinkage(), Nearest(distance="euclidean")):
        guess = attacker.infer(Knowledge(question, base), release, rng=rng)
        hits.append(int(np.isin(guess.table.columns["row"], truth.table.columns["row"]).sum()))
    return hits


@pytest.mark.slow
def test_moved_ages_mislead_the_nearest_record_and_not_the_linkage():
    linked, near = np.mean([contest(older_or_younger, seed) for seed in range(1)], axis=0)
    # Both name 100, 10 by chance; one standard deviation of chance is 3.
    assert near < 30
    assert linked > 90


def test_linkage_finds_records_with_half_of_the_values_drawn_again():
    def drawn_again(table, rng):
        return table.replace(
            {
                name: np.where(rng.random(len(codes)) < 0.5, codes, rng.permutation(codes))
                for name, codes in table.columns.items()
            }
        )

    linked, near = contest(drawn_again, 3)
    assert linked > near + 10


def test_habits_are_learned():
    rng = np.random.default_rng(5)
    base = Adult(rows=10_000).generate(rng)
    private = base.take(rng.choice(len(base), 2000, replace=False))
    release = older_or_younger(private, rng)
    pairs = likely_pairs(release, base, 2, 100)
    habits = Habits.before_looking(release, 0.15)
    observed = Pairs.of(release, base, pairs, np.full(len(release), -25.0), habits)
    for _ in range(20):
        habits = habits.learn(observed, observed.weights(habits), len(release))
    by_name = dict(zip(habits.names, habits.change, strict=True))
    age = by_name["age"]
    middle = len(age) // 2
    moved = [middle + k for k in (-5, -4, -3, 3, 4, 5)]
    assert age[moved].sum() > 0.95
    assert age[middle] < 0.02
    assert all(change.sum() > 0.95 for name, change in by_name.items() if name != "age")
    assert habits.no_source < 0.05


def slow_weights(release, pool, habits, no_source):
    """All pairs of small tables, one at a time."""
    out = {}
    for d in range(len(release)):
        likely = {}
        for b in range(len(pool)):
            chance = (1 - habits.no_source) / len(pool)
            for j, name in enumerate(habits.names):
                released, source = release.columns[name][d], pool.columns[name][b]
                change, step = habits.change[j], habits.width[j]
                drawn = (1 - change.sum()) * habits.frequency[j][released + 1]
                if step == 0:
                    same = change[0] if released == source else 0.0
                else:
                    place = round((int(released) - int(source)) / step) + len(change) // 2
                    same = change[place] / step if 0 <= place < len(change) else 0.0
                chance *= same + drawn
            likely[b] = chance
        total = sum(likely.values()) + habits.no_source * math.exp(no_source[d])
        out |= {(d, b): chance / total for b, chance in likely.items()}
    return out


def test_weights_agree_with_their_definition():
    release, pool = small(8, 1), small(12, 2)
    habits = Habits.before_looking(release, 0.2)
    no_source = np.random.default_rng(3).normal(-4, 1, 8)
    everybody = np.repeat(np.arange(8), 12), np.tile(np.arange(12), 8)
    weights = Pairs.of(release, pool, everybody, no_source, habits).weights(habits)
    expected = slow_weights(release, pool, habits, no_source)
    for d, b, weight in zip(*everybody, weights, strict=True):
        assert weight == pytest.approx(expected[d, b])


def test_pairs_agree_in_all_but_a_few_columns():
    release, pool = small(30, 4), small(40, 5)
    for differ in (1, 2):
        pairs = set(
            zip(*map(np.ndarray.tolist, likely_pairs(release, pool, differ, 10_000)), strict=True)
        )
        release_codes, pool_codes = release.codes(), pool.codes()
        expected = {
            (d, b)
            for d in range(30)
            for b in range(40)
            if (release_codes[d] != pool_codes[b]).sum() <= differ
        }
        assert pairs == expected


def test_a_crowd_is_not_linked():
    release, pool = small(30, 4), small(400, 5)
    published, _ = likely_pairs(release, pool, 3, 5)
    assert len(published) == 0, "with no column to agree in, everybody is a crowd"


def test_targets_are_ranked_too():
    rng = np.random.default_rng(8)
    base = Adult(rows=4000).generate(rng)
    sample = Targets(targets=200, background=300).draw(base, rng=rng)
    release = Release(older_or_younger(sample.private, rng))
    question, truth = Membership().ask(sample, release)
    guess = RecordLinkage().infer(Knowledge(question, base), release, rng=rng)
    members, scores = members_and_scores(truth, guess)
    assert scores[members].mean() > scores[~members].mean() + 0.3


def test_numbers_without_bounds_are_linked_by_their_ranks():
    names = ("pay", "rent", "debt", "age")
    schema = Schema(columns=tuple(Column(name=name, kind="real") for name in names))
    rng = np.random.default_rng(0)
    base = Table(schema, {name: rng.lognormal(8, 2, 400) for name in names})
    sample = Subset(rows=100).draw(base, rng=np.random.default_rng(1))
    release = Release(sample.private)
    question, truth = MembershipSet(guesses=50).ask(sample, release)
    knowledge = Knowledge(question, base)
    guess = RecordLinkage().infer(knowledge, release, rng=np.random.default_rng(0))
    assert np.isin(guess.table.columns["row"], truth.table.columns["row"]).sum() >= 45


@pytest.mark.parametrize("differ", [0, 1, 2, 3])
def test_keys_that_leave_out_columns_are_equal_where_the_other_columns_are(differ):
    rng = np.random.default_rng(differ)
    schema = Schema(columns=tuple(Column(name=n, kind="integer", low=0, high=2) for n in "abcd"))
    one, other = (Table(schema, {n: rng.integers(0, 3, 20) for n in "abcd"}) for _ in range(2))
    rows = np.concatenate([one.codes(), other.codes()])
    keys = list(LinkageKeys.of(one, other, "abcd").leaving_out(differ))
    for left_out, key in zip(combinations(range(4), differ), keys, strict=True):
        kept = np.delete(rows, left_out, axis=1)
        assert ((key[:, None] == key) == (kept[:, None] == kept).all(axis=2)).all()


def test_in_a_wide_table_two_changed_columns_hide_nobody():
    rng = np.random.default_rng(0)
    columns = tuple(
        Column(name=f"c{place}", kind="category", values=("a", "b", "c")) for place in range(250)
    )
    pool = Table(Schema(columns=columns), {c.name: rng.integers(3, size=30) for c in columns})
    changed = {name: pool.columns[name].copy() for name in ("c3", "c120", "c122", "c249")}
    for name, row in (("c3", 0), ("c249", 0), ("c120", 1), ("c122", 1)):
        changed[name][row] = (changed[name][row] + 1) % 3
    released, source = likely_pairs(pool.replace(changed).take(range(10)), pool, 2, 100)
    assert {(row, row) for row in range(10)} <= set(
        zip(released.tolist(), source.tolist(), strict=True)
    )
