"""A team gets other limits while the contest runs; everybody can read why, and verify it."""

import pytest

from quintain.contests.roster import Quota
from quintain.errors import NoSuchTeam, QuotaUsed, Refused
from quintain.journal.events import Limited
from quintain.runs.organising.amend import limit
from quintain.runs.organising.freeze import freeze
from quintain.runs.organising.join import team_rows
from quintain.runs.story import log_lines, rules_of
from quintain.runs.verification.judgement import check_events
from tests.runs.organising.live_cases import at, release


def test_new_limits_count_at_once_and_replace_the_earlier_ones(contest):
    limit(contest, "red", Quota(total=1, per_day=1), "the team asked for a test", now=at(1, 2))
    release(contest, "red", 1)
    with pytest.raises(QuotaUsed):
        release(contest, "red", 1)
    limit(contest, "red", Quota(total=2), "the site was down", now=at(1, 13))
    assert contest.state().roster.entrant("red").limits == Quota(total=2)
    release(contest, "red", 1)
    with pytest.raises(QuotaUsed):
        release(contest, "red", 1)
    release(contest, "blue", 1)
    rows = {row.id: row.limits for row in team_rows(contest.state(), [])}
    assert rows == {"red": "2 in total", "blue": ""}


def test_a_verifier_admits_submissions_by_the_limits_of_their_time(contest):
    limit(contest, "red", Quota(total=1), "the team asked for a test", now=at(1, 2))
    release(contest, "red", 1)
    limit(contest, "red", Quota(), "that was enough", now=at(1, 13))
    release(contest, "red", 1)
    events = list(contest.journal().events())
    assert list(check_events(events, rules_of(contest))) == []
    without = [one for one in events if not (isinstance(one, Limited) and one.limits == Quota())]
    (problem,) = check_events(without, rules_of(contest))
    assert "event 8 (submitted): team red has used its 1 submission of phase" in problem


def test_a_forged_limit_is_reported(contest):
    events = list(contest.journal().events())
    forged = Limited(team="white", limits=Quota(total=9), reason="")
    problems = list(check_events([*events, forged], rules_of(contest)))
    assert [p.partition(": event 0 (limited): ")[2].split(";")[0] for p in problems] == [
        "say why: the journal and the report tell everybody the reason",
        "unknown team 'white'",
    ]


def test_the_log_says_which_limits_and_why(contest):
    limit(contest, "red", Quota(total=3, per_file=2), "its site was down", now=at(1, 2))
    (line,) = list(log_lines(list(contest.journal().events()), rules_of(contest), every=True))[-1:]
    limits = "3 in total and 2 for the same task"
    assert line.endswith(f"Team red has new limits ({limits}): its site was down")


def test_limits_that_cannot_be_are_refused(contest):
    with pytest.raises(NoSuchTeam):
        limit(contest, "white", Quota(total=3), "why not", now=at(1))
    with pytest.raises(Refused, match="total: a limit is at least 1"):
        limit(contest, "red", Quota(total=0), "why not", now=at(1))
    with pytest.raises(Refused, match="has these limits already"):
        limit(contest, "red", Quota(), "why not", now=at(1))
    with pytest.raises(Refused, match="say why"):
        limit(contest, "red", Quota(total=3), " ", now=at(1))
    freeze(contest, "that is all", now=at(1))
    with pytest.raises(Refused, match="the contest is over"):
        limit(contest, "red", Quota(total=3), "why not", now=at(1))
