"""Inference: which columns are hidden, which are known, and what is right."""

from __future__ import annotations

import numpy as np
import pytest

from quintain.attacks import Knowledge, Nearest
from quintain.audits.risks.inference import measure_inference
from quintain.guesses.attribute import Attribute
from quintain.measures import Case, reading_rng
from quintain.measures.privacy.excess_accuracy import ExcessAccuracy
from tests.audits.risks.pools import pool_and_release

POOL, RELEASE = pool_and_release(0.5)


def secrets_of(**options: object) -> set[str]:
    result = measure_inference(POOL, RELEASE, rng=np.random.default_rng(0), **options)  # type: ignore[arg-type]
    return {name for finding in result.findings for name in finding.columns}


def test_each_column_is_hidden_in_turn() -> None:
    assert secrets_of() == set(POOL.records.schema.names)


def test_what_attackers_know_is_not_hidden() -> None:
    assert secrets_of(known=["age", "town"]) == {"job", "ill", "wage"}
    assert secrets_of(known=["age"], secrets=["ill"]) == {"ill"}


def test_attackers_know_no_secret_that_is_named() -> None:
    result = measure_inference(POOL, RELEASE, secrets=["ill", "wage"], rng=np.random.default_rng(0))
    words = [f.threat[0] for f in result.findings if f.columns == ("ill",)]
    assert "of whom town, job, age are known" in words[0]


def test_a_name_that_is_not_there_is_refused_in_words() -> None:
    result = measure_inference(POOL, RELEASE, secrets=["ill", "iq"], rng=np.random.default_rng(0))
    assert [one.what for one in result.not_computed] == ["inference with the column 'iq'"]
    assert result.not_computed[0].reason == "no attack can compare this column"
    assert result.findings


def test_the_reading_equals_that_of_the_contest() -> None:
    """The same targets, goal, attack and measure as in an edition give the same figure."""
    result = measure_inference(
        POOL, RELEASE, secrets=["ill"], rng=np.random.default_rng(3), targets=300
    )
    finding = next(f for f in result.findings if f.name == "excess_accuracy")
    rows = np.random.default_rng(3).choice(len(POOL), 300, replace=False)
    goal = Attribute(column="ill")
    question, truth = goal.ask(POOL.sample(rows), RELEASE)
    guess = Nearest().infer(Knowledge(question), RELEASE, rng=np.random.default_rng(0))
    readings = ExcessAccuracy().measure([Case(truth, guess)], rng=reading_rng())
    assert finding.attack == "nearest"
    assert finding.reading == readings["excess_accuracy"]
    assert finding.control == readings["control_hits"]


def test_a_rare_value_guessed_right_counts_more() -> None:
    result = measure_inference(POOL, RELEASE, secrets=["ill", "town"], rng=np.random.default_rng(0))
    scores = result.evidence[0].scores
    assert scores.min() == 0
    assert np.log(2) < scores.max() < np.log(2) + np.log(12) + 1


def test_of_a_large_table_some_columns_are_left_out_with_a_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("quintain.audits.risks.inference._CELLS", 1)
    result = measure_inference(POOL, RELEASE, rng=np.random.default_rng(0), targets=50)
    secrets = {name for finding in result.findings for name in finding.columns}
    assert len(secrets) == 3
    assert len(result.not_computed) == len(POOL.records.schema.names) - 3
    assert "chosen at random" in result.not_computed[0].reason


def test_a_column_with_two_values_is_reconstructed() -> None:
    result = measure_inference(POOL, RELEASE, rng=np.random.default_rng(0), targets=100)
    columns = {f.columns for f in result.findings if f.attack == "linear-reconstruction"}
    assert columns == {(), ("ill",)}
