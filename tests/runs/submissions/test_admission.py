"""Admission: rules, state, earlier submissions and the time decide; nothing else."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from quintain.contests import load
from quintain.contests.roster import Entrant, Quota, Roster
from quintain.errors import (
    KindNeeded,
    NoSuchPhase,
    NoSuchTeam,
    NoSuchTrack,
    PhaseClosed,
    QuotaUsed,
    Refused,
)
from quintain.journal.events import Decided, Frozen, HandedOver, Prepared, Rules, Submitted
from quintain.journal.state import State
from quintain.runs.submissions.admission import admit, expect

NOON = datetime(2026, 5, 2, 12, tzinfo=UTC)
RED = State(roster=Roster((Entrant("red"),)))


def edition(*phases):
    return load("tiny", overrides={"phase": [*phases]})


def phase(submit, name="", **keys):
    return {"id": name or submit, "submit": submit, **keys}


def earlier(number=1, team="red", name="guess", time="2026-05-02T08:00:00Z", **keys):
    fields = {"track": "main", "kind": "guess", "files": {"a.csv": "0"}}
    return Submitted(number=number, team=team, phase=name, time=time, **{**fields, **keys})


def test_the_phase_that_is_open_takes_the_submission():
    rules = edition(
        phase("release", closes="2026-05-02T00:00:00Z"),
        phase("guess", opens="2026-05-02T00:00:00Z"),
    )
    assert admit(rules, RED, [], "red", NOON).phase.id == "guess"
    before = datetime(2026, 5, 1, tzinfo=UTC)
    assert admit(rules, RED, [], "red", before).phase.id == "release"


def test_a_phase_of_programs_that_is_over_does_not_make_answers_programs():
    contract = {"use": "hide-and-seek"}
    rules = load(
        "hide-and-seek",
        quick=True,
        overrides={
            "phase": [
                phase("release", contract=contract, closes="2026-05-02T00:00:00Z"),
                phase("guess", opens="2026-05-02T00:00:00Z"),
            ]
        },
    )
    assert not admit(rules, RED, [], "red", NOON).program
    assert admit(rules, RED, [], "red", datetime(2026, 5, 1, tzinfo=UTC)).program


def test_built_in_players_hand_in_files_where_teams_hand_in_programs():
    rules = load("hide-and-seek", quick=True)
    baseline = rules.track[0].baseline[0].id
    players = State(roster=Roster((Entrant(baseline, built_in=True),)))
    assert not admit(rules, players, [], baseline, NOON, kind="guess").program
    with pytest.raises(NoSuchTeam, match=f"unknown team '{baseline}'; no team has joined yet"):
        admit(rules, State(), [], baseline, NOON, kind="guess")


def test_while_both_kinds_are_open_the_kind_must_be_named():
    rules = edition(phase("release"), phase("guess"))
    with pytest.raises(KindNeeded, match="--kind release or --kind guess"):
        admit(rules, RED, [], "red", NOON)
    assert admit(rules, RED, [], "red", NOON, kind="release").phase.id == "release"


def test_what_no_phase_takes_is_refused():
    with pytest.raises(NoSuchPhase, match="no phase in which teams submit a release"):
        admit(edition(phase("guess")), RED, [], "red", NOON, kind="release")
    with pytest.raises(NoSuchTrack, match="choose one with --track: main"):
        admit(edition(phase("guess")), RED, [], "red", NOON, track="other")


def test_a_closed_phase_is_refused_and_can_still_be_expected():
    rules = edition(
        phase("guess", "first", closes="2026-05-01T00:00:00Z"),
        phase("guess", "later", opens="2026-05-03T00:00:00Z"),
        phase("guess", "last", opens="2026-05-04T00:00:00Z"),
    )
    with pytest.raises(PhaseClosed, match="phase later is not open at 2026-05-02 12:00:00 UTC"):
        admit(rules, RED, [], "red", NOON)
    assert expect(rules, RED, [], "red", NOON).phase.id == "later"
    over = datetime(2026, 6, 1, tzinfo=UTC)
    closed = edition(phase("guess", closes="2026-05-01T00:00:00Z"))
    (obstacle,) = expect(closed, RED, [], "red", over).obstacles()
    assert "it closed at 2026-05-01" in str(obstacle)


def test_the_limits_of_a_team_go_before_those_of_the_phase():
    rules = edition(phase("guess", total=1))
    with pytest.raises(QuotaUsed, match="team red has used its 1 submission of phase guess"):
        admit(rules, RED, [earlier()], "red", NOON)
    extended = State(roster=Roster((Entrant("red", limits=Quota(total=2)),)))
    assert admit(rules, extended, [earlier()], "red", NOON).quota.total == 2


def test_only_what_the_team_itself_handed_in_counts():
    rules = edition(phase("guess", total=2, per_day=2))
    others = [
        earlier(1, team="blue"),
        earlier(2, name="another"),
        earlier(3, track="other"),
        earlier(4, made_by=1),
    ]
    admission = admit(rules, RED, [*others, earlier(5)], "red", NOON)
    assert [one.number for one in admission.earlier] == [5]


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({}, ""),
        ({"per_day": 3}, "1 submission left today"),
        ({"total": 9}, "6 submissions left in phase guess"),
        ({"per_day": 3, "total": 9}, "1 submission left today, 6 submissions left in phase guess"),
    ],
)
def test_what_is_left_counts_this_submission(limits, words):
    rules = edition(phase("guess", **limits))
    yesterday = earlier(1, time="2026-05-01T08:00:00Z")
    assert admit(rules, RED, [yesterday, earlier(2)], "red", NOON).quota_left() == words


def test_attempts_are_counted_by_file():
    rules = edition(phase("guess", per_file=1))
    assert admit(rules, RED, [earlier()], "red", NOON, files=["b.csv"])
    with pytest.raises(QuotaUsed, match=r"used its 1 attempt at a\.csv"):
        admit(rules, RED, [earlier()], "red", NOON, files=["a.csv", "b.csv"])


def test_after_the_hand_over_no_release_is_accepted_any_more():
    rules = edition(phase("release"), phase("guess"))
    handed = HandedOver(track="main", size=3, commitment="", time="2026-05-02T10:00:00Z")
    state = RED.after(handed)
    with pytest.raises(PhaseClosed, match="main were handed over at 2026-05-02 10:00:00 UTC"):
        admit(rules, state, [], "red", NOON, kind="release")
    assert admit(rules, state, [], "red", NOON).phase.id == "guess"


def test_a_round_that_is_not_prepared_takes_nothing():
    rules = edition(phase("guess"))
    fixed = RED.after(Rules(version=1, rules="", commitment="", key=""))
    with pytest.raises(PhaseClosed, match="track main is not prepared yet"):
        admit(rules, fixed, [], "red", NOON)
    ready = fixed.after(Prepared(track="main", commitment=""))
    assert admit(rules, ready, [], "red", NOON).team == "red"


def test_a_disqualified_team_submits_nothing_until_it_is_reinstated():
    rules = edition(phase("guess"))
    out = Decided(decision="disqualified", team="red", reason="two accounts")
    with pytest.raises(Refused, match="team red is disqualified: two accounts"):
        admit(rules, RED.after(out), [], "red", NOON)
    back = Decided(decision="reinstated", team="red", reason="a mistake")
    assert admit(rules, RED.after(out).after(back), [], "red", NOON)


def test_a_contest_that_is_over_takes_nothing():
    over = RED.after(Frozen(time="2026-05-02T10:00:00Z"))
    with pytest.raises(PhaseClosed, match="the contest is over: it ended at 2026-05-02 10:00 UTC"):
        admit(edition(phase("guess")), over, [], "red", NOON)


def test_the_day_of_a_quota_is_that_of_utc_in_whatever_zone_a_host_asks():
    rules = edition(phase("guess", per_day=1))
    kiritimati = NOON.astimezone(timezone(timedelta(hours=14)))
    assert kiritimati.day == 3
    with pytest.raises(QuotaUsed, match="of today"):
        admit(rules, RED, [earlier()], "red", kiritimati)
