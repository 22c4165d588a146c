"""A contest that organisers drive on the site is the contest of the command line, byte for byte."""

import io
import zipfile

import pytest

from quintain.errors import Refused
from quintain.runs.folder.folder import Folder
from quintain.runs.verification.verify import verify
from quintain_host.access import NOBODY, NotAllowed, NotSignedIn
from quintain_host.audit_log import verify_log
from quintain_host.organising import steps
from quintain_host.organising.overview import actions_of
from quintain_host.organising.registrations import teams_of
from tests.host.contest_on_site import jobs, visitor
from tests.host.organising.played import EDITION, olga, whole
from tests.host.replayed import Replayed


@pytest.fixture(scope="module")
def played(new_site, tmp_path_factory):
    site = new_site(tmp_path_factory.mktemp("played"))
    whole(site)
    yield site
    site.close()


@pytest.mark.slow
def test_every_job_was_done(played):
    assert {
        (job.kind, job.state, job.reason) for job in jobs(played) if job.state != "done"
    } == set()


def test_the_command_line_gives_the_same_bytes(played, tmp_path):
    source = played.folder(EDITION)
    names = [event.event for event in source.journal().events()]
    assert names.count("decided") == 2 and "limited" in names and "amended" in names
    assert Replayed(source, tmp_path / EDITION).differences() == []


def test_everybody_gets_the_archive_after_the_reveal_and_it_verifies(played, tmp_path):
    content = steps.export_path(played, NOBODY, EDITION, "archive").read_bytes()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(tmp_path)
    assert verify(Folder(tmp_path), fast=True).problems == ()


def test_teams_have_their_limits_and_reasons(played):
    rows = {one.team.id: one for one in teams_of(played, olga(played), EDITION)}
    assert rows["red"].limits == "5 in total" and rows["blue"].limits == "9 in total"
    assert rows["green"].team.reason == "the name is taken elsewhere"
    assert not rows["blue"].team.competing


def test_the_log_has_every_action_and_organisers_see_theirs(played):
    seen = [one.action for one in reversed(actions_of(played, olga(played), EDITION))]
    for action in (
        "edition.create",
        "request.prepare",
        "edition.settings",
        "team.approve",
        "team.refuse",
        "request.extend",
        "request.limit",
        "request.hand-over",
        "request.decide",
        "request.freeze",
        "request.reveal",
    ):
        assert action in seen
    assert {one.person for one in actions_of(played, olga(played), EDITION)} >= {"Olga", "Red"}
    assert verify_log(played).lines >= len(seen)
    with pytest.raises(NotAllowed):
        actions_of(played, visitor(played, "red"), EDITION)


@pytest.mark.parametrize("step", [steps.lint, steps.prepare, steps.hand_over, steps.score])
def test_only_organisers_take_steps(played, step):
    with pytest.raises(NotAllowed):
        step(played, visitor(played, "red"), EDITION)
    with pytest.raises(NotSignedIn):
        step(played, NOBODY, EDITION)


def test_after_the_end_nothing_changes(played):
    for step in (steps.hand_over, steps.freeze, steps.prepare):
        with pytest.raises(Refused, match="the contest is over"):
            step(played, olga(played), EDITION)
