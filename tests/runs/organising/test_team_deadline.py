"""A phase closes later for one team; everybody can read why, and verify it."""

import pytest

from quintain.errors import NoSuchTeam, PhaseClosed, Refused
from quintain.journal.events import TeamDeadline, write_time
from quintain.runs.folder.closings import occasions
from quintain.runs.organising.amend import extend, extend_for_team
from quintain.runs.organising.freeze import freeze, unfinished_phases
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.story import log_lines, rules_of
from quintain.runs.verification.judgement import check_events
from tests.runs.organising.live_cases import at, release

CLOSES = 2
"""The day on which the phase anonymize closes for everybody."""
EARLY = at(1, 2)


def later(contest, team="red", day=CLOSES + 2, now=EARLY, why="two of three were ill"):
    return extend_for_team(contest, team, "anonymize", at(day, 0), why, track="pre", now=now)


def test_only_that_team_may_submit_after_the_common_end(contest):
    assert later(contest).before == contest.edition().track[0].phase_for("release").closes
    release(contest, "red", CLOSES)
    with pytest.raises(PhaseClosed):
        release(contest, "blue", CLOSES)
    with pytest.raises(PhaseClosed):
        release(contest, "red", CLOSES + 2)


def test_a_verifier_admits_by_the_deadlines_of_each_team(contest):
    later(contest)
    release(contest, "red", CLOSES)
    events = list(contest.journal().events())
    assert list(check_events(events, rules_of(contest))) == []
    without = [event for event in events if not isinstance(event, TeamDeadline)]
    (problem,) = check_events(without, rules_of(contest))
    assert "is not open" in problem


def test_the_hand_over_and_the_end_wait_for_the_last_team(contest):
    later(contest)
    release(contest, "red", 1)
    with pytest.raises(PhaseClosed, match=r"open until 2026-05-04 .* for red; hand"):
        hand_over(contest, now=at(CLOSES, 1))
    state, edition = contest.state(), contest.edition()
    assert "anonymize" in [phase.id for _, phase in unfinished_phases(edition, state, at(3, 0))]
    assert not list(occasions(edition, state, at(3, 0)))
    hand_over(contest, now=at(4, 1))
    events = list(contest.journal().events())
    assert list(check_events(events, rules_of(contest))) == []
    early = [event for event in events if event.event != "handed-over"]
    moved = events[-1].model_copy(update={"time": write_time(at(3, 0))})
    (problem, *_) = check_events([*early, moved], rules_of(contest))
    assert "was open until 2026-05-04" in problem


def test_a_later_end_for_everybody_ends_the_exception(contest):
    later(contest)
    extend(contest, "anonymize", at(15, 0), "it was down", track="pre", now=at(1, 3))
    release(contest, "red", 14)
    release(contest, "blue", 14)
    with pytest.raises(Refused, match="never shorter"):
        later(contest, day=12, now=at(14, 13))


def test_deadlines_that_cannot_be_are_refused(contest):
    with pytest.raises(NoSuchTeam):
        later(contest, team="white")
    with pytest.raises(Refused, match="never shorter") as refused:
        later(contest, day=1)
    assert refused.value.field == "until"
    with pytest.raises(Refused, match="say why"):
        later(contest, why=" ")
    later(contest)
    with pytest.raises(Refused, match="closes at 2026-05-04"):
        later(contest, day=3, now=at(1, 3))
    freeze(contest, "enough", now=at(1, 4))
    with pytest.raises(PhaseClosed):
        later(contest, day=12, now=at(1, 5))


def test_a_forged_deadline_is_reported(contest):
    fields = {"team": "white", "track": "pre", "phase": "anonymize", "reason": ""}
    forged = TeamDeadline(**fields, closes=write_time(at(12, 0)), time=write_time(at(1, 2)))
    events = [*contest.journal().events(), forged]
    problems = [p.partition("(deadline): ")[2] for p in check_events(events, rules_of(contest))]
    assert problems[0].startswith("say why") and problems[1].startswith("unknown team 'white'")


def test_the_log_says_for_whom_and_why(contest):
    later(contest)
    (line,) = list(log_lines(list(contest.journal().events()), rules_of(contest), every=True))[-1:]
    assert line.endswith(
        "The organisers extended phase anonymize of track pre for team red, to "
        "2026-05-04 00:00 UTC: two of three were ill"
    )
