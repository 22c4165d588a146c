"""Records: database, folder and what was signed are compared, and every fault is named."""

import json

import pytest
from click.testing import CliRunner
from sqlalchemy import delete, update

from quintain.cli.main import cli
from quintain.runs.folder import paths
from quintain_host.audit_log import log
from quintain_host.database.base import JOURNAL
from quintain_host.database.work import LogLine, Upload
from quintain_host.serving.records import compare_records, lacks_timestamps
from quintain_host.settings import Settings
from quintain_host.views.published import CHECKPOINTS, place
from tests.host import contest_on_site as contest
from tests.host import played

EDITION = "rounds"


@pytest.fixture(scope="module")
def played_site(new_site, tmp_path_factory):
    """A contest in its attack phase, with the checkpoint of its first one."""
    site = new_site(tmp_path_factory.mktemp("played"))
    played.running(site)
    for number in range(3):
        with site.database.writing("accounts") as session:
            log(session, site, None, "site.start", number=number)
    site.clock.set(contest.at(10))
    played.closed(site)
    played.attacking(site, EDITION)
    site.close()
    return site


@pytest.fixture
def site(played_site, site_copy, tmp_path):
    copy = site_copy(played_site, tmp_path / "site")
    yield copy
    copy.close()


def change(site, statement):
    with site.database.writing("x") as session:
        session.execute(statement)


def the_fault(site):
    (fault,) = compare_records(site)
    return fault


def row(number):
    return (JOURNAL.c.journal == EDITION) & (JOURNAL.c.number == number)


def journal_file(site):
    return site.edition_root(EDITION) / paths.JOURNAL


def lines(site):
    return journal_file(site).read_bytes().splitlines(keepends=True)


@pytest.mark.slow
def test_an_honest_site_has_no_fault(site):
    assert list(compare_records(site)) == []


def test_the_command_ends_with_one_and_names_the_fault(site, monkeypatch):
    change(site, update(JOURNAL).where(row(3)).values(team="white"))
    monkeypatch.setenv("QUINTAIN_DATABASE", site.database.url)
    done = CliRunner().invoke(cli, ["serve", str(site.root), "--check"])
    assert done.exit_code == 1
    assert "contest rounds: row 3 of the journal has other fields than its line" in done.output


def test_a_changed_row_breaks_the_chain_and_differs_from_the_folder(site):
    line = lines(site)[3].decode().strip()
    change(site, update(JOURNAL).where(row(4)).values(line=line.replace("2026", "2027", 1)))
    faults = list(compare_records(site))
    assert "contest rounds: the database: journal.jsonl: line 5 does not follow the one before" in (
        faults
    )
    assert any("event 4 is not the same in the database and in journal.jsonl" in f for f in faults)


def test_a_missing_row_is_named(site):
    size = len(lines(site))
    change(site, delete(JOURNAL).where(row(size)))
    faults = list(compare_records(site))
    assert any("journal.jsonl has 1 event more than the database: restore" in f for f in faults)
    assert any("says that the journal had" in f for f in faults)  # the newest checkpoint


def test_a_folder_that_lags_behind_is_named(site):
    journal_file(site).write_bytes(b"".join(lines(site)[:-2]))
    assert "contest rounds: journal.jsonl lacks the last 2 events of the database; a worker" in (
        the_fault(site)
    )


def test_changed_files_are_named_all_at_once(site):
    root = site.edition_root(EDITION)
    truth = next(root.glob("secret/main/tasks/*/truth.csv"))
    stored = next((root / "submissions/files").glob("*/*"))
    for path in (truth, stored, root / paths.EVENTS):
        path.write_bytes(path.read_bytes() + b"1\n")
    faults = "\n".join(compare_records(site))
    for path in (truth, stored, root / paths.EVENTS):
        assert path.relative_to(root).as_posix() in faults


def test_a_missing_folder_and_a_damaged_list_are_named(site):
    path = place(site, EDITION) / CHECKPOINTS
    path.write_text("hello\n")
    assert the_fault(site).startswith("contest rounds: ")
    site.edition_root(EDITION).rename(site.root / "elsewhere")
    assert "does not exist" in the_fault(site)


