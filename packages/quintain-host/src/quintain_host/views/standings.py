"""Standings: before the end only what luck gives, afterwards every board with its intervals."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, field_serializer

from quintain.contests import Edition, Track
from quintain.contests.words import feedback_lines
from quintain.figures.format import number, spaced
from quintain.jobs.files import FileCache
from quintain.measures import BlindLaw
from quintain.rankings import Board
from quintain.rankings.board import Place
from quintain.runs.report.section import BoardView as DrawnBoard
from quintain.runs.report.section import board_view
from quintain.runs.scores.cells import blind_laws
from quintain.runs.scores.scores import organisers_releases, ranks_without
from quintain.wording.languages import DEFAULT, say, spoken
from quintain_host.languages.board_words import board_words
from quintain_host.site import Site
from quintain_host.views.contest import Contest
from quintain_host.views.published import (
    STANDINGS,
    published_path,
    published_standings,
    read_reading,
)


class Score(BaseModel):
    """A number with its interval; null means that it was not measured, or has no such end."""

    value: float
    low: float
    high: float
    level: float
    n: int
    better: str
    note: str = ""

    @field_serializer("value", "low", "high", when_used="json")
    def _finite(self, number: float) -> float | None:
        return number if math.isfinite(number) else None


class PlaceView(BaseModel):
    """One line of a board; without a rank, ``note`` says why."""

    rank: int | None
    team: str
    name: str
    score: Score
    p: float | None
    note: str
    disqualified: bool


class BoardView(BaseModel):
    """A board; ``floor`` is the score that luck alone gives, if it is known."""

    id: str
    title: str
    unit: str
    wins: str
    floor: float | None
    floor_says: str
    places: list[PlaceView]


class TrackBoards(BaseModel):
    """The boards of a track, and what its teams may see before the end."""

    id: str
    title: str
    boards: list[BoardView] = []
    feedback: list[str] = []
    luck: list[str] = []


class Prize(BaseModel):
    """An award and the teams that get it."""

    title: str
    winners: list[str]


class PodiumStep(BaseModel):
    """A place on the podium; teams with equal ranks share it."""

    rank: int
    teams: list[str]
    score: Score


class Podium(BaseModel):
    """The first three ranks of the board that decides most."""

    board: str
    unit: str
    steps: list[PodiumStep]


class StandingsView(BaseModel):
    """The standings; before the end there are no boards, and ``final`` is false."""

    final: bool
    overall: list[BoardView] = []
    prizes: list[Prize] = []
    tracks: list[TrackBoards]


def standings(site: Site, contest: Contest) -> StandingsView:
    """What everybody may know of the standings now."""
    rules = contest.fixed
    if not contest.revealed:
        return StandingsView(final=False, tracks=[_before(rules, track) for track in rules.track])
    published = published_standings(site, contest)
    names = team_names(rules)
    tracks = published["tracks"]
    return StandingsView(
        final=True,
        overall=[_board(board, names) for board in read_boards(published["overall"])],
        prizes=[_prize(prize, names) for prize in published["awards"]],
        tracks=[
            TrackBoards(
                id=track.id,
                title=_title(rules, track),
                boards=[_board(board, names) for board in read_boards(tracks[track.id]["boards"])],
            )
            for track in rules.track
        ],
    )


PODIUM = 3
"""How many ranks have a place on the podium."""


def podium(view: StandingsView, rules: Edition) -> Podium | None:
    """The podium: of the board of the first award.

    Without such a board, of the last board over all tracks, which counts what is before it, else
    of the first board of the last track. Releases of the organisers are not on it if a team is.
    None if nobody has a rank.
    """
    boards = {f"{track.id}/{board.id}": board for track in view.tracks for board in track.boards}
    last = [f"{track.id}/{board.id}" for track in view.tracks[-1:] for board in track.boards]
    boards |= {board.id: board for board in view.overall}
    awarded = [award.board for award in rules.award if award.board in boards]
    for name in [*awarded, *(board.id for board in reversed(view.overall)), *last]:
        ranks = {place.team: place.rank for place in boards[name].places if place.rank}
        teams = ranks_without(ranks, organisers_releases(rules, name)) or ranks
        if teams:
            return _podium(boards[name], teams)
    return None


def _podium(board: BoardView, ranks: Mapping[str, int]) -> Podium:
    steps: dict[int, list[PlaceView]] = {}
    for place in board.places:
        if ranks.get(place.team, PODIUM + 1) <= PODIUM:
            steps.setdefault(ranks[place.team], []).append(place)
    return Podium(
        board=board.title,
        unit=board.unit,
        steps=[
            PodiumStep(rank=rank, teams=[p.name for p in places], score=places[0].score)
            for rank, places in sorted(steps.items())
        ],
    )


def read_boards(tables: Iterable[Mapping[str, Any]]) -> list[Board]:
    """The boards in the published standings, in which null stands for what is not a number."""
    return [
        Board.model_validate(
            {**table, "places": [_place(place) for place in table["places"]]},
        )
        for table in tables
    ]


def team_names(rules: Edition) -> dict[str, str]:
    """The names of teams and of built-in players, by id."""
    names = {
        player.id: player.name or player.id for track in rules.track for player in track.baseline
    }
    return names | {team.id: team.name or team.id for team in rules.team}


def _place(table: Mapping[str, Any]) -> Place:
    return Place(**{**table, "score": read_reading(table["score"])})


def _before(rules: Edition, track: Track) -> TrackBoards:
    return TrackBoards(
        id=track.id,
        title=_title(rules, track),
        feedback=list(feedback_lines(track)),
        luck=luck_lines(track, len(rules.team)),
    )


def luck_lines(track: Track, teams: int) -> list[str]:
    """What blind guessing gives for each measure of a track, as far as the rules determine it."""
    laws = blind_laws(track, track.population_size)
    lines = []
    for measured in track.guess_measures:
        for name in measured.reads:
            law, expected = laws.get(name), measured.chance.get(name)
            if law is not None:
                lines.append(_luck_line(spaced(name), law, teams))
            elif expected is not None:
                lines.append(
                    say(
                        "%(reading)s: blind guessing gives %(value)s on average.",
                        reading=spaced(name),
                        value=number(expected),
                    )
                )
    return lines


def _luck_line(reading: str, law: BlindLaw, teams: int) -> str:
    """What blind attackers get of a reading: one of them, and the best of all teams."""
    values = {"reading": reading, "value": number(law.expected)}
    if teams <= 1:
        return say("%(reading)s: a blind attacker gets %(value)s on average.", **values)
    return say(
        "%(reading)s: a blind attacker gets %(value)s on average; the best of %(n)s gets %(best)s.",
        n=teams,
        best=number(law.best_of(teams)),
        **values,
    )


def _title(rules: Edition, track: Track) -> str:
    return track.title or (track.id if len(rules.track) > 1 else "")


def _board(board: Board, names: Mapping[str, str]) -> BoardView:
    return BoardView(
        **board.model_dump(include={"id", "title", "unit", "wins", "floor", "floor_says"}),
        places=[
            PlaceView(
                rank=place.rank,
                team=place.team,
                name=names.get(place.team, place.team),
                score=Score(**place.score.model_dump(include=set(Score.model_fields))),
                p=place.p,
                note="; ".join(dict.fromkeys(filter(None, (place.note, place.score.note)))),
                disqualified=place.disqualified,
            )
            for place in board.places
        ],
    )


def _prize(prize: Mapping[str, Any], names: Mapping[str, str]) -> Prize:
    winners = [names.get(team, team) for team in prize["winners"]]
    return Prize(title=prize["title"], winners=winners)


@dataclass(frozen=True, slots=True)
class DrawnStandings:
    """The final boards with their drawings, for a page."""

    overall: list[DrawnBoard]
    tracks: dict[str, list[DrawnBoard]]


def drawn_standings(site: Site, contest: Contest) -> DrawnStandings:
    """The final boards as the report draws them; raises ``NotThere`` before the reveal."""
    drawn = _drawn(published_path(site, contest, STANDINGS))
    if spoken() == DEFAULT:
        return drawn
    return DrawnStandings(
        overall=[_translate(view) for view in drawn.overall],
        tracks={
            track: [_translate(view) for view in views] for track, views in drawn.tracks.items()
        },
    )


def _translate(view: DrawnBoard) -> DrawnBoard:
    """A board whose notes, units and methods are in the language of the reader."""
    places = tuple(
        place.model_copy(
            update={
                "note": board_words(place.note.removeprefix("disqualified: ")),
                "score": place.score.model_copy(
                    update={
                        "note": board_words(place.score.note),
                        "method": board_words(place.score.method),
                    }
                ),
            }
        )
        for place in view.board.places
    )
    update = {"unit": board_words(view.board.unit), "places": places}
    return replace(view, board=view.board.model_copy(update=update))


def _draw(path: Path) -> DrawnStandings:
    published = json.loads(path.read_bytes())
    return DrawnStandings(
        overall=[board_view(board) for board in read_boards(published["overall"])],
        tracks={
            track: [board_view(board) for board in read_boards(table["boards"])]
            for track, table in published["tracks"].items()
        },
    )


_drawn: FileCache[DrawnStandings] = FileCache(_draw, 8)
"""The boards that were drawn last: they do not change any more."""
