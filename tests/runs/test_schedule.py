"""Schedule: the order of phases and rounds is checked before the first team submits."""

from datetime import UTC, datetime, timedelta

from quintain.contests import load
from quintain.runs.lint import (
    overlapping_rounds,
    phases_out_of_order,
    phases_without_dates,
)

DAY = datetime(2026, 5, 1, tzinfo=UTC)


def phase(id, submit, opens=None, closes=None):
    """A phase from one day after the first of May to another."""
    days = {"opens": opens, "closes": closes}
    dates = {key: DAY + timedelta(days=n) for key, n in days.items() if n is not None}
    return {"id": id, "submit": submit, **dates}


def edition(*tracks):
    """An edition with these phases, one list for each track."""
    if len(tracks) == 1:
        return load("tiny", overrides={"phase": tracks[0]})
    names = ("pre", "final", "extra")
    rounds = [{"id": id, "phase": p} for id, p in zip(names, tracks, strict=False)]
    return load("tiny", overrides={"track": rounds})


def messages(findings):
    return [finding.message for finding in findings]


def test_a_single_phase_may_be_open_all_the_time():
    assert list(phases_without_dates(edition([phase("a", "guess")]))) == []


def test_several_phases_need_dates():
    rules = edition([phase("r", "release", 0, 5), phase("a", "guess", 6), phase("b", "guess")])
    (finding,) = phases_without_dates(rules)
    assert finding.severity == "warning"
    expected = "phases a and b have no dates, but the contest has several phases"
    assert finding.message == f"track main: {expected}"
    rules = edition([phase("a", "guess", 0, 5)], [phase("a", "guess", 6)])
    assert messages(phases_without_dates(rules)) == [
        "track final: phase a has no dates, but the contest has several phases"
    ]


def test_releases_must_be_in_before_attackers_start():
    early = edition([phase("a", "guess", 4, 9), phase("r", "release", 0, 5)])
    (finding,) = phases_out_of_order(early)
    assert (finding.severity, finding.check) == ("stop", "late-releases")
    assert finding.message == (
        "track main: releases are accepted in r until 2026-05-06 00:00 UTC, but a opens "
        "before, at 2026-05-05 00:00 UTC"
    )
    in_order = edition([phase("r", "release", 0, 5), phase("a", "guess", 5, 9)])
    assert list(phases_out_of_order(in_order)) == []


def test_two_phases_for_the_same_thing_must_not_overlap():
    both = edition([phase("a", "guess", 0, 5), phase("b", "guess", 4, 9)])
    (finding,) = phases_out_of_order(both)
    assert (finding.severity, finding.check) == ("warning", "overlapping-phases")
    one_by_one = edition([phase("a", "guess", 0, 5), phase("b", "guess", 5, 9)])
    assert list(phases_out_of_order(one_by_one)) == []


def test_rounds_follow_each_other():
    rules = edition([phase("a", "guess", 0, 5)], [phase("a", "guess", 4, 9)])
    (finding,) = overlapping_rounds(rules)
    assert (finding.severity, finding.check) == ("warning", "overlapping-rounds")
    assert (
        finding.message == "round final opens on 2026-05-05, before round pre closes on 2026-05-06"
    )
    rules = edition([phase("a", "guess", 0, 5)], [phase("a", "guess", 5, 9)])
    assert list(overlapping_rounds(rules)) == []


def test_tracks_of_equal_dates_run_side_by_side():
    rules = edition([phase("a", "guess", 0, 5)], [phase("b", "guess", 0, 5)])
    assert list(overlapping_rounds(rules)) == []
