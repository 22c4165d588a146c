"""Focal points: how many shadow runs are needed, and which points count."""

import numpy as np

from quintain.attacks import Knowledge
from quintain.attacks.membership.focal_points import focal_runs, often_chosen
from quintain.attacks.shadows import ShadowRun, random_samples
from quintain.guesses.membership import Membership
from quintain.releases import FocalPoint, Release, Sanitized, Trace
from quintain.samples.targets import Targets
from quintain.sanitizers.identity import Identity
from quintain.sanitizers.sanitizer import Shadow
from quintain.sanitizers.synthetic.mst import Mst
from quintain.testing import example_table, people

SAMPLE = Targets(targets=20, background=50).draw(example_table(), rng=np.random.default_rng(0))
QUESTION, _ = Membership().ask(SAMPLE, Release(SAMPLE.private))


def runs(sanitizer, count=4):
    rng = np.random.default_rng(1)
    samples = random_samples(people(example_table()), count=count, rows=60, rng=rng)
    return focal_runs(Knowledge(QUESTION, code=Shadow(sanitizer)), samples, rng=rng)


def test_a_sanitizer_that_chooses_no_focal_points_is_not_run():
    assert runs(Identity()) == []


def test_every_run_of_a_sanitizer_that_chooses_some_is_kept():
    made = runs(Mst(epsilon=1.0))
    assert len(made) == 4
    # Three columns are joined by two edges.
    assert {len(run.trace.focal_points) for run in made} == {2}


def test_a_point_counts_if_it_is_chosen_often_enough_beside_the_most_popular():
    one, two, three = (FocalPoint((name,)) for name in "abc")
    chosen = [(one, two), (one, two), (one,), (one, three)]
    seen = [ShadowRun(SAMPLE.private, Sanitized(Release(SAMPLE.private), Trace(c))) for c in chosen]
    assert often_chosen(seen, 0.5) == {one: 4, two: 2}
    assert often_chosen(seen, 0.25) == {one: 4, two: 2, three: 1}
    assert often_chosen([], 0.5) == {}
