"""Joint ratio: expected counts, what reaches a release, overlapping tables, and what it finds."""

import numpy as np
import pytest

import quintain as q
from quintain.attacks import Knowledge
from quintain.attacks.membership.joint_ratio import (
    CellChain,
    CellPopulation,
    Cells,
    CellTargets,
    Channel,
    JointRatio,
    learn_channels,
)
from quintain.attacks.membership.mama_mia import MamaMia
from quintain.attacks.membership.network_ratio import NetworkRatio
from quintain.data import Column, Schema, Table
from quintain.guesses import members_and_scores
from quintain.guesses.membership import Membership
from quintain.measures.privacy.roc_curve import auc
from quintain.releases import FocalPoint
from quintain.samples.targets import Targets as Design
from quintain.sanitizers import sanitize
from quintain.sanitizers.identity import Identity
from quintain.sanitizers.sanitizer import Shadow
from quintain.sanitizers.synthetic.mst import Mst
from quintain.sanitizers.synthetic.privbayes import PrivBayes

LETTER = Schema(columns=(Column(name="letter", kind="category", values=tuple("abcd")),))
POINTS = Schema(columns=tuple(Column(name=name, kind="integer", low=0, high=15) for name in "uvwx"))


def letters(text):
    return Table.of(LETTER, {"letter": list(text)})


def look(base, records, owner, release, private=None):
    targets = CellTargets.of(CellPopulation(letters(base)), letters(records), np.array(owner))
    return targets.look(("letter",), letters(release), private and letters(private))


def test_a_cell_is_expected_from_other_people_and_half_of_the_other_targets():
    # Two targets of two records each; 16 others, of whom 4 are in a cell with both targets.
    cells = look("aaaa" + "b" * 12 + "aabc", "aabc", [0, 0, 0, 1], "a" * 10)
    assert cells.owner.tolist() == [0, 0, 1]
    assert cells.added.tolist() == [2, 1, 1]  # records in the same cell count together
    # The sample has two records of targets and eight of the sixteen others.
    assert cells.expected.tolist() == [8 * 4 / 16, 8 * 12 / 16, 0]
    assert cells.shown.tolist() == [10, 0, 0]


def test_another_target_in_the_cell_is_there_by_a_coin():
    cells = look("b" * 16 + "aa", "aa", [0, 1], "b" * 9)
    assert cells.expected.tolist() == [0.5, 0.5]


def test_targets_that_the_base_data_lack_are_not_taken_out_of_them():
    with_them, without = (look(base, "a", [0], "ab" * 20) for base in ("aabb", "bbbb"))
    assert with_them.expected[0] == pytest.approx(39.5 / 3)
    assert without.expected[0] == 0
    base = letters("bb" + "c" * 2)
    assert CellTargets.of(CellPopulation(base), letters("a"), np.array([0])).known.tolist() == [0]


def observed(expected, noise, *, rows=20_000, seed=0):
    rng = np.random.default_rng(seed)
    mean = np.full(rows, expected)
    private = rng.poisson(mean).astype(float)
    shown = noise(private, rng).astype(float)
    return Cells(np.arange(rows), np.ones(rows), mean, shown, private)


def ratio(channel, expected, shown, added=1):
    return channel.log_ratio(
        Cells(np.array([0]), np.array([float(added)]), np.array([expected]), np.array([shown]))
    )[0]


def test_counts_that_are_published_as_they_are_have_the_ratio_of_poisson_counts():
    channel = Channel.learn([observed(0.8, lambda private, _: private)])
    for shown, added in ((1.0, 1), (2.0, 1), (2.0, 2)):
        exact = np.log(np.prod([shown - step for step in range(added)]) / 0.8**added)
        assert ratio(channel, 0.8, shown, added) == pytest.approx(exact, abs=0.15)
    assert ratio(channel, 0.8, 0.0) < -4  # a member would be there


def test_counts_that_are_only_noise_say_nothing():
    channel = Channel.learn([observed(0.8, lambda private, rng: rng.permutation(private))])
    assert all(abs(ratio(channel, 0.8, shown)) < 0.1 for shown in (0.0, 1.0, 2.0))
    channel = Channel.learn([observed(200.0, lambda private, rng: rng.permutation(private))])
    assert abs(ratio(channel, 200.0, 230.0)) < 0.02


