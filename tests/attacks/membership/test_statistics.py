"""Attacks on statistics that synthetic data keep: forest ratio and tracing."""

import numpy as np
import pytest

from quintain.attacks import Knowledge
from quintain.attacks.membership.density_ratio import DensityRatio
from quintain.attacks.membership.tracing import Tracing
from quintain.attacks.membership.tree_ratio import ForestRatio, TreeRatio, forest, spanning_tree
from quintain.data import Column, Schema, Table
from quintain.data.sources.adult import Adult
from quintain.guesses.membership_set import MembershipSet
from quintain.kernels.neighbours import nearest
from quintain.releases import Release
from quintain.samples.sample import Subset

SCHEMA = Schema(
    columns=(
        Column(name="a", kind="category", values=("p", "q", "r")),
        Column(name="b", kind="category", values=("x", "y")),
        Column(name="c", kind="integer", low=0, high=5),
    )
)


def dependent(rows, seed):
    """b depends on a; c is independent."""
    rng = np.random.default_rng(seed)
    a = rng.choice(3, rows, p=[0.5, 0.3, 0.2])
    b = np.where(rng.random(rows) < 0.9, a > 0, rng.integers(2, size=rows))
    return Table(SCHEMA, {"a": a, "b": b, "c": rng.integers(6, size=rows)})


def shuffled(table, rng):
    return table.replace({n: rng.permutation(values) for n, values in table.columns.items()})


def from_tree(table, rng):
    """Synthetic records from two-way counts along a tree, as they are."""
    edges = spanning_tree(table)
    root = edges[0][0]
    drawn = {root: rng.choice(table.columns[root], len(table))}
    for parent, child in edges:
        order = np.argsort(table.columns[parent], kind="stable")
        values = table.columns[parent][order]
        low = np.searchsorted(values, drawn[parent], "left")
        high = np.searchsorted(values, drawn[parent], "right")
        drawn[child] = table.columns[child][order[rng.integers(low, high)]]
    return Table(table.schema, drawn)


def hits(scores, members):
    best = np.argsort(-scores, kind="stable")[:100]
    return int(members[best].sum())


def standard_errors(scores, members):
    """By how many standard errors members score higher than the others."""
    gap = scores[members].mean() - scores[~members].mean()
    return gap / (scores.std() * np.sqrt(1 / members.sum() + 1 / (~members).sum()))


@pytest.fixture(scope="module")
def contests():
    """Three populations of 20,000 different people, 2,000 of them private."""
    out = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        people = Adult(rows=60_000).generate(rng)
        _, first = np.unique(people.row_keys(), return_index=True)
        base = people.take(np.sort(rng.permutation(first)[:20_000]))
        members = np.zeros(20_000, bool)
        members[rng.choice(20_000, 2_000, replace=False)] = True
        out.append((base, members, rng))
    return out


def test_synthetic_records_of_a_tree_identify_their_people(contests):
    hits_of_forest, hits_of_nearest = [], []
    for base, members, rng in contests:
        release = from_tree(base.take(members), rng)
        hits_of_forest.append(hits(ForestRatio().scores(release, base, base, rng=rng), members))
        away, rows = nearest(release, base)
        hits_of_nearest.append(
            members[np.unique(rows[np.argsort(away, kind="stable")][:100])].mean() * 100
        )
    assert np.mean(hits_of_forest) > np.mean(hits_of_nearest) + 15


@pytest.mark.parametrize("attacker", [ForestRatio(), Tracing()])
def test_exact_one_way_counts_leak(contests, attacker):
    for base, members, rng in contests:
        scores = attacker.scores(shuffled(base.take(members), rng), base, base, rng=rng)
        assert standard_errors(scores, members) > 4


@pytest.mark.parametrize("attacker", [ForestRatio(), Tracing()])
def test_data_of_other_people_say_nothing_about_members(contests, attacker):
    base, _, rng = contests[0]
    members = np.arange(len(base)) < 2_000
    # The release has 2,000 of 18,000 others, and its statistics describe those.
    release = shuffled(base.take(2_000 + rng.choice(18_000, 2_000, replace=False)), rng)
    assert abs(standard_errors(attacker.scores(release, base, base, rng=rng), members)) < 4


def test_a_forest_has_the_edges_of_the_dependences():
    table = dependent(2000, 1)
    assert forest(table, 1.5, rng=np.random.default_rng(0)) == [("a", "b")]
    assert (
        forest(shuffled(table, np.random.default_rng(1)), 1.5, rng=np.random.default_rng(0)) == []
    )


def test_the_forest_ratio_agrees_with_its_definition():
    release, base = dependent(300, 2), dependent(3000, 3)
    scores = ForestRatio(smoothing=0.5).scores(release, base, base, rng=np.random.default_rng(0))

    def ratio(record, names):
        counts = [
            sum(all(other[n] == record[n] for n in names) for other in table)
            for table in (published, everybody)
        ]
        return np.log((counts[0] + 0.5) / (counts[1] * 300 / 3000 + 0.5))

    published, everybody = release.records(), base.records()
    for row in (0, 7, 2999):
        record = everybody[row]
        expected = ratio(record, "ab") + ratio(record, "c")
        assert scores[row] == pytest.approx(expected)


def test_tracing_agrees_with_its_definition():
    release, base = dependent(300, 4), dependent(3000, 5)

    def written_out(table):
        codes = table.codes()
        return np.column_stack([np.eye(3)[codes[:, 0]], np.eye(2)[codes[:, 1]], codes[:, 2]])

    release_points, base_points = written_out(release), written_out(base)
    middle, spread = base_points.mean(0), base_points.std(0, ddof=1)
    points = (base_points - middle) / spread
    covariance = np.cov(points.T) + 0.1 * np.eye(6)
    expected = points @ np.linalg.solve(covariance, ((release_points - middle) / spread).mean(0))
    scores = Tracing().scores(release, base, base, rng=np.random.default_rng(0))
    np.testing.assert_allclose(scores - scores.mean(), expected, atol=1e-9)


def test_a_single_published_record_has_no_mean_to_trace():
    base = dependent(30, 6)
    scores = Tracing().scores(base.take([0]), base, base, rng=np.random.default_rng(0))
    assert not scores.any()


@pytest.mark.parametrize("part", [TreeRatio(), DensityRatio(reference=1000)], ids=lambda p: p.id)
def test_ratios_also_name_a_set_of_rows_those_with_the_highest_scores(part):
    rng = np.random.default_rng(5)
    base = dependent(300, 6)
    sample = Subset(rows=60).draw(base, rng=rng)
    release = Release(sample.private)
    question, _ = MembershipSet(guesses=20).ask(sample, release)
    guess = part.infer(Knowledge(question, base), release, rng=np.random.default_rng(1))
    scores = part.scores(sample.private, base, base, rng=np.random.default_rng(1))
    named = scores[guess.table.columns[guess.table.schema.names[0]].astype(int)]
    assert len(np.unique(guess.table.row_keys())) == 20
    assert named.min() >= np.sort(scores)[::-1][19]
