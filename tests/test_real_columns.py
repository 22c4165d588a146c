"""Every sanitizer and attack of tables handles real and missing cells, or refuses in a sentence."""

import warnings

import numpy as np
import pytest

import quintain as q
from quintain import registry
from quintain.attacks import Attack
from quintain.data import Column, Schema, Table
from quintain.errors import QuintainError
from quintain.guesses import LinkabilityQuestion, SinglingOutQuestion
from quintain.sanitizers import Sanitizer
from quintain.testing.examples import TABLE

SCHEMA = Schema(
    columns=(
        Column(name="colour", kind="category", values=("red", "green", "blue")),
        Column(name="size", kind="integer", low=0, high=9, nullable=True),
        Column(name="bmi", kind="real", low=10, high=60, nullable=True),
    )
)


def people(rows: int = 60) -> Table:
    """Records with a real column, some of whose cells are missing."""
    rng = np.random.default_rng(0)
    bmi, size = rng.normal(25, 4, rows).clip(10, 60), rng.integers(0, 10, rows)
    bmi[::9], size[::7] = np.nan, -1
    return Table(SCHEMA, {"colour": rng.integers(0, 3, rows), "size": size, "bmi": bmi})


def says(call) -> str:
    """The sentence of a refusal; empty if there is none. Any other error gets through."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            call()
        except QuintainError as refusal:
            return str(refusal)
    return ""


SANITIZERS = [
    part.examples()[0]
    for part in registry.parts("sanitizer")
    if issubclass(part, Sanitizer) and not part.examples()[0].refusal(TABLE)
]
ATTACKS = [
    part
    for part in registry.parts("attack")
    if issubclass(part, Attack) and "table" in part.shapes and "weights" not in part.needs
]


@pytest.mark.parametrize("part", SANITIZERS, ids=lambda part: part.name())
def test_a_sanitizer_handles_real_cells_or_says_what_to_do(part):
    sentence = says(lambda: q.sanitize(part, people(), seed=0))
    if "leave nothing" in sentence:
        assert "generalise values with k-anonymity" in sentence
    assert "finite domain" not in sentence
    assert "\n" not in sentence


def attacked(part, data: Table, secret: str) -> str:
    """What an attack says to half of the data, released as they are."""
    example = part.examples()[0]
    targets = data
    if not secret and part.answers == (LinkabilityQuestion,):
        names = list(data.schema.names)
        targets = (data.select(names[:1]), data.select(names[1:]))
    if not secret and part.answers == (SinglingOutQuestion,):
        targets = None
    return says(
        lambda: q.attack(
            example,
            data.take(np.arange(30)),
            targets=targets,
            population=data,
            secret=secret,
            sanitizer=q.part("identity"),
            seed=0,
        )
    )


@pytest.mark.parametrize("secret", ["", "colour"], ids=["membership", "attribute"])
@pytest.mark.parametrize("part", ATTACKS, ids=lambda part: part.name())
def test_an_attack_handles_real_cells_or_says_what_to_do(part, secret):
    sentence = attacked(part, people(), secret)
    assert "finite domain" not in sentence
    assert "\n" not in sentence


@pytest.mark.parametrize("bounds", [{}, {"low": 0}], ids=["no bounds", "no upper bound"])
@pytest.mark.parametrize("secret", ["", "colour"], ids=["membership", "attribute"])
@pytest.mark.parametrize("part", ATTACKS, ids=lambda part: part.name())
def test_an_attack_handles_unbounded_numbers_or_says_what_to_do(part, secret, bounds):
    open_ended = Column(name="bmi", kind="real", nullable=True, **bounds)
    known = people()
    data = Table(Schema(columns=(*SCHEMA.columns[:2], open_ended)), known.columns)
    sentence = attacked(part, data, secret)
    another_question = " answers questions about " in sentence or "name it in secret=" in sentence
    if sentence and not another_question:
        assert "give low and high for bmi in the schema" in sentence


def test_nearest_takes_the_range_of_a_number_from_the_public_data_if_the_schema_has_none():
    schema = Schema(columns=(Column(name="bmi", kind="real"),))
    data = Table(schema, {"bmi": np.array([20.0, 25.0, 31.0])})
    for distance in ("manhattan", "gower"):
        guess = q.attack("nearest", data.take([0]), targets=data, distance=distance, seed=0)
        assert guess.table.columns["probability"].argmax() == 0
