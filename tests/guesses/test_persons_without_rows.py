"""Persons without rows: they are asked about like everybody else."""

import numpy as np

from quintain.attacks import Knowledge
from quintain.attacks.membership.series.nearest_series import SeriesKnn
from quintain.attacks.membership.series.row_density import RowDensity
from quintain.data import Series
from quintain.errors import Faults
from quintain.guesses.membership import Membership, members_and_scores
from quintain.randomness.noise import Noise
from quintain.samples.sample import Subset
from quintain.sanitizers import sanitize
from quintain.sanitizers.identity import Identity
from quintain.testing import example


def test_guesses_of_attacks_are_accepted_if_persons_have_no_rows():
    full = example("series", rows=120)
    lengths = np.where(np.arange(len(full)) % 4 == 1, 0, full.lengths)
    kept = np.repeat(lengths > 0, full.lengths)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    people = Series(full.schema, full.ids, offsets, full.values[kept])
    rng = np.random.default_rng(1)
    sample = Subset(fraction=0.5).draw(people, rng=rng)
    release = sanitize(Identity(), sample.private, rng=rng, noise=Noise.for_test(1)).release
    goal = Membership()
    question, truth = goal.ask(sample, release)
    assert len(question.targets()) == len(people) == len(question.series())
    names = question.targets().astype(int)
    np.testing.assert_array_equal(question.series().lengths, people.lengths[names])
    assert question.table.schema == goal.question_schema(people.schema)
    for attacker in (SeriesKnn(), RowDensity()):
        guess = attacker.infer(Knowledge(question), release, rng=rng)
        faults = Faults("guess")
        goal.check(guess, question, faults)
        assert not faults.findings
        members, _ = members_and_scores(truth, guess)
        assert len(members) == len(people)
