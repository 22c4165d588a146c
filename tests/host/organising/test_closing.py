"""Checkpoints of closed phases on a site: signed by workers, shown, in kits, with timestamps."""

import io
import re
import zipfile
from xml.etree import ElementTree

import pytest
from starlette.testclient import TestClient

from quintain.errors import PhaseClosed
from quintain.runs.folder import paths
from quintain.runs.verification.chain import KeptEvidence
from quintain.runs.verification.verify import verify
from quintain_host.audit_log import head_of_log
from quintain_host.database.contests import HostedEdition, News
from quintain_host.editions.closings import enqueue_closings, head_in, log_line
from quintain_host.intake.intake import take
from quintain_host.settings import Settings
from quintain_host.teams.kits import kit_for
from quintain_host.web.app import make_app
from quintain_host.work.worker import Worker
from tests.host import contest_on_site as contest
from tests.host import played
from tests.journal.timestamp_authority import Authority

ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture(scope="module")
def played_site(new_site, tmp_path_factory):
    """A contest in its first phase; tests play on with copies."""
    site = new_site(tmp_path_factory.mktemp("played"))
    played.running(site)
    site.close()
    return site


@pytest.fixture
def running(played_site, site_copy, tmp_path):
    site = site_copy(played_site, tmp_path / "site")
    yield site, "rounds"
    site.close()


def close(site, day=10, hour=12):
    """Set the clock, and let the workers sign what has closed; returns the editions."""
    site.clock.set(contest.at(day, hour))
    due = enqueue_closings(site)
    contest.drain(site)
    return due


@pytest.mark.slow
def test_a_worker_signs_what_has_closed_and_nothing_twice(running):
    site, edition = running
    assert enqueue_closings(site) == []
    assert close(site) == [edition]
    (closing,) = site.folder(edition).closings()
    assert closing.occasion.phase == "anonymize"
    assert closing.checkpoint.size == site.folder(edition).journal().size()
    assert enqueue_closings(site) == []
    assert [job.kind for job in contest.jobs(site, "close")] == ["close"]
    contest.request(site, edition, "intake", "close")
    contest.drain(site)
    assert len(site.folder(edition).closings()) == 1


def test_the_worker_looks_by_itself(running):
    site, edition = running
    site.clock.set(contest.at(10))
    worker = Worker(site, "one")
    worker.look_after_others()
    worker.look_after_others()
    assert len(contest.jobs(site, "close")) == 1
    assert worker.work_once("intake")
    assert len(site.folder(edition).closings()) == 1


def test_uploads_that_came_before_are_in_the_checkpoint(running):
    site, edition = running
    red = contest.visitor(site, "red")
    number = take(site, red, edition, contest.release(site, edition, "red")).upload
    site.clock.set(contest.at(10))
    enqueue_closings(site)
    contest.drain(site)
    (closing,) = site.folder(edition).closings()
    assert 0 < contest.upload(site, number).event <= closing.checkpoint.size


def test_an_upload_that_comes_to_the_database_after_the_signature_is_late(running):
    site, edition = running
    close(site)
    site.clock.set(contest.at(9, 23))  # another machine, whose clock is slow
    with pytest.raises(PhaseClosed):
        take(site, contest.visitor(site, "red"), edition, contest.release(site, edition, "red"))


def test_a_worker_waits_half_a_minute_for_uploads_on_their_way(running):
    site, edition = running
    assert close(site, 10, 0) == []
    contest.request(site, edition, "intake", "close")
    contest.drain(site)
    assert site.folder(edition).closings() == []
    assert close(site, 10, 31 / 3600) == [edition]


def test_a_job_that_failed_is_tried_again_after_a_while_only(running):
    site, edition = running
    close(site)
    signed = site.edition_root(edition) / paths.closing(1)
    text = signed.read_text()
    signed.write_text(text.replace("closed main", "closed other"))
    site.clock.set(contest.at(21))
    contest.request(site, edition, "intake", "close")
    contest.drain(site)
    assert contest.jobs(site, "close")[-1].state == "failed"
    signed.write_text(text)
    assert enqueue_closings(site) == []
    site.clock.wait(hours=2)
    assert enqueue_closings(site) == [edition]


