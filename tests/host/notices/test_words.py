"""Words: every event has its words, and everybody whom it concerns gets them."""

import typing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain.contests.roster import Quota
from quintain.journal import events
from quintain_host.notices import words
from quintain_host.notices.words import KINDS, Message, message_of, team_of

EXAMPLES = {
    events.Rules: {"version": 2, "rules": "r", "commitment": "c", "key": "k", "reason": "typo"},
    events.Prepared: {"track": "main", "commitment": "c"},
    events.Joined: {"team": "red"},
    events.Limited: {"team": "red", "limits": Quota(3), "reason": "a late start"},
    events.Submitted: {
        "team": "red",
        "track": "final",
        "phase": "attack",
        "kind": "guess",
        "files": {"a.csv": "0"},
    },
    events.Chosen: {"team": "red", "track": "main", "phase": "p", "submissions": (3, 4)},
    events.SecondRun: {
        "team": "red",
        "track": "main",
        "program": 3,
        "first": {"a": "1"},
        "second": {"a": "2"},
    },
    events.HandedOver: {"track": "final", "size": 9, "commitment": "c"},
    events.Amended: {
        "track": "main",
        "phase": "attack",
        "closes": "2026-05-30T12:00:00Z",
        "reason": "the site was down",
    },
    events.TeamDeadline: {
        "team": "red",
        "track": "main",
        "phase": "attack",
        "closes": "2026-05-30T12:00:00Z",
        "reason": "the team was down",
    },
    events.Decided: {"decision": "disqualified", "team": "red", "reason": "copied"},
    events.Frozen: {},
    events.Revealed: {"standings": "s"},
}


def test_every_kind_of_event_has_words():
    assert set(EXAMPLES) == set(typing.get_args(events.Event))
    for kind, fields in EXAMPLES.items():
        message = message_of(kind(**fields))
        assert message.kind in KINDS
        assert message.title and message.text.endswith((".", "down", "start", "typo", "copied"))
        assert not message.page or message.page.startswith("/")


def test_the_reason_and_the_date_are_in_the_words():
    message = message_of(events.Amended(**EXAMPLES[events.Amended]))
    assert message.title == "The phase attack closes later"
    assert "2026-05-30 12:00" in message.text
    assert "the site was down" in message.text


def test_a_round_is_named_where_there_are_several():
    handed_over = events.HandedOver(**EXAMPLES[events.HandedOver])
    assert message_of(handed_over, "Final round").title == (
        "The releases (Final round) are handed over"
    )
    assert message_of(handed_over).title == "The releases are handed over"


def test_the_first_rules_and_built_in_players_concern_no_team():
    first = events.Rules(version=1, rules="r", commitment="c", key="k")
    assert message_of(first) is None
    assert message_of(events.Joined(team="nearest", built_in=True)) is None


def test_what_one_team_did_is_for_that_team():
    own = {kind for kind, fields in EXAMPLES.items() if team_of(kind(**fields)) == "red"}
    assert {kind.__name__ for kind in own} == {
        *("Joined", "Limited", "Submitted", "Chosen", "SecondRun", "Decided", "TeamDeadline")
    }


@pytest.mark.parametrize("same", [True, False])
def test_a_second_run_says_what_it_made(same):
    fields = EXAMPLES[events.SecondRun] | ({"second": {"a": "1"}} if same else {})
    assert ("the same files" in message_of(events.SecondRun(**fields)).text) is same


@given(st.text(max_size=30), st.text(max_size=30))
def test_other_happenings_have_words_whatever_people_write(name, reason):
    for message in (words.team_refused(name, reason), words.news_published(name or "x", reason)):
        assert isinstance(message, Message)
        assert message.kind in KINDS
