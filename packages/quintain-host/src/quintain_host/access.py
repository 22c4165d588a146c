"""Access: who asks, what they may do, and why a service refuses; for pages and for the API."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from quintain.errors import QuintainError, Refused
from quintain.wording.languages import say


class NotSignedIn(QuintainError):
    """Only people who are signed in can do this."""

    status = 401


class NotAllowed(QuintainError):
    """The visitor is known and may not do this."""

    status = 403


class SecondFactorNeeded(NotAllowed):
    """The visitor may do this as soon as the session has given a second factor."""

    def __init__(self) -> None:
        super().__init__(say("set up your second factor first: /account/second-factor"))


class NotThere(QuintainError):
    """There is no such thing, or the visitor may not know of it."""

    status = 404


class BadInput(Refused):
    """A name, a text or a number that cannot be used; another one would do."""

    status = 422


class Conflict(Refused):
    """Something else is there already, or in the way."""

    status = 409


class SeveralMistakes(BadInput):
    """Several things in one request cannot be used; ``problems`` has each with its field."""

    def __init__(self, problems: Sequence[QuintainError]) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = tuple(problems)


def check_each(*checks: Callable[[], Any]) -> list[Any]:
    """The results of several checks; raises every refusal at once, not only the first one."""
    results: list[Any] = []
    problems: list[QuintainError] = []
    for check in checks:
        try:
            results.append(check())
        except QuintainError as problem:
            if problem.status >= 500:
                raise
            problems.append(problem)
    if problems:
        raise problems[0] if len(problems) == 1 else SeveralMistakes(problems)
    return results


@dataclass(frozen=True, slots=True)
class TeamMembership:
    """A person's place in a team of an edition."""

    team: str
    captain: bool


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody who sends a request.

    Parameters
    ----------
    account : the number of the account; None if nobody is signed in.
    operator : whether the person runs the site.
    organises : the editions that the person organises. A person who still has to give the second
        factor organises nothing, and operates nothing.
    teams : the person's team in each edition.
    scopes : what a token allows; None for a browser, which may do everything that its person may.
    csrf : what forms of the visitor's session have to bring; empty without a session.
    awaits_code : the account of somebody who gave the password and not yet the second factor. Such
        a visitor is not signed in.
    lacks_second_factor : whether the site asks its organisers and operators for a second factor,
        and this session has given none.
    would_operate, would_organise : what only the missing second factor keeps the person from.
    """

    account: int | None = None
    name: str = ""
    operator: bool = False
    organises: frozenset[str] = frozenset()
    teams: Mapping[str, TeamMembership] = field(default_factory=dict)
    scopes: frozenset[str] | None = None
    csrf: str = field(default="", repr=False)
    awaits_code: int | None = None
    lacks_second_factor: bool = False
    would_operate: bool = False
    would_organise: frozenset[str] = frozenset()

    @property
    def needs_second_factor(self) -> bool:
        """Whether the person would organise or operate with a second factor."""
        return self.would_operate or bool(self.would_organise)

    @property
    def own_editions(self) -> frozenset[str]:
        """The editions whose organiser the person is, with and without a second factor."""
        return self.organises | self.would_organise

    @property
    def runs_site(self) -> bool:
        """Whether the person is an operator, with and without a second factor."""
        return self.operator or self.would_operate

    def require_signed_in(self) -> int:
        """The account; raises if nobody is signed in."""
        if self.account is None:
            raise NotSignedIn(say("sign in first"))
        return self.account

    def require_browser(self) -> int:
        """The account; raises if nobody is signed in, or a program asks with a token."""
        account = self.require_signed_in()
        if self.scopes is not None:
            raise NotAllowed(say("no token allows this: sign in with a browser"))
        return account

    def require_scope(self, scope: str) -> None:
        """Refuse a token that was not made for this."""
        if self.scopes is not None and scope not in self.scopes:
            raise NotAllowed(
                say("the token does not allow this: it needs the scope %(scope)r", scope=scope)
            )

    def organises_edition(self, edition: str) -> bool:
        """Whether the visitor may act as an organiser of an edition."""
        return edition in self.organises

    def require_organiser(self, edition: str) -> int:
        """Refuse everybody but the organisers of an edition."""
        account = self.require_signed_in()
        self.require_scope("organise")
        if edition in self.would_organise:
            raise SecondFactorNeeded
        if not self.organises_edition(edition):
            raise NotAllowed(say("only the organisers of this contest can do this"))
        return account

    def require_operator(self) -> int:
        """Refuse everybody but the operators of the site."""
        account = self.require_signed_in()
        self.require_scope("organise")
        if self.would_operate:
            raise SecondFactorNeeded
        if not self.operator:
            raise NotAllowed(say("only the operators of this site can do this"))
        return account

    def team_in(self, edition: str) -> str:
        """The team of the visitor in an edition; raises if there is none."""
        self.require_signed_in()
        if edition not in self.teams:
            raise NotAllowed(say("you are in no team of this contest"))
        return self.teams[edition].team

    def require_captain(self, edition: str) -> str:
        """The team of which the visitor is the captain."""
        team = self.team_in(edition)
        if not self.teams[edition].captain:
            raise NotAllowed(say("only the captain of team %(team)s can do this", team=team))
        return team


NOBODY = Visitor()
"""Somebody who is not signed in."""
