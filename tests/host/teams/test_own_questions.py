"""Questions per attacker on a site: a team gets its own, and nobody sees those of another."""

import io
import zipfile

import pytest

from quintain.runs.folder import paths
from quintain.runs.taking_part import answer
from quintain.runs.verification.verify import verify
from quintain_host.access import NotThere
from quintain_host.intake.intake import take
from quintain_host.teams.kits import kit_for, own_file, own_files
from tests.host import contest_on_site as contest

EDITION = """\
include = "tiny"
id = "own-people"
repeats = 1
questions = "per attacker"
targets_each = 8
dataset = { rows = 300 }
sample = { targets = 20, background = 60 }
sanitizer = [{ use = "identity" }, { use = "rr", keep = 0.5 }]
"""
OWN = "main/tasks/identity/question.csv"


@pytest.fixture
def played(one_site):
    """A contest with two teams; the samples were drawn before they joined."""
    edition = contest.prepared(one_site, EDITION)
    teams = {name: contest.team(one_site, edition, name) for name in ("red", "blue")}
    return one_site, edition, teams


def test_a_team_downloads_its_own_question_alone(played):
    site, edition, teams = played
    contents = {name: own_file(site, who, edition, OWN).read_bytes() for name, who in teams.items()}
    assert contents["red"] != contents["blue"]
    listed = {file.name for file in own_files(site, teams["red"], edition)}
    assert OWN in listed
    for name in (f"../blue/{OWN}", f"teams/blue/{OWN}"):
        with pytest.raises(NotThere):
            own_file(site, teams["red"], edition, name)
    assert not (site.edition_root(edition) / "public/main/tasks/identity/question.csv").exists()


@pytest.mark.slow
def test_the_kit_of_a_team_has_its_questions(played):
    site, edition, teams = played
    with zipfile.ZipFile(io.BytesIO(kit_for(site, teams["red"], edition).path.read_bytes())) as kit:
        names = kit.namelist()
    assert f"teams/red/{OWN}" in names and "example/main/attack/identity.csv" in names
    assert not [name for name in names if name.startswith(("secret", "teams/blue"))]


@pytest.mark.slow
def test_answers_are_taken_scored_and_verified(played):
    site, edition, teams = played
    folder = site.folder(edition)
    track = folder.edition().track[0]
    for name, captain in teams.items():
        files = answer(folder, track, {"use": "nearest"}, team=name)
        take(site, captain, edition, contest.zipped(files))
    contest.drain(site)
    assert contest.uploads(site, "accepted") == 2
    stolen = answer(folder, track, {"use": "nearest"}, team="blue")
    take(site, teams["red"], edition, contest.zipped(stolen))
    contest.drain(site)
    assert contest.uploads(site, "accepted") == 2
    contest.request(site, edition, "scoring", "freeze", arguments={"reason": "over"})
    contest.request(site, edition, "scoring", "reveal")
    contest.drain(site)
    assert folder.at(paths.STANDINGS).is_file()
    assert verify(site.folder(edition)).problems == ()
