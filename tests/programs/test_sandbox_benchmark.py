"""The benchmark of the sandboxes, with one run of each part, where nothing contains programs."""

import numpy as np
from benchmarks.programs import sandboxes

from quintain.programs.sandbox.process import Process


def test_an_honest_program_agrees_with_itself():
    assert sandboxes.agreements(Process(), "blas", 1) == 1


def test_a_whispering_pair_answers_about_everybody():
    # How often it is right depends on how busy the machine is.
    right, people = sandboxes.accuracy(Process(), "names", 1, np.random.default_rng(3))
    assert people == sandboxes.PEOPLE and 0 <= right <= people


def test_a_call_costs_time():
    assert sandboxes.cost(Process(), "json", 1) > 0
