"""Backups: what is restored is what there was, row for row and byte for byte, on any database."""

import json
import shutil
import stat
import threading
import zipfile

import pytest
from click.testing import CliRunner
from sqlalchemy import inspect, select

from quintain.cli.main import cli
from quintain.errors import QuintainError
from quintain.runs.verification.verify import verify
from quintain_host.backups import DamagedBackup, back_up, file_names, restore
from quintain_host.claiming import claim_fault, require_own_database
from quintain_host.database.sharing import SiteClaim
from quintain_host.database.tables import Base
from quintain_host.database.upgrade import newest
from quintain_host.intake.intake import take
from quintain_host.queue import LeaseWatch
from quintain_host.site import IDENTITY, Site
from tests.host import contest_on_site as contest
from tests.host.conftest import DATABASES


@pytest.fixture(scope="module", params=DATABASES)
def played(request, new_site, tmp_path_factory):
    """A site with a contest in its first phase: accounts, jobs, events, uploads, secrets."""
    site = new_site(tmp_path_factory.mktemp(f"played-{request.param}"), request.param)
    edition = contest.prepared(site)
    for name in ("red", "blue"):
        captain = contest.team(site, edition, name)
        take(site, captain, edition, contest.release(site, edition, name))
    contest.drain(site)
    (site.root / "site.toml").write_text('title = "Grüße"\n')
    yield site
    site.close()


@pytest.fixture(scope="module")
def saved(played, tmp_path_factory):
    path = tmp_path_factory.mktemp("backups") / "backup.zip"
    back_up(played, path)
    return path


@pytest.fixture(params=DATABASES)
def empty_url(request):
    """The URL of an empty database of each kind; empty for a file in the site."""
    if request.param == "sqlite":
        return ""
    server = request.getfixturevalue("postgres")
    return server.url(server.create())


def every_row(site):
    with site.database.engine.connect() as connection:
        return {
            table.name: [
                tuple(row) for row in connection.execute(select(table).order_by(*table.primary_key))
            ]
            for table in Base.metadata.sorted_tables
            if table.name != SiteClaim.__tablename__  # a restored site is another one
        }


def every_file(root):
    return {
        name: ((root / name).read_bytes(), stat.S_IMODE((root / name).stat().st_mode))
        for name in file_names(root)
    }


@pytest.mark.slow
def test_the_identity_from_any_database_to_any_other(played, saved, empty_url, tmp_path):
    root = tmp_path / "again"
    restore(saved, root, empty_url)
    again = Site(root, database=empty_url, clock=played.clock)
    try:
        rows, files = every_row(played), every_file(played.root)
        assert every_row(again) == rows
        assert every_file(root) == files
        assert sum(map(len, rows.values())) > 25
        assert {"site.toml", "editions/rounds/secret/seeds.json"} <= set(files)
        assert IDENTITY not in files
        require_own_database(again)
        assert claim_fault(again) == ""
        assert again.settings.title == "Grüße"
        # The contest goes on: the next numbers are free, and the journal can grow.
        blue = contest.visitor(again, "blue")
        take(again, blue, "rounds", contest.release(again, "rounds", "blue", rows=25))
        contest.drain(again)
        assert contest.uploads(again, "accepted") == 3
    finally:
        again.close()


def test_every_table_is_in_a_backup(played, saved):
    tables = set(inspect(played.database.engine).get_table_names()) - {"alembic_version"}
    with zipfile.ZipFile(saved) as archive:
        manifest = json.loads(archive.read("manifest.json"))
    assert set(manifest["tables"]) == tables
    assert manifest["database"] == newest()


def test_only_the_owner_reads_a_backup_and_nothing_is_left_behind(played, saved):
    assert stat.S_IMODE(saved.stat().st_mode) == 0o600
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]
    assert not list(played.root.glob(".backup-*"))


@pytest.mark.slow
def test_a_backup_while_events_are_recorded(site, tmp_path_factory):
    place = tmp_path_factory.mktemp("backups")
    edition = contest.prepared(site)
    red = contest.team(site, edition, "red")
    done, problems = threading.Event(), []

    def play():
        try:
            for rows in range(5, 17):
                take(site, red, edition, contest.release(site, edition, "red", rows))
                contest.drain(site)
        except Exception as problem:
            problems.append(problem)
        finally:
            done.set()

    thread = threading.Thread(target=play)
    thread.start()
    sizes = []
    while not done.is_set() or not sizes:
        number = len(sizes)
        back_up(site, place / f"{number}.zip")
        restore(place / f"{number}.zip", place / str(number))
        again = Site(place / str(number), clock=site.clock)
        sizes.append(again.folder(edition).journal().size())
        assert sum(1 for _ in again.folder(edition).store.lines()) == sizes[-1]
        accepted = contest.uploads(again, "accepted")
        LeaseWatch(again.database, lease=-1).free(again.clock.now())  # nobody works on it any more
        contest.drain(again)
        assert contest.uploads(again, "accepted") >= accepted
        assert contest.uploads(again, "failed") == contest.uploads(again, "waiting") == 0
        again.close()
    thread.join()
    assert problems == []
    assert sizes == sorted(sizes)


