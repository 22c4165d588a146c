"""Models, live: three teams train, attack each other's models, and a stranger verifies."""

import json
import pickle

import pytest

import quintain as q
from quintain.data import Schema, Table, read
from quintain.data.files import read_bytes, to_bytes
from quintain.data.models import model_schema
from quintain.errors import Faults, Rejected, SubmissionError
from quintain.kit.codabench.bundle import require_exportable
from quintain.runs.folder import paths
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.score import score
from quintain.runs.submissions.submit import submit
from tests.editions.live.live_contest import day, kit, revealed, started, three_teams

SMALL = {"dataset": {"rows": 1500}, "sample": {"targets": 40, "background": 100}}
LIVE = three_teams()
FILE = "release.safetensors"


def private(files, team) -> Table:
    """The private sample in a team's kit."""
    schema = Schema.model_validate_json(files[paths.schema("main")]).private
    content = files[paths.team_sample(team, "main")]
    return read_bytes(content, "private.csv", schema, faults=Faults())


def model_file(files, team, trainer, **parameters) -> dict[str, bytes]:
    """The model that a team trains at home."""
    sanitizer = q.part(f"sanitizer/{trainer}", label="income", **parameters)
    release = q.sanitize(sanitizer, private(files, team), seed=1)
    return {FILE: to_bytes(release.data, ".safetensors")}


def answers(folder, files, team, tmp_path) -> dict[str, bytes]:
    """Answers of a team with the loss threshold, from nothing but its kit."""
    schema = Schema.model_validate_json(files[paths.schema("main")])
    (track,) = folder.edition().track
    out = {}
    for name in [name for name in files if name.endswith(FILE) and name.startswith("public/")]:
        task = name.split("/")[-2]
        if task == team:
            continue
        place = tmp_path / team / task
        place.mkdir(parents=True)
        (place / FILE).write_bytes(files[name])
        model = read(place / FILE, model_schema(track.model.form(schema.private)))
        question = files[name.replace(FILE, "question.csv")]
        targets = read_bytes(
            question, "question.csv", track.goal.question_schema(schema), faults=Faults()
        )
        guess = q.attack("loss-threshold", model, targets=targets.drop("target"), seed=0)
        out[f"{task}.csv"] = to_bytes(guess.table, ".csv")
    return out


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "mico-2026"
    return started(made, "mico", {**SMALL, "baseline": [], "sanitizer": []}, LIVE, seed=2)


@pytest.mark.slow
def test_three_teams_from_training_to_verification(folder, tmp_path):
    kits = {team: kit(folder, team, day(1.2)) for team in ("red", "blue", "green")}
    assert f"example/main/train/{FILE}" in kits["red"]
    assert "a model of zeros" in kits["red"]["README.md"].decode()

    with pytest.raises(SubmissionError, match="is a pickle") as refusal:
        submit(folder, "green", {FILE: pickle.dumps({"weights": [1.0]})}, now=day(1.2))
    assert "safetensors.numpy.save_file" in str(refusal.value)
    submit(folder, "red", model_file(kits["red"], "red", "train-logistic"), now=day(1.3))
    dp = model_file(kits["blue"], "blue", "train-dp-sgd", epsilon=8.0, steps=60, hidden=())
    submit(folder, "blue", dp, now=day(1.3))
    forest = model_file(kits["green"], "green", "train-forest", trees=10)
    submit(folder, "green", forest, now=day(1.3))

    hand_over(folder, "main", now=day(2.5))
    for team in kits:
        files = kit(folder, team, day(3.2))
        submit(folder, team, answers(folder, files, team, tmp_path), now=day(3.2))
    score(folder, now=day(4), report=True)

    standings = json.loads(folder.at(paths.STANDINGS).read_bytes())
    boards = standings["tracks"]["main"]["boards"]
    attackers, models = ({p["team"]: p for p in board["places"]} for board in boards)
    assert set(attackers) == {"red", "blue", "green"}
    assert models["green"]["disqualified"]
    assert "generalisation_gap is 0." in models["green"]["note"]
    assert not models["red"]["disqualified"] and not models["blue"]["disqualified"]
    assert revealed(folder, day(5), tmp_path / "archive").problems == ()


def test_models_are_not_submitted_to_codabench(folder):
    (track,) = folder.edition().track
    with pytest.raises(Rejected, match="teams submit models; the scoring program for CodaBench"):
        require_exportable(track, "release")
    require_exportable(track, "guess")
