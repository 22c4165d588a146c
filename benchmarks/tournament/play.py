"""Play: an arena with all players who can take part, and its figures."""

from __future__ import annotations

import json
import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.tournament.arena import Arena, Size
from benchmarks.tournament.players import Players, is_named, players_of
from benchmarks.tournament.results import (
    ArenaResults,
    Measure,
    Player,
    Sizes,
    figure_of,
    unable_of,
)
from quintain.commitment import canonical_json, sha256
from quintain.contests import Edition, Track
from quintain.contests.fields import EditionMeasure, MeasuredPrivacy
from quintain.contests.words import sentence, settings
from quintain.jobs.executor import Executor
from quintain.jobs.files import write_file
from quintain.measures import GuessMeasure, Reading
from quintain.rankings import Results
from quintain.registry import Part
from quintain.runs.folder.folder import Folder
from quintain.runs.play import play
from quintain.runs.report import RunFacts, run_facts
from quintain.runs.report.section import bounds
from quintain.runs.score import score

_COST = "cpu-seconds.json"


@dataclass(frozen=True, slots=True)
class Plan:
    """An arena before it is played: who plays, by which rules, and where."""

    arena: Arena
    players: Players
    edition: Edition
    folder: Path

    @property
    def track(self) -> Track:
        """The only track of an arena."""
        (track,) = self.edition.track
        return track

    def plays(self, only: Sequence[str]) -> bool:
        """Whether one of the named parts plays here; True if none is named."""
        ids = [id for id, _ in (*self.players.sanitizers, *self.players.attacks)]
        return not only or any(is_named(id, only) for id in ids)


def plan_arena(arena: Arena, size: Size, out: Path, *, seed: int, only: Sequence[str] = ()) -> Plan:
    """Decide who plays; other players or other rules play in another folder."""
    players = players_of(arena, size).only(only)
    return plan_players(arena, players, size, out, seed=seed)


def plan_players(arena: Arena, players: Players, size: Size, out: Path, *, seed: int) -> Plan:
    """The contest of these players."""
    tables = [[table for _, table in group] for group in (players.sanitizers, players.attacks)]
    edition = arena.edition(size, *tables)
    digest = sha256(edition.to_bytes() + canonical_json({"seed": seed}))
    return Plan(arena, players, edition, out / "runs" / f"{arena.name}-{digest[:10]}")


def play_arena(plan: Plan, *, seed: int, executor: Executor) -> ArenaResults:
    """Play an arena, or go on where it was stopped, and collect the figures."""
    before = _cpu_seconds()
    folder = play(plan.edition, plan.folder, seed=seed, executor=executor)
    _end_workers(executor)
    cost = _add_cost(plan.folder, _cpu_seconds() - before)
    results = score(folder, executor=executor)[plan.track.id]
    return _collected(plan, folder, results, cost)


def _collected(plan: Plan, folder: Folder, results: Results, cost: float) -> ArenaResults:
    track, facts = plan.track, run_facts(folder, plan.track)
    measured = {name: one for one in track.guess_measures for name in one.reads}
    by_cell = list(results.cells.values())
    measures = {name: _measure(one, name, by_cell) for name, one in measured.items()}
    utilities = _utilities(plan, results)
    return ArenaResults(
        title=plan.arena.title,
        about=" ".join(plan.arena.about.split()),
        contest=plan.arena.contest,
        data=sentence(track.dataset),
        simulated=track.dataset.simulated,
        knows=tuple(text for _, text in track.threat_rows()),
        sizes=Sizes(
            repeats=track.repeats,
            population=facts.population or 0,
            private=facts.private or (0, 0),
            cpu_seconds=round(cost, 1),
        ),
        measures=measures,
        utilities=utilities,
        entries={name: _entry(name, part, facts) for name, part in track.entries.items()},
        attacks={one.id: _player(one.attack) for one in track.baseline if one.attack is not None},
        **_figures(results, measures, utilities),
        unable=unable_of(plan.players.unable),
    )


def _utilities(plan: Plan, results: Results) -> dict[str, Measure]:
    """The readings of releases, those first that the page shows."""
    measured = {name: one for one in plan.track.release_measures for name in one.reads}
    first = [name for name in plan.arena.shown if name in measured]
    names = dict.fromkeys([*first, *measured])
    by_entry = [entry.readings for entry in results.entries]
    return {name: _measure(measured[name], name, by_entry) for name in names}


def _figures(
    results: Results, measures: Mapping[str, Measure], utilities: Mapping[str, Measure]
) -> dict[str, object]:
    cells: dict[str, dict[str, object]] = {entry.id: {} for entry in results.entries}
    for (entry, attack), readings in results.cells.items():
        cells[entry][attack] = {
            name: figure_of(readings[name], measure) for name, measure in measures.items()
        }
    refused: dict[str, dict[str, str]] = {}
    for entry, why in results.refused.releases.items():
        refused.setdefault(entry, {})[""] = why
    for (entry, attack), why in results.refused.attacks.items():
        refused.setdefault(entry, {})[attack] = why
    return {
        "cells": cells,
        "readings": {
            one.id: {
                name: figure_of(one.readings[name], useful) for name, useful in utilities.items()
            }
            for one in results.entries
        },
        "faults": {entry.id: entry.faults for entry in results.entries if entry.faults},
        "refused": refused,
    }


def _measure(measured: EditionMeasure, name: str, read: Iterable[Mapping[str, Reading]]) -> Measure:
    """Describe a reading; its method is that of most figures."""
    methods = Counter(readings[name].method for readings in read if name in readings)
    chance = measured.chance if isinstance(measured.measure, GuessMeasure) else {}
    return Measure(
        better=measured.reads[name],
        summary=measured.caption(name),
        chance=chance.get(name),
        within=_within(measured),
        method=max(filter(None, methods), key=methods.__getitem__, default=""),
        bounds=() if isinstance(measured, MeasuredPrivacy) else bounds(measured.gate_of_each[name]),
    )


def _within(measured: EditionMeasure) -> tuple[float, float] | None:
    """The range of a measure of guesses, if it has two ends."""
    if not isinstance(measured.measure, GuessMeasure):
        return None
    ends = measured.measure.within
    return ends if all(map(math.isfinite, ends)) else None


def _entry(name: str, part: Part, facts: RunFacts) -> Player:
    card = facts.cards.get(name)
    claim = "" if card is None or card.claim is None else card.claim.words()
    return Player(part=part.id, settings=settings(part), summary=part.summary(), claim=claim)


def _player(part: Part) -> Player:
    blind = bool(getattr(part, "blind", False))
    return Player(part=part.id, settings=settings(part), summary=part.summary(), blind=blind)


def _cpu_seconds() -> float:
    """The processor time of this process and of all workers that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _end_workers(executor: Executor) -> None:
    """End the workers on this machine: their time is known only when they have ended."""
    if executor.workers > 1 and executor.cluster is None:
        from joblib.externals.loky import get_reusable_executor

        get_reusable_executor().shutdown(wait=True)


def _add_cost(folder: Path, seconds: float) -> float:
    """The time of all sessions that were not killed, this one included."""
    path = folder.parent / f"{folder.name}-{_COST}"
    known = json.loads(path.read_bytes()) if path.is_file() else 0.0
    total = float(known) + seconds
    write_file(path, json.dumps(round(total, 2)).encode(), public=True)
    return total
