"""Cells: one release of one generator, and everything that is found out about it.

Every piece is a file of its own, written when it ends: the release, what it keeps, the verdict of
the audit, and the figures of each attack. So a run that was stopped goes on where it was, and a new
generator, attack or table joins without playing anything again. Seconds are in files beside, since
they are the only thing that another run changes.
"""

from __future__ import annotations

import io
import json
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.bench.generated import found, kept
from benchmarks.bench.person_tables import PERSON_TABLES
from benchmarks.bench.pool import on_gpu
from quintain import registry
from quintain.attacks import Attack, Knowledge
from quintain.audits.release import audit_release
from quintain.data import Table, as_table
from quintain.guesses.membership import Membership, MembershipQuestion
from quintain.jobs.files import write_file
from quintain.plays import LASTING, Refusal, Situation, play
from quintain.randomness.noise import Noise
from quintain.randomness.seeds import SeedTree
from quintain.releases import Release
from quintain.samples.sample import Sample
from quintain.samples.targets import Targets
from quintain.sanitizers import Sanitizer, sanitize
from quintain.sanitizers.identity import Identity
from quintain.sanitizers.synthesizer import Synthesizer
from quintain.sanitizers.synthetic.generators.generator import TableGenerator

EPSILON = 1.0
"""What generators with differential privacy may spend."""
ORIGINALS, STRANGERS = "identity", "strangers"
"""The private records themselves; and records of other people, which say nothing about targets."""
AUDIT = "audit"


@dataclass(frozen=True, slots=True)
class Size:
    """How many people there are in a release, in a population and so on, at most."""

    rows: int = 1_500
    targets: int = 1_000
    population: int = 10_000
    test: int = 5_000
    permutations: int = 199
    training: tuple[tuple[str, Any], ...] = ()
    """Parameters of generators that have them, in place of their defaults."""


SMALL = Size(
    rows=60,
    targets=40,
    population=200,
    test=100,
    permutations=19,
    training=(("device", "cpu"), ("steps", 2), ("rounds", 1), ("teachers", 20), ("queries", 20)),
)


@cache
def generators(size: Size) -> dict[str, Sanitizer]:
    """The private records, and every registered generator of tables with its defaults."""
    built: dict[str, Sanitizer] = {STRANGERS: Identity(), ORIGINALS: Identity()}
    for part in registry.parts("sanitizer"):
        if not issubclass(part, Synthesizer | TableGenerator):
            continue
        given = {"epsilon": EPSILON, **dict(size.training)}
        chosen = {name: value for name, value in given.items() if name in part.model_fields}
        built[part.name()] = part(**chosen)
    return built


@cache
def attacks() -> dict[str, Attack]:
    """Every registered attack on membership in tables that needs at most the population."""
    fitting = (
        part
        for part in registry.parts("attack")
        if issubclass(part, Attack)
        and "table" in part.shapes
        and issubclass(MembershipQuestion, part.answers)
        and part.needs <= {"base"}
    )
    return {part.name(): part() for part in fitting}


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """People among whom private records are drawn, others for tests, and what to guess of them."""

    people: Table
    test: Table
    label: str
    real: bool


