"""Users: the web process is another user than the workers, and can read no secret."""

import os
import stat
import subprocess

import pytest

from quintain.jobs.files import CLOSED_FOLDERS, GROUP_READS
from quintain_host.intake.intake import take
from tests.host import contest_on_site as contest

GROUP, WEB = 61_000, 61_001


@pytest.fixture
def shared(new_site, tmp_path, monkeypatch):
    """A played contest whose files a group may read, in a folder that the group can pass."""
    monkeypatch.setenv(GROUP_READS, "1")
    site = new_site(tmp_path)
    edition = contest.prepared(site)
    red = contest.team(site, edition, "red")
    take(site, red, edition, contest.release(site, edition, "red"))
    contest.drain(site)
    yield site
    site.close()


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_the_group_reads_what_pages_need(shared):
    root = shared.edition_root("rounds")
    assert mode(root / "journal.jsonl") == 0o640
    assert mode(root / "teams") == 0o750
    assert mode(root / "teams/red/main/private.csv") == 0o640
    assert mode(root / "results/standings.json") == 0o640
    assert mode(root / "public/checkpoint.txt") == 0o644
    uploads = [path for path in (shared.root / "uploads").rglob("*") if path.is_file()]
    assert uploads
    assert {mode(path) for path in uploads} == {0o640}


def test_the_worker_can_remove_uploads_of_the_web_process(shared):
    assert {mode(path.parent) for path in (shared.root / "uploads").glob("*/*")} == {0o770}


def test_secrets_and_submissions_stay_closed(shared):
    root = shared.edition_root("rounds")
    for name in CLOSED_FOLDERS:
        assert mode(root / name) == 0o700
        for path in (root / name).rglob("*"):
            assert mode(path) & 0o077 == 0, path


def test_without_the_variable_only_the_owner_reads(one_site):
    contest.prepared(one_site)
    root = one_site.edition_root("rounds")
    assert mode(root / "journal.jsonl") == 0o600
    assert mode(root / "results") == 0o700


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_another_user_of_the_group_reads_pages_and_no_secret(shared):
    for path in [shared.root, *shared.root.rglob("*")]:
        os.chown(path, -1, GROUP)
    names = ["journal.jsonl", "results/standings.json", "teams/red/main/private.csv"]
    secrets = ["secret/seeds.json", "secret/signing.key", "submissions", "secret"]
    script = (
        'for name; do if [ -r "$name" ]; then echo open $name; else echo closed $name; fi; done'
    )
    for folder in [shared.root, *shared.root.parents][:-2]:
        os.chmod(folder, mode(folder) | 0o011)
    done = subprocess.run(
        ["/bin/sh", "-c", script, "sh", *names, *secrets],
        cwd=shared.edition_root("rounds"),
        user=WEB,
        group=GROUP,
        extra_groups=[],
        capture_output=True,
        text=True,
        check=True,
    )
    expected = [f"open {name}" for name in names] + [f"closed {name}" for name in secrets]
    assert done.stdout.splitlines() == expected
