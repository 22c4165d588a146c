"""Who may do what, and several checks of one request: every refusal at once."""

import pytest

from quintain.errors import QuintainError
from quintain_host.access import (
    NOBODY,
    BadInput,
    NotAllowed,
    NotSignedIn,
    SecondFactorNeeded,
    SeveralMistakes,
    TeamMembership,
    Visitor,
    check_each,
)


class Fault(QuintainError):
    """A problem with any status."""

    def __init__(self, status, text="it broke"):
        super().__init__(text)
        self.status = status


def failing(problem):
    def check():
        raise problem

    return check


def test_results_come_in_order():
    assert check_each(lambda: 1, lambda: None, lambda: "a") == [1, None, "a"]
    assert check_each() == []


@pytest.mark.parametrize("status", [500, 503])
def test_a_fault_of_the_site_ends_the_checks(status):
    asked = []
    with pytest.raises(Fault) as caught:
        check_each(failing(BadInput("a")), failing(Fault(status)), lambda: asked.append(1))
    assert caught.value.status == status
    assert not asked


def test_refusals_are_collected():
    with pytest.raises(Fault) as alone:
        check_each(lambda: 1, failing(Fault(499, "no")), lambda: 2)
    assert alone.value.status == 499
    one, two = BadInput("one"), Fault(409, "two")
    with pytest.raises(SeveralMistakes, match="one; two") as caught:
        check_each(failing(one), lambda: 1, failing(two))
    assert caught.value.problems == (one, two)


TEAMS = {"one": TeamMembership("red", captain=True), "two": TeamMembership("blue", captain=False)}
PERSON = Visitor(account=7, organises=frozenset({"one"}), operator=True, teams=TEAMS)
TOKEN = Visitor(account=7, organises=frozenset({"one"}), operator=True, scopes=frozenset({"read"}))
LACKING = Visitor(account=7, would_organise=frozenset({"one"}), would_operate=True)
GUEST = Visitor(account=7)


@pytest.mark.parametrize(
    ("visitor", "ask", "answer"),
    [
        (PERSON, lambda v: v.require_signed_in(), 7),
        (NOBODY, lambda v: v.require_signed_in(), NotSignedIn),
        (PERSON, lambda v: v.require_browser(), 7),
        (TOKEN, lambda v: v.require_browser(), NotAllowed),
        (NOBODY, lambda v: v.require_browser(), NotSignedIn),
        (PERSON, lambda v: v.require_scope("organise"), None),
        (TOKEN, lambda v: v.require_scope("read"), None),
        (TOKEN, lambda v: v.require_scope("organise"), NotAllowed),
        (PERSON, lambda v: v.require_organiser("one"), 7),
        (PERSON, lambda v: v.require_organiser("two"), NotAllowed),
        (TOKEN, lambda v: v.require_organiser("one"), NotAllowed),
        (LACKING, lambda v: v.require_organiser("one"), SecondFactorNeeded),
        (LACKING, lambda v: v.require_organiser("two"), NotAllowed),
        (NOBODY, lambda v: v.require_organiser("one"), NotSignedIn),
        (PERSON, lambda v: v.require_operator(), 7),
        (GUEST, lambda v: v.require_operator(), NotAllowed),
        (TOKEN, lambda v: v.require_operator(), NotAllowed),
        (LACKING, lambda v: v.require_operator(), SecondFactorNeeded),
        (NOBODY, lambda v: v.require_operator(), NotSignedIn),
        (PERSON, lambda v: v.team_in("two"), "blue"),
        (PERSON, lambda v: v.team_in("three"), NotAllowed),
        (NOBODY, lambda v: v.team_in("one"), NotSignedIn),
        (PERSON, lambda v: v.require_captain("one"), "red"),
        (PERSON, lambda v: v.require_captain("two"), NotAllowed),
        (PERSON, lambda v: v.require_captain("three"), NotAllowed),
        (PERSON, lambda v: v.organises_edition("one"), True),
        (PERSON, lambda v: v.organises_edition("two"), False),
        (PERSON, lambda v: v.own_editions, {"one"}),
        (LACKING, lambda v: v.own_editions, {"one"}),
        (GUEST, lambda v: v.own_editions, set()),
        (PERSON, lambda v: v.runs_site, True),
        (LACKING, lambda v: v.runs_site, True),
        (GUEST, lambda v: v.runs_site, False),
        (LACKING, lambda v: v.needs_second_factor, True),
        (Visitor(account=7, would_operate=True), lambda v: v.needs_second_factor, True),
        (
            Visitor(account=7, would_organise=frozenset({"one"})),
            lambda v: v.needs_second_factor,
            True,
        ),
        (PERSON, lambda v: v.needs_second_factor, False),
    ],
)
def test_who_may_do_what(visitor, ask, answer):
    if isinstance(answer, type):
        with pytest.raises(answer):
            ask(visitor)
    else:
        assert ask(visitor) == answer
