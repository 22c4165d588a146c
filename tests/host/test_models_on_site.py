"""A contest of models on a site: a pickle is turned away, three teams submit models and attack.

One of them submits a forest of scikit-learn as an ONNX file; attackers get it as plain arrays.
"""

import pickle

import numpy as np
import pytest

import quintain as q
from quintain.data import ModelForm, as_model
from quintain.data.files import to_bytes
from quintain.data.models import labels, variables
from quintain.runs.folder.paths import Task
from quintain.runs.verification.verify import verify
from quintain_host.intake.intake import take
from tests.host import contest_on_site as contest
from tests.host.model_contest import ATTACK, TRAIN, ask_for, guess_blindly

MODELS = f"""\
include = "mico"
id = "models"
baseline = []
sanitizer = []
dataset = {{ rows = 600 }}
sample = {{ targets = 20, background = 60 }}

{TRAIN}
{ATTACK}"""
TRAINERS = {"red": "train-logistic", "blue": "scikit-learn", "green": "train-network"}
FILE = "release.safetensors"


def model(folder, team) -> dict[str, bytes]:
    """The model that a team trains on its own sample."""
    (track,) = folder.edition().track
    private = folder.private(track, Task(track.id, team))
    if team == "blue":
        return {FILE: onnx_forest(private)}
    release = q.sanitize(TRAINERS[team], private, label="income", seed=1)
    return {FILE: to_bytes(release.data, ".safetensors")}


def onnx_forest(private) -> bytes:
    """A forest of scikit-learn, as its converter to ONNX writes it."""
    ensemble, skl2onnx = pytest.importorskip("sklearn.ensemble"), pytest.importorskip("skl2onnx")
    form = ModelForm(label="income", columns=private.schema.columns)
    inputs = variables(form, private).astype(np.float32)
    names = np.array(form.classes)[labels(form, private)]
    forest = ensemble.RandomForestClassifier(10, random_state=1).fit(inputs, names)
    return skl2onnx.to_onnx(forest, inputs[:1]).SerializeToString()


def test_three_teams_submit_models_to_a_site(site):
    edition = contest.prepared(site, MODELS)
    teams = {name: contest.team(site, edition, name) for name in TRAINERS}
    folder = site.folder(edition)
    take(site, teams["red"], edition, {FILE: pickle.dumps([1.0])})
    contest.drain(site)
    assert contest.uploads(site, "refused") == 1
    for name, captain in teams.items():
        take(site, captain, edition, model(folder, name))
    contest.drain(site)
    assert contest.uploads(site, "accepted") == 3
    ask_for(site, edition, 10, "hand-over")
    (track,) = folder.edition().track
    released = folder.release(track, Task(track.id, "blue")).data
    assert as_model(released).architecture == "forest"
    assert len(as_model(released).tensors()["trees.root"]) == 10
    guess_blindly(site, edition, teams)
    ask_for(site, edition, 21, "reveal")
    assert contest.uploads(site, "accepted") == 6
    assert {job.state for job in contest.jobs(site)} == {"done"}
    assert verify(site.folder(edition)).problems == ()
