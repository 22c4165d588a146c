"""Scores: the results of every track of a folder, read from the cache when they are needed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from quintain.contests import Edition, Track
from quintain.contests.fields import RankedBoard
from quintain.data.arrow_arrays import from_texts
from quintain.figures.format import count
from quintain.measures import average
from quintain.rankings import Board, Contestant, Entry, Refusals, Results, break_ties
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder, TrackView, read_refused
from quintain.runs.folder.paths import Task
from quintain.runs.scores.cells import blind_laws, contestants
from quintain.runs.scores.stored import Survey, read_readings
from quintain.runs.submissions.counting import guess_times, release_times, submissions
from quintain.runs.tasks.baselines import absent_releases

# Refused: which releases and attacks of a track are missing because a part refused.


_SHOWN = 5
"""How many entries a sentence names."""


def refusals_of(folder: Folder, view: TrackView) -> Refusals:
    """Read the reasons that jobs left in the folder; run the jobs first."""
    releases = folder.refused_entries(view.track) | dict(_releases(folder, view))
    return Refusals(releases, dict(_attacks(folder, view)))


def _releases(folder: Folder, view: TrackView) -> Iterator[tuple[str, str]]:
    """The players of a rehearsal that made no release."""
    for job in absent_releases(folder, view.track):
        team = str(job.args[1])
        path = folder.at(paths.refused_release(view.track.id, team))
        if path.is_file():
            yield team, path.read_text().strip()


def _attacks(folder: Folder, view: TrackView) -> Iterator[tuple[tuple[str, str], str]]:
    """The cells without a guess; of several repetitions, the first that was refused says why."""
    for baseline in view.track.baseline:
        place = folder.at(paths.refused_guesses(view.track.id, baseline.id))
        for entry, reason in read_refused(place, view.tasks).items():
            yield (entry, baseline.id), reason


def refusal_sentences(tracks: Sequence[tuple[str, Mapping[str, Any]]]) -> Iterator[str]:
    """What parts refused, one sentence per reason; ``tracks`` are those of the standings."""
    for name, track in tracks:
        where = f" in track {name}" if len(tracks) > 1 else ""
        refused = track.get("refused", {"releases": (), "attacks": ()})
        for release in refused["releases"]:
            yield f"the release of {release['id']}{where}: {release['reason']}"
        pairs = {
            (attack["entry"], attack["attacker"]): attack["reason"] for attack in refused["attacks"]
        }
        for (attacker, reason), entries in Refusals(attacks=pairs).by_reason().items():
            some = ", ".join(entries[:_SHOWN]) + (" ..." if len(entries) > _SHOWN else "")
            of = f"{len(entries)} of {count(len(track['entries']), 'entry', 'entries')}"
            yield f"{attacker} on {of}{where} ({some}): {reason}"


# Boards and awards: for every track, then over all tracks.
@dataclass(frozen=True, slots=True)
class Prize:
    """An award with its winners, and the board that decides it."""

    title: str
    winners: tuple[str, ...]
    board: str | None = None


def track_boards(track: Track, results: Results) -> list[Board]:
    """Every board of a track, in the order of the edition."""
    return list(rank_boards(track.board, results).values())


def overall_boards(
    edition: Edition, tracks: Mapping[str, Sequence[Board]], contestants: Sequence[Contestant]
) -> list[Board]:
    """The boards over all tracks, without those that need a board that is missing."""
    known = boards_by_name(tracks)
    made = rank_boards(edition.overall, Results((), tuple(contestants), {}), known)
    return [made[ranked.id] for ranked in edition.overall if ranked.id in made]


def awards(
    edition: Edition, tracks: Mapping[str, Sequence[Board]], overall: Sequence[Board]
) -> list[Prize]:
    """Who gets which award; equal ranks share it.

    Where teams release, the organisers' own releases get none: the award goes to the best teams.
    A team that a jury chose keeps the award only while it competes.
    """
    known = boards_by_name(tracks, overall)
    aside = teams_aside(edition)
    out = []
    for award in edition.award:
        winners = tuple(team for team in award.winners if team not in aside)
        if award.board is not None and award.board in known:
            places = known[award.board].places
            ranks = {p.team: p.rank for p in places if p.rank and p.score.measured}
            teams = ranks_without(ranks, organisers_releases(edition, award.board))
            winners = tuple(team for team, rank in teams.items() if rank <= award.places)
        out.append(Prize(award.title, winners, award.board))
    return out


def teams_aside(edition: Edition) -> frozenset[str]:
    """The teams that take part without competing."""
    return frozenset(team.id for team in edition.team if not team.competing)


def organisers_releases(edition: Edition, board: str) -> frozenset[str]:
    """The releases of the organisers beside those of teams; ``board`` is named as in awards."""
    track, of_track, _ = board.partition("/")
    return frozenset(
        entry
        for one in edition.track
        if one.teams_release and (one.id == track or not of_track)
        for entry in one.entries
    )


def ranks_without(ranks: Mapping[str, int], left_out: Collection[str]) -> dict[str, int]:
    """The ranks of the others, as if some were not on the board."""
    kept = {team: rank for team, rank in ranks.items() if team not in left_out}
    return {team: 1 + sum(other < rank for other in kept.values()) for team, rank in kept.items()}


def boards_by_name(
    tracks: Mapping[str, Iterable[Board]], overall: Iterable[Board] = ()
) -> dict[str, Board]:
    """Boards under the names that awards use: "track/board", or the id of an overall board."""
    named = {f"{track}/{board.id}": board for track, boards in tracks.items() for board in boards}
    return named | {board.id: board for board in overall}


def all_contestants(tracks: Mapping[str, Results]) -> tuple[Contestant, ...]:
    """Everybody who takes part in any track."""
    by_id = {
        contestant.id: contestant
        for results in tracks.values()
        for contestant in results.contestants
    }
    return tuple(by_id.values())


def rank_boards(
    ranked: Sequence[RankedBoard],
    results: Results,
    known: Mapping[str, Board] = MappingProxyType({}),
) -> dict[str, Board]:
    """The boards by their ids, each after those that it needs; ``known`` are earlier ones."""
    done = dict(known)
    for ranked_board in ranked:
        if any(name not in done for name in ranked_board.follows):
            continue
        cohort = ranked_board.cohort
        counted = results if cohort is None else results.of_cohort(cohort)
        counted = replace(counted, count_unranked=ranked_board.unranked == "count")
        board = ranked_board.rule.rank(ranked_board.id, counted, done)
        if ranked_board.ties:
            keys = [
                tie.keys(board, ranked_board.rule, counted, done) for tie in ranked_board.tie_rules
            ]
            board = break_ties(board, keys, counted.contestants)
        if cohort is not None:
            board = _without_others(board, cohort, results)
        done[ranked_board.id] = board.model_copy(
            update={"title": ranked_board.title or ranked_board.id}
        )
    return done


def _without_others(board: Board, cohort: str, results: Results) -> Board:
    """The board without the teams of other cohorts; a baseline that did not join stays."""
    shown = {team.id for team in results.contestants if team.cohort in (cohort, "")}
    places = tuple(place for place in board.places if place.team in shown)
    return board.model_copy(update={"places": places})


# The strongest attack on each release, as one line per release.
@dataclass(frozen=True, slots=True)
class Strongest:
    """The reading of the attacker that found out most about one release."""

    entry: str
    attacker: str
    value: float
    low: float
    high: float


def strongest_attacks(folder: Folder, track: Track, goal: str | None = None) -> list[Strongest]:
    """For each release of a track, the attacker that found out most; the worst release first.

    The first privacy measure decides, or the first one of a goal. Releases that nobody attacked
    are left out.
    """
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    measures = track.guess_measures if goal is None else track.measures_for(goal)
    if not measures:
        return []
    measure, better = next(iter(measures[0].reads.items()))
    # Neither read_table() nor plain texts here: pyarrow would load pandas for them.
    cells = pq.ParquetFile(folder.at(paths.CELLS)).read()
    own, first = from_texts([track.id, measure])
    wanted = pc.and_(pc.equal(cells["track"], own), pc.equal(cells["measure"], first))
    sign = 1 if better == "lower" else -1
    best: dict[str, Strongest] = {}
    for row in cells.filter(wanted).to_pylist():
        known = best.get(row["entry"])
        measured = row["value"] is not None and row["value"] == row["value"]
        if measured and (known is None or sign * row["value"] > sign * known.value):
            best[row["entry"]] = Strongest(
                **{key: row[key] for key in ("entry", "attacker", "value", "low", "high")}
            )
    return sorted(best.values(), key=lambda attack: (-sign * attack.value, attack.entry))


class Scores(Mapping[str, Results]):
    """The results by track, read only when needed: 40,000 cells take time to read."""

    def __init__(self, folder: Folder, surveys: Sequence[Survey]) -> None:
        self._folder = folder
        self._surveys = {survey.view.track.id: survey for survey in surveys}
        self._read: dict[str, Results] = {}

    def __getitem__(self, track: str) -> Results:
        if track not in self._read:
            self._read[track] = _results(self._folder, self._surveys[track])
        return self._read[track]

    def __iter__(self) -> Iterator[str]:
        return iter(self._surveys)

    def __len__(self) -> int:
        return len(self._surveys)

    def cell_keys(self, track: str, attacker: str) -> Mapping[str, str]:
        """By entry, a key that changes whenever the attacker's readings could change."""
        return self._surveys[track].stored.keys_of(attacker)