@cache
def population(data: str, size: Size) -> Population:
    """A table of people, dealt in two."""
    given = PERSON_TABLES[data]()
    order = np.random.default_rng(0).permutation(len(given.table))
    test = min(size.test, len(order) // 8)
    people, others = order[test : test + size.population], order[:test]
    return Population(given.table.take(people), given.table.take(others), given.label, given.real)


@dataclass(frozen=True)
class Cell:
    """One release: of which people, by which generator, with which seed."""

    data: str
    generator: str
    seed: int
    size: Size = Size()

    @property
    def name(self) -> str:
        """The name of its files."""
        return f"{self.data}-{self.generator}-{self.seed}"

    @cached_property
    def seeds(self) -> SeedTree:
        """Its randomness, which no other cell shares."""
        return SeedTree.from_int(self.seed).child(self.data, self.generator)

    @cached_property
    def sample(self) -> Sample:
        """The private records, the same for all generators."""
        size = self.size
        background = size.rows - size.targets // 2
        design = Targets(targets=size.targets, members="half", background=background)
        rng = SeedTree.from_int(self.seed).rng("sample", self.data)
        return design.draw(population(self.data, size).people, rng=rng)

    @cached_property
    def sides(self) -> tuple[Table, Table, Table]:
        """The private records, strangers, and the control of the audit; nobody is in two."""
        people = population(self.data, self.size).people
        outside = np.ones(len(people), bool)
        outside[self.sample.private_rows] = False
        asked = np.zeros(len(people), bool)
        asked[self.sample.target_rows] = True
        rng = SeedTree.from_int(self.seed).rng("sides", self.data)
        rest = rng.permutation(np.flatnonzero(outside & ~asked))
        strange = min(self.size.rows, 2 * len(rest) // 3)
        control = np.concatenate([np.flatnonzero(outside & asked), rest[strange:]])
        return (
            as_table(self.sample.private),
            people.take(rest[:strange]),
            people.take(control[: self.size.rows]),
        )


@dataclass(frozen=True)
class Judged:
    """A cell with the folder of its files."""

    cell: Cell
    folder: Path

    def missing(self) -> list[str]:
        """Which pieces are not there yet: "" is the release, the others judge it."""
        if not self._result("").exists():
            return ["", AUDIT, *attacks()]
        if "refused" in json.loads(self._result("").read_text()):
            return []
        return [piece for piece in (AUDIT, *attacks()) if not self._result(piece).exists()]

    def play(self, end: float) -> str:
        """Play what is missing; start nothing after the time ``end``.

        A part that breaks leaves its piece open and does not stop the others.
        """
        began, faults = time.perf_counter(), []
        for piece in self.missing():
            if time.time() > end:
                faults.append("no time left")
                break
            if piece and not self._release_file.exists():
                break  # there is nothing to judge
            try:
                self._keep(piece, self._piece(piece))
            except Exception:
                faults.append(f"{piece or 'release'}: {traceback.format_exc(limit=-2)}")
        said = f"{self.cell.name}: {time.perf_counter() - began:.0f} s"
        return "; ".join([said, *faults])

    def _piece(self, piece: str) -> Callable[[], dict[str, Any]]:
        return {"": self._make, AUDIT: self._audit}.get(piece, lambda: self._attack(piece))

    def _keep(self, piece: str, action: Callable[[], dict[str, Any]]) -> None:
        wall, cpu = time.perf_counter(), time.process_time()
        line = action()
        cost = line.pop("cost", None) or _cost(wall, cpu)
        _write(self._result(piece, "seconds"), cost)
        _write(self._result(piece), {"data": self.cell.data, "seed": self.cell.seed, **line})

    def _result(self, piece: str, kind: str = "results") -> Path:
        end = f"--{piece}" if piece else ""
        return self.folder / kind / f"{self.cell.name}{end}.json"

    def _make(self) -> dict[str, Any]:
        """Make the release and keep it; say what it preserves."""
        cell = self.cell
        part = generators(cell.size)[cell.generator]
        private, strangers, _ = cell.sides
        given = strangers if cell.generator == STRANGERS else private
        noise = Noise.for_test(cell.seeds.rng("noise"))
        line: dict[str, Any] = {"generator": cell.generator, "parameters": part.parameters()}
        with on_gpu("device" in type(part).model_fields):
            wall, cpu = time.perf_counter(), time.process_time()
            try:
                made = sanitize(part, given, rng=cell.seeds.rng("fit"), noise=noise).release
            except LASTING as error:
                return {**line, "refused": str(error)}
            line["cost"] = _cost(wall, cpu)
        table = as_table(made.data)
        file = io.BytesIO()
        np.savez_compressed(file, allow_pickle=False, **dict(table.columns))
        write_file(self._release_file, file.getvalue())
        people = population(cell.data, cell.size)
        return {**line, **kept(private, table, people.test, people.label), "real": people.real}

    @property
    def _release_file(self) -> Path:
        return self.folder / "releases" / f"{self.cell.name}.npz"

    @cached_property
    def release(self) -> Release:
        """The release as attackers see it: its records and nothing else."""
        schema = population(self.cell.data, self.cell.size).people.schema
        with np.load(self._release_file) as arrays:
            return Release(Table(schema, dict(arrays)))

    def _audit(self) -> dict[str, Any]:
        """The verdict of somebody who has the original and a control."""
        private, _, control = self.cell.sides
        made = as_table(self.release.data)
        permutations = self.cell.size.permutations
        audit = audit_release(
            private, made, control, seed=self.cell.seed, permutations=permutations
        )
        return {
            "generator": self.cell.generator,
            "verdict": audit.verdict,
            "p": audit.p,
            "exposed_share": audit.exposed_share.value,
            "reasons": list(audit.reasons),
        }

    def _attack(self, name: str) -> dict[str, Any]:
        """The figures of one attack; on strangers also its scores, from which luck is computed."""
        cell = self.cell
        question, truth = Membership().ask(cell.sample, self.release)
        people = population(cell.data, cell.size).people
        situation = Situation(Membership(), self.release, Knowledge(question, people))
        line: dict[str, Any] = {"generator": cell.generator, "attack": name}
        guess = play(attacks()[name], situation, rng=cell.seeds.rng(name))
        if isinstance(guess, Refusal):
            if not guess.lasting:
                raise guess.error
            return {**line, "refused": guess.reason}
        if cell.generator == STRANGERS:
            line["scores"] = guess.table.columns["probability"].round(9).tolist()
        return {**line, "blind": attacks()[name].blind, **found(truth, guess)}


def _cost(wall: float, cpu: float) -> dict[str, float]:
    return {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


def _write(path: Path, line: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, (json.dumps(line, indent=1) + "\n").encode())


def plan(data: list[str], names: list[str], seeds: int, size: Size) -> list[Cell]:
    """All cells, seed by seed; those with networks spread among the others, to share a GPU."""
    parts = generators(size)
    deep = [name for name in names if "device" in type(parts[name]).model_fields]
    plain = [name for name in names if name not in deep]
    cells = []
    for seed in range(seeds):
        slow = [Cell(of, name, seed, size) for name in deep for of in data]
        quick = [Cell(of, name, seed, size) for name in plain for of in data]
        places = [
            (at / max(1, len(pace)), pace[at]) for pace in (slow, quick) for at in range(len(pace))
        ]
        cells += [cell for _, cell in sorted(places, key=lambda place: place[0])]
    return cells
