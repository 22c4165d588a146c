"""Truths and guesses of membership for the tests of measures."""

import numpy as np
from hypothesis import assume, settings
from hypothesis import strategies as st

from quintain.data import Column, Schema, Table
from quintain.guesses import Guess, Truth
from quintain.guesses.membership import Membership
from quintain.measures import Case

ANY = Schema(columns=(Column(name="x", kind="integer"),))
TRUTH = Membership().truth_schema(ANY)
GUESS = Membership().guess_schema(ANY)
quick = settings(deadline=None)


def case(members, probabilities):
    names = [f"t{i}" for i in range(len(members))]
    truth = Table.of(TRUTH, {"target": names, "member": [int(m) for m in members]})
    guess = Table.of(GUESS, {"target": names, "probability": probabilities})
    return Case(Truth(truth), Guess(guess))


@st.composite
def scored(draw, min_size=2):
    """Targets with scores on a coarse grid, so that ties are common; both classes occur."""
    size = draw(st.integers(min_size, 30))
    members = draw(st.lists(st.booleans(), min_size=size, max_size=size))
    assume(any(members) and not all(members))
    levels = draw(st.sampled_from([1, 2, 4, 100]))
    scores = draw(st.lists(st.integers(0, levels), min_size=size, max_size=size))
    return np.array(members), np.array(scores) / levels
