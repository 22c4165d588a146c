"""Tournament: play all arenas, then write the figures and the page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.tournament.arena import Size, arena_names, read_arena
from benchmarks.tournament.changes import joined
from benchmarks.tournament.claims import Claim, Refuted, refuted
from benchmarks.tournament.page import tournament_page
from benchmarks.tournament.play import plan_arena, play_arena
from benchmarks.tournament.players import is_named
from benchmarks.tournament.results import ArenaResults, TournamentResults
from quintain import __version__
from quintain.errors import Refused
from quintain.jobs.executor import SERIAL, Executor
from quintain.jobs.files import write_file
from quintain.registry import parts
from quintain.runs.folder import paths
from quintain.wording.suggestion import suggestion

PAGE, RESULTS = "index.html", "results.json"
SEED = 0
"""The seed of the results that are kept with the documentation."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A tournament after it was played: the figures, the refuted claims and the files."""

    results: TournamentResults
    refuted: tuple[Refuted, ...]
    page: Path
    figures: Path


def play_tournament(
    arenas: Sequence[str],
    out: Path,
    *,
    size: Size = "default",
    seed: int = SEED,
    only: Sequence[str] = (),
    earlier: TournamentResults | None = None,
    claims: Sequence[Claim] = (),
    executor: Executor = SERIAL,
) -> Outcome:
    """Play arenas into a folder; a second call goes on where the first was stopped.

    Parameters
    ----------
    only : parts; only the pairs in which they take part are played, and the other figures come
        from ``earlier``, if there are any.
    earlier : results of an earlier tournament, to show what changed.
    """
    _require_known(only)
    played: dict[str, ArenaResults] = {}
    reports: dict[str, str] = {}
    for name, arena, folder in _played(arenas, out, size, seed, only, executor):
        played[name] = arena
        reports[name] = str((folder / paths.REPORT).relative_to(out))
    results = TournamentResults(version=__version__, size=size, seed=seed, arenas=played)
    if only and earlier is not None and (earlier.size, earlier.seed) == (size, seed):
        results = joined(results, earlier)
    return _written(results, out, earlier, claims, reports)


def _played(
    arenas: Sequence[str],
    out: Path,
    size: Size,
    seed: int,
    only: Sequence[str],
    executor: Executor,
) -> Iterator[tuple[str, ArenaResults, Path]]:
    for source in arenas or arena_names():
        arena = read_arena(source)
        plan = plan_arena(arena, size, out, seed=seed, only=only)
        if plan.plays(only):
            yield arena.name, play_arena(plan, seed=seed, executor=executor), plan.folder


def _written(
    results: TournamentResults,
    out: Path,
    earlier: TournamentResults | None,
    claims: Sequence[Claim],
    reports: Mapping[str, str],
) -> Outcome:
    wrong = tuple(refuted(claims, results))
    page = tournament_page(results, earlier=earlier, claims=claims, refuted=wrong, reports=reports)
    write_file(out / RESULTS, results.to_bytes(), public=True)
    write_file(out / PAGE, page, public=True)
    return Outcome(results, wrong, out / PAGE, out / RESULTS)


def _require_known(only: Sequence[str]) -> None:
    """Refuse a part that nobody registered."""
    ids = [cls.id for family in ("sanitizer", "attack") for cls in parts(family)]
    for name in only:
        if not any(is_named(id, [name]) for id in ids):
            names = [id.partition("/")[2].rpartition("-v")[0] for id in ids]
            raise Refused(f"unknown sanitizer or attack {name!r}{suggestion(name, names)}")