def test_a_closing_that_was_changed_is_named(site):
    path = site.edition_root(EDITION) / paths.closing(1)
    path.write_text(path.read_text().replace("closed main anonymize", "closed main attack"))
    assert the_fault(site) == (
        f"contest rounds: {paths.closing(1)}: the signature of the checkpoint of quintain/rounds "
        "is wrong"
    )


def test_a_history_that_was_rewritten_contradicts_receipts_and_checkpoints(site):
    """The operators replace the last event everywhere, and cannot replace what was signed."""
    old = lines(site)
    event = json.loads(old[-1])
    event["files"] = {"red.csv": "0" * 64}
    new = json.dumps(event, sort_keys=True)
    change(site, update(JOURNAL).where(row(len(old))).values(line=new))
    journal_file(site).write_bytes(b"".join([*old[:-1], new.encode() + b"\n"]))
    faults = "\n".join(compare_records(site))
    assert f"it is not about event {len(old)} as the journal has it" in faults
    assert "public/checkpoint.txt: has another root than this journal" in faults
    assert f"{CHECKPOINTS}: has another root than this journal" in faults
    assert "is missing" in faults  # the file that the new event names


def test_a_list_of_checkpoints_that_was_changed_is_named(site):
    path = place(site, EDITION) / CHECKPOINTS
    first, *rest = path.read_text().splitlines()
    entry = json.loads(first)
    entry["checkpoint"] = entry["checkpoint"].replace("quintain/rounds\n", "quintain/other\n", 1)
    path.write_text("\n".join([json.dumps(entry), *rest]) + "\n")
    assert "is not signed with the public key" in the_fault(site)


def test_uploads_and_events_that_do_not_belong_together_are_named(site):
    change(site, update(Upload).where(Upload.id == 1).values(team="green"))
    assert "upload 1 was accepted as event" in the_fault(site)
    change(site, update(Upload).where(Upload.id == 1).values(team="red", state="refused"))
    assert "a submission of team red, belongs to no upload" in the_fault(site)


def test_a_phase_without_its_checkpoint_is_named(site):
    site.clock.set(contest.at(21))
    assert "nobody has signed the checkpoint of phase attack of track main yet" in the_fault(site)


def test_the_end_of_the_audit_log_cannot_be_cut_off(site):
    change(site, delete(LogLine).where(LogLine.number == 3))
    assert the_fault(site).startswith(
        "the audit log has 2 lines, and rounds/public/checkpoints/001.txt names line 3: somebody "
        "cut off its end: somebody changed the database"
    )


def test_a_log_that_was_written_anew_contradicts_the_checkpoint(site):
    change(site, delete(LogLine))
    for number in range(3):
        with site.database.writing("accounts") as session:
            log(session, site, None, "site.start", number=number)
    assert (
        "line 3 of the audit log is not the one that rounds/public/checkpoints/001.txt names"
        in (the_fault(site))
    )


def test_every_changed_line_of_the_log_is_named(site):
    change(site, update(LogLine).where(LogLine.number != 2).values(account=77))
    first, third = compare_records(site)
    assert first.startswith("line 1 of the audit log was changed: ")
    assert third.startswith("line 3 of the audit log was changed: ")


def test_a_damaged_timestamp_and_a_missing_one_are_named(site):
    pytest.importorskip("rfc3161_client", reason="pip install 'quintain[timestamps]'")
    site.settings = Settings(timestamps="http://127.0.0.1:9/tsr")
    assert "001.txt: has no timestamp yet" in the_fault(site)
    path = site.edition_root(EDITION) / paths.timestamp(paths.closing(1))
    path.write_bytes(b"hello")
    assert "public/checkpoints/001.tsr: this is not a timestamp: " in the_fault(site)


def test_a_clock_without_its_certificates_is_named(site, tmp_path):
    pytest.importorskip("rfc3161_client", reason="pip install 'quintain[timestamps]'")
    assert list(lacks_timestamps(site)) == []
    site.settings = Settings(timestamps="http://127.0.0.1:9/tsr")
    (sentence,) = lacks_timestamps(site)
    assert sentence.startswith("timestamp_certificates is not set")
    missing = tmp_path / "tsa.pem"
    site.settings = Settings(timestamps="http://x/", timestamp_certificates=missing)
    assert list(lacks_timestamps(site)) == [f"timestamp_certificates: {missing} is missing"]
