"""Careless operators: what people are told, and that nothing is lost."""

import errno
import os
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from quintain_host.accounts.sessions import make_token
from quintain_host.claiming import AnotherSite, claim_database, require_own_database
from quintain_host.database.sharing import SiteClaim
from quintain_host.intake.intake import take
from quintain_host.serving.checking import clock_faults, findings
from quintain_host.settings import Settings
from quintain_host.site import IDENTITY, Site
from quintain_host.web.app import make_app
from tests.host import contest_on_site as contest
from tests.host.sharing.bucket_server import BucketServer


def other_site(site, root, **settings):
    """A folder that by mistake names the database of another site."""
    root.mkdir()
    database = site.database.url
    return Site(root, settings=Settings(**settings), database=database, clock=site.clock)


@pytest.mark.slow
def test_the_database_of_another_site_is_refused(one_site, tmp_path):
    contest.prepared(one_site)
    other = other_site(one_site, tmp_path / "other")
    require_own_database(one_site)
    with pytest.raises(AnotherSite, match=r"has the contests rounds, and none .* another site"):
        require_own_database(other)
    other.close()


def test_an_empty_database_is_of_the_site_that_was_there_first(one_site, tmp_path):
    require_own_database(one_site)
    require_own_database(one_site)
    other = other_site(one_site, tmp_path / "other")
    with pytest.raises(AnotherSite, match=rf"another site since 2026-05-01, .*{one_site.root}"):
        require_own_database(other)
    (fault,) = [fault for fault in findings(other) if "another site" in fault]
    assert f"quintain host claim {other.root}" in fault
    assert not [fault for fault in findings(one_site) if "another site" in fault]
    claim_database(other)
    require_own_database(other)
    with pytest.raises(AnotherSite):
        require_own_database(one_site)
    other.close()


def test_of_two_sites_that_start_at_once_one_gets_the_database(site, tmp_path):
    others = [other_site(site, tmp_path / name) for name in ("red", "blue", "green", "gold")]
    with ThreadPoolExecutor(4) as threads:
        refused = list(threads.map(refusal, others))
    assert sorted(map(bool, refused)) == [False, True, True, True]
    for opened in others:
        opened.close()


def refusal(site):
    """The sentence with which a site is refused its database; empty if it is its own."""
    try:
        require_own_database(site)
    except AnotherSite as problem:
        return str(problem)
    return ""


def test_a_folder_that_was_moved_keeps_its_database(one_site, tmp_path):
    require_own_database(one_site)
    moved = other_site(one_site, tmp_path / "moved")
    (moved.root / IDENTITY).write_bytes((one_site.root / IDENTITY).read_bytes())
    require_own_database(moved)
    moved.close()


def test_the_files_of_a_contest_prove_whose_the_database_is(one_site, tmp_path):
    contest.prepared(one_site)
    require_own_database(one_site)
    (one_site.root / IDENTITY).unlink()  # somebody copied the contests alone to a new place
    require_own_database(one_site)
    assert (one_site.root / IDENTITY).exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_who_may_not_write_leaves_the_database_to_others(one_site):
    one_site.root.chmod(0o500)
    require_own_database(one_site)
    one_site.root.chmod(0o700)
    with one_site.database.reading() as session:
        assert session.scalars(select(SiteClaim)).all() == []


def test_another_store_is_refused(one_site, tmp_path):
    store = f"file://{tmp_path}/store"
    site = other_site(one_site, tmp_path / "site", store=store)
    same = other_site(one_site, tmp_path / "same", store=f"{store}/")
    wrong = other_site(one_site, tmp_path / "wrong", store=f"{store}-of-others")
    for opened in (site, same):
        require_own_database(opened)
    with pytest.raises(AnotherSite, match="store-of-others"):
        require_own_database(wrong)
    contest.prepared(site)
    require_own_database(same)
    with pytest.raises(AnotherSite, match=r"the contests rounds.*store-of-others"):
        require_own_database(wrong)
    for opened in (site, same, wrong):
        opened.close()


def test_a_full_disk_is_told_and_nothing_is_submitted(one_site, monkeypatch):
    site, edition = one_site, contest.prepared(one_site)
    red = contest.team(site, edition, "red")
    contest.drain(site)
    token = make_token(site, red, "laptop", ["read", "submit"])

    def full(*_given):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(site.uploads, "keep_stream", full)
    files = [("file", pair) for pair in contest.release(site, edition, "red").items()]
    headers = {"Authorization": f"Bearer {token.secret}"}
    with TestClient(make_app(site), site.settings.url, raise_server_exceptions=False) as web:
        answer = web.post(f"/api/editions/{edition}/uploads", files=files, headers=headers)
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "60")
    assert "cannot store or read files at the moment; nothing was submitted" in answer.text
    assert contest.uploads(site, "waiting") == 0


def test_a_clock_that_was_an_hour_ahead_is_found(one_site):
    site, edition = one_site, contest.prepared(one_site)
    red = contest.team(site, edition, "red")
    contest.drain(site)
    right = site.clock.now()
    site.clock.set(right + timedelta(hours=1))
    take(site, red, edition, contest.release(site, edition, "red"))
    assert list(clock_faults(site)) == []
    site.clock.set(right)
    (fault,) = clock_faults(site)
    assert "the clock was set back: the newest upload is of 2026-05-01T13:00:00" in fault


def test_check_finds_a_store_whose_keys_are_too_old(one_site, tmp_path, monkeypatch):
    pytest.importorskip("obstore")
    server = BucketServer()
    monkeypatch.setenv("AWS_ENDPOINT_URL", server.endpoint)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION"):
        monkeypatch.setenv(name, "test")
    site = other_site(one_site, tmp_path / "site", store="s3://bucket/place")
    assert not [fault for fault in findings(site) if "bucket" in fault]
    assert site.contents.names("calls") == []
    server.refuse()
    (fault,) = [fault for fault in findings(site) if "bucket" in fault]
    assert fault.startswith("s3://bucket/place: the store refuses the keys of this process; renew")
    site.close()
    server.stop()
