"""A contest of models on a site: a pickle is turned away, three teams submit models and attack."""

import pickle

import quintain as q
from quintain.data.files import to_bytes
from quintain.host.intake.intake import take
from quintain.runs.folder.paths import Task
from quintain.runs.verification.verify import verify
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
TRAINERS = {"red": "train-logistic", "blue": "train-forest", "green": "train-network"}
FILE = "release.safetensors"


def model(folder, team) -> dict[str, bytes]:
    """The model that a team trains on its own sample."""
    (track,) = folder.edition().track
    private = folder.private(track, Task(track.id, team))
    release = q.sanitize(TRAINERS[team], private, label="income", seed=1)
    return {FILE: to_bytes(release.data, ".safetensors")}


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
    guess_blindly(site, edition, teams)
    ask_for(site, edition, 21, "reveal")
    assert contest.uploads(site, "accepted") == 6
    assert {job.state for job in contest.jobs(site)} == {"done"}
    assert verify(site.folder(edition)).problems == ()
