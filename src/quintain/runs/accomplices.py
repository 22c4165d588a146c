"""Accomplices: how many friends lift a team to the top of a board.

A friend, or a second account of one person, hands in a release that tells one attacker everything.
Or it attacks, and answers wrongly about the release of its friend alone. The rules of the edition
rank made-up contests with such friends. Nothing here knows the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from quintain.contests import Edition, Track
from quintain.contests.fields import RankedBoard
from quintain.data.arrays import Floats
from quintain.measures import Direction, Reading
from quintain.rankings import Contestant, Entry, Results
from quintain.rankings.reading_table import ReadingTable
from quintain.rankings.results import pack_finds
from quintain.runs.leaks import LintFinding
from quintain.runs.scores.residuals import finite_ends
from quintain.runs.scores.scores import rank_boards

TEAMS = 10
"""How many teams a warning reckons with, if the rules name fewer than four."""
FEW = 1 / 3
"""Warn if at most this share of the teams can decide who is first."""
_LEAST_TEAMS = 4
_RECORDS = 100
_CONTESTS = 40
_LEAKS = (1.0, 0.5, 0.25, 0.1)
"""How much of what an honest attacker does not find a friend's release tells."""


@dataclass(frozen=True, slots=True)
class HonestContest:
    """What honest attackers find in a made-up contest, as shares of all that there is to find.

    Parameters
    ----------
    learned : what an attacker finds on average.
    skill, weakness, luck : how much that differs between attackers, between releases, and between
        the pairs of them.
    """

    teams: int = TEAMS
    learned: float = 0.55
    skill: float = 0.03
    weakness: float = 0.03
    luck: float = 0.03

    def draw(self, releases: int, *, rng: np.random.Generator) -> Floats:
        """What each attacker finds in each release; the first attacker has average skill."""
        skill = self.skill * rng.standard_normal((self.teams, 1))
        skill[0] = 0.0
        weakness = self.weakness * rng.standard_normal((1, releases))
        luck = self.luck * rng.standard_normal((self.teams, releases))
        learned: Floats = np.clip(self.learned + skill + weakness + luck, 0.0, 1.0)
        return learned


class MadeUp:
    """Made-up results of a track that its rules can rank; all teams release and attack.

    The releases of the organisers come last. All releases are equally useful.
    """

    def __init__(self, track: Track, contest: HonestContest) -> None:
        self.track, self.contest = track, contest
        self.teams = [f"team{i}" for i in range(contest.teams)]
        self._entries = (
            *(Entry(team, team, self._release_readings(team, team)) for team in self.teams),
            *(Entry(name, None, self._release_readings(name, None)) for name in track.entries),
        )

    def draw(self, *, rng: np.random.Generator) -> Floats:
        """What honest attackers find, by attacker and release."""
        return self.contest.draw(len(self._entries), rng=rng)

    def results(self, learned: Floats, *, rng: np.random.Generator) -> Results:
        """Results in which attackers learned so much."""
        values = self._low + (self._high - self._low) * learned[:, :, None]
        figures = np.stack([values, values, values, np.full(values.shape, 0.95)])
        return Results(
            self._entries,
            tuple(map(Contestant, self.teams)),
            replace(self._table, figures=figures),
            finds=self._finds(learned, rng),
        )

    @cached_property
    def _names(self) -> dict[str, tuple[float, float, Direction]]:
        """What an attacker reads who learned nothing, and who learned everything, by reading."""
        return {
            name: (*finite_ends(measured.measure.within, better)[::-1], better)
            for measured in self.track.guess_measures
            for name, better in measured.reads.items()
        }

    @cached_property
    def _low(self) -> Floats:
        return np.array([low for low, _, _ in self._names.values()])

    @cached_property
    def _high(self) -> Floats:
        return np.array([high for _, high, _ in self._names.values()])

    @cached_property
    def _table(self) -> ReadingTable:
        """A table with all cells but those of teams on their own releases."""
        cell = {
            name: Reading.exact(0.0, _RECORDS, better)
            for name, (_, _, better) in self._names.items()
        }
        full = ReadingTable.of(
            {(entry.id, team): cell for entry in self._entries for team in self.teams}
        )
        others = np.ones((len(self.teams), len(self._entries)), np.bool_)
        np.fill_diagonal(others, val=False)
        return full.where(others)

    def _finds(self, learned: Floats, rng: np.random.Generator) -> dict[tuple[str, ...], bytes]:
        out = {}
        for goal in self.track.finders:
            drawn = rng.random((*learned.shape, _RECORDS)) < learned[:, :, None]
            for a, team in enumerate(self.teams):
                for e, entry in enumerate(self._entries):
                    if entry.owner != team:
                        out[(entry.id, team, *([goal] if goal else []))] = pack_finds(drawn[a, e])
        return out

    def _release_readings(self, entry: str, owner: str | None) -> Mapping[str, Reading]:
        """The best readings of a release, so that the guesses decide."""
        measured = {
            name: Reading.exact(
                finite_ends(release_measure.measure.within, better)[1], _RECORDS, better
            )
            for release_measure in self.track.release_measures
            for name, better in release_measure.reads.items()
        }
        return self.track.with_given(measured, entry, owner)


