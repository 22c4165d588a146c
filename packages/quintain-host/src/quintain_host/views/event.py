"""Event: what the home page of a contest shows first: what comes next, who runs it, a picture."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from markupsafe import Markup

from quintain.contests import Edition
from quintain.figures.dot_field import dot_field
from quintain.figures.heat_map import small_picture
from quintain_host.editions.shown import has_attackers
from quintain_host.site import Site
from quintain_host.views.contest import Contest, ContestView, PhaseView
from quintain_host.views.live_counts import LiveCount, live_counts
from quintain_host.views.matrix import matrices

USUAL_SHARE, FOUND_SHARE = 0.25, 0.75
"""The sample and the success of an attack in the picture of no special contest."""


@dataclass(frozen=True, slots=True)
class NextDate:
    """What happens next, and when.

    Parameters
    ----------
    closes : whether the phase closes then; else it opens.
    left : how much of an open phase is left, in percent; 100 if that is not known.
    """

    phase: PhaseView
    time: datetime
    closes: bool
    left: int


@dataclass(frozen=True, slots=True)
class EventHead:
    """The head of the home page.

    Parameters
    ----------
    organisers : the name that the people who run the contest chose; empty if they chose none.
    records : the sizes of a sample and of the population, if the rules give them.
    picture : after the reveal a small matrix, before it a field of dots.
    """

    next: NextDate | None
    awards: tuple[str, ...]
    organisers: str
    records: tuple[int, int] | None
    counts: list[LiveCount]
    picture: Markup
    results: bool


def event_of(site: Site, contest: Contest, view: ContestView) -> EventHead:
    """What the home page shows first."""
    rules = contest.rules
    records = None if rules is None else _records(rules)
    matrix = matrix_picture(site, contest)
    return EventHead(
        next=next_date(view, contest.now),
        awards=() if rules is None else tuple(award.title for award in rules.award),
        # Names of accounts are nobody else's business.
        organisers=contest.row.organisers,
        records=records,
        counts=live_counts(site, contest),
        picture=matrix or luck_picture(contest.id, records),
        results=bool(matrix),
    )


def next_date(view: ContestView, now: datetime) -> NextDate | None:
    """What happens at the next date of a contest; None if nothing is to come."""
    for phase in view.phases:
        if view.next is not None and view.next in (phase.opens, phase.closes):
            closes = view.next == phase.closes
            left = 100
            if closes and phase.opens is not None and phase.opens < now:
                left = round(100 * (view.next - now) / (view.next - phase.opens))
            return NextDate(phase, view.next, closes, left)
    return None


def _records(rules: Edition) -> tuple[int, int] | None:
    """The sizes of a sample and of the population in the last round, if the rules give them."""
    track = rules.track[-1]
    population = track.population_size
    sample = None if population is None else track.sample.private_size(population)
    return None if population is None or sample is None else (sample, population)


# --- pictures: drawn from the numbers of a contest, and seeded by its public id -------------------


def luck_picture(edition: str, records: tuple[int, int] | None) -> Markup:
    """The sample in its population, to scale, with what pure luck finds of it."""
    share = USUAL_SHARE if records is None else records[0] / records[1]
    return dot_field(share, share, _rng(edition), f"field-{edition}")


def attack_picture() -> Markup:
    """A sample with an attack on it that is better than luck, for the start page."""
    return dot_field(USUAL_SHARE, FOUND_SHARE, _rng("start"), "field-start")


def matrix_picture(site: Site, contest: Contest) -> Markup:
    """The matrix of the last round in small, after the reveal; empty if nobody attacks."""
    made = matrices(site, contest) if contest.revealed else []
    if not made or not has_attackers(site, contest.id):
        return Markup("")
    return small_picture(made[-1].matrix, made[-1].colours, f"small-{contest.id}")


def _rng(text: str) -> np.random.Generator:
    return np.random.default_rng(list(hashlib.sha256(text.encode()).digest()[:8]))
