"""What attacks rebuild of several hidden columns, and how much of it is memorised: a table.

    QUINTAIN_DATA=folder-with-data python -m benchmarks.goals.reconstruction [--draws 1 2]

Releases are made from 2,000 people of Adult, of CPS (the base table of SNAKE) and of a bank. 500 of
them and 500 other people are the targets; about half of the columns are known. Our attacks stand
beside published ones, which are written from their descriptions. The table has the score by rarity
of the members (that of NIST CRC 2025), the share of exact cells, and how much more is right for
members than for others, with its 95 % interval.

The race is between one attack of ours, named before, and the best of the published ones, which is
chosen after the answers are known. Both sides see the same, and both may guess the likeliest value
or divide what they believe by how common a value is. ``--data`` and ``--generators`` choose cells.
A run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.bench.kept import keep_line, kept_lines, results_folder
from benchmarks.goals.paired_lead import paired_lead
from benchmarks.goals.published_rebuilding import PLAYERS
from benchmarks.goals.rebuilt_people import DATA, RebuiltPeople
from quintain.attacks import Attack, Knowledge
from quintain.attacks.reconstruction.rebuilding import (
    HiddenClasses,
    Rebuilding,
    RebuildingAttack,
)
from quintain.data import Table, as_table
from quintain.data.arrays import Array, Floats
from quintain.guesses import Guess, Truth
from quintain.guesses.goal import target_table
from quintain.guesses.reconstruction import Reconstruction, ReconstructionQuestion
from quintain.measures import Case, reading_rng
from quintain.measures.privacy.cells_rebuilt import CellsByRarity, CellsExact
from quintain.plays import Situation, play_or_raise
from quintain.randomness.noise import Noise
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
    "tvae": {"use": "tvae", "device": "cpu"},
    "latent-diffusion": {"use": "latent-diffusion", "device": "cpu"},
}
OURS: dict[str, dict[str, Any]] = {
    "neighbour-vote": {"use": "neighbour-vote"},
    "column-models": {"use": "column-models"},
    "belief-propagation": {"use": "belief-propagation"},
    "marginal-program": {"use": "marginal-program"},
    "majority-given-known": {"use": "majority-given-known"},
    "rebuilding-ensemble": {"use": "rebuilding-ensemble"},
}
RARE = ", rare values"
CERTAIN = ("mode", "nearest")
"""Published attacks that believe in one value, or in the same for everybody."""
OUR_BEST = "rebuilding-ensemble"
RACES = ((OUR_BEST + RARE, "rarity"), (OUR_BEST, "exact"))
"""Our attack of each race."""
Choice = Callable[[HiddenClasses, Floats, float], Array]
"""How the values of a column are guessed from beliefs, and from how much rarity counts."""
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
    release: Release,
    question: ReconstructionQuestion,
    people: RebuiltPeople,
    ours: Sequence[str],
    seed: int,
) -> Iterator[tuple[str, str, Guess, float]]:
    """Whose attack it is, its name, its guess, and its seconds."""
    task = Rebuilding.of(question.records(), question.secrets, as_table(release.data))
    names = [secret.name for secret in question.secrets]
    goal = Reconstruction(columns=people.hidden, knows=people.known)

    def answers(
        name: str, beliefs: Sequence[Floats], choose: Choice
    ) -> Iterator[tuple[str, Guess]]:
        for rarity, suffix in ((0.0, ""), (1.0, RARE))[: 1 if name in CERTAIN else 2]:
            pairs = zip(task.hidden, beliefs, strict=True)
            values = [choose(column, shares, rarity) for column, shares in pairs]
            yield name + suffix, question.answer(dict(zip(names, values, strict=True)))

    for name, player in PLAYERS.items():
        began = time.process_time()
        beliefs = player(task, seed)
        seconds = time.process_time() - began
        yield from (("published", *answer, seconds) for answer in answers(name, beliefs, likeliest))
    for name in ours:
        began = time.process_time()
        attack, rng = build("attack", OURS[name]), np.random.default_rng(seed)
        if isinstance(attack, RebuildingAttack):
            beliefs = attack.believe(task, rng=rng)
            seconds = time.process_time() - began
            own = answers(name, beliefs, HiddenClasses.choose)
            yield from (("ours", *answer, seconds) for answer in own)
        else:
            situation = Situation(goal, release, Knowledge(question))
            guess = play_or_raise(cast(Attack, attack), situation, rng=rng)
            yield "ours", name, guess, time.process_time() - began


def cell(
    people: RebuiltPeople, generator: str, ours: Sequence[str], draw: int, rows: int, asked: int
) -> list[dict[str, Any]]:
    """The readings of every attack on one release."""
    rng = np.random.default_rng([draw, sum(map(ord, generator))])
    private, question, truth = sample(people, rows, asked, np.random.default_rng(draw))
    sanitizer = cast(Sanitizer, build("sanitizer", GENERATORS[generator]))
    release = sanitize(sanitizer, private, rng=rng, noise=Noise.for_test(draw)).release
    played = list(guesses(release, question, people, ours, draw))
    by_name = {name: guess for _, name, guess, _ in played}
    lines = []
    for side, name, guess, seconds in played:
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
                "lead": {
                    score: paired_lead(
                        truth, by_name[best], guess, by_rarity=score == "rarity"
                    ).tolist()
                    for best, score in RACES
                },
            }
        )
    return lines


def likeliest(column: HiddenClasses, shares: Floats, rarity: float) -> Array:
    """The value that every person is believed to have, or that is likeliest for its share."""
    compared = shares / np.maximum(column.prior(), 1e-12) ** rarity
    return np.asarray(column.values[compared.argmax(axis=1)])


def run(
    chosen: Sequence[str],
    generators: Sequence[str],
    ours: Sequence[str],
    draws: Sequence[int],
    rows: int,
    asked: int,
) -> list[dict[str, Any]]:
    """Every cell of the grid; those that are kept already are not played again."""
    path = results_folder() / PATH
    kept = kept_lines(path)
    for data in chosen:
        people = None
        for generator in generators:
            for draw in draws:
                key = {"data": data, "generator": generator, "draw": draw, "rows": rows}
                if any(key.items() <= line.items() for line in kept):
                    continue
                people = people or DATA[data]()
                for line in cell(people, generator, ours, draw, rows, asked):
                    keep_line(path, {**key, **line})
    return [
        line
        for line in kept_lines(path)
        if line["data"] in chosen
        and line["generator"] in generators
        and line["draw"] in draws
        and line["rows"] == rows
    ]


def table(lines: Sequence[dict[str, Any]]) -> Iterator[str]:
    """For each release and score, our attack beside the best published, and what is memorised."""
    yield (
        "| data | release | mode | best published, by rarity | ours | lead (95 %) | "
        "best published, exact | ours | lead (95 %) | memorised by ours (95 %) |"
    )
    yield "|---" * 10 + "|"
    for (data, generator), losses in _cells(lines).items():
        texts = []
        for name, score in RACES:
            best, value = best_published(losses, score)
            lead = mean_interval([x["lead"][score] for x in losses if x["attack"] == best])
            texts += [f"{value:.3f} ({best})", f"{mean_of(losses, name, score):.3f}", _bold(lead)]
        memorised = [x["memorised"] for x in losses if x["attack"] == OUR_BEST]
        texts = [f"{mean_of(losses, 'mode', 'rarity'):.3f}", *texts]
        texts.append(interval_text(mean_interval(memorised)))
        yield f"| {data} | {generator} | {' | '.join(texts)} |"


_Cells = dict[tuple[str, str], list[dict[str, Any]]]


def _cells(lines: Sequence[dict[str, Any]]) -> _Cells:
    cells: _Cells = {}
    for line in lines:
        cells.setdefault((line["data"], line["generator"]), []).append(line)
    return cells


def _bold(lead: Floats) -> str:
    text = interval_text(lead)
    return f"**{text}**" if lead[1] > 0 or lead[2] < 0 else text


def interval_text(ends: Floats) -> str:
    """A value and its interval."""
    return "{:.3f} ({:.3f} to {:.3f})".format(*ends)


def mean_of(lines: Sequence[dict[str, Any]], attack: str, score: str) -> float:
    """The mean score of an attack over all draws."""
    return float(np.mean([line[score] for line in lines if line["attack"] == attack]))


def best_published(lines: Sequence[dict[str, Any]], score: str) -> tuple[str, float]:
    """The published attack with the best mean, and that mean."""
    names = dict.fromkeys(line["attack"] for line in lines if line["side"] == "published")
    return max(((name, mean_of(lines, name, score)) for name in names), key=lambda pair: pair[1])


def mean_interval(readings: Sequence[Sequence[float]]) -> Floats:
    """The mean of readings of independent draws; their intervals shrink with their number."""
    value, low, high = np.mean(readings, axis=0)
    root = np.sqrt(len(readings))
    return np.array([value, value - (value - low) / root, value + (high - value) / root])


def wins(lines: Sequence[dict[str, Any]]) -> Iterator[str]:
    """In how many cells our attack is better than published ones, and in how many worse.

    Once the rival is the published attack that turned out best in the cell; once it is the one that
    was best on the other data with this generator, so that nobody chooses by the answers.
    """
    cells = _cells(lines)
    for name, score in RACES:
        for chosen, rivals in (("the cell itself", cells), ("the other data", _others(cells))):
            leads = []
            for cell, losses in cells.items():
                best, _ = best_published(rivals[cell], score)
                leads.append(
                    mean_interval([x["lead"][score] for x in losses if x["attack"] == best])
                )
            at_least = sum(lead[0] >= 0 for lead in leads)
            better, worse = sum(lead[1] > 0 for lead in leads), sum(lead[2] < 0 for lead in leads)
            yield (
                f"{score}, best published attack on {chosen}: {name} is at least as good in "
                f"{at_least} of {len(cells)} cells, mean lead {np.mean(leads, axis=0)[0]:.3f}; the "
                f"interval is above 0 in {better} and below 0 in {worse}."
            )


def _others(cells: _Cells) -> _Cells:
    """The readings of the same generator on other data; of the cell itself if there are none."""
    return {
        (data, generator): [
            line
            for at, losses in cells.items()
            if at[0] != data and at[1] == generator
            for line in losses
        ]
        or cells[data, generator]
        for data, generator in cells
    }


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
    parser.add_argument("--draws", type=int, nargs="+", default=[1])
    parser.add_argument("--rows", type=int, default=2_000)
    parser.add_argument("--asked", type=int, default=500)
    parser.add_argument("--data", nargs="+", default=list(DATA), choices=list(DATA))
    parser.add_argument(
        "--generators", nargs="+", default=list(GENERATORS), choices=list(GENERATORS)
    )
    parser.add_argument("--race", action="store_true", help="of our attacks play the best alone")
    given = parser.parse_args()
    ours = [OUR_BEST] if given.race else list(OURS)
    lines = run(given.data, given.generators, ours, given.draws, given.rows, given.asked)
    print("\n".join([*table(lines), "", *wins(lines), "", *means(lines)]))


if __name__ == "__main__":
    main()
