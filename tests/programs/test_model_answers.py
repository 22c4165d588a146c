"""Programs that answer in place of a model: what goes wrong is said in words."""

import re

import numpy as np
import pytest

from quintain.data import as_model
from quintain.data.models import distinct_records, list_answers, variables
from quintain.errors import KnowledgeError
from quintain.kernels.classifiers import answers_about, confidences, is_answered, round_shares
from quintain.programs import CallLimits, Draws
from quintain.programs.contract import Queries
from quintain.programs.failures import ProgramError
from quintain.programs.model_answers import ModelAnswers
from quintain.programs.sandbox.process import Process
from quintain.testing import example, example_table

FORM = as_model(example("model")).form
RECORDS = distinct_records(FORM, example_table(rows=30))


def answers(body, seconds=600.0):
    contract = ModelAnswers(limits=CallLimits(seconds=seconds, memory_gib=4))
    text = f"import os\nimport numpy as np\ndef answer(d):\n    {body}\n"
    queries = Queries(FORM, RECORDS)
    program = {"model.py": text.encode()}
    return contract.answer(program, queries, draws=Draws.for_test(1), sandbox=Process())


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("return np.ones((3, 2))", r"shape \(3, 2\); expected \d+ answers of 2 shares"),
        ("return np.ones(len(d['records']))", "expected"),
        ("return d['records'], d['records']", "it returned 2 values"),
        ("return np.full((len(d['records']), 2), np.nan)", "not finite"),
        ("return -np.ones((len(d['records']), 2))", "negative"),
        ("return np.zeros((len(d['records']), 2))", "all zero for a record"),
        ("return 'yes'", "not an array of numbers"),
        ("return None", "not an array of numbers"),
        ("os.abort()", "signal 6"),
        ("raise RuntimeError('secret')", "it failed with RuntimeError in model.py, line 4"),
    ],
)
def test_wrong_answers_are_refused_in_words(body, words):
    with pytest.raises(ProgramError) as caught:
        answers(body)
    assert re.search(words, caught.value.details)
    assert "secret" not in caught.value.details


def test_an_endless_query_is_stopped():
    with pytest.raises(ProgramError, match="did not end in time") as caught:
        answers("while True: pass", seconds=0.5)
    assert caught.value.details.endswith("the limit is 0.5 seconds")


def test_a_program_answers_like_the_model_behind_it():
    body = "x = d['records'][:, -1:]; return np.hstack([3 * x, 3 - 3 * x])"
    model = as_model(answers(body))
    expected = variables(FORM, RECORDS)[:, -1]
    assert not model.has_weights
    assert np.allclose(confidences(model, RECORDS)[:, 0], expected, atol=1e-6)


def test_a_message_in_the_low_digits_of_answers_is_lost():
    rng = np.random.default_rng(2)
    plain, members = rng.random(len(RECORDS)).round(3), rng.random(len(RECORDS)) < 0.5
    whispered = np.clip(plain + np.where(members, 2e-4, -2e-4), 0, 1)
    quiet, heard = (
        list_answers(FORM, RECORDS, np.column_stack([first, 1 - first]))
        for first in (plain, whispered)
    )
    seen, expected = (answers_about(model, RECORDS, trained_on=500) for model in (heard, quiet))
    assert seen.digest() == expected.digest()
    raw = heard.tensors()["asked.shares"][:, 0] > plain + 1e-4
    assert np.mean(raw == members) > 0.9  # a friend read them before


@pytest.mark.parametrize("classes", [2, 3, 40])
def test_rounded_shares_have_the_sum_one(classes):
    shares = np.random.default_rng(classes).dirichlet(np.full(classes, 0.3), 200)
    rounded = round_shares(shares, 500)
    assert np.allclose(rounded.sum(axis=1), 1, rtol=0, atol=1e-12)
    assert (rounded >= 0).all()
    assert np.array_equal(rounded, rounded.round(3))
    assert np.abs(rounded - shares).max() <= 1e-3


def test_records_that_nobody_asked_about_have_no_answer():
    model = as_model(example("model"))
    seen = answers_about(model, RECORDS.take(range(5)), trained_on=100)
    assert is_answered(model, RECORDS).all()
    assert is_answered(seen, RECORDS).tolist() == [True] * 5 + [False] * (len(RECORDS) - 5)
    assert np.array_equal(confidences(seen, RECORDS.take([4, 0, 4])), np.full((3, 2), 0.5))
    with pytest.raises(KnowledgeError, match=r"2 of 4 records; .* its answers to 5 queries"):
        confidences(seen, RECORDS.take([0, 5, 6, 1]))
