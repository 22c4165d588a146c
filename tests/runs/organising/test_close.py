"""Closings: a signed checkpoint for every phase that has closed, and never a second history."""

import io
import shutil
import zipfile
from datetime import timedelta

import pytest

from quintain.errors import NotVerified, PhaseClosed
from quintain.journal.checkpoint import Checkpoint
from quintain.kit.archive import archive_bytes
from quintain.runs.folder import paths
from quintain.runs.folder.closings import Occasion, read_closing
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.record import signing_key
from quintain.runs.organising.amend import extend
from quintain.runs.organising.close import missing_closings, sign_closings
from quintain.runs.organising.freeze import freeze, reveal
from quintain.runs.submissions.submit import submit
from quintain.runs.verification import chain
from quintain.runs.verification.chain import KeptEvidence, chain_of, read_chain
from quintain.runs.verification.verify import still_trusted, verdict, verify
from tests.journal.timestamp_authority import Authority
from tests.runs.verification.cheats import added_at_the_end
from tests.runs.verification.forgery import Forger, day, guess, live_contest


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    return live_contest(tmp_path_factory.mktemp("live") / "contest")


@pytest.fixture
def folder(live, tmp_path):
    shutil.copytree(live.root, tmp_path / "contest")
    return Folder(tmp_path / "contest")


def test_nothing_is_signed_before_a_phase_has_closed(folder):
    assert missing_closings(folder, day(9)) == []
    assert sign_closings(folder, now=day(9)) == []


def test_each_phase_is_signed_once_and_says_what_closed(folder):
    (first,) = sign_closings(folder, now=day(11), further=("audit-log 3 ab",))
    assert first.occasion == Occasion(day(10).replace(hour=0), "main", "anonymize")
    assert (first.number, first.name, first.time) == (1, "001.txt", day(11))
    assert first.checkpoint.extension == (
        "closed main anonymize 2026-05-10T00:00:00Z",
        "signed 2026-05-11T12:00:00Z",
        "audit-log 3 ab",
    )
    assert sign_closings(folder, now=day(12)) == []
    (second,) = sign_closings(folder, now=day(21))
    assert str(second.occasion) == "phase attack of track main"
    assert [closing.number for closing in folder.closings()] == [1, 2]


def test_a_phase_that_was_extended_after_its_end_is_signed_again(folder):
    sign_closings(folder, now=day(21))
    extend(folder, "attack", day(25), "the power failed", now=day(22))
    assert missing_closings(folder, day(23)) == []
    (third,) = sign_closings(folder, now=day(26))
    assert third.occasion == Occasion(day(25), "main", "attack")


def test_no_event_is_dated_before_a_closing_that_is_signed(folder):
    assert folder.journal().time_after(day(15)) == day(15)
    assert sign_closings(folder, now=day(21), grace=timedelta(days=15)) == []
    sign_closings(folder, now=day(21), grace=timedelta(hours=1))
    assert folder.journal().time_after(day(15)) == day(20).replace(hour=0)
    with pytest.raises(PhaseClosed):
        submit(folder, "red", {"blue.csv": guess(1, 2, 3, 4, 5)}, now=day(15))


def test_an_end_before_the_dates_and_the_reveal_are_occasions(folder):
    freeze(folder, "nobody plays any more", now=day(15))
    attack = missing_closings(folder, day(15))[-1]
    assert (attack.phase, attack.time) == ("attack", day(15))
    reveal(folder, now=day(16))
    signed = sign_closings(folder, now=day(16))
    assert [str(closing.occasion) for closing in signed][-1] == "the reveal"
    assert signed[-1].checkpoint.size == folder.journal().size()


def test_a_journal_that_does_not_continue_what_was_signed_is_not_signed(folder):
    sign_closings(folder, now=day(11))
    forger = Forger(folder.root)
    forger.events.pop(forger.find("submitted", team="blue", kind="guess"))
    forger.finish()
    with pytest.raises(NotVerified, match=r"001\.txt has another root than the journal after 12"):
        sign_closings(folder, now=day(21))
    assert len(list(folder.at(paths.CHECKPOINTS).iterdir())) == 1


@pytest.mark.parametrize(
    "lines",
    [(), ("closed main attack 2026-05-10T00:00:00Z",), ("closed main attack x", "signed x")],
)
def test_a_checkpoint_that_does_not_say_what_closed_is_no_closing(folder, lines):
    text = Checkpoint("quintain/two-roles", 3, bytes(32), lines).signed(signing_key(folder))
    with pytest.raises(NotVerified, match=r"does not say what closed|is not a time"):
        read_closing("001.txt", text, folder.state().key)


# --- verification ---------------------------------------------------------------------------------


