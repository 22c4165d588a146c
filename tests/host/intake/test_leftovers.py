"""Leftovers: what counts for nothing goes after some days, and what counts stays."""

import io
import os

import pytest

from quintain.errors import QuotaUsed
from quintain_host.database.contests import DraftFile
from quintain_host.intake import intake
from quintain_host.intake.intake import UploadRequest, remove_leftovers, take, take_streams
from quintain_host.uploads import Uploads
from quintain_host.work.worker import Worker
from tests.host import contest_on_site as contest


def aged(site, digest, days):
    """Let a stored file look as if it came some days ago."""
    moment = site.clock.now().timestamp() - days * 86_400
    os.utime(site.uploads.path(digest), (moment, moment))


def stored(site):
    return {path.name for path in site.uploads.root.glob("??/*")}


@pytest.fixture
def sent(one_site):
    """A site with an accepted and a refused upload, a trial and a file of a draft."""
    edition = contest.prepared(one_site)
    red = contest.team(one_site, edition, "red")
    files = contest.release(one_site, edition, "red")
    wrong = {"release.csv": b"nonsense\n1\n"}
    numbers = [take(one_site, red, edition, one).upload for one in (files, wrong)]
    trial = {"release.csv": io.BytesIO(b"trial\n1\n")}
    numbers.append(take_streams(one_site, red, edition, trial, UploadRequest(trial=True)).upload)
    contest.drain(one_site)
    digests = [contest.upload(one_site, one).files["release.csv"] for one in numbers]
    own = one_site.uploads.keep(b"a table")
    with one_site.database.writing(edition) as session:
        session.add(DraftFile(edition=edition, name="own.csv", digest=own, size=7))
    return one_site, red, edition, [*digests, own]


def test_only_what_counts_for_nothing_is_removed_and_only_after_days(sent):
    site, red, edition, (good, bad, tried, own) = sent
    days = site.settings.leftover_days
    for digest in (good, bad, tried, own):
        aged(site, digest, days - 1)
    assert remove_leftovers(site) == 0
    for digest in (good, bad, tried, own):
        aged(site, digest, days + 1)
    waiting = take(site, red, edition, {"release.csv": b"nonsense\n1\n"}).upload
    aged(site, bad, days + 1)
    backup = site.root / ".backup-now"
    backup.mkdir()
    assert remove_leftovers(site) == 0  # a backup reads the files
    backup.rmdir()
    Worker(site, "intake").look_after_others()
    assert stored(site) == {good, bad, own}  # an upload that waits needs the second
    contest.drain(site)
    assert contest.upload(site, waiting).state == "refused"
    assert remove_leftovers(site) == 1
    assert stored(site) == {good, own}


def test_what_is_sent_again_stays(sent):
    site, _, _, (_, bad, _, own) = sent
    aged(site, own, 100)
    assert site.uploads.keep(b"a table") == own
    limit = site.clock.now().timestamp() - 86_400
    assert not site.uploads.remove(own, limit)
    assert site.uploads.read(own) == b"a table"
    aged(site, bad, 100)
    assert site.uploads.remove(bad, limit)
    assert not site.uploads.remove(bad, limit)
    assert Uploads(site.root / "uploads").keep(b"nonsense\n1\n") == bad


def test_nobody_fills_the_disk_with_uploads_for_nothing(sent, monkeypatch):
    site, red, edition, _ = sent
    monkeypatch.setattr(intake, "MOST_A_DAY", 10 / site.settings.upload_bytes)
    with pytest.raises(QuotaUsed, match="count for nothing"):
        take(site, red, edition, {"release.csv": b"more nonsense\n"})
    site.clock.wait(days=1, seconds=1)
    assert take(site, red, edition, {"release.csv": b"more nonsense\n"}).upload
