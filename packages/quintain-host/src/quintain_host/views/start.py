"""Start: the contests of a site by what visitors can do there: join in, look forward, look back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from quintain_host.access import Visitor
from quintain_host.editions.shown import editions_for
from quintain_host.site import Site
from quintain_host.views.contest import Contest, ContestView, Stage, contest_for, summary
from quintain_host.views.event import NextDate, matrix_picture, next_date

_AHEAD: tuple[Stage, ...] = ("draft", "announced")
_ENDED: tuple[Stage, ...] = ("ended", "revealed")
_MOST_PICTURES = 4
"""How many finished contests have a picture; reading a matrix takes time."""


@dataclass(frozen=True, slots=True)
class ContestCard:
    """A contest on the start page; a finished one has its matrix in small."""

    view: ContestView
    next: NextDate | None
    picture: Markup | None = None


@dataclass(frozen=True, slots=True)
class StartView:
    """The contests that a visitor may see, the newest first."""

    open: Sequence[ContestCard]
    ahead: Sequence[ContestCard]
    past: Sequence[ContestCard]

    def __bool__(self) -> bool:
        return bool(self.open or self.ahead or self.past)


def start_view(site: Site, visitor: Visitor) -> StartView:
    """What the start page shows to a visitor."""
    contests = [contest_for(site, visitor, row.id) for row in editions_for(site, visitor)]
    cards = [(contest, _card(contest)) for contest in contests]
    past = [pair for pair in cards if pair[1].view.stage in _ENDED]
    return StartView(
        open=[card for _, card in cards if card.view.stage not in (*_AHEAD, *_ENDED)],
        ahead=[card for _, card in cards if card.view.stage in _AHEAD],
        past=[
            replace(card, picture=matrix_picture(site, contest)) if i < _MOST_PICTURES else card
            for i, (contest, card) in enumerate(past)
        ],
    )


def _card(contest: Contest) -> ContestCard:
    view = summary(contest)
    return ContestCard(view, next_date(view, contest.now))
