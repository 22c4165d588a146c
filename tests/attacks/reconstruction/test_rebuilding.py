"""Attacks on hidden columns: what each finds in releases whose secrets are known."""

import numpy as np
import pytest

import quintain as q
from quintain.attacks import Knowledge
from quintain.attacks.reconstruction.belief_propagation import HiddenTree
from quintain.attacks.reconstruction.rebuilding import HiddenClasses, Rebuilding
from quintain.attacks.reconstruction.rebuilding_ensemble import copied_shares
from quintain.data import Column, Schema, Table
from quintain.errors import KnowledgeError, PartError
from quintain.guesses import AttributeQuestion
from quintain.guesses.reconstruction import Reconstruction
from quintain.measures import Case, reading_rng
from quintain.measures.privacy.cells_rebuilt import CellsByRarity, CellsExact
from quintain.plays import Situation, play_or_raise
from quintain.releases import Release
from quintain.samples import Targets

LETTERS = tuple("abcdef")
SCHEMA = Schema(
    columns=(
        Column(name="age", kind="integer", low=0, high=499),
        Column(name="town", kind="category", values=LETTERS),
        Column(name="job", kind="category", values=LETTERS),
        Column(name="ill", kind="category", values=("no", "yes")),
        Column(name="pay", kind="real", low=0, high=1000, nullable=True),
    )
)
GOAL = Reconstruction(columns=("job", "ill", "pay"), knows=("age", "town"))
ATTACKS = [
    "most-common",
    "neighbour-vote",
    "column-models",
    "belief-propagation",
    "marginal-program",
    "rebuilding-ensemble",
]
LEARNING = ATTACKS[1:]


def people(rows, seed=0):
    """Jobs depend on towns, and illness on jobs; pay is everybody's own."""
    rng = np.random.default_rng(seed)
    town = rng.integers(6, size=rows)
    job = np.where(rng.random(rows) < 0.7, town, rng.integers(6, size=rows))
    ill = np.where(rng.random(rows) < 0.9, job == 2, rng.random(rows) < 0.1)
    pay = np.where(rng.random(rows) < 0.05, np.nan, rng.uniform(0, 1000, rows))
    cells = {"age": rng.integers(500, size=rows), "town": town, "job": job}
    return Table(SCHEMA, {**cells, "ill": ill.astype(np.int32), "pay": pay})


def played(name, release=None, seed=1, **parameters):
    """The truth and the guess of an attack on 600 people, of whom 300 are targets."""
    sample = Targets(targets=300, background=300).draw(people(2000), rng=np.random.default_rng(3))
    release = Release(sample.private if release is None else release)
    question, truth = GOAL.ask(sample, release)
    situation = Situation(GOAL, release, Knowledge(question))
    few = {"trees": 10} if name in ("column-models", "rebuilding-ensemble") else {}
    attack = q.part(f"attack/{name}", **{**few, **parameters})
    return Case(truth, play_or_raise(attack, situation, rng=np.random.default_rng(seed)))


def reading(case, measure=None):
    return (measure or CellsExact()).measure([case], rng=reading_rng())


@pytest.mark.slow
@pytest.mark.parametrize("name", LEARNING)
def test_an_attack_learns_what_the_population_teaches(name):
    strangers = people(1500, seed=9)
    learned = reading(played(name, strangers))["exact_learned"].value
    baseline = reading(played("most-common", strangers))["exact_learned"].value
    assert learned > baseline + 0.1


@pytest.mark.parametrize("name", ATTACKS)
def test_of_strangers_nothing_is_memorised(name):
    memorised = reading(played(name, people(1500, seed=9)))["exact_memorised"]
    assert memorised.low < 0 < memorised.high


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rebuilding-ensemble", "neighbour-vote"])
def test_a_release_that_changes_nothing_is_remembered(name):
    assert reading(played(name))["exact_memorised"].low > 0


@pytest.mark.slow
def test_the_ensemble_reads_copies_and_finds_more_than_a_vote():
    ensemble, vote, blind = (
        reading(played(name, **given))["exact_members"].value
        for name, given in [
            ("rebuilding-ensemble", {}),
            ("neighbour-vote", {}),
            ("rebuilding-ensemble", {"copies": False}),
        ]
    )
    assert ensemble > vote + 0.05
    assert ensemble > blind + 0.05


