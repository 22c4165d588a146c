"""Boards and awards: for every track, then over all tracks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from quintain.contests import Edition, Track
from quintain.contests.fields import RankedBoard
from quintain.rankings import Board, Contestant, Results, break_ties


@dataclass(frozen=True, slots=True)
class Prize:
    """An award with its winners, and the board that decides it."""

    title: str
    winners: tuple[str, ...]
    board: str | None = None


def track_boards(track: Track, results: Results) -> list[Board]:
    """Every board of a track, in the order of the edition."""
    return list(_rank(track.board, results, {}).values())


def overall_boards(
    edition: Edition, tracks: Mapping[str, Sequence[Board]], contestants: Sequence[Contestant]
) -> list[Board]:
    """The boards over all tracks, without those that need a board that is missing."""
    known = {f"{track}/{board.id}": board for track, boards in tracks.items() for board in boards}
    made = _rank(edition.overall, Results((), tuple(contestants), {}), known)
    return [made[ranked.id] for ranked in edition.overall if ranked.id in made]


def awards(
    edition: Edition, tracks: Mapping[str, Sequence[Board]], overall: Sequence[Board]
) -> list[Prize]:
    """Who gets which award; equal ranks share it."""
    known = {f"{track}/{board.id}": board for track, boards in tracks.items() for board in boards}
    known |= {board.id: board for board in overall}
    out = []
    for award in edition.award:
        winners = award.winners
        if award.board is not None and award.board in known:
            places = known[award.board].places
            winners = tuple(
                p.team for p in places if p.rank and p.rank <= award.places and p.score.measured
            )
        out.append(Prize(award.title, winners, award.board))
    return out


def all_contestants(tracks: Mapping[str, Results]) -> tuple[Contestant, ...]:
    """Everybody who takes part in any track."""
    by_id = {one.id: one for results in tracks.values() for one in results.contestants}
    return tuple(by_id.values())


def _rank(
    ranked: Sequence[RankedBoard], results: Results, known: Mapping[str, Board]
) -> dict[str, Board]:
    done = dict(known)
    for one in ranked:
        if any(name not in done for name in (*one.rule.follows, *one.ties)):
            continue
        board = one.rule.rank(one.id, results, done)
        if one.ties:
            board = break_ties(board, [done[name] for name in one.ties], results.contestants)
        done[one.id] = board.model_copy(update={"title": one.title or one.id})
    return done
