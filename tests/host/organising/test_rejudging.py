"""A second judgement: see the difference, then apply or drop it; nobody else sees it before."""

import json
import shutil

import pytest

from quintain.errors import EditionError, Refused
from quintain.measures.intervals import proportion
from quintain.measures.privacy.found import HitRate
from quintain.runs.folder import paths
from quintain_host.access import Conflict
from quintain_host.organising import rejudging, steps
from quintain_host.organising.drafts import draft
from quintain_host.organising.rejudging import moves
from tests.host.contest_on_site import ROUNDS, at, drain, jobs
from tests.host.organising.played import EDITION, approved, attacked, begun, olga, released

STRICT = ROUNDS.replace('utility = ["marginals"]', 'utility = [{ use = "marginals", at_most = 0 }]')
"""No release keeps this gate."""


@pytest.fixture(scope="module")
def judged(new_site, tmp_path_factory):
    """A contest whose releases were attacked; every test goes on with a copy."""
    made = new_site(tmp_path_factory.mktemp("judged"))
    begun(made)
    approved(made, "red", "blue")
    released(made, "red", "blue")
    attacked(made, "red", "blue")
    made.close()
    return made


@pytest.fixture
def site(judged, site_copy, tmp_path):
    copy = site_copy(judged, tmp_path / "site")
    yield copy
    copy.close()


def standings(site):
    return site.folder(EDITION).at(paths.STANDINGS).read_bytes()


def started(site, *args):
    number = rejudging.start(site, olga(site), EDITION, *args)
    drain(site)
    return rejudging.rejudging(site, olga(site), EDITION, number)


@pytest.mark.slow
def test_the_same_rules_give_the_same_results_from_nothing(site):
    before = standings(site)
    row = started(site, "a part was mended")
    assert row.state == "ready"
    assert row.difference["cells"]["changed"] == 0 and row.difference["cells"]["all"] > 0
    assert row.difference["standings"]["before"] == row.difference["standings"]["after"]
    assert moves(row.difference) == [] and row.difference["rules"] == []
    copy = site.rejudged_folder(row.id)
    assert copy.is_dir()
    rejudging.drop(site, olga(site), EDITION, row.id)
    drain(site)
    assert not copy.exists() and standings(site) == before
    with pytest.raises(Conflict, match="this one: dropped"):
        rejudging.apply(site, olga(site), EDITION, row.id)


def test_readings_that_were_wrong_are_found_and_put_right(site, monkeypatch):
    right = standings(site)
    with monkeypatch.context() as mistake:
        wrong = {"hit_rate": proportion(1, 4, "lower")}
        mistake.setattr(HitRate, "measure", lambda *_, **__: wrong)
        shutil.rmtree(site.folder(EDITION).at(paths.CACHE))
        steps.score(site, olga(site), EDITION)
        drain(site)
    assert standings(site) != right  # and nothing new makes anybody measure again
    row = started(site, "the measure had a mistake")
    changed = row.difference["cells"]["shown"]
    assert {one["before"] for one in changed} == {0.25} and len(changed) > 2
    assert moves(row.difference)
    assert standings(site) != right
    rejudging.apply(site, olga(site), EDITION, row.id)
    drain(site)
    assert rejudging.rejudging(site, olga(site), EDITION, row.id).state == "applied"
    assert standings(site) == right
    assert not site.rejudged_folder(row.id).exists()


def test_other_rules_are_tried_before_anybody_sees_them(site):
    before, events = standings(site), site.folder(EDITION).journal().size()
    row = started(site, "a gate was missing", STRICT)
    assert row.state == "ready", jobs(site, "rejudge")[-1].reason
    assert any(key.startswith("utility") for key in row.difference["rules"])
    assert moves(row.difference)
    assert standings(site) == before and site.folder(EDITION).journal().size() == events
    rejudging.apply(site, olga(site), EDITION, row.id)
    drain(site)
    assert [job.reason for job in jobs(site) if job.state == "failed"] == []
    assert site.folder(EDITION).journal().size() == events + 1
    assert len(site.folder(EDITION).state().rules) == 2
    assert draft(site, olga(site), EDITION).edition.toml == STRICT
    places = {
        board["board"]: {one["team"]: one["after"]["rank"] for one in board["places"]}
        for board in row.difference["boards"]
    }
    shown = {
        board["id"]: {one["team"]: one["rank"] for one in board["places"]}
        for board in json.loads(standings(site))["tracks"]["main"]["boards"]
    }
    assert places == shown


def test_rules_that_cannot_be_are_refused_before_or_by_the_job(site):
    with pytest.raises(EditionError):
        rejudging.start(site, olga(site), EDITION, "why not", "id = 1")
    with pytest.raises(Refused, match="say why"):
        rejudging.start(site, olga(site), EDITION, " ")
    row = started(site, "why not", STRICT.replace("rows = 30", "rows = 29"))
    assert row.state == "failed"
    assert "the data were drawn with it" in jobs(site, "rejudge")[-1].reason
    rejudging.drop(site, olga(site), EDITION, row.id)


@pytest.mark.slow
def test_after_the_reveal_one_can_look_and_change_nothing(site):
    site.clock.set(at(21))
    steps.freeze(site, olga(site), EDITION)
    drain(site)
    late = started(site, "asked for beside the reveal")
    steps.reveal(site, olga(site), EDITION, EDITION)
    rejudging.apply(site, olga(site), EDITION, late.id)
    drain(site)
    assert rejudging.rejudging(site, olga(site), EDITION, late.id).state == "failed"
    assert jobs(site, "apply-rejudging")[-1].reason.startswith("the results are final")
    row = started(site, "a reader asked")
    assert row.state == "ready" and row.difference["cells"]["changed"] == 0
    with pytest.raises(Conflict, match="the results are final"):
        rejudging.apply(site, olga(site), EDITION, row.id)
    with pytest.raises(Refused, match="the contest is over"):
        rejudging.start(site, olga(site), EDITION, "other rules", STRICT)