@pytest.mark.slow
@pytest.mark.parametrize("name", ATTACKS)
def test_the_same_draws_give_the_same_guess_and_every_value_is_in_the_domain(name):
    first, second = (played(name, seed=4).guess.table for _ in range(2))
    assert first.equals(second)
    assert set(first.columns["job"].tolist()) <= set(range(6))
    pay = first.columns["pay"]
    assert ((pay >= 0) & (pay <= 1000) | np.isnan(pay)).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", LEARNING)
def test_rare_values_count_more_if_the_attack_looks_for_them(name):
    strangers = people(1500, seed=9)
    scores = [
        reading(played(name, strangers, rarity=rarity), CellsByRarity())["rarity_learned"].value
        for rarity in (0.0, 1.0)
    ]
    assert scores[1] > scores[0] - 0.02


@pytest.mark.slow
def test_a_single_hidden_column_is_answered_too():
    table = people(300)
    known = Table(
        Schema(columns=(Column(name="target", kind="id", role="target"), *SCHEMA.columns[:2])),
        {"target": np.arange(5), **{n: table.columns[n][:5] for n in ("age", "town")}},
    )
    question = AttributeQuestion(known, SCHEMA["job"])
    for name in ATTACKS:
        guess = q.part(f"attack/{name}").infer(
            Knowledge(question), Release(table), rng=np.random.default_rng(0)
        )
        assert guess.table.schema.names == ("target", "job")


def test_public_models_need_public_data_and_ignore_the_release():
    with pytest.raises(KnowledgeError, match="needs base"):
        played("public-models", trees=5)
    sample = Targets(targets=50, background=50).draw(people(500), rng=np.random.default_rng(0))
    question, _ = GOAL.ask(sample, Release(sample.private))
    know = Knowledge(question, base=people(400, seed=8))
    releases = (Release(sample.private), Release(people(30, seed=7)))
    part = q.part("public-models", trees=5)
    one, other = (part.infer(know, r, rng=np.random.default_rng(0)).table for r in releases)
    assert one.equals(other)


def test_a_release_without_records_is_refused():
    with pytest.raises(PartError, match="without records"):
        played("column-models", people(5).take(np.arange(0)))


def test_numbers_with_many_values_are_guessed_by_bins_and_missing_ones_apart():
    stored = np.append(np.arange(500.0), [np.nan] * 20)
    classes = HiddenClasses.of(SCHEMA["pay"], stored)
    assert 60 <= classes.size <= 66
    assert np.isnan(classes.values).sum() == 1
    assert classes.prior().sum() == pytest.approx(1)
    assert np.isin(classes.values[:-1], stored).all()


def test_messages_agree_with_the_sum_over_all_combinations():
    rng = np.random.default_rng(2)
    first = rng.integers(3, size=400)
    hidden = [HiddenClasses(np.arange(3), (first + rng.integers(2, size=400)) % 3) for _ in "abc"]
    tree = HiddenTree.of(hidden)
    beliefs = [rng.dirichlet(np.ones(3), 4) for _ in hidden]
    joint = np.einsum("ia,ib,ic->iabc", *beliefs)
    for node, ratio in tree.ratios.items():
        axes = [1, 1, 1]
        axes[tree.parents[node]], axes[node] = 3, 3
        table = ratio if tree.parents[node] < node else ratio.T
        joint = joint * np.exp(0.7 * table).reshape(axes)
    joint /= joint.sum(axis=(1, 2, 3), keepdims=True)
    found = tree.spread(beliefs, 0.7)
    for column, others in enumerate([(2, 3), (1, 3), (1, 2)]):
        assert found[column] == pytest.approx(joint.sum(axis=others))


def test_copies_are_told_by_how_near_targets_are():
    table = people(800)
    numbers = table.replace({"age": np.arange(800) % 400, "town": np.arange(800) // 400})
    secrets = [SCHEMA["job"]]
    known = numbers.select(["age", "town"])
    copied = copied_shares(
        Rebuilding.of(known.take(np.arange(100)), secrets, numbers), rng=np.random.default_rng(0)
    )[0]
    strangers = people(100, seed=5).select(["age", "town"])
    others = copied_shares(
        Rebuilding.of(strangers, secrets, people(800, seed=6)), rng=np.random.default_rng(0)
    )[0]
    assert copied.mean() > others.mean() + 0.2
