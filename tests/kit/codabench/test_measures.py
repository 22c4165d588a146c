"""The measures of the scoring program give our readings to the last bit, whatever is guessed."""

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.data import Column, Schema, Table
from quintain.guesses import Guess, Truth
from quintain.kit.codabench.program.goals import attribute, linkage, membership_set, published_row
from quintain.measures import Case, reading_rng
from quintain.registry import build

HIDDEN = {
    "category": Column(name="x", kind="category", values=("a", "b", "c"), nullable=True),
    "integer": Column(name="x", kind="integer", low=-3, high=9, nullable=True),
    "real": Column(name="x", kind="real", low=-5, high=5, nullable=True),
}
CELLS = {
    "category": st.integers(-1, 2),
    "integer": st.integers(-1, 12),
    "real": st.sampled_from([math.nan, -5.0, 0.1, 0.2, 0.30000000000000004, 1.0, 4.9]),
}


def ours(use, goal, data, cases, **parameters):
    """Our readings of columns as tables hold them."""
    truth, guess = goal.truth_schema(data), goal.guess_schema(data)
    made = [Case(Truth(Table(truth, one)), Guess(Table(guess, other))) for one, other in cases]
    readings = build("measure", {"use": use, **parameters}).measure(made, rng=reading_rng())
    return [reading.value for reading in readings.values()]


@settings(deadline=None, max_examples=60)
@given(data=st.data(), kind=st.sampled_from(list(HIDDEN)))
def test_hidden_values_are_right_or_nearly_right_as_we_say(data, kind):
    cell = CELLS[kind]
    cases = []
    for _ in range(data.draw(st.integers(1, 2))):
        pairs = data.draw(st.lists(st.tuples(st.booleans(), cell, cell), max_size=20))
        pairs += [
            (True, *data.draw(st.tuples(cell, cell))),
            (False, *data.draw(st.tuples(cell, cell))),
        ]
        members, values, guesses = map(list, zip(*pairs, strict=True))
        names = [str(i) for i in range(len(pairs))]
        truth = {"target": names, "member": [int(m) for m in members], "x": values}
        cases.append((truth, {"target": names, "x": guesses}))
    goal, schema = (
        build("goal", {"use": "attribute", "column": "x"}),
        Schema(columns=(HIDDEN[kind],)),
    )
    rule = {"key": "excess", "kinds": {"target": "id", "member": "integer", "x": kind}}
    assert attribute.measure(cases, rule) == ours("excess-accuracy", goal, schema, cases)
    tolerance = data.draw(st.sampled_from([0.0, 0.1, 1.0, 2.5]))
    rule = {**rule, "key": "within", "tolerance": tolerance}
    assert attribute.measure(cases, rule) == ours(
        "excess-within", goal, schema, cases, tolerance=tolerance
    )


ANY = Schema(columns=(Column(name="x", kind="integer"),))
ROWS = st.lists(st.tuples(st.integers(-1, 4), st.integers(-1, 4)), min_size=1, max_size=30)


@settings(deadline=None, max_examples=40)
@given(repeats=st.lists(ROWS, min_size=1, max_size=3))
def test_published_rows_are_found_as_we_say(repeats):
    cases = []
    for pairs in repeats:
        rows, guesses = zip(*[*pairs, (0, 0)], strict=True)
        names = [str(i) for i in range(len(rows))]
        cases.append(
            ({"target": names, "row": list(rows)}, {"target": names, "row": list(guesses)})
        )
    goal = build("goal", {"use": "published-row", "absent": True})
    assert published_row.measure(cases, {"key": "rows"}) == ours("rows-found", goal, ANY, cases)


SETS = st.tuples(st.sets(st.integers(0, 20)), st.sets(st.integers(0, 20), min_size=1))


@settings(deadline=None, max_examples=40)
@given(repeats=st.lists(SETS, min_size=1, max_size=3))
def test_rows_of_the_population_are_hit_as_we_say(repeats):
    cases = [({"row": list(members)}, {"row": list(named)}) for members, named in repeats]
    goal = build("goal", {"use": "membership-set"})
    assert membership_set.measure(cases, {"key": "hit"}) == ours("hit-rate", goal, ANY, cases)


PERSONS = Schema(columns=(Column(name="who", kind="id", role="customer"),))
NAMES = st.lists(st.sampled_from("abcde"), max_size=4, unique=True).map(":".join)
MONTHS = st.tuples(st.sampled_from(["", *"abcde"]), NAMES)


@settings(deadline=None, max_examples=60)
@given(
    rows=st.lists(st.tuples(MONTHS, MONTHS), min_size=1, max_size=150),
    credit=st.sampled_from(["first", "falling", "shared"]),
    out_of=st.sampled_from(["pseudonyms", "pairs"]),
)
def test_pseudonyms_earn_credit_as_we_say(rows, credit, out_of):
    rows = [*rows, (("a", "a"), ("", ""))]
    names = [str(i) for i in range(len(rows))]
    columns = list(zip(*rows, strict=True))
    labels = ["2011-01", "2011-02"]
    truth, guess = (
        {
            "who": names,
            **{m: [c[i] for c in cells] for m, cells in zip(labels, columns, strict=True)},
        }
        for i in (0, 1)
    )
    goal = build("goal", {"use": "linkage", "first": labels[0], "months": 2, "guesses": 4})
    rule = {"credit": credit, "names": 3, "out_of": out_of}
    assert linkage.measure([(truth, guess)], {"key": "reid", **rule}) == ours(
        "reidentification", goal, PERSONS, [(truth, guess)], **rule
    )
