"""Export: the edition folder of a hosted contest is the one that the command line would have."""

import pytest
from click.testing import CliRunner

from quintain.cli.main import cli
from quintain.errors import FolderError, NotVerified
from quintain.runs.folder import paths
from quintain.runs.verification.verify import verify
from quintain_host.access import NotThere
from quintain_host.editions.export_folder import export_folder
from tests.host import contest_on_site as contest
from tests.host.played import attacking, revealed, running


@pytest.fixture(scope="module")
def played(new_site, tmp_path_factory):
    """A contest from the first release to the reveal."""
    site = new_site(tmp_path_factory.mktemp("played"))
    edition = running(site)
    attacking(site, edition)
    revealed(site, edition)
    yield site
    site.close()


def contents(root):
    tops = (paths.PUBLIC, paths.SECRET, paths.TEAMS, paths.SUBMISSIONS, paths.RESULTS)
    names = [paths.EDITION, paths.JOURNAL, *paths.files_below(root, *tops)]
    return {name: (root / name).read_bytes() for name in names}


@pytest.mark.slow
def test_the_folder_is_that_of_the_host_and_verifies(played, tmp_path):
    exported = export_folder(played, "rounds", tmp_path / "out")
    assert contents(exported.root) == contents(played.edition_root("rounds"))
    assert verify(exported).problems == ()


def test_the_journal_comes_from_the_database(played, tmp_path):
    copy = played.edition_root("rounds") / paths.JOURNAL
    lines = copy.read_bytes()
    copy.write_bytes(b"".join(lines.splitlines(keepends=True)[:-2]))
    exported = export_folder(played, "rounds", tmp_path / "out")
    assert exported.at(paths.JOURNAL).read_bytes() == lines == copy.read_bytes()


def test_a_changed_file_is_not_exported(played, tmp_path):
    truth = next(played.edition_root("rounds").glob("secret/main/tasks/*/truth.csv"))
    before = truth.read_bytes()
    truth.write_bytes(before + b"1\n")
    with pytest.raises(NotVerified, match=r"truth\.csv"):
        export_folder(played, "rounds", tmp_path / "out")
    truth.write_bytes(before)
    assert not (tmp_path / "out").exists()


def test_a_draft_is_its_file(one_site, tmp_path):
    edition = contest.edition(one_site)
    exported = export_folder(one_site, edition, tmp_path / "out")
    assert exported.at(paths.EDITION).read_text() == contest.ROUNDS
    assert exported.edition().id == edition


def test_refusals(played, tmp_path):
    with pytest.raises(NotThere, match="no contest 'other'"):
        export_folder(played, "other", tmp_path / "out")
    with pytest.raises(FolderError, match="exists"):
        export_folder(played, "rounds", tmp_path)


def test_the_command(played, tmp_path, monkeypatch):
    monkeypatch.setenv("QUINTAIN_DATABASE", played.database.url)
    given = ["host", "export", str(played.root), "rounds", str(tmp_path / "out")]
    done = CliRunner().invoke(cli, given)
    assert done.exit_code == 0, done.output
    done = CliRunner().invoke(cli, ["verify", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
