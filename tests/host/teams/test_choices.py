"""Choices: what counts is what the team chose in time, also beside a hand-over."""

import pytest

from quintain.errors import NoSuchPhase, PhaseClosed, Refused
from quintain_host.access import NotAllowed
from quintain_host.intake.intake import take
from quintain_host.teams.history import choose, history_for
from quintain_host.work.worker import Worker
from tests.host import contest_on_site as contest


@pytest.fixture
def played(one_site):
    return submitted(one_site)


def submitted(site):
    """A contest in which red has submitted two releases; returns their events."""
    edition = contest.prepared(site)
    red = contest.team(site, edition, "red")
    for rows in (20, 30):
        take(site, red, edition, contest.release(site, edition, "red", rows))
    contest.drain(site)
    return edition, red, [one.event for one in history_for(site, red, edition).submissions]


@pytest.mark.slow
def test_a_choice_made_in_time_counts_in_a_hand_over_that_runs_first(site):
    edition, red, (first, _) = submitted(site)
    site.clock.set(contest.at(9, 23.9))
    choose(site, red, edition, "main", "anonymize", [first])
    site.clock.set(contest.at(10))
    number = contest.request(site, edition, "scoring", "hand-over")
    assert Worker(site, "scoring").work_once("scoring")
    (job,) = (job for job in contest.jobs(site, "hand-over") if job.id == number)
    assert job.state == "waiting" and "came first" in job.reason
    contest.drain(site)
    site.clock.wait(minutes=2)
    contest.drain(site)
    assert site.folder(edition).state().handed_over["main"]
    release = site.edition_root(edition) / "public" / "main" / "tasks" / "red" / "release.csv"
    assert len(release.read_text().splitlines()) == 21  # the header and the rows of the first


@pytest.mark.slow
def test_choices_that_the_rules_do_not_allow_are_refused(one_site, played):
    edition, red, (first, last) = played
    blue = contest.team(one_site, edition, "blue")
    for who, phase, numbers, error in (
        (red, "anonymize", [first, last], Refused),
        (red, "anonymize", [1], Refused),
        (red, "attack", [first], PhaseClosed),
        (red, "nowhere", [first], NoSuchPhase),
        (blue, "anonymize", [first], Refused),
        (contest.visitor(one_site, "eve"), "anonymize", [first], NotAllowed),
        (red, "anonymize", list(range(2000)), Refused),
    ):
        with pytest.raises(error):
            choose(one_site, who, edition, "main", phase, numbers)
    assert contest.jobs(one_site, "choose") == []


def test_a_choice_that_is_recorded_twice_is_one_event(one_site, played):
    edition, red, (first, _) = played
    choose(one_site, red, edition, "main", "anonymize", [first])
    choose(one_site, red, edition, "main", "anonymize", [first])
    contest.drain(one_site)
    assert {job.state for job in contest.jobs(one_site, "choose")} == {"done"}
    (choice,) = one_site.folder(edition).state().choices.values()
    assert choice.submissions == (first,)