def _results(folder: Folder, survey: Survey) -> Results:
    view, track = survey.view, survey.view.track
    entries = measured_entries(folder, view)
    fresh = folder.at(paths.fresh_readings(track.id))
    submitted = submissions(folder)
    return Results(
        entries,
        contestants(folder.edition(), track, folder.state().roster),
        survey.readings(),
        blind_laws(track, len(folder.base(track.id))) if entries else {},
        read_readings(fresh) if entries and fresh.is_file() else {},
        refusals_of(folder, view),
        survey.stored.finds,
        frozenset(
            (entry, team) for team in view.matchup.cohorts for entry in view.forbidden_entries(team)
        ),
        guessed=guess_times(track, submitted, folder.state()),
    )


def measured_entries(folder: Folder, view: TrackView) -> tuple[Entry, ...]:
    """The entries of a track with their readings, once the jobs that measure releases are done."""
    aside = teams_aside(folder.edition())
    times = release_times(folder, view.track, submissions(folder))
    return tuple(
        replace(_entry(folder, view, name, tasks, aside), submitted=times.get(name))
        for name, tasks in view.by_entry.items()
    )


def _entry(
    folder: Folder, view: TrackView, name: str, tasks: Sequence[Task], aside: Collection[str]
) -> Entry:
    """An entry with its readings; ``aside`` are the teams that do not compete."""
    repeated = [read_readings(folder.at(paths.cached_utility(task))) for task in tasks]
    measured = {key: average([readings[key] for readings in repeated]) for key in repeated[0]}
    track, owner = view.track, view.owners.get(name)
    readings = track.with_given(measured, name, owner)
    failures = [*_decision(folder, track, name, owner), *track.gate_failures(readings)]
    return Entry(name, owner, readings, tuple(failures), owner not in aside)


def _decision(folder: Folder, track: Track, entry: str, owner: str | None) -> Iterator[str]:
    """Why the organisers disqualified a release, if they did."""
    reason = "" if owner is None else folder.state().excluded(owner, track.id, entry)
    if reason:
        yield f"disqualified by the organisers: {reason}"
