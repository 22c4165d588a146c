"""What a program may return, and what happens to one that goes wrong."""

import time

import numpy as np
import pytest

from quintain.programs import CallLimits, Draws
from quintain.programs.failures import ProgramError, Reason
from quintain.programs.hide_and_seek import HideAndSeek
from quintain.programs.runner import call
from quintain.programs.sandbox.process import Process
from quintain.testing.examples import example
from tests.runs.tasks.program_cases import program


@pytest.mark.parametrize(
    "returned",
    ["data", "(data, mask)", "(data, None)", "(data, 3)", "(data, mask, 2)", "(data, None, None)"],
)
def test_every_form_a_hider_may_return(returned):
    text = "def hider(d):\n    data, mask = d['data'], d['padding_mask']\n    return " + returned
    private = example("series")
    made = (
        HideAndSeek(steps=12)
        .release(program(text), private, draws=Draws.for_test(1), sandbox=Process())
        .data
    )
    assert made.lengths.tolist() == private.lengths.tolist()
    assert np.array_equal(made.values, private.values, equal_nan=True)


@pytest.mark.parametrize("shape", ["labels", "labels[:, None]", "labels[None, :]"])
def test_every_form_a_seeker_may_return(shape):
    from quintain.guesses.membership import Membership
    from quintain.testing.examples import experiment

    sample, release = experiment("series")
    question, _ = Membership().ask(sample, release)
    text = f"import numpy as np\ndef seeker(d):\n    labels = np.arange(20) % 2\n    return {shape}"
    guess = HideAndSeek(steps=12).guess(
        program(text, "seeker"), question, release.data, seed=1, sandbox=Process()
    )
    assert guess.table.columns["probability"].tolist() == [0.0, 1.0] * 10


def test_how_sure_a_seeker_is_is_kept():
    from quintain.guesses.membership import Membership
    from quintain.testing.examples import experiment

    sample, release = experiment("series")
    question, _ = Membership().ask(sample, release)
    text = "import numpy as np\ndef seeker(d):\n    return np.linspace(-1, 2, 20)"
    guess = HideAndSeek(steps=12).guess(
        program(text, "seeker"), question, release.data, seed=1, sandbox=Process()
    )
    probabilities, returned = guess.table.columns["probability"], np.linspace(-1, 2, 20)
    assert np.array_equal(probabilities > 0.5, returned > 0.5)
    assert np.array_equal(probabilities, np.clip(returned, 0, 1))


def failure(body, *, seconds):
    contract = HideAndSeek(steps=12, limits=CallLimits(seconds=seconds, memory_gib=8))
    with pytest.raises(ProgramError) as caught:
        contract.release(
            program(f"def hider(d):\n    {body}"),
            example("series"),
            draws=Draws.for_test(1),
            sandbox=Process(),
        )
    return caught.value


@pytest.mark.parametrize(
    ("body", "reason", "details"),
    [
        ("return 'rescore'", Reason.NOT_NUMBERS, "submit the earlier release"),
        ("return d['data'][:, :2]", Reason.WRONG_SHAPE, "of shape"),
        ("return [{}]", Reason.NOT_NUMBERS, "not an array"),
        ("return d['data'] * float('inf')", Reason.BAD_VALUES, "beyond 1e+100"),
        ("return d['data'], d['padding_mask'], 1, 2", Reason.WRONG_SHAPE, "nothing else"),
        ("import os; os._exit(3)", Reason.NOTHING, "exit code 3"),
        ("import os; os.abort()", Reason.CRASHED, "it ended with signal 6"),
        ("raise RuntimeError(str(d['data'].sum()))", Reason.FAILED, "Error in hider.py, line 2"),
        ("return bytearray(1 << 40)", Reason.OUT_OF_MEMORY, "MemoryError"),
    ],
)
def test_what_goes_wrong_is_told_without_any_data(body, reason, details):
    error = failure(body, seconds=60)
    assert str(error) == reason
    assert details in error.details


@pytest.mark.slow
def test_a_program_that_does_not_end_is_told_its_limit():
    error = failure("while True: pass", seconds=2)
    assert str(error) == Reason.OUT_OF_TIME
    assert "the limit is 2 seconds" in error.details


def test_a_program_sees_no_environment_of_ours(monkeypatch):
    monkeypatch.setenv("QUINTAIN_SECRET", "hidden")
    text = "import os\ndef f(d):\n    return ','.join(sorted(os.environ))"
    (seen,) = call(program(text, "m"), "m", "f", {}, CallLimits(seconds=600), Process())
    assert "QUINTAIN_SECRET" not in seen


@pytest.mark.slow
def test_children_of_a_program_are_killed_with_it(tmp_path):
    late = f"import time; time.sleep(2); open({str(tmp_path / 'late')!r}, 'w')"
    text = (
        "import subprocess, sys\n"
        "def f(d):\n"
        f"    subprocess.Popen([sys.executable, '-c', {late!r}])\n"
        "    return 1\n"
    )
    call(program(text, "m"), "m", "f", {}, CallLimits(seconds=600), Process())
    time.sleep(3)
    assert not (tmp_path / "late").exists()
