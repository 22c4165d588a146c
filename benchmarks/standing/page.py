"""Page: the standing table in Markdown, from the files of all cells."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from benchmarks.bench.generated import MEASURES
from benchmarks.bench.means import mean_and_reach
from benchmarks.bench.person_tables import PERSON_TABLES
from benchmarks.standing.cells import (
    AUDIT,
    EPSILON,
    ORIGINALS,
    STRANGERS,
    Size,
    attacks,
    generators,
)
from benchmarks.standing.luck import DRAWS, luck
from quintain.jobs.files import write_file

KEPT = {"marginals1": "one-way", "marginals2": "two-way", "accuracy": "accuracy"}
TITLES = {
    "adult": ("Adult", "Census Income (UCI); guessed is whether an income is above 50,000 dollars"),
    "cps": ("CPS", "The base table of SNAKE; guessed is whether somebody is married"),
    "health": ("Health", "PhysioNet 2012, a row per stay; guessed is whether a test was made"),
    "retail": ("Retail", "Online Retail as in DARC, a row per customer; guessed is who still buys"),
    "bank": ("Bank", "Berka (PKDD 1999), a row per account; guessed is the kind of loan"),
}
HEAD = """\
# The standing table: generators against attacks

{generators} generators, {tables} tables of people, {attacks} attacks, {seeds}. A command writes
this page, so nobody edits it:

    QUINTAIN_DATA=folder python -m benchmarks.standing --out runs --seeds 5 \\
        --page docs/reference/standing-table.md

A release is made from {rows} people; {members} of {targets} targets are among them. Attackers have
the release and the population (up to {population} people), and neither the model nor the generator.
Generators have their default parameters. Those with differential privacy spend epsilon {epsilon}:
{private}.

Every registered generator and attack plays. A new one joins at the next start of the command. What
was played before is kept, one file for each release, verdict and attack.

## How to read it

- `identity` releases the private records themselves. `strangers` releases records of other people
  of the population: the best utility without any leak.