def test_the_archive_has_the_closings_and_each_is_evidence(folder, tmp_path):
    _, closing = sign_closings(folder, now=day(21))
    names = zipfile.ZipFile(io.BytesIO(archive_bytes(folder))).namelist()
    assert {"public/checkpoints/001.txt", "public/checkpoints/002.txt"} <= set(names)
    evidence = KeptEvidence(checkpoints={"kept": closing.text.encode()})
    verification = verify(folder, evidence=evidence, fast=True)
    assert verification.complete
    assert verdict(verification).startswith("verified against 1 checkpoint (12 of 12 events fixed)")


@pytest.mark.slow
def test_closings_that_contradict_the_journal_and_strange_files_are_problems(folder):
    sign_closings(folder, now=day(21))
    fake = Checkpoint("quintain/two-roles", 8, bytes(32), ("signed x",))
    folder.at(paths.closing(1)).write_text(fake.signed(signing_key(folder)))
    folder.at("public/checkpoints/note.html").write_text("hello")
    assert verify(folder, fast=True).problems == (
        "public/checkpoints/001.txt: has another root than this journal after 8 events: somebody "
        "changed one of them",
        "public/checkpoints/note.html: is neither the checkpoint of a phase nor a timestamp of one",
    )


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    pytest.importorskip("rfc3161_client", reason="pip install 'quintain[timestamps]'")
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def stamped(folder, authority):
    """A folder whose closings an outside clock has seen."""
    for closing in sign_closings(folder, now=day(21)):
        stamp = authority.stamp(closing.text.encode())
        folder.at(paths.timestamp(closing.path)).write_bytes(stamp)
    return folder


def test_timestamps_of_the_archive_fix_its_events_for_whom_believes_the_clock(stamped, authority):
    alone = verify(stamped, fast=True)
    assert alone.problems == () and alone.fixed == 0
    evidence = KeptEvidence(authorities=authority.certificate)
    verification = verify(stamped, evidence=evidence, fast=True)
    assert verification.complete
    assert verdict(verification).startswith(
        "verified against 2 checkpoints and 2 timestamps (12 of 12 events fixed): "
    )
    assert any(
        "CN=Test clock saw public/checkpoints/001.txt at 20" in m for m in verification.matches
    )
    first, *_ = still_trusted(verification)
    assert first.startswith("timestamps show that this history was there at their times")


def test_a_timestamp_that_somebody_kept_is_found_by_its_hash(stamped, authority):
    kept = {"c.txt": stamped.at(paths.closing(2)).read_bytes()}
    stamps = {"c.tsr": stamped.at(paths.timestamp(paths.closing(2))).read_bytes()}
    shutil.rmtree(stamped.at(paths.CHECKPOINTS))
    evidence = KeptEvidence((), {}, kept, stamps, authority.certificate)
    verification = verify(stamped, evidence=evidence, fast=True)
    assert verification.complete
    assert verification.matches[-1].startswith("c.tsr: CN=Test clock saw c.txt at ")
    other = KeptEvidence((), {}, {}, stamps, authority.certificate)
    assert verify(stamped, evidence=other, fast=True).problems == (
        "c.tsr: it is not about a checkpoint that you gave",
    )


def test_a_timestamp_of_another_clock_is_a_problem(stamped, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    evidence = KeptEvidence(authorities=Authority(other).certificate)
    first, second = verify(stamped, evidence=evidence, fast=True).problems
    assert first == (
        "public/checkpoints/001.tsr: the timestamp is not valid: no certificate that you gave "
        "leads to its signature"
    )
    assert second.startswith("public/checkpoints/002.tsr: ")


def test_a_clock_of_the_organisers_that_was_ahead_is_noted(stamped, authority, monkeypatch):
    monkeypatch.setattr(chain, "_AHEAD", timedelta(days=-36500))
    evidence = KeptEvidence(authorities=authority.certificate)
    verification = verify(stamped, evidence=evidence, fast=True)
    assert verification.problems == () and not verification.complete
    assert "the clock of the organisers was ahead" in verification.notes[0]


def test_a_chain_of_lines_is_that_of_the_file(folder):
    lines = folder.journal().lines()
    assert chain_of(lines) == read_chain(folder.at(paths.JOURNAL))


def test_an_event_that_was_dated_back_before_the_closing_is_found(folder):
    _, closing = sign_closings(folder, now=day(21))
    shutil.rmtree(folder.at(paths.CHECKPOINTS))
    forger = Forger(folder.root)
    added_at_the_end(forger)
    plain = KeptEvidence(checkpoints={"plain": folder.at(paths.CHECKPOINT).read_bytes()})
    assert verify(folder, evidence=plain, fast=True).problems == ()
    kept = KeptEvidence(checkpoints={"kept": closing.text.encode()})
    assert verify(folder, evidence=kept, fast=True).problems == (
        "kept: was signed after phase attack of track main had closed at 2026-05-20T00:00:00Z, "
        "with 12 events: event 13 is dated before, so somebody added it afterwards",
    )
