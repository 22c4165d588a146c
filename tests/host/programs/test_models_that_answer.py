"""Programs that answer, on a site: three teams from training to the archive; their pages."""

import io
import zipfile

import pytest
from starlette.testclient import TestClient

from quintain.data import as_table
from quintain.data.files import to_bytes
from quintain.kit.archive import archive_bytes
from quintain.kit.kit import kit_bytes
from quintain.programs.choice import TRUSTED, Ability, sandbox_for_own
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.paths import Task
from quintain.runs.folder.record import publish
from quintain.runs.play import reasons
from quintain.runs.submissions.counting import submissions
from quintain.runs.verification.chain import KeptEvidence
from quintain.runs.verification.verify import verify
from quintain_host.intake.intake import take
from quintain_host.web.app import make_app
from quintain_host.web.requests import cookie_name
from quintain_host.work import program
from tests.host import contest_on_site as contest
from tests.host.model_contest import ATTACK, TRAIN, ask_for, guess_blindly
from tests.host.programs.program_contest import is_here, program_worker
from tests.programs.answering_programs import honest, memorising, packed

ANSWERS = f"""\
include = "mico-answers"
id = "answers"
baseline = []
sanitizer = []
dataset = {{ rows = 500 }}
sample = {{ targets = 20, background = 200 }}
model = {{ queries = 60, own_queries = 10 }}

{TRAIN}contract = {{ use = "answers", limits = {{ seconds = 20 }} }}

{ATTACK}"""
CRASH = "import os\ndef answer(input_dict):\n    os.abort()\n"


@pytest.fixture(scope="module")
def played(new_site, tmp_path_factory):
    """The site after the reveal, the last checkpoint, and the pages that a team saw.

    What the sandbox withstands is tested elsewhere; here it runs programs of this file alone.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(program, "ability", lambda *, trust: Ability(sandbox_for_own()))
        yield from _played(new_site, tmp_path_factory)


def _played(new_site, tmp_path_factory):
    site = new_site(tmp_path_factory.mktemp("answers"))
    edition = contest.prepared(site, ANSWERS)
    teams = {name: contest.team(site, edition, name) for name in ("red", "blue", "green")}
    folder = site.folder(edition)
    (track,) = folder.edition().track
    form = track.model.form(folder.private_schema(track))
    private = {name: folder.private(track, Task(track.id, name)) for name in teams}
    programs = {
        "red": honest(form, private["red"]),
        "blue": memorising(form, private["blue"]),
        "green": packed(model=CRASH),
    }
    client = TestClient(make_app(site), "http://127.0.0.1:8000")
    cookie = contest.cookie(site, contest.account_of(site, "red"))
    client.cookies.set(cookie_name(site.settings), cookie)
    pages = {"submit": client.get("/contests/answers/team/submit").text}
    with program_worker(site):
        for name, captain in teams.items():
            take(site, captain, edition, {"model.zip": programs[name]})
        contest.drain(site)
        site.clock.set(contest.at(10))
        is_here(site)
        ask_for(site, edition, 10, "hand-over")
        guess_blindly(site, edition, teams)
        people = as_table(folder.base(track.id)).select([c.name for c in form.inputs])
        queries = to_bytes(people.take(range(10)), ".csv")
        take(site, teams["green"], edition, {"QUERIES-red.csv": queries})
        take(site, teams["green"], edition, {"QUERIES-red.csv": queries})
        contest.drain(site)
        pages["history"] = _history(site, client)
        checkpoint = publish(folder)
        site.clock.set(contest.at(21))
        is_here(site)
        ask_for(site, edition, 21, "reveal")
    pages["results"] = client.get("/contests/answers/results").text
    pages["rules"] = client.get("/contests/answers/rules").text
    yield site, folder, checkpoint, pages
    site.close()


def _history(site, client):
    """The submissions of green, as its page lists them."""
    cookie = contest.cookie(site, contest.account_of(site, "green"))
    client.cookies.set(cookie_name(site.settings), cookie)
    return client.get("/contests/answers/team/history").text


@pytest.mark.slow
def test_a_team_asks_a_model_on_its_site(played):
    site, folder, _, pages = played
    (answers,) = (event for event in submissions(folder) if event.kind == "answers")
    assert (answers.team, set(answers.files)) == ("green", {"ANSWERS-red.safetensors"})
    assert contest.uploads(site, "refused") == 1  # the second file asks more than is left
    assert f"to your queries of event {answers.made_by}" in pages["history"]
    kit = kit_bytes(folder, "green", now=contest.at(20))
    with zipfile.ZipFile(io.BytesIO(kit)) as archive:
        assert "teams/green/main/tasks/red/answers.safetensors" in archive.namelist()


def test_two_programs_are_attacked_and_the_third_crashed(played):
    _, folder, _, pages = played
    (track,) = folder.edition().track
    assert folder.owners(track) == {"red": "red", "blue": "blue"}
    assert [text.strip() for text in reasons(folder).values()] == ["green: it crashed"]
    assert "a program that answers in place of a model" in pages["rules"]
    assert "its answers to 60 queries" in pages["rules"]


@pytest.mark.slow
def test_a_stranger_verifies_the_archive_with_one_checkpoint(played, tmp_path):
    _, folder, checkpoint, _ = played
    with zipfile.ZipFile(io.BytesIO(archive_bytes(folder))) as archive:
        archive.extractall(tmp_path)
    evidence = KeptEvidence(checkpoints={"checkpoint.txt": checkpoint.encode()})
    assert verify(Folder(tmp_path), evidence=evidence, containment=TRUSTED).problems == ()
