"""The demonstration of ``make demo``: its open contest can be played, and people can sign in."""

import pytest
from scripts.demo import editions, people
from scripts.demo.play import TEAMS, Demo

from quintain.contests import load
from quintain.errors import PartError, QuintainError
from quintain_host.accounts.sessions import sign_in
from quintain_host.database.database import Database
from quintain_host.site import DATABASE, Site
from quintain_host.views.contest import contest_for, summary, teams
from quintain_host.work.handler import HANDLERS


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    demo = Demo(tmp_path_factory.mktemp("demo") / "site", "http://127.0.0.1:8000")
    demo.clock.set(demo.today.replace(hour=0, minute=0))
    demo.olga = people.operator(demo.site, "Olga Organiser")
    for team in list(TEAMS)[:2]:
        demo.captains[team] = people.visitor(demo.site, TEAMS[team][0], "captain")
    demo._open_contest()
    yield demo
    demo.site.close()


@pytest.mark.slow
def test_the_open_contest_runs_with_two_teams(demo):
    demo.clock.set(demo.today)
    olga = demo.olga.visitor()
    contest = contest_for(demo.site, olga, editions.OPEN)
    assert summary(contest).stage == "running"
    assert [team.name for team in teams(demo.site, contest)] == list(TEAMS)[:2]


@pytest.mark.slow
def test_a_job_that_fails_stops_the_demonstration(tmp_path, monkeypatch):
    def failing(_task):
        raise PartError("a decision tree needs scikit-learn")

    monkeypatch.setitem(HANDLERS, "prepare", failing)
    demo = Demo(tmp_path / "site", "http://127.0.0.1:8000")
    with pytest.raises(QuintainError, match="prepare failed: a decision tree needs scikit-learn"):
        demo.play()
    demo.site.close()


def test_the_people_can_sign_in_with_what_is_printed(demo):
    assert sign_in(demo.site, demo.olga.email, demo.olga.password).cookie


def test_a_site_that_is_opened_again_has_everything(demo):
    again = Site(demo.site.root)
    assert isinstance(again.database, Database)
    assert (demo.site.root / DATABASE).is_file()
    assert again.settings.title == "Quintain demo"
    again.close()


def test_the_played_edition_is_amic_with_two_rounds(demo, tmp_path):
    text, dates = editions.played_text(demo.today.replace(microsecond=0))
    (tmp_path / "edition.toml").write_text(text)
    edition = load(tmp_path / "edition.toml")
    assert [track.id for track in edition.track] == ["pre", "main"]
    assert dates == sorted(dates)
    assert edition.track[1].phase[1].closes == dates[-1]
