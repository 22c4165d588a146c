"""Attackers ask models of their own choice, live: the budget, the answers, and a stranger."""

from functools import partial

import numpy as np
import pytest

from quintain.data import Schema, Table, as_model, read
from quintain.data.files import to_bytes
from quintain.data.models import list_answers
from quintain.errors import SubmissionError
from quintain.kernels.classifiers import answers_about, confidences, is_answered
from quintain.kit.codabench.bundle import require_exportable
from quintain.programs.choice import TRUSTED
from quintain.runs import score as scoring
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.paths import Task
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.play import reasons
from quintain.runs.score import score
from quintain.runs.submissions.counting import submissions
from quintain.runs.submissions.submit import submit
from quintain.runs.taking_part import answer
from quintain.runs.tasks import own_answers
from tests.editions.live.live_contest import dates, day, kit, revealed, started
from tests.programs.answering_programs import honest, packed

LIVE = f"""
[[team]]
id = "red"

[[team]]
id = "blue"

[[team]]
id = "green"

[[phase]]
id = "train"
submit = "release"
contract = {{ use = "answers", limits = {{ seconds = 20 }} }}
{dates(1, 2)}
[[phase]]
id = "attack"
submit = "guess"
{dates(3, 5)}
"""
FICKLE = """\
import numpy as np
def answer(d):
    sure = np.linspace(0.1, 0.9, len(d["records"]))
    return np.stack([sure, 1 - sure], axis=1)
"""
"""Its answer about a record depends on its place among all others."""


@pytest.fixture
def folder(tmp_path):
    changes = {
        "dataset": {"rows": 400},
        "sample": {"targets": 20, "background": 100},
        "model": {"queries": 60, "own_queries": 30},
        "baseline": [{"id": "loss", "attack": {"use": "loss-threshold"}}],
    }
    return started(tmp_path / "asked-2026", "mico-answers", changes, LIVE, seed=2)


def handed_over(folder):
    (track,) = folder.edition().track
    form = track.model.form(folder.private_schema(track))
    send = partial(submit, folder, now=day(1.3))
    send("red", {"m.zip": honest(form, folder.private(track, Task("main", "red")))})
    send("green", {"m.zip": packed(model=FICKLE)})
    hand_over(folder, now=day(2.5), containment=TRUSTED)
    return track, form


def chosen(form, count, seed):
    """Queries about people who do not exist."""
    rng = np.random.default_rng(seed)
    values = {
        column.name: [
            column.values[rng.integers(len(column.values))]
            if column.kind == "category"
            else int(rng.integers(column.low, column.high + 1))
            for _ in range(count)
        ]
        for column in form.inputs
    }
    return Table.of(Schema(columns=form.inputs), values)