- **strongest** is the attack with the highest mean area under the curve (AUC) over the seeds. ± is
  half of a 95 % interval (Student's t over seeds). TPR is the share of members that the attack
  finds at a false positive rate of 1 % and of 10 %.
- **Luck**: the strongest of many attacks is above chance even if nothing leaks. All attacks play on
  `strangers`, and members are drawn anew {draws} times; in 5 of 100 draws, the strongest attack is
  above the figure of luck. *Figures in italics* are inside luck: they are no evidence of a leak,
  and no proof of safety. A figure a little above luck is weak evidence, too: of 20 rows without a
  leak, about one is above it.
- **one-way**, **two-way**: distances of marginals from the private records (total variation; 0 is
  best). **accuracy**: how often a classifier that learned from the release is right about other
  real people.
- **verdict**: what an audit of the release says that has the original and a control; if seeds
  differ, with how many of them.
- **seconds**: of making one release on a busy machine, with a GPU for networks if there is one.

All releases took {made} minutes, all audits and attacks {judged} minutes, if one worker does
everything.

Every attack that is the strongest in a row plays in each audit of a release, or the audit says why
it does not: see [which attacks play](../how-to/audit-a-release.md#which-attacks-play).

Attackers who may run the generator themselves, or who have its model, find more: see
[snake1](../contests/snake1.md), [midst](../contests/midst.md) and
[generators measured](generators.md).
"""


@dataclass
class Results:
    """What the files say, by table and generator."""

    releases: list[dict[str, Any]] = field(default_factory=list)
    verdicts: list[dict[str, Any]] = field(default_factory=list)
    figures: list[dict[str, Any]] = field(default_factory=list)

    def of(self, data: str, generator: str) -> Results:
        """The part about one generator on one table."""
        lists = (
            [x for x in several if x["data"] == data and x["generator"] == generator]
            for several in (self.releases, self.verdicts, self.figures)
        )
        return Results(*lists)


def read_results(folder: Path) -> Results:
    """Everything that was played, each line with its seconds."""
    results = Results()
    for path in sorted((folder / "results").glob("*.json")):
        line = json.loads(path.read_text())
        cost = folder / "seconds" / path.name
        line["seconds"] = json.loads(cost.read_text())["wall"] if cost.exists() else 0.0
        _, _, piece = path.stem.partition("--")
        kinds = {"": results.releases, AUDIT: results.verdicts}
        kinds.get(piece, results.figures).append(line)
    return results


def write_page(path: Path, results: Results, size: Size) -> None:
    """Write the whole page."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, ("\n".join(lines(results, size)) + "\n").encode(), public=True)


def lines(results: Results, size: Size) -> Iterator[str]:
    """The page, line by line."""
    shown = [name for name in PERSON_TABLES if any(x["data"] == name for x in results.releases)]
    seeds = len({x["seed"] for x in results.releases})
    yield _head(results, shown, seeds, size)
    for data in shown:
        yield from _section(results, data)
    yield from _refused(results)


def _head(results: Results, shown: list[str], seeds: int, size: Size) -> str:
    parts = generators(size)
    made = sum(x["seconds"] for x in results.releases)
    judged = sum(x["seconds"] for part in (results.verdicts, results.figures) for x in part)
    return HEAD.format(
        generators=len({x["generator"] for x in results.releases} - {STRANGERS, ORIGINALS}),
        tables=len(shown),
        attacks=len(attacks()),
        seeds=f"{seeds} seed{'' if seeds == 1 else 's'}",
        rows=f"{size.rows:,}",
        members=f"{size.targets // 2:,}",
        targets=f"{size.targets:,}",
        population=f"{size.population:,}",
        epsilon=f"{EPSILON:g}",
        private=", ".join(f"`{name}`" for name in parts if "epsilon" in parts[name].parameters()),
        draws=DRAWS,
        made=f"{made / 60:.0f}",
        judged=f"{judged / 60:.0f}",
    )


def _section(results: Results, data: str) -> Iterator[str]:
    title, about = TITLES[data]
    own = [x for x in results.figures if x["data"] == data]
    chance = luck(own, rng=np.random.default_rng(0))
    real = next(x["real"] for x in results.releases if x["data"] == data and "real" in x)
    yield f"## {title}"
    yield ""
    yield f"{about}. {'Real people' if real else 'A stand-in, no real people'}."
    shown = ", ".join(f"{name} {_short(value)}" for name, value in chance.items())
    yield f"Luck: {shown}."
    yield ""
    heads = ["generator", "strongest", *MEASURES, *KEPT.values(), "verdict", "seconds"]
    yield f"| {' | '.join(heads)} |"
    yield "|---" * len(heads) + "|"
    names = dict.fromkeys(x["generator"] for x in results.releases if x["data"] == data)
    rows = [_row(results.of(data, name), name, chance) for name in names]
    for _, _, row in sorted(row for row in rows if row is not None):
        yield row
    yield ""


def _row(own: Results, name: str, chance: dict[str, float]) -> tuple[int, float, str] | None:
    """The row of a generator, with its place: references first, then those that leak most."""
    made = [x for x in own.releases if "refused" not in x]
    by_attack: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in own.figures:
        if "refused" not in line and not line["blind"]:
            by_attack[line["attack"]].append(line)
    seeds = max((len(lines) for lines in by_attack.values()), default=0)
    whole = {attack: lines for attack, lines in by_attack.items() if len(lines) == seeds}
    if not made or not whole:
        return None
    area = {attack: mean(x["AUC"] for x in lines) for attack, lines in whole.items()}
    best = max(area, key=lambda attack: (area[attack], attack))
    cells = [f"`{name}`", f"`{best}`"]
    for measure in MEASURES:
        values = [x[measure] for x in whole[best]]
        text = _no_zero(mean_and_reach(values))
        cells.append(f"*{text}*" if mean(values) <= chance[measure] else text)
    cells += [_no_zero(mean_and_reach([x[key] for x in made])) for key in KEPT]
    cells += [_verdict(own.verdicts), f"{mean(x['seconds'] for x in made):.1f}"]
    place = [STRANGERS, ORIGINALS].index(name) if name in (STRANGERS, ORIGINALS) else 2
    return place, -area[best], f"| {' | '.join(cells)} |"


def _verdict(lines: list[dict[str, Any]]) -> str:
    counted = Counter(x["verdict"] for x in lines).most_common()
    if len(counted) == 1:
        return str(counted[0][0])
    return ", ".join(f"{verdict} ({count})" for verdict, count in counted)


def _refused(results: Results) -> Iterator[str]:
    """Which parts did not play, and why."""
    reasons: dict[tuple[str, str], set[str]] = defaultdict(set)
    for line in (*results.releases, *results.figures):
        if "refused" in line:
            who = line.get("attack", line["generator"])
            reasons[who, line["refused"].splitlines()[0]].add(TITLES[line["data"]][0])
    if not reasons:
        return
    yield "## What did not play"
    yield ""
    yield "| part | tables | reason |"
    yield "|---|---|---|"
    for (who, reason), tables in sorted(reasons.items()):
        yield f"| `{who}` | {', '.join(sorted(tables))} | {reason.replace('|', '/')} |"
    yield ""


def _no_zero(text: str) -> str:
    return text.replace("0.", ".")


def _short(value: float) -> str:
    return _no_zero(f"{value:.3f}")
