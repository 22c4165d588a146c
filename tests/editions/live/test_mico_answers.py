"""Programs that answer, live: three teams, one of which memorises; a stranger verifies."""

import json
from functools import partial

import pytest

import quintain as q
from quintain.data import as_model, read
from quintain.data.files import to_bytes
from quintain.errors import SubmissionError
from quintain.kit.codabench.bundle import require_exportable
from quintain.programs.choice import TRUSTED
from quintain.runs.folder import paths
from quintain.runs.folder.paths import Task
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.play import reasons
from quintain.runs.score import score
from quintain.runs.submissions.submit import submit
from tests.editions.live.live_contest import day, kit, revealed, shown, started, three_teams
from tests.programs.answering_programs import honest, memorising, packed

SMALL = {
    "dataset": {"rows": 1000},
    "sample": {"targets": 40, "background": 400},
    "model": {"queries": 150},
}
LIVE = three_teams('contract = { use = "answers", limits = { seconds = 20 } }\n')
SHORT = "import numpy as np\ndef answer(d):\n    return np.ones((7, d['classes']))\n"


@pytest.fixture
def folder(tmp_path):
    loss = {"id": "loss", "attack": {"use": "loss-threshold"}}
    refs = {"use": "reference-models", "shadows": 4, "rows": 400}
    players = [loss, {"id": "references", "attack": refs}]
    changes = {**SMALL, "baseline": players, "sanitizer": []}
    return started(tmp_path / "answers-2026", "mico-answers", changes, LIVE, seed=2)


def guesses(folder, files, team) -> dict[str, bytes]:
    """What a team guesses from its kit with the loss threshold: it has answers, and no weights."""
    (track,) = folder.edition().track
    out = {}
    for task in folder.read(track).tasks_for(team):
        name, _, _ = paths.attacker_files(task, *track.formats)
        place = folder.root.parent / f"{team}-{task.name}.safetensors"
        place.write_bytes(files[name])
        seen = read(place, track.published_schema(folder.private_schema(track)))
        assert as_model(seen).architecture == "answers"
        targets = folder.question(track, task).table.drop("target")
        guess = q.attack("loss-threshold", seen, targets=targets, seed=0)
        out[f"{task.name}.csv"] = to_bytes(guess.table, ".csv")
    return out


@pytest.mark.slow
def test_three_teams_whose_programs_answer(folder, tmp_path):
    (track,) = folder.edition().track
    form = track.model.form(folder.private_schema(track))
    files = kit(folder, "red", day(1.2))
    assert b"def answer" in files["example/main/train/model.py"]
    assert paths.team_sample("red", "main") in files
    assert "has a function answer" in files["README.md"].decode()
    send = partial(submit, folder, now=day(1.3))
    with pytest.raises(SubmissionError, match=r"needs model\.py"):
        send("red", {"m.zip": packed(weights=b"")})
    private = {team: folder.private(track, Task("main", team)) for team in ("red", "blue")}
    send("red", {"m.zip": honest(form, private["red"])})
    send("blue", {"m.zip": memorising(form, private["blue"])})
    send("green", {"m.zip": packed(model=SHORT)})
    hand_over(folder, now=day(2.5), containment=TRUSTED)
    # The program of green gave seven answers; the two others are attacked.
    assert folder.owners(track) == {"red": "red", "blue": "blue"}
    (reason,) = reasons(folder).values()
    assert "an array of the wrong shape" in reason
    # Nobody but the judge has a program, or more answers than the budget.
    public = shown(folder, day(3.2))
    assert not [name for name in public if name.endswith("model.py") and "example" not in name]
    seen = as_model(folder.release(track, Task("main", "red")).data)
    assert len(seen.tensors()["asked.shares"]) == track.model.queries

    for team in ("red", "blue", "green"):
        files = kit(folder, team, day(3.2))
        submit(folder, team, guesses(folder, files, team), now=day(3.2))
    score(folder, now=day(4), report=True, containment=TRUSTED)
    standings = json.loads(folder.at(paths.STANDINGS).read_bytes())
    attackers, models = (
        {place["team"]: place for place in board["places"]}
        for board in standings["tracks"]["main"]["boards"]
    )
    assert set(attackers) >= {"red", "blue", "green"}
    # A model that answers with the labels of its training set is told by its gap.
    assert models["blue"]["disqualified"]
    assert "generalisation_gap is 0." in models["blue"]["note"]
    assert not models["red"]["disqualified"]
    archive = tmp_path / "archive"
    assert revealed(folder, day(5), archive, containment=TRUSTED).problems == ()


def test_programs_are_not_submitted_to_codabench(folder):
    (track,) = folder.edition().track
    with pytest.raises(Exception, match="teams submit programs; the bundle for CodaBench"):
        require_exportable(track, "release")
    require_exportable(track, "guess")