@pytest.mark.slow
def test_attackers_ask_what_they_like_within_their_budget(folder, tmp_path):
    track, form = handed_over(folder)
    first, second = chosen(form, 20, 1), chosen(form, 10, 2)
    text = to_bytes(first, ".csv")
    send = partial(submit, folder, now=day(3.2))
    with pytest.raises(SubmissionError, match="40 queries; a team may ask a model 30"):
        send("blue", {"QUERIES-red.csv": to_bytes(chosen(form, 40, 1), ".csv")})
    with pytest.raises(SubmissionError, match=r"QUERIES-blue\.csv: answers no task"):
        send("blue", {"QUERIES-blue.csv": text})  # blue released nothing
    with pytest.raises(SubmissionError, match=r"QUERIES-red\.csv: answers no task"):
        send("red", {"QUERIES-red.csv": text})  # nobody asks its own model
    lines = text.decode().splitlines()
    for wrong, words in (
        ("\n".join([lines[0], lines[1].replace(lines[1].split(",")[0], "-5", 1)]), "age='-5'"),
        ("\n".join([lines[0] + ",income", lines[1] + ",<=50K"]), "income"),
        (lines[0], "has no queries"),
        ("\x00\x01", "QUERIES-red.csv"),
    ):
        with pytest.raises(SubmissionError, match=words):
            send("blue", {"QUERIES-red.csv": wrong.encode() + b"\n"})
    # A model of the organisers, whose weights the judge has, and programs; answers beside queries.
    asked = {f"QUERIES-{name}.csv": text for name in ("red", "logistic", "green")}
    blind = kit(folder, "blue", day(3.2))["example/main/attack/red.csv"]
    send("blue", {**asked, "red.csv": blind})
    score(folder, now=day(3.5), report=False, containment=TRUSTED)
    (made,) = (event for event in submissions(folder) if event.kind == "answers")
    assert set(made.files) == {"ANSWERS-red.safetensors", "ANSWERS-logistic.safetensors"}
    assert reasons(folder) == {"blue": "green: it answers otherwise when it is asked again"}
    send = partial(submit, folder, now=day(3.6))
    with pytest.raises(SubmissionError, match="20 queries; a team may ask a model 30, and 20 are"):
        send("blue", {"QUERIES-red.csv": text})
    send("blue", {"QUERIES-red.csv": to_bytes(second, ".csv")})
    score(folder, now=day(4), report=True, containment=TRUSTED)

    files = kit(folder, "blue", day(4.2))
    place = paths.own_answers(Task("main", "red"), "blue")
    assert not any("answers.safetensors" in name for name in kit(folder, "red", day(4.2)))
    (tmp_path / "kit").mkdir()
    for name, content in files.items():
        (tmp_path / "kit" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "kit" / name).write_bytes(content)
    schema = track.published_schema(folder.private_schema(track))
    seen = as_model(read(tmp_path / "kit" / place, schema))
    assert is_answered(seen, first.concat(second)).all()
    # What the judge says of a model with weights is what the model says, but for fine digits.
    model = as_model(folder.full_release(track, Task("main", "logistic")))
    own = paths.own_answers(Task("main", "logistic"), "blue")
    told = as_model(read(tmp_path / "kit" / own, schema))
    assert np.allclose(confidences(told, first), confidences(model, first), rtol=0, atol=6e-4)
    shares = told.tensors()["asked.shares"]
    assert np.allclose(shares, shares.round(3), rtol=0, atol=1e-7)
    # An attack on the kit has more people to compare targets with.
    spec = {"use": "reference-models", "shadows": 4, "rows": 60}
    guesses = answer(Folder(tmp_path / "kit"), track, spec, team="blue", tasks=["red"])
    assert set(guesses) == {"red.csv"}

    checked = revealed(folder, day(6), tmp_path / "archive", containment=TRUSTED)
    assert checked.problems == ()


def asked(folder):
    """Blue asks the model of the organisers."""
    _, form = handed_over(folder)
    queries = {"QUERIES-logistic.csv": to_bytes(chosen(form, 5, 1), ".csv")}
    submit(folder, "blue", queries, now=day(3.2))


@pytest.mark.slow
def test_a_stranger_sees_answers_that_no_model_gave(folder, tmp_path, monkeypatch):
    asked(folder)

    def lie(model, records, trained_on):
        told = answers_about(model, records, trained_on=trained_on).tensors()
        return list_answers(model.form, records, told["asked.shares"][:, ::-1])

    with monkeypatch.context() as patch:
        patch.setattr(own_answers, "answers_about", lie)
        score(folder, now=day(3.5), report=False, containment=TRUSTED)
    (problem, *_) = revealed(folder, day(6), tmp_path / "archive", containment=TRUSTED).problems
    assert "ANSWERS-logistic.safetensors is not what the model answers" in problem


@pytest.mark.slow
def test_a_stranger_sees_queries_that_were_never_answered(folder, tmp_path, monkeypatch):
    asked(folder)
    with monkeypatch.context() as patch:
        patch.setattr(scoring, "answer_queries", lambda *_, **__: None)
        score(folder, now=day(3.5), report=False, containment=TRUSTED)
        archive = revealed(folder, day(6), tmp_path / "archive", containment=TRUSTED)
    (problem,) = archive.problems
    assert "the journal does not have ANSWERS-logistic.safetensors" in problem


def test_codabench_cannot_answer(folder):
    (track,) = folder.edition().track
    with pytest.raises(Exception, match="cannot answer them: leave own_queries out"):
        require_exportable(track, "guess")
