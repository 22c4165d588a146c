"""What attacks rebuild of several hidden columns, and how much of it is memorised: a table.

    QUINTAIN_DATA=folder-with-data python -m benchmarks.goals.reconstruction [--draws 1]

Releases are made from 2,000 people of Adult, of CPS (the base table of SNAKE) and of a bank. 500 of
them and 500 other people are the targets; about half of the columns are known. Our attacks stand
beside published ones, which are written from their descriptions. The table has the score by rarity
of the members (that of NIST CRC 2025), the share of exact cells, and how much more is right for
members than for others, with its 95 % interval. A run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.bench.kept import keep_line, kept_lines, results_folder
from benchmarks.goals.published_rebuilding import PLAYERS
from benchmarks.goals.rebuilt_people import DATA, RebuiltPeople
from quintain.attacks import Attack, Knowledge
from quintain.attacks.reconstruction.rebuilding import Rebuilding
from quintain.data import Table, as_table
from quintain.data.arrays import Array
from quintain.guesses import Guess, Truth
from quintain.guesses.goal import target_table
from quintain.guesses.reconstruction import Reconstruction, ReconstructionQuestion
from quintain.measures import Case, reading_rng
from quintain.measures.privacy.cells_rebuilt import CellsByRarity, CellsExact
from quintain.noise import Noise
from quintain.plays import Situation, play_or_raise
from quintain.registry import build
from quintain.releases import Release
from quintain.sanitizers import Sanitizer, sanitize

GENERATORS: dict[str, dict[str, Any]] = {
    "identity": {"use": "identity"},
    "rank-swapping": {"use": "rank-swapping"},
    "rr": {"use": "rr", "keep": 0.8},
    "cart": {"use": "cart"},
    "arf": {"use": "arf"},
    "gaussian-copula": {"use": "gaussian-copula"},
    "mst": {"use": "mst", "epsilon": 10.0},
    "privbayes": {"use": "privbayes", "epsilon": 10.0},
    "aim": {"use": "aim", "epsilon": 10.0},
    "pategan": {"use": "pategan", "epsilon": 10.0},
    "independent": {"use": "independent", "epsilon": 10.0},
}
OURS: dict[str, dict[str, Any]] = {
    "neighbour-vote": {"use": "neighbour-vote"},
    "column-models": {"use": "column-models"},
    "belief-propagation": {"use": "belief-propagation"},
    "marginal-program": {"use": "marginal-program"},
    "majority-given-known": {"use": "majority-given-known"},
    "rebuilding-ensemble": {"use": "rebuilding-ensemble"},
    "ensemble, rare values": {"use": "rebuilding-ensemble", "rarity": 1.0},
}
PATH = "reconstruction.jsonl"


def sample(
    people: RebuiltPeople, rows: int, asked: int, rng: np.random.Generator
) -> tuple[Table, ReconstructionQuestion, Truth]:
    """Private records, and a question about some of them and as many other people."""
    table = people.table.select([*people.known, *people.hidden])
    order = rng.permutation(len(table))
    private, others = order[:rows], order[rows : rows + asked]
    targets = rng.permutation(np.concatenate([private[:asked], others]))
    goal = Reconstruction(columns=people.hidden, knows=people.known)
    each = np.arange(len(targets))
    shown = target_table(table, targets, each).select(goal.question_schema(table.schema).names)
    truth: dict[str, Array] = {"target": each, "member": np.isin(targets, private).astype(np.int32)}
    truth |= {name: table.columns[name][targets] for name in people.hidden}
    question = goal.question(shown, table.schema)
    assert isinstance(question, ReconstructionQuestion)
    return table.take(private), question, Truth(Table(goal.truth_schema(table.schema), truth))


def guesses(
    release: Release, question: ReconstructionQuestion, people: RebuiltPeople, seed: int
) -> Iterator[tuple[str, str, Guess, float]]:
    """Whose attack it is, its name, its guess, and its seconds."""
    task = Rebuilding.of(question.records(), question.secrets, as_table(release.data))
    names = [secret.name for secret in question.secrets]
    for name, player in PLAYERS.items():
        began = time.process_time()
        codes = player(task, seed)
        values = [column.values[own] for column, own in zip(task.hidden, codes, strict=True)]
        guess = question.answer(dict(zip(names, values, strict=True)))
        yield "published", name, guess, time.process_time() - began
    goal = Reconstruction(columns=people.hidden, knows=people.known)
    for name, choice in OURS.items():
        began = time.process_time()
        situation = Situation(goal, release, Knowledge(question))
        attack = cast(Attack, build("attack", choice))
        guess = play_or_raise(attack, situation, rng=np.random.default_rng(seed))
        yield "ours", name, guess, time.process_time() - began


def cell(
    people: RebuiltPeople, generator: str, draw: int, rows: int, asked: int
) -> list[dict[str, Any]]:
    """The readings of every attack on one release."""
    rng = np.random.default_rng([draw, sum(map(ord, generator))])
    private, question, truth = sample(people, rows, asked, np.random.default_rng(draw))
    sanitizer = cast(Sanitizer, build("sanitizer", GENERATORS[generator]))
    release = sanitize(sanitizer, private, rng=rng, noise=Noise.for_test(draw)).release
    lines = []
    for side, name, guess, seconds in guesses(release, question, people, draw):
        case = [Case(truth, guess)]
        exact = CellsExact().measure(case, rng=reading_rng())
        rare = CellsByRarity().measure(case, rng=reading_rng())
        lines.append(
            {
                "side": side,
                "attack": name,
                "seconds": round(seconds, 2),
                "exact": exact["exact_members"].value,
                "rarity": rare["rarity_members"].value,
                "memorised": [
                    getattr(exact["exact_memorised"], end) for end in ("value", "low", "high")
                ],
            }
        )
    return lines


def run(chosen: Sequence[str], draws: int, rows: int, asked: int) -> list[dict[str, Any]]:
    """Every cell of the grid; those that are kept already are not played again."""
    path = results_folder() / PATH
    kept = kept_lines(path)
    for data in chosen:
        people = None
        for generator in GENERATORS:
            for draw in range(draws):
                key = {"data": data, "generator": generator, "draw": draw, "rows": rows}
                if any(key.items() <= line.items() for line in kept):
                    continue
                people = people or DATA[data]()
                for line in cell(people, generator, draw, rows, asked):
                    keep_line(path, {**key, **line})
    wanted = [line for line in kept_lines(path) if line["data"] in chosen and line["rows"] == rows]
    return [line for line in wanted if line["draw"] < draws]


def table(lines: Sequence[dict[str, Any]]) -> Iterator[str]:
    """For each release, the best published attack beside our ensemble, and what is memorised."""
    yield (
        "| data | release | mode | best published, by rarity | ensemble, by rarity | "
        "best published, exact | ensemble, exact | memorised by the ensemble (95 %) |"
    )
    yield "|---|---|---|---|---|---|---|---|"
    cells = dict.fromkeys((line["data"], line["generator"]) for line in lines)
    for data, generator in cells:
        own = [x for x in lines if (x["data"], x["generator"]) == (data, generator)]
        best = {score: best_published(own, score) for score in ("rarity", "exact")}
        rare, plain = (mean_of(own, name, s) for name, s in ENSEMBLES)
        memorised = mean_interval([x for x in own if x["attack"] == "rebuilding-ensemble"])
        texts = [f"{value:.3f} ({name})" for name, value in best.values()]
        yield (
            f"| {data} | {generator} | {mean_of(own, 'mode', 'rarity'):.3f} | {texts[0]} | "
            f"{_bold(rare, best['rarity'][1])} | {texts[1]} | {_bold(plain, best['exact'][1])} | "
            f"{memorised} |"
        )


ENSEMBLES = (("ensemble, rare values", "rarity"), ("rebuilding-ensemble", "exact"))


def _bold(value: float, beside: float) -> str:
    return f"**{value:.3f}**" if value >= beside else f"{value:.3f}"


def mean_of(lines: Sequence[dict[str, Any]], attack: str, score: str) -> float:
    """The mean score of an attack over all draws."""
    return float(np.mean([line[score] for line in lines if line["attack"] == attack]))


def best_published(lines: Sequence[dict[str, Any]], score: str) -> tuple[str, float]:
    """The published attack with the best mean, and that mean."""
    names = dict.fromkeys(line["attack"] for line in lines if line["side"] == "published")
    return max(((name, mean_of(lines, name, score)) for name in names), key=lambda pair: pair[1])


def mean_interval(lines: Sequence[dict[str, Any]]) -> str:
    """The mean of readings of independent draws; their intervals shrink with their number."""
    value, low, high = np.mean([line["memorised"] for line in lines], axis=0)
    reach = (high - low) / 2 / np.sqrt(len(lines))
    return f"{value:.3f} ({value - reach:.3f} to {value + reach:.3f})"


def wins(lines: Sequence[dict[str, Any]]) -> str:
    """In how many cells our ensemble is at least as good as every published attack."""
    cells = dict.fromkeys((line["data"], line["generator"]) for line in lines)
    counts = []
    for name, score in ENSEMBLES:
        own = ([x for x in lines if (x["data"], x["generator"]) == c] for c in cells)
        counts.append(sum(mean_of(o, name, score) >= best_published(o, score)[1] for o in own))
    return (
        f"Our ensemble is at least as good as the best published attack in {counts[0]} of "
        f"{len(cells)} cells by rarity, and in {counts[1]} by exact cells."
    )


def means(lines: Sequence[dict[str, Any]]) -> Iterator[str]:
    """The mean over all releases of every attack, and its seconds."""
    yield "| attack | by rarity | exact | CPU s |"
    yield "|---|---|---|---|"
    for side, name in dict.fromkeys((line["side"], line["attack"]) for line in lines):
        scores = [mean_of(lines, name, score) for score in ("rarity", "exact", "seconds")]
        yield f"| {name} ({side}) | {scores[0]:.3f} | {scores[1]:.3f} | {scores[2]:.1f} |"


def main() -> None:
    """Play what is missing, and print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--draws", type=int, default=1)
    parser.add_argument("--rows", type=int, default=2_000)
    parser.add_argument("--asked", type=int, default=500)
    parser.add_argument("--data", nargs="+", default=list(DATA), choices=list(DATA))
    given = parser.parse_args()
    lines = run(given.data, given.draws, given.rows, given.asked)
    print("\n".join([*table(lines), "", wins(lines), "", *means(lines)]))


if __name__ == "__main__":
    main()