def test_many_people_in_a_cell_hide_one():
    channel = Channel.learn([observed(200.0, lambda p, rng: p + rng.normal(0, 10, len(p)))])
    gain = channel.gain[np.searchsorted(2.0 ** np.arange(-5, 11), 200.0)]
    assert gain == pytest.approx(1, abs=0.05)
    # The deviation of 20 has the variance of 200 people and of the noise.
    assert ratio(channel, 200.0, 220.0) == pytest.approx(19.5 / 300, abs=0.01)


def test_a_tree_repeats_a_column_in_all_its_tables_but_one():
    chain = CellChain.of([FocalPoint(("u", "v")), FocalPoint(("u", "w"))], "uvwx")
    assert chain.tables["counted"] == (("u", "v"), ("u", "w"))
    assert chain.tables["single"] == (("u",), ("v",), ("w",))  # nothing shows x
    assert chain.repeats == {"u": 1, "v": 0, "w": 0}


def test_a_network_is_given_the_parents_of_a_column():
    points = [FocalPoint(("u",)), FocalPoint(("v",), ("u",)), FocalPoint(("w",), ("v", "u"))]
    chain = CellChain.of(points, "uvw")
    assert chain.tables["given"] == (("u",), ("u", "v"))
    assert not any(chain.repeats.values())
    assert chain.tables["counted"] == (("u",), ("u", "v"), ("u", "v", "w"))


def test_two_tables_that_say_the_same_count_once():
    """A column beside a constant shows what the column alone shows."""
    names = ("u", "v", "w")
    rng = np.random.default_rng(0)
    values = {"u": rng.integers(16, size=400), "v": np.zeros(400, int), "w": np.zeros(400, int)}
    base = Table(POINTS.select(names), values)
    targets = CellTargets.of(CellPopulation(base), base.take(range(20)), np.arange(20))
    one, two = (
        CellChain.of([FocalPoint(columns) for columns in tables], names).look(
            targets, base.take(range(10, 110)), base.take(range(10, 110))
        )
        for tables in ([("u", "v")], [("u", "v"), ("u", "w")])
    )
    channels = learn_channels([one])
    assert np.allclose(one.evidence(channels)[:, 0], two.evidence(channels)[:, 0], atol=0.2)
    assert np.ptp(one.evidence(channels)[:, 0]) > 1


def crowd(rows, seed):
    """Four columns, each of which depends on the one before."""
    rng = np.random.default_rng(seed)
    columns = {"u": rng.integers(16, size=rows)}
    for before, name in zip("uvw", "vwx", strict=True):
        step = rng.geometric(0.3, rows)
        columns[name] = (columns[before] * 5 + step) % 16
    return Table(POINTS, columns)


def areas(sanitizer, attacks, seed):
    rng = np.random.default_rng(seed)
    design = Design(targets=100, members="coins", background=700)
    sample = design.draw(crowd(6000, seed), rng=rng)
    made = sanitize(sanitizer, sample.private, rng=rng, noise=q.Noise.for_test(seed))
    question, truth = Membership().ask(sample, made.release)
    knowledge = Knowledge(question, sample.population, sanitizer.spec(), Shadow(sanitizer))
    guesses = [one.infer(knowledge, made.release, rng=rng) for one in attacks]
    return [auc(*members_and_scores(truth, guess)).value for guess in guesses]


@pytest.mark.parametrize("sanitizer", [Mst(epsilon=200.0), PrivBayes(epsilon=200.0)])
def test_it_finds_members_better_than_the_attack_that_won_in_2023(sanitizer):
    ours, winner = np.mean(
        [areas(sanitizer, [JointRatio(shadows=3), MamaMia(shadows=3)], seed) for seed in range(3)],
        axis=0,
    )
    assert ours > winner
    assert ours > 0.7


def test_without_a_structure_it_answers_as_network_ratio():
    ours, other = areas(Identity(), [JointRatio(), NetworkRatio()], 0)
    assert ours == pytest.approx(other, abs=0.05)
