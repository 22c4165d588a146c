"""Two goals on one release, on a site: three teams, both questions, and what the pages show."""

import io
import zipfile

import numpy as np
import pytest

from quintain.kit.archive import archive_bytes
from quintain.runs.folder.folder import Folder, csv_bytes
from quintain.runs.folder.record import publish
from quintain.runs.verification.chain import KeptEvidence
from quintain.runs.verification.verify import verify
from quintain_host.intake.intake import take
from tests.host import contest_on_site as contest
from tests.host.teams.browsers import browser, parts

TEXT = (
    """include = "two-goals"
id = "both"
dataset = { rows = 400 }
sample = { targets = 16, background = 40 }
baseline = [{ id = "nearest", attack = "nearest" }]

"""
    + contest.PHASES
)
TEAMS = ("red", "blue", "green")


def blind(site, edition, team):
    """Valid answers of a team to both questions about every release of others."""
    folder = site.folder(edition)
    track = folder.edition().track[0]
    rng = np.random.default_rng(1)
    tasks = folder.read(track).tasks_for(team)
    answers = {task.name: folder.question(track, task).blind(rng=rng) for task in tasks}
    return {f"{name}.csv": csv_bytes(guess.table) for name, guess in answers.items()}


@pytest.mark.slow
def test_three_teams_answer_two_goals_and_a_stranger_verifies_the_archive(one_site, tmp_path):
    site = one_site
    edition = contest.prepared(site, TEXT)
    captains = {name: contest.team(site, edition, name) for name in TEAMS}
    for name, captain in captains.items():
        take(site, captain, edition, contest.release(site, edition, name, rows=45))
    contest.drain(site)
    site.clock.set(contest.at(10))
    contest.request(site, edition, "scoring", "hand-over")
    contest.drain(site)
    site.clock.set(contest.at(11))
    red, root = browser(site, "red"), f"/contests/{edition}"
    assert "RELEASE.member.csv and RELEASE.attr.csv" in red.get(f"{root}/team/submit").text
    form, files = {"track": "main", "kind": "guess"}, contest.zipped(blind(site, edition, "red"))
    assert red.post(f"{root}/team/uploads", data=form, files=parts(files)).status_code == 303
    take(site, captains["blue"], edition, contest.zipped(blind(site, edition, "blue")))
    contest.drain(site)
    assert contest.uploads(site, "accepted") == 5
    checkpoint = publish(site.folder(edition))
    site.clock.set(contest.at(21))
    contest.request(site, edition, "scoring", "reveal")
    contest.drain(site)
    assert {job.state for job in contest.jobs(site)} == {"done"}
    shown = red.get(f"{root}/matrix").text
    assert "member.auc" in shown and "attr.excess accuracy" in shown
    api = f"/api/editions/{edition}/matrix/main"
    assert red.get(api).json()["measure"] == "member.auc"
    assert red.get(f"{api}?goal=attr").json()["measure"] == "attr.excess_accuracy"
    assert red.get(f"{api}?goal=other").status_code == 404
    assert "by the worse of the two goals" in red.get(f"{root}/standings").text
    with zipfile.ZipFile(io.BytesIO(archive_bytes(site.folder(edition)))) as archive:
        archive.extractall(tmp_path / "archive")
    evidence = KeptEvidence(checkpoints={"checkpoint.txt": checkpoint.encode()})
    assert verify(Folder(tmp_path / "archive"), evidence=evidence).problems == ()
