"""The edition about models: it loads, rehearses and verifies; wrong rules are refused by line."""

import numpy as np
import pytest
from benchmarks.models.membership import ATTACKS, play_one, rows

import quintain as q
from quintain.contests import load
from quintain.contests.loading.load import builtin_text
from quintain.contests.words import track_sections
from quintain.data import as_model
from quintain.errors import EditionError
from quintain.kernels.classifiers import is_answered
from quintain.runs.lint import lint_edition
from quintain.runs.play import play
from quintain.runs.verification.verify import verify

WHITE_BOX = {"id": "white", "attack": {"use": "gradient-length"}}
ASKED = {"id": "train", "submit": "release", "contract": {"use": "answers"}}
TINY = {"dataset": {"rows": 800}, "sample": {"targets": 30, "background": 60}}


def test_the_file_is_short():
    assert len(builtin_text("mico").splitlines()) <= 60


def test_a_rehearsal_plays_and_verifies(tmp_path):
    attacks = [
        {"id": "loss", "attack": {"use": "loss-threshold"}},
        {
            "id": "references",
            "sanitizer": {"use": "train-network", "label": "income", "hidden": [4], "epochs": 3},
            "attack": {"use": "reference-models", "shadows": 4, "rows": 75},
        },
    ]
    logistic = {"use": "train-logistic", "label": "income", "name": "logistic"}
    changes = {**TINY, "baseline": attacks, "sanitizer": [logistic]}
    folder = play(load("mico", overrides=changes), tmp_path / "run", seed=5)
    assert verify(folder).problems == ()


def test_the_rules_tell_what_a_model_must_be():
    (track,) = load("mico").track
    lines = {section.title: section.lines for section in track_sections(track)}
    assert lines["What a release must be"][:3] == [
        "A release is a model that predicts income from all other columns.",
        "It is a logistic regression, or a network with at most 4 layers of 512 units, or a forest "
        "with at most 100,000 nodes.",
        "It is one safetensors file with numbers alone, for 55 variables per record; a pickle "
        "could run code when it is read, so it is refused.",
    ]
    assert any("submit a model that you trained" in line for line in lines["What teams submit"])


def test_rules_without_models_do_not_mention_them():
    assert b'"model"' not in load("tiny").to_bytes()
    assert b'"model": {' in load("mico").to_bytes()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"model": {"label": "age"}}, "'age' is not a category with two values or more"),
        ({"model": {"label": "sex"}}, "predicts 'income', and model asks for 'sex'"),
        ({"model": {"architectures": ["svm"]}}, "logistic"),
        ({"sanitizer": [{"use": "rr"}]}, "rr-v1 releases table, and this track takes model"),
        ({"utility": [{"use": "marginals"}]}, "marginals-v1 is for table, not for model"),
        (
            {"baseline": [{"id": "near", "attack": {"use": "nearest"}}]},
            "nearest-v1 is for table",
        ),
        ({"rule": [{"use": "rows"}]}, "rows-v1 is for table"),
    ],
)
def test_parts_that_do_not_fit_models_are_refused(changes, words):
    with pytest.raises(EditionError, match=words):
        load("mico", overrides=changes)


def test_a_trainer_needs_a_track_of_models():
    trainer = {"use": "train-logistic", "label": "income"}
    with pytest.raises(EditionError, match="releases model, and this track takes table: add model"):
        load("tiny", overrides={"sanitizer": [trainer]})


def test_lint_tries_a_model_of_zeros_and_a_forest_that_remembers():
    gates = {"utility": [{"use": "model-accuracy"}], "privacy": [{"use": "auc"}]}
    board = {"board": [{"id": "attackers", "use": "mean", "measure": "auc"}], "sanitizer": []}
    small = {**TINY, "baseline": []}
    codes = {f.check for f in lint_edition(load("mico", overrides={**small, **gates, **board}))}
    assert "memorising-models" in codes
    weak = {"utility": [{"use": "model-accuracy", "gates": {"accuracy": {"at_least": 0.1}}}]}
    open_rules = load("mico", overrides={**small, **gates, **board, **weak})
    codes = {finding.check for finding in lint_edition(open_rules)}
    assert {"open-gates", "memorising-models"} <= codes
    assert not list(lint_edition(load("mico", overrides={**small, "sanitizer": []})))


def test_the_benchmark_makes_a_line_of_its_table():
    people = q.part("adult", rows=900).data(np.random.default_rng(0))
    (line,) = play_one("logistic", 0, people, people, 4)
    assert set(ATTACKS) <= set(line)
    head, _, row = rows([line])
    assert row.startswith("| logistic | 1 | .") and row.count("|") == head.count("|")


ANSWERS = {**TINY, "model": {"queries": 120}}
"""A small contest in which attackers see answers alone."""


@pytest.mark.parametrize(
    ("edition", "changes", "words"),
    [
        ("mico-answers", {"baseline": [WHITE_BOX]}, "gradient-length-v1 needs the weights; model"),
        ("mico", {"phase": [ASKED]}, "answers-v1 answers in place of a model: add model"),
        ("tiny", {"phase": [ASKED]}, "answers-v1 answers in place of a model: add model"),
        ("mico", {"model": {"queries": 0}}, "at least 1"),
        ("mico", {"model": {"architectures": ["answers"]}}, "'logistic', 'network' or 'forest'"),
        ("mico", {"knowledge": {"gives": ["weights"]}}, "the key model says whether attackers"),
    ],
)
def test_rules_about_black_boxes_are_checked(edition, changes, words):
    with pytest.raises(EditionError, match=words):
        load(edition, overrides=changes)


def test_attackers_see_answers_and_the_judge_sees_the_model(tmp_path):
    players = [{"id": "loss", "attack": {"use": "loss-threshold"}}]
    folder = play(
        load("mico-answers", overrides={**ANSWERS, "baseline": players}), tmp_path / "run", seed=5
    )
    (track,) = folder.edition().track
    (task,) = folder.tasks(track)
    seen, whole = as_model(folder.release(track, task).data), folder.full_release(track, task)
    asked = seen.tensors()["asked.records"]
    assert (seen.architecture, as_model(whole).architecture) == ("answers", "logistic")
    assert len(asked) == 120 and is_answered(seen, folder.question(track, task).records()).all()
    threat = dict(track.threat_rows())["data"]
    assert (
        "weights" not in threat and "weights" in dict(load("mico").track[0].threat_rows())["data"]
    )
    assert verify(folder).problems == ()


@pytest.mark.slow
def test_lint_reads_the_budget_of_queries():
    def findings(**changes):
        small = {**ANSWERS, "baseline": [], "sanitizer": [], **changes}
        return list(lint_edition(load("mico-answers", overrides=small)))

    assert not findings()
    (few,) = findings(model={"queries": 29})
    assert few.check == "spent-queries" and few.severity == "stop"
    (unused,) = findings(knowledge={"gives": ["claim"]})
    assert unused.check == "spent-queries" and unused.severity == "warning"


def test_rules_without_a_budget_do_not_mention_it():
    assert b'"queries"' not in load("mico").to_bytes()
