"""Two machines without a shared disk: what one does, the other sees, and kills do no harm."""

import pytest
from sqlalchemy import select

from quintain.runs.folder import paths
from quintain.runs.folder.paths import files_below
from quintain.runs.verification.verify import verify
from quintain_host.database.sharing import SharedFile
from quintain_host.editions.export_folder import export_folder
from quintain_host.intake.intake import take
from quintain_host.queue import Stale
from quintain_host.sharing.working_copy import ChangedElsewhere
from quintain_host.work.worker import Worker
from tests.host import contest_on_site as contest


def files_of(root):
    """The shared files of an edition folder, by path."""
    tops = (paths.PUBLIC, paths.SECRET, paths.TEAMS, paths.SUBMISSIONS, paths.RESULTS)
    return {name: (root / name).read_bytes() for name in files_below(root, *tops)}


@pytest.fixture
def two(machines):
    return machines("one"), machines("two")


def work(site, *lanes):
    worker = Worker(site, f"worker of {site.root.name}")
    while any(worker.work_once(lane) for lane in lanes or worker.lanes):
        pass


@pytest.mark.slow
def test_machines_take_turns_and_have_the_same_files(two, tmp_path):
    one, other = two
    edition = contest.prepared(one)  # the worker of the first machine draws everything
    captains = {name: contest.team(other, edition, name) for name in ("red", "blue")}
    for name, captain in captains.items():
        sent = take(one, captain, edition, contest.release(one, edition, name)).upload
        work(other, "intake")  # the file came to the other machine
        assert contest.upload(one, sent).state == "accepted"
    work(one, "scoring")
    work(other)
    assert files_of(one.edition_root(edition)) == files_of(other.edition_root(edition))
    journals = [site.folder(edition).journal().lines() for site in two]
    assert journals[0] == journals[1]
    exported = export_folder(other, edition, tmp_path / "exported")
    assert files_of(exported.root) == files_of(one.edition_root(edition))


@pytest.mark.slow
def test_a_whole_contest_on_two_machines_is_verified(two, tmp_path):
    one, other = two
    edition = contest.prepared(one)
    captains = {name: contest.team(other, edition, name) for name in ("red", "blue")}
    for name, captain in captains.items():
        take(one, captain, edition, contest.release(other, edition, name))
    work(other, "intake")
    one.clock.set(contest.at(11))
    contest.request(one, edition, "scoring", "hand-over")
    work(one)
    for name, captain in captains.items():
        take(other, captain, edition, contest.guess(one, edition, name))
    work(one, "intake")
    work(other, "scoring")
    one.clock.set(contest.at(21))
    contest.request(one, edition, "scoring", "freeze", arguments={"reason": "the end"})
    work(one)
    contest.request(one, edition, "scoring", "reveal")
    work(other)
    folder = export_folder(one, edition, tmp_path / "exported")
    report = verify(folder)
    assert not report.problems


def test_a_web_process_fetches_no_secrets(two):
    one, other = two
    edition = contest.prepared(one)
    web = other.for_pages()
    root = web.edition_root(edition)
    assert (root / paths.RULES).is_file()
    assert not (root / paths.SECRET).exists()
    assert web.folder(edition).state().rules


def test_what_a_killed_job_left_is_put_away(two):
    one, _other = two
    edition = contest.prepared(one)
    lane = one.for_lane("scoring")
    lane.working_copy.reset(edition)
    root = lane.files / "editions" / edition
    before = files_of(root)
    (root / paths.SECRET / "left.json").write_text("{}")
    (root / paths.RULES).unlink()
    (root / paths.CHECKPOINT).write_text("half of it")
    lane.working_copy.reset(edition)
    assert files_of(root) == before
    again = one.for_lane("scoring")  # the process was started again
    (root / paths.SECRET / "left.json").write_text("{}")
    (root / paths.CHECKPOINT).write_text("half of it")
    again.working_copy.reset(edition)
    assert files_of(root) == before


@pytest.mark.slow
def test_an_event_and_its_files_are_recorded_together(two, monkeypatch):
    one, other = two
    edition = contest.prepared(one)
    red = contest.team(one, edition, "red")
    sent = take(one, red, edition, contest.release(one, edition, "red")).upload
    before = rows(one)
    killed = RuntimeError("killed right before the commit")
    monkeypatch.setattr(
        "quintain_host.work.handler.enqueue_once", lambda *_, **__: (_ for _ in ()).throw(killed)
    )
    Worker(one, "killed").work_once("intake")
    monkeypatch.undo()
    assert rows(one) == before
    assert contest.upload(one, sent).state == "waiting"
    one.clock.wait(minutes=2)
    work(other, "intake")
    assert contest.upload(one, sent).state == "accepted"
    assert rows(one) != before


@pytest.mark.slow
def test_a_journal_never_names_files_that_a_copy_lacks(two):
    one, other = two
    edition = contest.prepared(one)
    red = contest.team(one, edition, "red")
    lane = one.for_lane("scoring")
    lane.working_copy.reset(edition)  # a job begins, and an upload is recorded elsewhere
    take(one, red, edition, contest.release(one, edition, "red"))
    work(other, "intake")
    folder = lane.folder(edition)
    folder.store.catch_up()
    (event,) = folder.journal().submissions()
    for name, digest in event.files.items():
        assert folder.at(paths.submitted_file(digest, name)).is_file()


def rows(site):
    with site.database.reading() as session:
        return {row.path: row.digest for row in session.scalars(select(SharedFile))}


def test_who_lost_the_job_records_nothing(two):
    one, _ = two
    edition = contest.prepared(one)
    lane = one.for_lane("scoring")
    lane.working_copy.reset(edition)
    (lane.files / "editions" / edition / paths.BOARD).write_text("of a zombie")
    before = rows(one)

    def refuse(session):
        raise Stale("another worker has the job")

    with pytest.raises(Stale):
        lane.working_copy.push(edition, refuse)
    assert rows(one) == before


def test_two_machines_cannot_change_the_same_file_unseen(two):
    one, _other = two
    edition = contest.prepared(one)
    lanes = [site.for_lane("scoring") for site in two]
    for number, lane in enumerate(lanes):
        lane.working_copy.reset(edition)
        (lane.files / "editions" / edition / paths.BOARD).write_text(f"of machine {number}")
    assert lanes[0].working_copy.push(edition, lambda session: None) == 1
    with pytest.raises(ChangedElsewhere):
        lanes[1].working_copy.push(edition, lambda session: None)
    with pytest.raises(ChangedElsewhere):
        lanes[1].working_copy.pull(edition)
    lanes[1].working_copy.reset(edition)
    assert (lanes[1].files / "editions" / edition / paths.BOARD).read_text() == "of machine 0"


def test_a_file_that_is_removed_is_removed_everywhere(two):
    one, other = two
    edition = contest.prepared(one)
    lane = one.for_lane("scoring")
    lane.working_copy.reset(edition)
    target = lane.files / "exports" / edition / "codabench.zip"
    target.parent.mkdir(parents=True)
    target.write_bytes(b"zip")
    lane.working_copy.push(edition, lambda session: None)
    assert other.export_file(edition, "codabench.zip").read_bytes() == b"zip"
    target.unlink()
    lane.working_copy.push(edition, lambda session: None)
    assert not other.export_file(edition, "codabench.zip").exists()


def test_an_upload_is_fetched_by_the_machine_that_needs_it(two):
    one, other = two
    digest = one.uploads.keep(b"content")
    assert other.uploads.read(digest) == b"content"
    other.uploads.place(digest).unlink()
    assert other.uploads.path(digest).read_bytes() == b"content"
