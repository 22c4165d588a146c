"""Page: put the sections, the style and the text together into one file."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from quintain.contests import Edition
from quintain.figures.counts import count
from quintain.figures.format import (
    interval,
    interval_name,
    number,
    printable,
    probability,
    spaced,
)
from quintain.figures.heat_map import sign
from quintain.rankings import Results
from quintain.runs.report.board_view import board_view, boards_by_name, winners
from quintain.runs.report.run_facts import RunFacts
from quintain.runs.report.section import section
from quintain.runs.report.story import Passage
from quintain.runs.report.wording import column_words, columns_words, rows_text, sentence, settings
from quintain.runs.scores.boards import all_contestants, awards, overall_boards

if TYPE_CHECKING:
    from jinja2 import Environment


def report_bytes(
    edition: Edition,
    tracks: Mapping[str, Results],
    facts: Mapping[str, Any],
    runs: Mapping[str, RunFacts] = MappingProxyType({}),
    story: Sequence[Passage] = (),
) -> bytes:
    """The report of an edition as the content of an HTML file.

    Parameters
    ----------
    facts : what the results depend on: ``commitments`` (roots by stage), ``journal`` (its size and
        root), ``submissions`` (how many), ``test`` (whether the seeds were public).
    runs : the sizes of each track in this run, and the cards of its entries.
    story : what happened in the contest that its first rules did not announce.
    """
    style = _text("report.css")
    sections = [
        section(track, tracks[track.id], runs.get(track.id, RunFacts()), i, _title(edition, i - 1))
        for i, track in enumerate(edition.track, start=1)
    ]
    boards = {one.track.id: [view.board for view in one.boards] for one in sections}
    overall = overall_boards(edition, boards, all_contestants(tracks))
    named = boards_by_name(boards, overall)
    page = (
        _environment()
        .get_template("report.html.j2")
        .render(
            edition=edition,
            sections=sections,
            overall=[board_view(board) for board in overall],
            prizes=[(p.title, winners(p, named)) for p in awards(edition, boards, overall)],
            names={team: name for one in sections for team, name in one.names.items()},
            facts=facts,
            story=story,
            simulated=sum(track.dataset.simulated for track in edition.track),
            style=Markup(style),  # noqa: S704 - our own file
            style_hash=style_hash(style),
            sign=sign,
            sentence=sentence,
            columns_words=columns_words,
            column_words=column_words,
            settings=settings,
        )
    )
    return page.encode()


def page_templates() -> list[str]:
    """The texts of the templates and of the style: with another text, it is another page."""
    names = sorted(file.name for file in resources.files(__package__).iterdir())
    return [_text(name) for name in names if name.endswith((".j2", ".css"))]


def style_hash(style: str) -> str:
    """The hash by which a content security policy allows a style sheet."""
    return "sha256-" + base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        loader=FunctionLoader(_text),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_safe,
    )
    words = (count, interval, interval_name, number, probability, rows_text, spaced)
    environment.filters.update({word.__name__: word for word in words})
    return environment


def _title(edition: Edition, i: int) -> str:
    track = edition.track[i]
    return track.title or ("Results" if len(edition.track) == 1 else track.id)


def _text(name: str) -> str:
    return (resources.files(__package__) / name).read_text("utf-8").replace("\r\n", "\n")


def _safe(value: object) -> object:
    """Remove invisible characters from text that comes from outside; Jinja escapes the rest."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value
