"""Hide-and-Seek on a site: programs run on other workers, and the command line agrees."""

import json

import pytest

from quintain.journal.receipt import Receipt
from quintain.runs.folder import paths
from quintain.runs.play import reasons
from quintain.runs.submissions.counting import submissions
from quintain.runs.verification.verify import verify
from quintain_host.intake.intake import take
from quintain_host.intake.uploads_shown import say_row
from quintain_host.programs.workers import NoProgramWorker, wants_programs
from tests.host import contest_on_site as contest
from tests.host.programs.program_contest import (
    DEADLY,
    EDITION,
    FAILING,
    HIDER,
    is_here,
    program_worker,
)
from tests.host.replayed import Replayed
from tests.runs.tasks.program_cases import seeker, zipped


def send(site, captain, edition, **program):
    take(site, captain, edition, {"program.zip": zipped(**program)})
    contest.drain(site)


@pytest.fixture(scope="module")
def played(new_site, tmp_path_factory, request):
    """A contest with two hiders that fail, a program that is replaced, and a late seeker."""
    request.getfixturevalue("able")
    site = new_site(tmp_path_factory.mktemp("hide"))
    edition = contest.prepared(site, EDITION)
    teams = {name: contest.team(site, edition, name) for name in ("red", "blue", "grey", "pink")}
    early = {}
    with program_worker(site):
        send(site, teams["red"], edition, hider=FAILING)
        early["red"] = reasons(site.folder(edition))
        send(site, teams["red"], edition, hider=HIDER)
        send(site, teams["blue"], edition, hider=HIDER)
        send(site, teams["grey"], edition, hider=DEADLY)
        early["grey"] = reasons(site.folder(edition))
        site.clock.set(contest.at(10))
        contest.request(site, edition, "scoring", "hand-over")
        contest.drain(site)
        site.clock.set(contest.at(12))
        is_here(site)
        take(site, teams["red"], edition, {"program.zip": seeker()})
        contest.drain(site)
        site.clock.set(contest.at(19))
        is_here(site)
        late = contest.team(site, edition, "late")
        take(site, late, edition, {"program.zip": seeker("1 - labels")})
        contest.drain(site)
        site.clock.set(contest.at(21))
        contest.request(site, edition, "scoring", "reveal")
        contest.drain(site)
    yield site, edition, early
    site.close()


@pytest.mark.slow
def test_teams_hear_early_why_a_program_fails(played):
    _, _, early = played
    assert early == {
        "red": {"red": "red: it failed with an error"},
        "grey": {"grey": "grey: it crashed"},
    }


def test_teams_see_what_their_programs_made(played):
    site, _, _ = played
    outcomes = [contest.upload(site, number).shown["program"] for number in range(1, 7)]
    assert outcomes[0] == {"made": [], "reasons": ["red: it failed with an error"]}
    assert (outcomes[1]["made"], outcomes[1]["reasons"]) == (["release.parquet"], [])
    second = say_row(outcomes[1]["second"])
    assert second == "It ran again before the hand-over and made the same files."
    line = json.loads(Receipt.from_bytes(outcomes[1]["receipt"].encode()).line)
    assert line["first"] == line["second"], "the team has a signed receipt of both runs"
    assert outcomes[3] == {"made": [], "reasons": ["grey: it crashed"]}
    assert len(outcomes[5]["made"]) == 2, "the late seeker attacked both releases"


def test_every_program_ran_in_another_lane(played):
    site, edition, _ = played
    calls = contest.jobs(site, "program")
    # Hiders: two of red, one of blue, one of grey; those that made a release run again. Seekers:
    # red on blue, late on both.
    hiders = ["red", "red", "blue", "grey", "blue", "red"]
    assert [job.team for job in calls] == [*hiders, "red", "late", "late"]
    assert {job.state for job in contest.jobs(site)} == {"done"}
    assert {job.worker for job in calls} == {"sandbox-1"}
    assert list((site.root / "calls").iterdir()) == [], "inputs and results are removed"
    owners = site.folder(edition).owners(site.folder(edition).edition().track[0])
    assert sorted(owners) == ["blue", "red"]


def test_the_contest_verifies_and_the_command_line_writes_the_same_bytes(played, tmp_path):
    site, edition, _ = played
    folder = site.folder(edition)
    assert verify(folder).problems == ()
    again = Replayed(folder, tmp_path / "again")
    assert again.differences() == []
    made = [one for one in submissions(folder) if one.made_by is not None]
    assert len(made) == 4
    assert folder.at(paths.STANDINGS).is_file()


def test_programs_are_refused_while_nobody_can_run_them(one_site):
    assert not wants_programs(one_site)
    edition = contest.prepared(one_site, EDITION)
    assert wants_programs(one_site)
    red = contest.team(one_site, edition, "red")
    with pytest.raises(NoProgramWorker, match="no machine that can contain them is connected"):
        take(one_site, red, edition, {"program.zip": zipped(hider=HIDER)})
    assert contest.uploads(one_site, "waiting") == 0