# --- refusals -------------------------------------------------------------------------------------


def test_a_damaged_backup_is_refused_before_anything_is_written(saved, tmp_path):
    for number, name in enumerate(["tables/account.jsonl", "files/site.toml", "manifest.json"]):
        broken, root = tmp_path / f"{number}.zip", tmp_path / f"site-{number}"
        with zipfile.ZipFile(saved) as source, zipfile.ZipFile(broken, "w") as target:
            for entry in source.namelist():
                content = source.read(entry)
                target.writestr(entry, content.replace(b"e", b"f", 1) if entry == name else content)
        with pytest.raises(DamagedBackup):
            restore(broken, root)
        assert not root.exists()


def test_an_entry_too_many_or_too_few_is_refused(saved, tmp_path):
    more = tmp_path / "more.zip"
    shutil.copy(saved, more)
    with zipfile.ZipFile(more, "a") as archive:
        archive.writestr("files/extra", b"")
    with pytest.raises(DamagedBackup, match="files/extra"):
        restore(more, tmp_path / "site")


@pytest.mark.parametrize("name", ["../escape", "/etc/passwd", "a/../../b"])
def test_a_name_that_leaves_the_folder_is_refused(saved, tmp_path, name):
    evil = tmp_path / "evil.zip"
    with zipfile.ZipFile(saved) as source, zipfile.ZipFile(evil, "w") as target:
        manifest = json.loads(source.read("manifest.json"))
        manifest["files"][name] = manifest["files"].pop("site.toml")
        for entry in source.namelist():
            if entry not in ("manifest.json", "files/site.toml"):
                target.writestr(entry, source.read(entry))
        target.writestr(f"files/{name}", source.read("files/site.toml"))
        target.writestr("manifest.json", json.dumps(manifest))
    with pytest.raises(DamagedBackup):
        restore(evil, tmp_path / "site")


def test_text_that_is_no_backup_is_refused(tmp_path):
    text = tmp_path / "notes.txt"
    text.write_text("no backup")
    with pytest.raises(DamagedBackup, match="no backup"):
        restore(text, tmp_path / "site")


def test_a_folder_that_is_not_empty_is_refused(saved, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(QuintainError, match="not empty"):
        restore(saved, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_a_database_that_is_not_empty_is_refused(saved, site, tmp_path):
    contest.account(site, "olga")
    with pytest.raises(QuintainError, match="database is not empty"):
        restore(saved, tmp_path / "again", site.database.url)
    assert list((tmp_path / "again").iterdir()) == []


def test_a_backup_of_a_newer_program_is_refused(saved, tmp_path):
    newer = tmp_path / "newer.zip"
    with zipfile.ZipFile(saved) as source, zipfile.ZipFile(newer, "w") as target:
        manifest = json.loads(source.read("manifest.json")) | {"database": "9999"}
        target.writestr("manifest.json", json.dumps(manifest))
    with pytest.raises(QuintainError, match="version 9999"):
        restore(newer, tmp_path / "site")


def test_a_backup_never_replaces_a_file(played, saved):
    with pytest.raises(QuintainError, match="never replaces"):
        back_up(played, saved)


# --- commands -------------------------------------------------------------------------------------


def test_the_commands(played, tmp_path):
    run = CliRunner().invoke
    given = [str(played.root), "--database", played.database.url]
    done = run(cli, ["host", "backup", given[0], str(tmp_path / "b.zip"), *given[1:]])
    assert done.exit_code == 0, done.output
    done = run(cli, ["host", "restore", str(tmp_path / "b.zip"), str(tmp_path / "again")])
    assert done.exit_code == 0, done.output
    assert "rows and" in done.output
    again = Site(tmp_path / "again")
    assert every_row(again) == every_row(played)
    again.close()


@pytest.mark.slow
def test_a_restored_contest_verifies_in_the_end(played, saved, tmp_path):
    restore(saved, tmp_path / "again")
    again = Site(tmp_path / "again", clock=played.clock)
    before = played.clock.now()
    try:
        for day, kind in ((10, "hand-over"), (21, "reveal")):
            again.clock.set(contest.at(day))
            contest.request(again, "rounds", "scoring", kind)
            contest.drain(again)
        assert verify(again.folder("rounds")).problems == ()
    finally:
        played.clock.set(before)
        again.close()
