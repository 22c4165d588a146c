"""Page: put the sections, the style and the text together into one file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from quintain.contests import Edition
from quintain.contests.words import column_words, columns_words, rows_text, sentence, settings
from quintain.figures.heat_map import sign
from quintain.figures.page import render, texts
from quintain.rankings import Results
from quintain.runs.report.section import RunFacts, board_view, section, winners
from quintain.runs.scores.scores import all_contestants, awards, boards_by_name, overall_boards
from quintain.runs.story import Passage


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
    sections = [
        section(track, tracks[track.id], runs.get(track.id, RunFacts()), i, _title(edition, i - 1))
        for i, track in enumerate(edition.track, start=1)
    ]
    boards = {section.track.id: [view.board for view in section.boards] for section in sections}
    overall = overall_boards(edition, boards, all_contestants(tracks))
    named = boards_by_name(boards, overall)
    page = render(
        __package__,
        "report.html.j2",
        "report.css",
        edition=edition,
        sections=sections,
        overall=[board_view(board) for board in overall],
        prizes=[(p.title, winners(p, named)) for p in awards(edition, boards, overall)],
        names={team: name for section in sections for team, name in section.names.items()},
        facts=facts,
        story=story,
        simulated=sum(track.dataset.simulated for track in edition.track),
        sign=sign,
        sentence=sentence,
        columns_words=columns_words,
        column_words=column_words,
        settings=settings,
        rows_text=rows_text,
    )
    return page.encode()


def page_templates() -> list[str]:
    """The texts of the templates and of the style: with another text, it is another page."""
    return texts(__package__)


def _title(edition: Edition, i: int) -> str:
    track = edition.track[i]
    return track.title or ("Results" if len(edition.track) == 1 else track.id)
