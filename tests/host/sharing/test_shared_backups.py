"""Backups of a site with a store: to the store, and back on an empty machine, byte by byte."""

import pytest
from click.testing import CliRunner

from quintain.cli.main import cli
from quintain.runs.folder import paths
from quintain_host.backups import back_up, back_up_to_store, file_names, restore, restore_from_store
from quintain_host.intake.intake import take
from quintain_host.sharing.contents import open_contents
from quintain_host.site import Site
from tests.host import contest_on_site as contest


@pytest.fixture
def played(machines, bucket):
    """A site whose store is in a bucket, with a contest and an upload."""
    site = machines("one", bucket)
    edition = contest.prepared(site)
    red = contest.team(site, edition, "red")
    take(site, red, edition, contest.release(site, edition, "red"))
    contest.drain(site)
    return site, edition


def contents_of(root):
    return {name: (root / name).read_bytes() for name in file_names(root)}


def test_a_restored_site_has_the_same_bytes(played, bucket, tmp_path):
    site, edition = played
    url = f"{bucket}/backups/one.zip"
    manifest = back_up_to_store(site, url)
    with pytest.raises(Exception, match="never replaces"):
        back_up_to_store(site, url)
    root, database = tmp_path / "empty machine", f"sqlite:///{tmp_path}/new.db"
    assert restore_from_store(url, root, database) == manifest
    restored = Site(root, database=database, clock=site.clock)
    before, after = (one.edition_root(edition) for one in (site, restored))
    names = set(paths.files_below(before, *paths.SCORED[:4], paths.RESULTS))
    assert len(names) > 20
    for name in names | {paths.EDITION, paths.JOURNAL}:
        assert (after / name).read_bytes() == (before / name).read_bytes()
    assert contents_of(root / "editions" / edition) == contents_of(after)
    back_up(restored, tmp_path / "second.zip")  # and a backup of it is the same once more
    again = restore(tmp_path / "second.zip", tmp_path / "third", f"sqlite:///{tmp_path}/third.db")
    assert again.files == manifest.files
    own = {"site_claim": None}  # a restored site claims its own database
    assert again.tables | own == manifest.tables | own
    restored.close()


def test_a_restore_fills_a_store_that_was_lost(played, bucket, tmp_path):
    site, edition = played
    back_up(site, tmp_path / "one.zip")
    site.root.joinpath("site.toml").write_text(f'store = "{bucket}-other"\n')
    back_up(site, tmp_path / "other.zip")  # its settings name an empty store
    database = f"sqlite:///{tmp_path}/new.db"
    restore(tmp_path / "other.zip", tmp_path / "new", database)
    restored = Site(tmp_path / "new", database=database, clock=site.clock)
    held = open_contents(f"{bucket}-other").names("open")
    assert held
    assert set(held) <= set(open_contents(bucket).names("open"))  # which has earlier ones, too
    assert restored.folder(edition).state() == site.folder(edition).state()
    restored.close()


def test_a_site_on_one_machine_moves_into_a_store(one_site, bucket, tmp_path):
    site = one_site
    edition = contest.prepared(site)
    red = contest.team(site, edition, "red")
    sent = take(site, red, edition, contest.release(site, edition, "red")).upload
    contest.drain(site)
    before = contents_of(site.edition_root(edition))
    (site.root / "site.toml").write_text(f'store = "{bucket}"\n')
    command = ["host", "share", str(site.root), "--database", site.database.url]
    shared = CliRunner().invoke(cli, command)
    assert shared.exit_code == 0, shared.output
    again = CliRunner().invoke(cli, command)
    assert "put 0 files" in again.output
    root = tmp_path / "other machine"
    root.mkdir()
    (root / "site.toml").write_text(f'store = "{bucket}"\n')
    other = Site(root, database=site.database.url, clock=site.clock)
    after = contents_of(other.edition_root(edition))
    assert after == {name: before[name] for name in before if not name.startswith(".cache/")}
    assert other.uploads.read(next(iter(contest.upload(other, sent).files.values())))
    contest.drain(other)
    other.close()
