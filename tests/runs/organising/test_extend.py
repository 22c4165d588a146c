"""A phase may close later, never earlier, and not once its releases are handed over."""

from datetime import datetime

import pytest

from quintain.errors import NoSuchPhase, NoSuchTrack, PhaseClosed, Refused
from quintain.runs.organising.amend import extend
from quintain.runs.organising.hand_over import hand_over
from tests.runs.organising.live_cases import at, everything, release

WHY = "the site was down"


def test_an_extended_phase_takes_what_would_have_been_too_late(contest):
    with pytest.raises(PhaseClosed, match="is not open"):
        release(contest, "red", 2)
    extension = extend(contest, "anonymize", at(3, 0), WHY, track="pre", now=at(1))
    assert extension.before == at(2, 0)
    assert (extension.event.closes, extension.event.reason) == ("2026-05-03T00:00:00Z", WHY)
    assert contest.edition().track[0].phase[0].closes == at(3, 0)
    assert release(contest, "red", 2).submission.phase == "anonymize"
    with pytest.raises(PhaseClosed, match="is open until 2026-05-03 00:00 UTC"):
        hand_over(contest, now=at(2, 13))


def test_a_phase_that_is_over_can_be_opened_again(contest):
    release(contest, "red", 1)
    extend(contest, "anonymize", at(2, 20), WHY, track="pre", now=at(2))
    release(contest, "blue", 2)
    extend(contest, "anonymize", at(2, 22), "again", track="pre", now=at(2, 21))
    assert contest.edition().track[0].phase[0].closes == at(2, 22)


@pytest.mark.parametrize(
    ("until", "problem"),
    [
        (at(1, 20), "a phase can become longer, never shorter"),
        (at(2, 0), "a phase can become longer, never shorter"),
        (at(2, 1), "2026-05-02 01:00 UTC is over; it is 2026-05-02 12:00 UTC"),
        (datetime(2026, 5, 9), "say in which zone"),
    ],
)
def test_a_phase_never_becomes_shorter_and_ends_in_the_future(contest, until, problem):
    before = everything(contest.root)
    with pytest.raises(Refused, match=problem):
        extend(contest, "anonymize", until, WHY, track="pre", now=at(2))
    assert everything(contest.root) == before


def test_a_release_phase_stays_closed_after_the_hand_over(played_round):
    with pytest.raises(PhaseClosed, match="its phase anonymize stays closed"):
        extend(played_round, "anonymize", at(5), WHY, track="pre", now=at(3))
    extend(played_round, "attack", at(5), WHY, track="pre", now=at(3))


def test_a_phase_is_named_without_doubt(contest):
    with pytest.raises(NoSuchTrack, match=r"several tracks have a phase attack; .* pre, main"):
        extend(contest, "attack", at(9), WHY, now=at(1))
    with pytest.raises(NoSuchPhase, match="unknown phase 'final'; available: anonymize, attack"):
        extend(contest, "final", at(9), WHY, now=at(1))
    with pytest.raises(NoSuchTrack, match="unknown track 'post'; available: pre, main"):
        extend(contest, "attack", at(9), WHY, track="post", now=at(1))


def test_a_phase_without_an_end_cannot_be_extended(contest, tmp_path):
    from tests.contest_folders import small

    folder = small(tmp_path / "tiny", repeats=1, team=[{"id": "red"}])
    with pytest.raises(Refused, match="phase attack of track main has no end"):
        extend(folder, "attack", at(9), WHY, now=at(1))