def with_friends(learned: Floats, friends: int, leak: float) -> Floats:
    """The first attacker also finds a share of what it missed in the releases of its friends.

    The friends are the teams after it.

    >>> with_friends(np.full((3, 3), 0.5), 1, 1.0)[0].tolist()
    [0.5, 1.0, 0.5]
    """
    out = learned.copy()
    out[0, 1 : 1 + friends] += leak * (1 - out[0, 1 : 1 + friends])
    return out


def with_wrong_answers(learned: Floats, friends: int) -> Floats:
    """The friends of the first team answer wrongly about its release.

    >>> with_wrong_answers(np.full((3, 3), 0.5), 1)[:, 0].tolist()
    [0.5, 0.0, 0.5]
    """
    out = learned.copy()
    out[1 : 1 + friends, 0] = 0.0
    return out


def share_of_wins(
    made_up: MadeUp, board: RankedBoard, cheat: Callable[[Floats], Floats], contests: int, seed: int
) -> float:
    """How often the first team is first on a board if its friends cheat for it."""
    return sum(made_up_wins(made_up, board, cheat, contests, seed)) / contests


def made_up_wins(
    made_up: MadeUp, board: RankedBoard, cheat: Callable[[Floats], Floats], contests: int, seed: int
) -> Iterator[float]:
    """For each contest, the share of the first place that the team with friends has."""
    rng, before = np.random.default_rng(seed), _boards_before(made_up.track.board, board)
    for _ in range(contests):
        learned = cheat(made_up.draw(rng=rng))
        results = made_up.results(learned, rng=rng)
        places = rank_boards([*before, board], results)[board.id].places
        first = [place.team for place in places if place.rank == 1]
        yield (made_up.teams[0] in first) / max(1, len(first))


def _boards_before(boards: Sequence[RankedBoard], board: RankedBoard) -> list[RankedBoard]:
    """The boards that a board needs, in the order of the edition."""
    needed, wanted = set[str](), {*board.follows}
    while wanted > needed:
        needed = set(wanted)
        for known in boards:
            wanted |= {*known.follows} if known.id in needed else set()
    return [known for known in boards if known.id in needed]


def friends_needed(made_up: MadeUp, board: RankedBoard, most: int) -> int | None:
    """The fewest friends with whom a team is first more often than not.

    None if more than ``most`` are needed. Where an earlier board says which releases count, the
    attacker chooses how much the friends tell it: a release that tells everything loses its place.
    """
    board = board.model_copy(update={"cohort": None})
    for friends in range(1, most + 1):
        for cheat in _cheats(board, friends):
            if _most(made_up_wins(made_up, board, cheat, _CONTESTS, seed=friends), _CONTESTS):
                return friends
    return None


def _cheats(board: RankedBoard, friends: int) -> Iterator[Callable[[Floats], Floats]]:
    if board.rule.ranks_attackers:
        for leak in _LEAKS if board.rule.follows else _LEAKS[:1]:
            yield partial(with_friends, friends=friends, leak=leak)
    else:
        yield partial(with_wrong_answers, friends=friends)


def _most(wins: Iterator[float], contests: int) -> bool:
    """Whether more than half are won; the rest are not played once that is decided."""
    won = 0.0
    for number, win in enumerate(wins, start=1):
        won += win
        if won > contests / 2 or won + contests - number <= contests / 2:
            break
    return won > contests / 2


def decided_by_friends(edition: Edition, track: Track) -> Iterator[LintFinding]:
    """Find boards that a few teams can decide for a friend."""
    if not track.teams_release or not track.guess_measures:
        return
    teams = _competing(edition)
    made_up = MadeUp(track, HonestContest(teams=teams))
    guesses = {name for measured in track.guess_measures for name in measured.reads}
    for board in track.board:
        if not board.rule.ranks_attackers and not guesses.intersection(board.rule.uses):
            continue
        needed = friends_needed(made_up, board, int(FEW * teams))
        if needed is not None:
            where = f"track {track.id}: on the board {board.id}, {needed} of {teams} teams can make"
            cheat, mend = _ATTACKER if board.rule.ranks_attackers else _RELEASE
            yield LintFinding("warning", "accomplices", f"{where} {cheat}", mend)


_ATTACKER = (
    "an average attacker the first, with releases that tell this attacker alone what they hide",
    "a second account wins an award; rank by a median (trim = 0.5 of mean, or median() in a "
    "formula), or look at each registration, and at the table of quintain score",
)
_RELEASE = (
    "an average release the first, if they answer wrongly about this release alone",
    "a second account wins an award; rank by the worst attacker, or by a median (trim = 0.5 of "
    "defence, or median() in a formula)",
)


def _competing(edition: Edition) -> int:
    teams = sum(team.competing for team in edition.team)
    return teams if teams >= _LEAST_TEAMS else TEAMS
