"""Shadow: a sanitizer as an attacker runs it."""

import numpy as np
import pytest

import quintain as q
from quintain.randomness.noise import Noise
from quintain.sanitizers import sanitize
from quintain.sanitizers.sanitizer import Shadow
from quintain.sanitizers.synthetic.mst import Mst
from quintain.sanitizers.synthetic.privbayes import PrivBayes
from quintain.testing import example_table, people

DATA = people(example_table())


def test_a_shadow_is_the_sanitizer_with_noise_of_the_attackers_own():
    result = Shadow(Mst(epsilon=1.0))(DATA, rng=np.random.default_rng(5))
    rng = np.random.default_rng(5)
    noise = Noise.for_test(rng)
    again = sanitize(Mst(epsilon=1.0), DATA, rng=rng, noise=noise)
    assert result.release.data.equals(again.release.data)
    assert result.trace == again.trace
    assert result.trace.focal_points
    assert result.release.test, "anybody can repeat it, so it protects nobody"


@pytest.mark.parametrize("kind", [Mst, PrivBayes])
def test_the_structure_is_that_of_a_run_with_hardly_any_noise(kind):
    """At this epsilon a run nearly always makes the best choice, and merges next to nothing."""
    sanitizer = kind(epsilon=1e5)
    run = Shadow(sanitizer)(DATA, rng=np.random.default_rng(0))
    assert Shadow(sanitizer).structure(DATA) == run.trace.focal_points


def test_the_structure_is_the_choice_at_the_sanitizers_own_epsilon():
    """With little epsilon, PrivBayes has no room for parents, with or without noise."""
    assert any(point.given for point in Shadow(PrivBayes(epsilon=100.0)).structure(DATA))
    assert not any(point.given for point in Shadow(PrivBayes(epsilon=1e-3)).structure(DATA))


def test_the_structure_has_no_randomness():
    shadow = Shadow(Mst(epsilon=1e-3))
    assert len({shadow.structure(DATA) for _ in range(10)}) == 1


def test_numbers_are_coded_before_the_choice():
    age = q.Column(name="age", kind="real", low=0, high=100)
    flag = q.Column(name="flag", kind="category", values=("no", "yes"))
    ages = np.arange(100.0)
    flags = ["yes" if value > 50 else "no" for value in ages]
    table = q.Table.of(q.Schema(columns=(age, flag)), {"age": ages, "flag": flags})
    (point,) = Shadow(Mst(epsilon=100.0)).structure(table)
    assert point.columns == ("age", "flag")


def test_a_sanitizer_that_chooses_nothing_has_no_structure():
    assert Shadow(q.part("identity")).structure(DATA) == ()
    assert Shadow(q.part("pategan")).structure(DATA) == ()


def test_a_pipeline_chooses_what_its_steps_choose():
    steps = [{"use": "independent"}, {"use": "mst"}, {"use": "identity"}]
    points = Shadow(q.part("pipeline", steps=steps)).structure(DATA)
    assert {len(point.columns) for point in points} == {1, 2}
    assert points == Shadow(q.part("independent")).structure(DATA) + Shadow(Mst()).structure(DATA)
