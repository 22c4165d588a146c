"""One task of SNAKE 1 with all attacks on its release; finished repetitions are kept in a file."""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from benchmarks.bench.kept import keep_line, kept_lines, results_folder
from benchmarks.bench.snake_task import DESIGN, ROWS, source
from benchmarks.snake.remembering import Remembering
from quintain import registry
from quintain.attacks import Attack, Knowledge
from quintain.data import Data, Table
from quintain.guesses import Guess, Truth, members_and_scores
from quintain.guesses.membership import Membership
from quintain.jobs.job import fingerprint
from quintain.measures.privacy.membership_accuracy import weighted_score
from quintain.measures.privacy.roc_curve import auc
from quintain.plays import Situation, play_or_raise
from quintain.randomness.noise import Noise
from quintain.releases import FocalPoint, Release, Sanitized, Trace
from quintain.sanitizers import Sanitizer, sanitize
from quintain.sanitizers.sanitizer import Shadow

KEPT = "snake_attacks.jsonl"
NEW = "joint-ratio"
OLDER = (
    "mama-mia",
    "matched-filter",
    "tree-ratio",
    "shadow-trained",
    "density-ratio",
    "nearest",
)
OTHERS = (*OLDER, "network-ratio", "value-tracing")
ATTACKS = (NEW, *OTHERS)
ORACLE = "noise-free"
CHOOSE_NOTHING = ("pategan",)
"""Sanitizers without tables of their choice, so that there is no bound for them."""
SEED = 0

Cell = tuple[str, float]
Figures = dict[Cell, dict[str, dict[str, np.ndarray[Any, Any]]]]


@dataclass(frozen=True, slots=True)
class Repetition:
    """One task: a sanitizer, an epsilon and the number of the draw."""

    sanitizer: str
    epsilon: float
    number: int

    @property
    def cell(self) -> Cell:
        """The row of the tables to which it belongs."""
        return self.sanitizer, self.epsilon

    def part(self) -> Sanitizer:
        """The sanitizer under attack."""
        part = registry.find("sanitizer", self.sanitizer)
        assert issubclass(part, Sanitizer)
        return part(epsilon=self.epsilon, rows=ROWS)

    def attacks(self) -> tuple[str, ...]:
        """The attacks, and the bound for a sanitizer that chooses what it counts."""
        return (*ATTACKS, *((ORACLE,) if self.sanitizer not in CHOOSE_NOTHING else ()))

    def key(self, attack: str) -> str:
        """A fingerprint of everything that decides the figures of an attack, except the code."""
        spec = attackers()[NEW if attack == ORACLE else attack].spec()
        task = (self.part().spec(), DESIGN.spec(), SEED, source().spec())
        return fingerprint(self, attack, spec, *task)


@dataclass(frozen=True, slots=True)
class NoiseFree:
    """A sanitizer that publishes some tables of the private data as they are.

    Its release is the private data; an attack that looks at the tables of the structure alone sees
    what the real sanitizer would have shown of them without any noise.
    """

    points: tuple[FocalPoint, ...]

    def __call__(self, data: Data, *, rng: np.random.Generator) -> Sanitized:
        """Publish the data, with the structure as its trace."""
        return Sanitized(Release(data), Trace(self.points))

    def structure(self, data: Data) -> tuple[FocalPoint, ...]:
        """The structure, which no data change."""
        return self.points


@cache
def population() -> Table:
    """The base data, loaded once."""
    return source().data(np.random.default_rng(SEED))


@cache
def attackers() -> dict[str, Attack]:
    """The attacks with their default parameters."""
    by_name = {}
    for name in ATTACKS:
        part = registry.find("attack", name)
        assert issubclass(part, Attack)
        by_name[name] = part()
    return by_name


def run(todo: tuple[Repetition, tuple[str, ...]]) -> list[dict[str, Any]]:
    """Draw, sanitize, attack and score; the draw of a number is the same for every cell."""
    repetition, names = todo
    rng = np.random.default_rng([SEED, repetition.number])
    sample = DESIGN.draw(population(), rng=rng)
    sanitizer = repetition.part()
    made = sanitize(sanitizer, sample.private, rng=rng, noise=Noise.for_test(rng))
    question, truth = Membership().ask(sample, made.release)
    shadow = Remembering(Shadow(sanitizer))
    known = Knowledge(question, population(), sanitizer.spec(), shadow)
    noise_free = NoiseFree(made.trace.focal_points)
    oracle = Knowledge(question, population(), sanitizer.spec(), noise_free)
    lines = []
    for name in names:
        saved = shadow.saved
        if name != ORACLE:
            figures = _figures(truth, attackers()[name], known, made.release, repetition.number)
            figures["cpu"] += shadow.saved - saved
        else:
            private = Release(sample.private)
            figures = _figures(truth, attackers()[NEW], oracle, private, repetition.number)
        line = {"key": repetition.key(name), "cell": repetition.cell, "attack": name}
        lines.append(line | {"number": repetition.number, "figures": figures})
    return lines


def _figures(
    truth: Truth, attacker: Attack, known: Knowledge, release: Release, number: int
) -> dict[str, float]:
    """AUC, historic score and CPU seconds of one attack."""
    begin = time.process_time()
    situation = Situation(Membership(), release, known)
    guess: Guess = play_or_raise(attacker, situation, rng=np.random.default_rng([SEED, number, 1]))
    seconds = time.process_time() - begin
    members, scores = members_and_scores(truth, guess)
    score = float(weighted_score(members[None], scores[None])[0])
    return {"auc": auc(members, scores).value, "score": score, "cpu": seconds}


def collect(wanted: Sequence[Repetition], processes: int) -> Figures:
    """For each cell, attack and kind of figure, the values in the order of the draws.

    Attacks that are not kept yet run now.
    """
    path = results_folder() / KEPT
    kept = {line["key"]: line["figures"] for line in kept_lines(path)}
    missing = [
        (one, tuple(name for name in one.attacks() if one.key(name) not in kept)) for one in wanted
    ]
    todo = [(one, names) for one, names in missing if names]
    if todo:
        population()  # before the fork, so that the processes share it
    with multiprocessing.get_context("fork").Pool(processes) as pool:
        for lines in pool.imap_unordered(run, todo):
            for line in lines:
                keep_line(path, line)
                kept[line["key"]] = line["figures"]
            seconds = sum(line["figures"]["cpu"] for line in lines)
            print(f"# {lines[0]['cell']}: {seconds:.0f} CPU s", file=sys.stderr, flush=True)
    return _by_cell(wanted, kept)


def _by_cell(wanted: Sequence[Repetition], kept: dict[str, dict[str, float]]) -> Figures:
    out: Figures = {}
    for cell in dict.fromkeys(one.cell for one in wanted):
        draws = [one for one in wanted if one.cell == cell]
        out[cell] = {
            name: {
                kind: np.array([kept[one.key(name)][kind] for one in draws])
                for kind in ("auc", "score", "cpu")
            }
            for name in draws[0].attacks()
        }
    return out
