"""A kind of case: how to make one, which verdicts are right, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.audit.blind_kinds.cells import Cells, Rng

BARE = ("unsafe",)
ALARM = ("unsafe", "some-leakage")
BARE_OR_OPEN = ("unsafe", "cannot-say")
ANY_ANSWER = ("unsafe", "some-leakage", "nothing-found")
FINE = ("nothing-found",)
FINE_OR_SLIGHT = ("nothing-found", "some-leakage")
FINE_OR_OPEN = ("nothing-found", "cannot-say")
OPEN = ("cannot-say",)
NO_HARM = ("cannot-say", "nothing-found", "some-leakage")


@dataclass(frozen=True, slots=True)
class Case:
    """What an audit gets: the people of the release, the release, and people who are not in it."""

    original: Cells
    release: Cells
    control: Cells


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of case.

    Parameters
    ----------
    truth : why a case of it is safe or not.
    right : the verdicts that an honest audit may give.
    make : draws a case.
    """

    truth: str
    right: tuple[str, ...]
    make: Callable[[Rng], Case]


KINDS: dict[str, Kind] = {}
"""All kinds by name; the functions in the other files of this folder add them."""


def kind(right: tuple[str, ...]) -> Callable[[Callable[[Rng], Case]], Callable[[Rng], Case]]:
    """Add a kind, whose truth is the docstring of the function that makes its cases."""

    def add(make: Callable[[Rng], Case]) -> Callable[[Rng], Case]:
        KINDS[make.__name__] = Kind(" ".join(str(make.__doc__).split()), right, make)
        return make

    return add
