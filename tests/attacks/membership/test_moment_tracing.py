"""Tracing with second moments: products betray members, and shadow runs teach the weights."""

import numpy as np
import pytest

from quintain.attacks import Knowledge
from quintain.attacks.membership.moment_tracing import LearnedTracing, MomentTracing
from quintain.attacks.membership.traced_moments import KINDS, Statistics, Transmission, Variables
from quintain.attacks.membership.tracing import Tracing
from quintain.data import Column, Schema, Table
from quintain.errors import KnowledgeError, PartError
from quintain.guesses.membership_set import MembershipSet
from quintain.plays import Situation, play_or_raise
from quintain.releases import Release, Sanitized, Trace
from quintain.samples.sample import Subset

NAMES = tuple("abcdef")
SCHEMA = Schema(
    columns=(
        *(Column(name=name, kind="integer", low=0, high=9) for name in NAMES),
        Column(name="kind", kind="category", values=("p", "q", "r"), nullable=True),
    )
)
ROWS, PRIVATE = 3000, 300


def population(seed):
    rng = np.random.default_rng(seed)
    numbers = {name: rng.binomial(9, 0.5, ROWS) for name in NAMES}
    return Table(SCHEMA, {**numbers, "kind": rng.integers(-1, 3, ROWS)})


def with_counts_of(base, table, rng):
    """The table with the one-way counts of another: ranks stay, so only dependence is private."""
    out = {}
    for name, codes in table.columns.items():
        order = np.lexsort((rng.random(len(table)), codes))
        values = np.empty(len(table), codes.dtype)
        values[order] = np.sort(base.columns[name])[:: len(base) // len(table)]
        out[name] = values
    return Table(SCHEMA, out)


def shifted(table, rng):
    """Half of the columns are drawn at random, and the others are shifted by the same steps."""
    drawn = {name: rng.integers(10, size=len(table)) for name in NAMES[:3]}
    moved = {name: np.minimum(table.columns[name] + 2, 9) for name in NAMES[3:]}
    return Table(SCHEMA, {**table.columns, **drawn, **moved})


class Code:
    """A sanitizer that attackers can run."""

    def __call__(self, data, *, rng):
        return Sanitized(Release(shifted(data, rng)), Trace(()))

    def structure(self, data):
        return ()


def gap(scores, members):
    """How much higher members score than the others, in standard deviations."""
    return (scores[members].mean() - scores[~members].mean()) / scores.std()


def test_products_betray_members_where_means_do_not():
    gaps = []
    for seed in range(4):
        base, rng = population(seed), np.random.default_rng(seed)
        members = np.arange(ROWS) < PRIVATE
        release = with_counts_of(base, base.take(np.flatnonzero(members)), rng)
        second = MomentTracing(count_noise=0.0)
        scores = [part.scores(release, base, base, rng=rng) for part in (Tracing(), second)]
        gaps.append([gap(each, members) for each in scores])
    means, products = np.mean(gaps, axis=0)
    assert abs(means) < 0.07
    assert products > 0.15


def test_shadow_runs_teach_what_the_sanitizer_shifts_and_hides():
    gaps = []
    for seed in range(5):
        base, rng = population(seed), np.random.default_rng(seed)
        members = np.arange(ROWS) < PRIVATE
        samples = [base.take(rng.choice(ROWS, PRIVATE, replace=False)) for _ in range(12)]
        pairs = [(sample, shifted(sample, rng)) for sample in samples]
        release = shifted(base.take(np.flatnonzero(members)), rng)
        learned = LearnedTracing().scores(release, base, base, rng=rng, pairs=pairs)
        told = MomentTracing().scores(release, base, base, rng=rng)
        gaps.append([gap(told, members), gap(learned, members)])
    told, learned = np.mean(gaps, axis=0)
    assert learned > 0.1
    assert learned > told + 0.1


def test_an_attacker_without_code_is_told_what_is_missing():
    base = population(1)
    sample = Subset(rows=PRIVATE).draw(base, rng=np.random.default_rng(1))
    release = Release(shifted(sample.private, np.random.default_rng(2)))
    goal = MembershipSet(guesses=20)
    question, _ = goal.ask(sample, release)
    part, rng = LearnedTracing(shadows=4), np.random.default_rng(3)
    with pytest.raises(KnowledgeError, match="needs code"):
        play_or_raise(part, Situation(goal, release, Knowledge(question, base)), rng=rng)
    guess = part.infer(Knowledge(question, base, code=Code()), release, rng=rng)
    assert len(np.unique(guess.table.columns["row"])) == 20


@pytest.mark.parametrize("part", [MomentTracing(), LearnedTracing()], ids=lambda part: part.id)
def test_so_many_numbers_that_their_products_fill_the_memory_are_refused(part):
    names = [f"number {n}" for n in range(61)]
    columns = [Column(name=name, kind="integer", low=0, high=9) for name in names]
    part.require(Schema(columns=(*columns[:60], SCHEMA["kind"])))
    with pytest.raises(PartError, match="61 numbers and times; the limit is 60"):
        part.require(Schema(columns=tuple(columns)))


def test_transmission_finds_gain_offset_and_noise():
    base, rng = population(2), np.random.default_rng(2)
    variables = Variables.of(base, 0.02, 500)
    statistics = Statistics.of(base, variables, PRIVATE, rng=rng)
    size = len(statistics.mean)
    private = rng.normal(size=(60, size))
    released = 3.0 + 0.5 * private + 0.2 * rng.normal(size=(60, size))
    learned = Transmission.learn(statistics, variables.kinds, private, released)
    assert learned.offset == pytest.approx(3.0, abs=0.4)
    assert learned.gain == pytest.approx(0.5, abs=0.15)
    assert np.sqrt(learned.variance) == pytest.approx(0.2, abs=0.08)


def test_variables_are_centred_products_of_common_values():
    base = population(3)
    variables = Variables.of(base, 0.02, 500)
    block = np.concatenate(list(variables.describe(base)))
    kinds = variables.kinds
    assert block.shape == (ROWS, len(kinds))
    assert np.allclose(block.mean(axis=0), variables.means(base))
    z = (base.columns["a"] - base.columns["a"].mean()) / base.columns["a"].std()
    first = block[:, kinds == KINDS.index("product")][:, 0]
    assert np.allclose(first, z)
    slope = block[:, kinds == KINDS.index("slope")][:, 0]
    missing = base.columns["kind"] == -1  # the first category that is counted
    assert np.allclose(slope, z * (missing - missing.mean()))
    assert len(Variables.of(base, 0.02, 30).kinds) <= 30 + 27, "rare values have no variables"
    assert len(Variables.of(base, 0.02, 30).kinds) < len(kinds)