def test_each_checkpoint_names_the_end_of_the_audit_log(running):
    site, edition = running
    line = log_line(site)
    close(site)
    (closing,) = site.folder(edition).closings()
    assert line in closing.text
    assert head_in(closing) == head_of_log(site)


def test_the_kit_has_the_checkpoints(running):
    site, edition = running
    red = contest.visitor(site, "red")
    close(site)
    kit = kit_for(site, red, edition)
    with zipfile.ZipFile(io.BytesIO(kit.path.read_bytes())) as archive:
        text = archive.read("public/checkpoints/001.txt").decode()
        assert "public/checkpoints/" in archive.read("README.md").decode()
    assert text == site.folder(edition).closings()[0].text


def test_page_api_feed_and_notices_have_the_checkpoint(running):
    site, edition = running
    place = f"/contests/{edition}"
    with TestClient(make_app(site), "http://127.0.0.1:8000") as client:
        assert "No phase has closed yet" in client.get(f"{place}/checkpoints").text
        assert client.get(f"/api/editions/{edition}/checkpoints").json() == []
        close(site)
        (closing,) = site.folder(edition).closings()
        page = client.get(f"{place}/checkpoints").text
        assert "Phase anonymize of track main has closed" in page
        assert "--checkpoint 001.txt" in page
        (view,) = client.get(f"/api/editions/{edition}/checkpoints").json()
        assert view["text"] == closing.text and view["size"] == closing.checkpoint.size
        assert view["audit_log"]["lines"] == head_in(closing).lines
        file = client.get(f"{place}/files/{view['path']}")
        assert file.text == closing.text
        assert file.headers["content-type"].startswith("text/plain")
        assert "Keep its checkpoint" in client.get(place).text
        client.cookies.set("quintain", contest.cookie(site, contest.account_of(site, "red")))
        team = client.get(f"{place}/team")
        assert f"{place}/files/public/checkpoints/001.txt" in team.text


def test_the_feed_is_well_formed_whatever_people_write(running):
    site, edition = running
    close(site)
    odd = "<script>alert(1)</script> & ]]> \x00\x0b\ufffe\u202e 💥"
    with site.database.writing(edition) as session:
        session.add(News(edition=edition, time=site.clock.now(), title=odd, text=odd + "\nmore"))
        session.get_one(HostedEdition, edition).title = odd
    with TestClient(make_app(site), "http://127.0.0.1:8000") as client:
        answer = client.get(f"/contests/{edition}/feed.atom")
    assert answer.headers["content-type"] == "application/atom+xml; charset=utf-8"
    assert answer.headers["x-content-type-options"] == "nosniff"
    root = ElementTree.fromstring(answer.content)
    assert root.tag == f"{ATOM}feed"
    assert root.findtext(f"{ATOM}updated") == "2026-05-10T12:00:00Z"
    entries = root.findall(f"{ATOM}entry")
    assert len({entry.findtext(f"{ATOM}id") for entry in entries}) == len(entries) == 4
    texts = [entry.find(f"{ATOM}content") for entry in entries]
    assert all(text.get("type") == "text" and not list(text) for text in texts)
    (closing,) = site.folder(edition).closings()
    assert any(text.text.endswith(closing.text) for text in texts)
    assert re.search(r"&lt;script&gt;", answer.text)


def test_a_draft_and_a_hidden_contest_have_no_feed_for_strangers(one_site):
    draft = contest.edition(one_site, visible=False)
    with TestClient(make_app(one_site), "http://127.0.0.1:8000") as client:
        for path in ("checkpoints", "feed.atom"):
            assert client.get(f"/contests/{draft}/{path}").status_code == 404
        with one_site.database.writing(draft) as session:
            session.get_one(HostedEdition, draft).visible = True
        assert client.get(f"/contests/{draft}/feed.atom").status_code == 200
        assert "No phase has closed" in client.get(f"/contests/{draft}/checkpoints").text


def test_the_end_of_the_audit_log_is_public(running):
    site, _ = running
    with TestClient(make_app(site), "http://127.0.0.1:8000") as client:
        head = head_of_log(site)
        assert client.get("/api/audit-log").json() == {"lines": head.lines, "hash": head.hash}
        assert head.hash in client.get("/audit-log").text


