"""Without: the boards of a contest as they would be without some teams.

Where a program makes something else than the journal says, nobody can tell whether the program, the
date or the organisers are the reason. So people see both boards: with what it made, and without.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from quintain.jobs.executor import Executor
from quintain.journal.events import Decided
from quintain.rankings import Board
from quintain.runs.folder.folder import Folder
from quintain.runs.score import measure_all
from quintain.runs.scores.scores import (
    Scores,
    all_contestants,
    boards_by_name,
    overall_boards,
    track_boards,
)
from quintain.runs.submissions.counting import submissions


@dataclass(frozen=True, slots=True)
class BoardPair:
    """A board with everybody, and without some teams: who has which rank."""

    name: str
    whole: tuple[tuple[int, str], ...]
    without: tuple[tuple[int, str], ...]

    def __str__(self) -> str:
        """Both orders in one line.

        >>> print(BoardPair("main/attackers", ((1, "red"), (2, "blue")), ((1, "blue"),)))
        board main/attackers: 1 red, 2 blue; without: 1 blue
        """
        whole, without = (
            ", ".join(f"{rank} {team}" for rank, team in ranks) or "nobody has a rank"
            for ranks in (self.whole, self.without)
        )
        return f"board {self.name}: {whole}; without: {without}"


def boards_without(
    copy: Folder, teams: Collection[str], *, executor: Executor
) -> Iterator[BoardPair]:
    """Rank a contest that was made again once more, with some teams disqualified.

    The decisions enter the journal of the copy, so nothing else can be made in it afterwards.
    """
    whole = _ranks(copy, executor)
    journal, salts = copy.journal(), copy.committed_secrets().nonce_key()
    for team in sorted(teams):
        decided = Decided(decision="disqualified", team=team, reason="what it made is not verified")
        with journal.locked():
            journal.append(decided, now=datetime.now(UTC), salts=salts)
    without = _ranks(copy, executor)
    yield from (BoardPair(name, ranks, without.get(name, ())) for name, ranks in whole.items())


def _ranks(folder: Folder, executor: Executor) -> dict[str, tuple[tuple[int, str], ...]]:
    """The teams that have a rank on each board."""
    edition = folder.edition()
    scores = Scores(folder, measure_all(folder, submissions(folder), executor=executor).surveys)
    tracks = {track.id: track_boards(track, scores[track.id]) for track in edition.track}
    overall = overall_boards(edition, tracks, all_contestants(scores))
    boards: Mapping[str, Board] = boards_by_name(tracks, overall)
    return {
        name: tuple((place.rank, place.team) for place in board.places if place.rank is not None)
        for name, board in boards.items()
    }
