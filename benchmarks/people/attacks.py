"""Attacks on rows beside attacks on whole people, on releases of several tables.

    QUINTAIN_DATA=folder python -m benchmarks.people.attacks [--people 400] [--seeds 2]

Half of the people (customers of a shop with invoices and lines; without the file, simulated
patients with visits and prescriptions) are released, the other half is the control. Five attacks
score everybody:

- rows: how near the nearest released row is to each row of a person in the last table, with the
  columns above it; the mean over the rows.
- tables: the same for the rows of each table by themselves; the sum over the tables, each in
  standard deviations.
- aggregates: how near the nearest pseudonym is, as one row of numbers, means, extremes and shares.
- learned: how sure a forest is that the aggregates of a person come from the release. It learned to
  tell pseudonyms from as many further people, whom the attacker knows for other reasons: the attack
  ``aggregates`` with ``attack = { use = "two-sample" }``.
- histories: how clearly one pseudonym stands out by all rows together. It also names people: the
  share of the released people whose pseudonym is the right one, where each has one.

Figures are means over seeds: the area under the curve with DeLong's interval of the first seed, and
the true positive rates at false positive rates of 1 % and 10 %. A release that shows nothing has
0.5, 0.01 and 0.1.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.people.data import FOLDER, shop
from quintain.attacks.each_table import nearness
from quintain.attacks.membership.two_sample import TwoSample
from quintain.data import Schema, Table, Trees
from quintain.data.arrays import Array, Floats
from quintain.data.people import People
from quintain.data.sources.clinic import Clinic
from quintain.kernels.aggregates import aggregate
from quintain.kernels.distances import gower
from quintain.kernels.histories import recognise
from quintain.kernels.neighbours import nearest
from quintain.measures.privacy.roc_curve import auc
from quintain.randomness.noise import Noise
from quintain.registry import build
from quintain.sanitizers import Sanitizer, sanitize
from quintain.sanitizers.people.stages import stages

RELEASES: dict[str, dict[str, Any]] = {
    "new pseudonyms": {"use": "new-pseudonyms"},
    "a third of the rows dropped": {"use": "row-dropping", "share": 0.33},
    "values shuffled": {"use": "value-shuffling"},
    "times shifted": {"use": "time-shift"},
    "families resampled, by table": {"use": "family-resampling", "donor_of": "table"},
    "families resampled, by row": {"use": "family-resampling", "donor_of": "row"},
    "people-marginals, epsilon 10": {"use": "people-marginals", "epsilon": 10.0, "rows": 200},
    "people-marginals, epsilon 1": {"use": "people-marginals", "epsilon": 1.0, "rows": 200},
}
HEAD = """\
| release | attack | AUC | TPR at 1 % | TPR at 10 % | named | CPU s |
|---|---|---|---|---|---|---|"""
LARGEST = 100
"""People with more rows than this in a table are left out, for the sake of time."""


def draw_people(count: int, seed: int) -> People:
    """Members first, then as many people for the control, then as many whom attackers know."""
    real = FOLDER.joinpath("online_retail.parquet").exists()
    everybody = shop() if real else Clinic(rows=4 * count).generate(np.random.default_rng(0)).people
    last = list(everybody.tables.values())[-1].lengths()
    fitting = np.flatnonzero((last >= 2) & (last <= LARGEST))
    return everybody.take(np.random.default_rng(seed).permutation(fitting)[: 3 * count])


Scores = tuple[Floats, Array]
"""A score for each person, and the pseudonym that fits best; -1 if the attack names nobody."""


def score_rows(known: People, shown: People, others: People, rng: np.random.Generator) -> Scores:
    """The mean nearness of the nearest released row; nobody is named."""
    last = list(known.tables.values())[-1]
    near = _mean_nearness(_join_rows(known), _join_rows(shown), last.person, known.size)
    return near, np.full(known.size, -1)


def score_tables(known: People, shown: People, others: People, rng: np.random.Generator) -> Scores:
    """The mean nearness of the nearest released row, added up over tables; nobody is named."""
    return nearness(known, shown), np.full(known.size, -1)


def _mean_nearness(own: Table, released: Table, person: Array, people: int) -> Floats:
    """How near the nearest released row is to the rows of each person; 0 without rows."""
    distance, _ = nearest(own, released, gower(own.schema, [own, released]))
    return -np.bincount(person, distance, people) / np.maximum(
        1, np.bincount(person, minlength=people)
    )


def score_aggregates(
    known: People, shown: People, others: People, rng: np.random.Generator
) -> Scores:
    """How near the nearest pseudonym is, and which it is."""
    own, released = aggregate(known, shown)
    distance, first = nearest(own, released, gower(own.schema, [own, released]))
    return -distance, first


def score_learned(known: People, shown: People, others: People, rng: np.random.Generator) -> Scores:
    """How sure a forest is that somebody comes from the release; nobody is named."""
    own, released, base = aggregate(known, shown, others)
    return TwoSample(trees=200).scores(released, base, own, rng=rng), np.full(known.size, -1)


def score_histories(
    known: People, shown: People, others: People, rng: np.random.Generator
) -> Scores:
    """How clearly one pseudonym stands out, and which it is."""
    best = recognise(known.loose(), shown.loose(), rng=rng)
    return best.margin, best.first


ATTACKS: dict[str, Callable[[People, People, People, np.random.Generator], Scores]] = {
    "rows": score_rows,
    "tables": score_tables,
    "aggregates": score_aggregates,
    "histories": score_histories,
    "learned": score_learned,
}


def _join_rows(people: People) -> Table:
    """The rows of the last table with the columns of the rows above."""
    everything = stages(people, 1)
    *_, last = everything.values()
    rows, at = np.arange(len(last.branch)), last
    columns, cells = [], {}
    while True:
        for column in at.table.schema.columns:
            if "." in column.name:
                columns.append(column)
                cells[column.name] = at.table.columns[column.name][rows]
        if at.above is None:
            return Table(Schema(columns=tuple(columns)), cells)
        rows, at = at.branch.parent[rows], everything[at.above]


Game = dict[str, tuple[Floats, Array, float]]
"""For each attack: scores, whether names are right (empty if it names nobody), CPU seconds."""


def play(release: str, count: int, seed: int) -> Game:
    """Make a release of one half of the people, and let all attacks score everybody."""
    people = draw_people(count, seed)
    part = build("sanitizer", RELEASES[release])
    assert isinstance(part, Sanitizer)
    rng = np.random.default_rng(seed)
    members = Trees.of(people.take(np.arange(count)))
    made = sanitize(part, members, rng=rng, noise=Noise.for_test(seed))
    shown = made.release.data
    assert isinstance(shown, Trees)
    everybody = Trees.of(people).people
    known = everybody.take(np.arange(2 * count))
    others = everybody.take(np.arange(2 * count, everybody.size))
    return score_everybody(known, shown.people, others, made.trace.origins, rng=rng)


def score_everybody(
    known: People,
    shown: People,
    others: People,
    origins: Array | None = None,
    *,
    rng: np.random.Generator,
) -> Game:
    """Let all attacks score the known people, of whom the first half are the members.

    Parameters
    ----------
    origins : the member of each pseudonym, if each is somebody's.
    """
    count, out = known.size // 2, {}
    for name, score in ATTACKS.items():
        start = time.process_time()
        scores, first = score(known, shown, others, rng)
        seconds = time.process_time() - start
        right = np.zeros(0)
        if origins is not None and (first >= 0).all():
            right = origins[first[:count]] == np.arange(count)
        out[name] = scores, right, seconds
    return out


def lines(release: str, games: Sequence[Game]) -> list[str]:
    """One line of the table for each attack."""
    out = []
    for attack in ATTACKS:
        member = np.repeat([True, False], len(games[0][attack][0]) // 2)
        areas = [auc(member, game[attack][0]) for game in games]
        rates = [
            [float((s[member] > np.quantile(s[~member], 1 - fpr)).mean()) for fpr in (0.01, 0.1)]
            for s in (game[attack][0] for game in games)
        ]
        named = [game[attack][1].mean() for game in games if len(game[attack][1])]
        low, high = areas[0].low, areas[0].high
        shown = [
            f"{np.mean([a.value for a in areas]):.3f} ({low:.2f} to {high:.2f})",
            *(f"{rate:.2f}" for rate in np.mean(rates, axis=0)),
            f"{np.mean(named):.2f}" if named else "–",
            f"{np.mean([game[attack][2] for game in games]):.1f}",
        ]
        out.append(f"| {release} | {attack} | {' | '.join(shown)} |")
    return out


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=400)
    parser.add_argument("--seeds", type=int, default=2)
    given = parser.parse_args()
    print(HEAD)
    for release in RELEASES:
        games = [play(release, given.people, seed) for seed in range(given.seeds)]
        print("\n".join(lines(release, games)), flush=True)


if __name__ == "__main__":
    main()
