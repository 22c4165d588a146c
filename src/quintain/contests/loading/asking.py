"""Asking: check the rules that treat teams differently: own questions, samples that overlap."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from quintain.contests.loading.references import (
    Mistakes,
    part_in,
    table_of,
    tables_of,
    texts_of,
    written_goals,
)
from quintain.data.files.toml_lines import KeyPath
from quintain.data.sources.source import Source
from quintain.errors import Fault
from quintain.guesses import Goal
from quintain.rankings import RankingRule
from quintain.registry import parts
from quintain.samples import Design


def asking_faults(edition: Mapping[str, Any]) -> Iterator[tuple[KeyPath, Fault]]:
    """The path of everything that does not fit own questions or overlapping samples, and why."""
    for path, message in _cohort_faults(edition):
        yield path, Fault(str(message))
    teams = len(tables_of(edition, "team"))
    for number, track in enumerate(tables_of(edition, "track")):
        at: KeyPath = ("track", number)
        for path, message in (*_question_faults(track, at), *_overlap_faults(track, teams, at)):
            yield path, Fault(str(message))


def _question_faults(track: Mapping[str, Any], at: KeyPath) -> Mistakes:
    each = track.get("targets_each")
    if track.get("questions", "shared") != "per attacker":
        if each is not None:
            yield (*at, "targets_each"), 'targets_each is for questions = "per attacker"'
        return
    if each is None:
        message = "say with targets_each about how many targets each attacker is asked"
        yield (*at, "questions"), message
    for written_goal in written_goals(track):
        if written_goal.goal is not None and not _asks_apart(written_goal.goal):
            every = (cls for cls in parts("goal") if issubclass(cls, Goal))
            fitting = ", ".join(cls.name() for cls in every if _asks_apart(cls))
            message = (
                f"{written_goal.goal.id} cannot ask about some targets alone; these can: {fitting}"
            )
            yield (*at, *written_goal.at), message
    for number, board in enumerate(tables_of(track, "board")):
        rule = cast(RankingRule | None, part_in("ranking", board))
        if rule is not None and rule.uses_found:
            yield (
                (*at, "board", number),
                "the board counts who found the same record, and attackers are asked about "
                "different people; share the questions, or leave found_by out",
            )
    targets = _targets(track)
    if isinstance(each, int) and targets is not None and each > targets:
        yield (*at, "targets_each"), f"the sample design has {targets} targets, fewer than {each}"


def _cohort_faults(edition: Mapping[str, Any]) -> Mistakes:
    """Boards name cohorts that exist, and nobody attacks what it was given itself."""
    cohorts = table_of(edition, "cohorts")
    names = texts_of(cohorts, "names")
    if len(set(names)) < len(names):
        yield ("cohorts", "names"), "every cohort needs a name of its own"
    tracks = tables_of(edition, "track")
    boards: list[tuple[KeyPath, Mapping[str, Any]]] = [
        (("track", i, "board", j), board)
        for i, track in enumerate(tracks)
        for j, board in enumerate(tables_of(track, "board"))
    ]
    boards += [(("overall", i), board) for i, board in enumerate(tables_of(edition, "overall"))]
    for path, board in boards:
        if board.get("cohort") is not None and board["cohort"] not in names:
            available = ", ".join(map(str, names)) or "none"
            yield (*path, "cohort"), f"unknown cohort {board['cohort']!r}; available: {available}"
    if not cohorts.get("shared_sample"):
        return
    if cohorts.get("attacks", "everybody") != "others":
        yield (
            ("cohorts", "shared_sample"),
            'a team would attack releases of the sample that it has itself: set attacks = "others"',
        )
    for number, track in enumerate(tracks):
        sample = cast(Design | None, part_in("sample", track.get("sample")))
        if sample is not None and sample.common is not None:
            message = "the teams of a cohort share a sample, so overlap means nothing; leave it out"
            yield ("track", number, "sample", "overlap"), message


def _overlap_faults(track: Mapping[str, Any], teams: int, at: KeyPath) -> Mistakes:
    """Samples overlap only between teams that make releases, and only if there is room."""
    sample = cast(Design | None, part_in("sample", track.get("sample")))
    if sample is None or sample.common is None:
        return
    where = (*at, "sample", "overlap")
    if not any(phase.get("submit") == "release" for phase in tables_of(track, "phase")):
        yield where, "overlap is between the samples of teams, and teams make no releases here"
    if track.get("shared_sample"):
        yield where, "shared_sample gives the same sample to all; leave one of them out"
    size = _population(track)
    rows, seats = (None, None) if size is None else (sample.private_size(size), sample.seats(size))
    makers = [table for table in tables_of(track, "baseline") if "sanitizer" in table]
    wanted = max(2, teams + len(makers)) * track.get("samples", 1)
    if rows is not None and seats is not None and seats < wanted:
        needed = sample.common + wanted * (rows - sample.common)
        yield (
            where,
            f"{wanted} samples of {rows} records with {sample.common} in common need {needed} "
            f"records; the population has {size}, enough for {seats}",
        )


def _population(track: Mapping[str, Any]) -> int | None:
    """How many records the population has, if the rules say it."""
    take = table_of(track, "population").get("take")
    source = cast(Source | None, part_in("source", track.get("dataset")))
    rows = take if take is not None or source is None else source.rows
    return rows if isinstance(rows, int) else None


def _asks_apart(goal: Goal | type[Goal]) -> bool:
    return goal.by_target and goal.asks_apart


def _targets(track: Mapping[str, Any]) -> int | None:
    """How many targets the sample design has, if it says so."""
    sample = part_in("sample", track.get("sample"))
    return None if sample is None else cast(Design, sample).target_count
