"""Shadow runs: an attacker runs the sanitizer on other samples."""

import numpy as np
import pytest

from quintain.attacks import Knowledge
from quintain.attacks.shadows import random_samples, shadow_runs
from quintain.data import as_table
from quintain.errors import KnowledgeError
from quintain.guesses.membership import Membership
from quintain.releases import Release, Sanitized, Trace
from quintain.samples.targets import Targets
from quintain.testing import example_table

SAMPLE = Targets(targets=20, background=50).draw(example_table(), rng=np.random.default_rng(0))
QUESTION, _ = Membership().ask(SAMPLE, Release(SAMPLE.private))


def test_shadow_runs_come_one_by_one():
    private, ran = as_table(SAMPLE.private), []

    def code(data, *, rng):
        ran.append(len(data))
        return Sanitized(Release(data), Trace())

    samples = (private.take(np.arange(rows)) for rows in (10, 20, 30, 40))
    knowledge = Knowledge(QUESTION, code=code)
    runs = shadow_runs(knowledge, samples, rng=np.random.default_rng(0))
    assert len(next(runs).release.data) == 10
    assert ran == [10], "the next run waits until it is asked for"
    assert [len(run.sample) for run in runs] == [20, 30, 40]


def test_shadow_runs_without_the_code_are_refused():
    with pytest.raises(KnowledgeError, match=r"^attackers do not get the sanitizer's code$"):
        list(shadow_runs(Knowledge(QUESTION), [SAMPLE.private], rng=np.random.default_rng(0)))


def test_random_samples_are_drawn_without_replacement_and_are_no_larger_than_the_population():
    base = as_table(SAMPLE.population)
    rng = np.random.default_rng(0)
    small, large = (
        random_samples(base, count=2, rows=30, rng=rng),
        random_samples(base, count=1, rows=10_000, rng=rng),
    )
    assert [len(table) for table in small] == [30, 30]
    assert next(large).equals(base)
