"""Disclosure: what becomes public of the organisers' own data files, and when, in sentences.

Organisers read them before they fix the rules, and again before they reveal the secrets.
"""

from __future__ import annotations

from collections.abc import Iterator

from quintain.contests import Edition, Track
from quintain.data.sources.source import FileUse

_MOMENTS = ("when the round begins", "when the releases are handed over", "with the reveal")
"""When the rows of a file can become public, the earliest first."""


def disclosures(edition: Edition) -> list[str]:
    """A sentence or more for each data file of the organisers' own; empty if there is none."""
    uses: dict[str, FileUse] = {}
    moments: dict[str, list[str]] = {}
    shown_to_teams: set[str] = set()
    for track in edition.track:
        for number, use in enumerate(track.dataset.file_uses()):
            uses[use.name] = use
            moments.setdefault(use.name, []).append(_moment(track, is_test=number > 0))
            if number == 0 and track.teams_release and track.population is None:
                shown_to_teams.add(use.name)
    return [
        " ".join(_sentences(use, min(moments[name], key=_MOMENTS.index), name in shown_to_teams))
        for name, use in uses.items()
    ]


def _moment(track: Track, *, is_test: bool) -> str:
    """When everybody can see the rows of a file of a track."""
    if is_test:
        return _MOMENTS[0] if track.test_records == "public" else _MOMENTS[2]
    if "base" not in track.knowledge.gives or track.population is not None:
        return _MOMENTS[2]
    return _MOMENTS[1] if track.teams_release else _MOMENTS[0]


def _sentences(use: FileUse, moment: str, to_teams: bool) -> Iterator[str]:
    columns = ", ".join(use.columns)
    yield f"{use.name}: all rows become public {moment}, with these columns: {columns}."
    if use.numbered:
        ids = ", ".join(use.numbered)
        yield f"Of the ids in {ids}, only numbers become public, which say what belongs together."
    if use.left_out:
        yield f"These columns stay out of the contest: {', '.join(use.left_out)}."
    if to_teams:
        yield "Each team sees its private sample of the rows as soon as its round begins."
