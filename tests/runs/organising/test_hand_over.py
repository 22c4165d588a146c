"""Hand-over while others act: what happened meanwhile counts, or stops it."""

import pytest

from quintain.commitment import Commitment
from quintain.errors import PhaseClosed, Refused
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.organising import hand_over as module
from quintain.runs.organising.amend import extend
from quintain.runs.organising.decide import Subject, decide
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.organising.prepare import prepare
from quintain.runs.submissions.submit import submit
from tests.runs.verification.forgery import BEACON, EDITION, day


@pytest.fixture
def contest(tmp_path):
    """A contest whose release phase is over; red has made a release."""
    root = tmp_path / "contest"
    root.mkdir()
    (root / paths.EDITION).write_text(EDITION)
    folder = Folder(root)
    prepare(folder, seed=11, now=day(20, 4))
    prepare(folder, beacon=BEACON, now=day(29, 4))
    content = folder.at(paths.team_sample("red", "main")).read_bytes()
    submit(folder, "red", {"release.csv": content}, now=day(2))
    return folder


def meanwhile(monkeypatch, act):
    """Let somebody act once, after the releases are chosen and before they are handed over."""
    hand_over_jobs, waiting = module.hand_over_jobs, [act]

    def slowly(*arguments):
        jobs = hand_over_jobs(*arguments)
        while waiting:
            waiting.pop()()
        return jobs

    monkeypatch.setattr(module, "hand_over_jobs", slowly)


def test_a_phase_that_is_extended_meanwhile_stays_open(contest, monkeypatch):
    until = day(30)
    meanwhile(
        monkeypatch, lambda: extend(contest, "anonymize", until, "the site was down", now=day(10))
    )
    with pytest.raises(PhaseClosed, match="hand over after that"):
        hand_over(contest, now=day(10))
    assert not contest.state().handed_over


def test_two_hand_overs_at_once_are_one(contest, monkeypatch):
    meanwhile(monkeypatch, lambda: hand_over(contest, now=day(10)))
    with pytest.raises(Refused, match="were handed over already"):
        hand_over(contest, now=day(10))
    assert len(contest.state().handed_over) == 1
    events = [event.event for event in contest.journal().events()]
    assert events.count("handed-over") == 1


def test_the_slower_of_two_hand_overs_leaves_the_commitment_of_the_other(contest, monkeypatch):
    content = contest.at(paths.team_sample("blue", "main")).read_bytes()
    submit(contest, "blue", {"release.csv": content}, now=day(3))

    def disqualify_and_hand_over():
        decide(contest, "disqualified", Subject("blue"), "shared its data", now=day(10))
        hand_over(contest, now=day(10))

    meanwhile(monkeypatch, disqualify_and_hand_over)
    with pytest.raises(Refused, match="were handed over already"):
        hand_over(contest, now=day(10))
    kept = Commitment.model_validate_json(
        contest.at(paths.commitment("handover-main")).read_bytes()
    )
    assert kept.root == contest.state().handed_over["main"].commitment
    prepare(contest, now=day(11))
    assert list(contest.owners(contest.edition().track[0])) == ["red"], "prepare repairs the list"
