"""The end: a contest is frozen, scored for the last time, and revealed."""

import io
import json
import zipfile

import pytest

from quintain.commitment import sha256
from quintain.contests import load
from quintain.errors import PhaseClosed, Refused
from quintain.journal.events import read_event
from quintain.kit.archive import archive_bytes
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.record import publish, receipt_again
from quintain.runs.organising.amend import amend, extend
from quintain.runs.organising.decide import Subject, decide
from quintain.runs.organising.freeze import freeze, reveal
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.organising.join import Joining, join
from quintain.runs.organising.prepare import prepare
from quintain.runs.verification.verify import verify
from tests.runs.organising.live_cases import at, everything, guess


def changes(folder):
    """Everything that could change a contest."""
    yield lambda: join(folder, [Joining("green")], now=at(9))
    yield lambda: decide(folder, "disqualified", Subject("red"), "late", now=at(9))
    yield lambda: extend(folder, "attack", at(20), "late", track="pre", now=at(9))
    yield lambda: amend(folder, load(folder.at("edition.toml")), "late", now=at(9))
    yield lambda: hand_over(folder, "pre", now=at(9))
    yield lambda: guess(folder, "red", 9)
    yield lambda: freeze(folder, "twice", now=at(9))


@pytest.mark.parametrize("last", [freeze, reveal])
def test_nothing_changes_after_the_end(played_round, last):
    freeze(played_round, "nobody wants a second round", now=at(4))
    last(played_round, now=at(4)) if last is reveal else None
    before = everything(played_round.root)
    for change in changes(played_round):
        with pytest.raises(Refused):
            change()
    with pytest.raises(PhaseClosed, match="the contest is over"):
        prepare(played_round, tracks=["main"], now=at(9))
    assert everything(played_round.root) == before


def test_a_contest_is_frozen_early_only_with_a_reason(played_round):
    with pytest.raises(PhaseClosed, match="attack of track pre until 2026-05-04 00:00 UTC"):
        freeze(played_round, now=at(3))
    event = freeze(played_round, "a leak", now=at(3))
    assert (event.reason, event.time) == ("a leak", "2026-05-03T12:00:00Z")


def test_nothing_is_revealed_before_the_end(played_round):
    before = everything(played_round.root)
    with pytest.raises(
        PhaseClosed, match="the contest is not over: attack of track pre, anonymize"
    ):
        reveal(played_round, now=at(3))
    assert everything(played_round.root) == before


def test_the_last_standings_are_in_the_journal(played_round):
    event = reveal(played_round, now=at(9))
    assert event.standings == sha256(played_round.at(paths.STANDINGS).read_bytes())
    assert json.loads(played_round.at(paths.STANDINGS).read_bytes())["journal"]["events"] == 10
    assert [one.event for one in played_round.journal().events()][-2:] == ["frozen", "revealed"]
    assert reveal(played_round, now=at(10)) == event  # the archive can be written again
    assert verify(played_round).problems == ()


def test_the_archive_has_what_the_journal_names_and_nothing_else(played_round, tmp_path):
    reveal(played_round, now=at(9))
    leftovers = ["submissions/files/ab/abc.csv", "teams/ghost/pre/private.csv", "notes.txt"]
    for name in leftovers:
        played_round.at(name).parent.mkdir(parents=True, exist_ok=True)
        played_round.at(name).write_text("left behind by a crash")
    with zipfile.ZipFile(io.BytesIO(archive_bytes(played_round))) as archive:
        names = set(archive.namelist())
        archive.extractall(tmp_path / "revealed")
    assert not names & {*leftovers, paths.SIGNING_KEY}
    known = {paths.SIGNING_KEY, paths.COLLUSION, *leftovers}
    hidden = {name for name in everything(played_round.root) if name.startswith(".")}
    assert names == set(everything(played_round.root)) - known - hidden | {paths.REHEARSAL}
    assert verify(Folder(tmp_path / "revealed")).problems == ()


def test_a_lost_receipt_can_be_given_again(played_round):
    first = next(played_round.journal().submissions("red"))
    receipt = receipt_again(played_round, first.number)
    assert read_event(receipt.line) == first
    checkpoint = receipt.check(played_round.state().key)
    assert checkpoint.size == played_round.journal().size()
    assert receipt.checkpoint == publish(played_round)
    for number in (1, 99):
        with pytest.raises(Refused, match=f"event {number} is not a submission"):
            receipt_again(played_round, number)