def test_a_damaged_checkpoint_does_not_take_the_pages_away(running):
    site, edition = running
    close(site)
    (site.edition_root(edition) / paths.closing(1)).write_bytes(b"\xff")
    with TestClient(make_app(site), "http://127.0.0.1:8000") as client:
        assert client.get(f"/contests/{edition}").status_code == 200
        assert "No phase has closed yet" in client.get(f"/contests/{edition}/checkpoints").text


# --- timestamps -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    pytest.importorskip("rfc3161_client", reason="pip install 'quintain[timestamps]'")
    made = Authority(tmp_path_factory.mktemp("authority"))
    server = made.serve()
    yield made
    server.shutdown()
    server.server_close()


@pytest.fixture
def stamping(running, authority):
    site, edition = running
    site.settings = Settings(
        timestamps=authority.url, timestamp_certificates=authority.certificate_file
    )
    authority.broken = ""
    return site, edition, authority


def test_an_outside_clock_is_asked_and_its_answer_is_shown_and_verified(stamping, tmp_path):
    site, edition, authority = stamping
    close(site)
    place = site.edition_root(edition)
    assert (place / "public/checkpoints/001.tsr").is_file()
    with TestClient(make_app(site), "http://127.0.0.1:8000") as client:
        (view,) = client.get(f"/api/editions/{edition}/checkpoints").json()
        assert view["authority"] == "CN=Test clock" and view["seen"].startswith("20")
        assert "CN=Test clock saw it on" in client.get(f"/contests/{edition}/checkpoints").text
        file = client.get(f"/contests/{edition}/files/{view['timestamp']}")
        assert file.headers["content-type"] == "application/timestamp-reply"
        assert file.headers["content-disposition"].startswith("attachment")
    evidence = KeptEvidence(authorities=authority.certificate)
    verification = verify(site.folder(edition), evidence=evidence, fast=True)
    assert verification.problems == () and verification.fixed == view["size"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ("500", "500 Internal Server Error"),
        ("nonsense", "this is not a timestamp"),
        ("endless", "the answer is longer than 200000 bytes"),
        ("other", "the timestamp is not an answer to the request"),
        ("down", "gives no timestamp"),
    ],
)
def test_a_clock_that_fails_delays_its_timestamp_and_nothing_else(stamping, broken, reason):
    site, edition, authority = stamping
    if broken == "down":
        down = "http://127.0.0.1:9/tsr"
        site.settings = Settings(timestamps=down)
    else:
        authority.broken = broken
    close(site)
    assert len(site.folder(edition).closings()) == 1
    (job,) = contest.jobs(site, "timestamp")
    assert job.state == "waiting" and reason in job.reason
    contest.request(site, edition, "scoring", "hand-over")
    contest.drain(site)
    assert contest.jobs(site, "hand-over")[-1].state == "done"
    authority.broken = ""
    site.settings = Settings(timestamps=authority.url)
    site.clock.wait(seconds=61)
    contest.drain(site)
    assert contest.jobs(site, "timestamp")[-1].state == "done"
    assert (site.edition_root(edition) / "public/checkpoints/001.tsr").is_file()


def test_a_clock_that_somebody_else_runs_is_not_believed(stamping, tmp_path):
    site, _, authority = stamping
    (tmp_path / "other").mkdir()
    other = Authority(tmp_path / "other")
    site.settings = Settings(
        timestamps=authority.url, timestamp_certificates=other.certificate_file
    )
    close(site)
    (job,) = contest.jobs(site, "timestamp")
    assert "no certificate that you gave leads to its signature" in job.reason


@pytest.mark.slow
def test_the_reveal_is_signed_and_everything_is_fixed(running):
    site, edition = running
    played.attacking(site, edition)
    close(site, 21)
    played.revealed(site, edition)
    close(site, 21, 13)
    *_, last = site.folder(edition).closings()
    assert str(last.occasion) == "the reveal"
    evidence = KeptEvidence(checkpoints={"kept": last.text.encode()})
    assert verify(site.folder(edition), evidence=evidence, fast=True).complete
