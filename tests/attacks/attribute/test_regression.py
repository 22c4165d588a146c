"""Regression: the hidden value as a function of the known columns."""

import builtins

import numpy as np
import pytest

from quintain.attacks import Knowledge
from quintain.attacks.attribute.regression import Regression
from quintain.data import Column, Schema, Table
from quintain.errors import MissingExtra
from quintain.guesses.attribute import Attribute
from quintain.releases import Release
from quintain.samples.targets import Targets

SCHEMA = Schema(
    columns=(
        Column(name="age", kind="integer", low=0, high=99),
        Column(name="job", kind="category", values=("a", "b", "c")),
        Column(name="wage", kind="real", low=0, high=300, nullable=True),
        Column(name="rank", kind="integer", low=1, high=9),
    )
)
MODELS = [Regression(trees=30), Regression(model="ridge")]


def people(count=500, seed=1):
    rng = np.random.default_rng(seed)
    age, job = rng.integers(0, 100, count), rng.integers(3, size=count)
    wage = np.clip(age + 50 * job + rng.normal(0, 3, count), 0, 300)
    wage[:5] = np.nan
    return Table(SCHEMA, {"age": age, "job": job, "wage": wage, "rank": age // 12})


def guesses(part, column, knows=None):
    sample = Targets(targets=100, members="half", background=200).draw(
        people(), rng=np.random.default_rng(2)
    )
    goal = Attribute(column=column, knows=knows)
    release = Release(sample.private)
    question, truth = goal.ask(sample, release)
    guess = part.infer(Knowledge(question), release, rng=np.random.default_rng(0))
    return truth.table.columns[column], guess.table.columns[column]


@pytest.mark.parametrize("part", MODELS, ids=lambda part: part.model)
def test_a_number_is_predicted_from_numbers_and_categories(part):
    values, guessed = guesses(part, "wage")
    usable = ~np.isnan(values)
    assert np.median(np.abs(values - guessed)[usable]) < 8  # the noise alone gives 2, blind 35
    assert guessed.min() >= 0 and guessed.max() <= 300


@pytest.mark.parametrize("part", MODELS, ids=lambda part: part.model)
def test_a_category_is_predicted(part):
    values, guessed = guesses(part, "job", knows=("age", "wage"))
    assert (values == guessed).mean() > 0.8


@pytest.mark.parametrize("part", MODELS, ids=lambda part: part.model)
def test_an_integer_is_predicted_as_an_integer_of_its_domain(part):
    values, guessed = guesses(part, "rank", knows=("age",))
    assert guessed.dtype.kind == "i"
    assert (np.abs(values - guessed) <= 1).mean() > 0.95


def test_a_column_with_one_value_leaves_nothing_to_learn():
    sample = Targets(targets=20, background=30).draw(people(), rng=np.random.default_rng(2))
    question, _ = Attribute(column="job").ask(sample, Release(sample.private))
    alike = sample.private.replace({"job": np.ones(len(sample.private), np.int64)})
    guess = MODELS[0].infer(Knowledge(question), Release(alike), rng=np.random.default_rng(0))
    assert set(guess.table.columns["job"].tolist()) == {1}


def test_without_scikit_learn_the_refusal_names_the_extra(monkeypatch):
    real = builtins.__import__

    def without_sklearn(name, *args, **kwargs):
        if name.startswith("sklearn"):
            raise ModuleNotFoundError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_sklearn)
    with pytest.raises(MissingExtra, match="pip install 'quintain"):
        guesses(MODELS[1], "job")
