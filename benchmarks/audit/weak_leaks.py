"""Which weak leaks do tools see at the same rate of false alarms? Prints the power of each.

    QUINTAIN_DATA=folder python -m benchmarks.audit.weak_leaks [--seeds 20] [--nulls 40]
        [--rows 1000] [--folder build/weak-leaks]

Every tool gives one figure per release: the smallest of our p-values, each as a multiple of its
level; the largest lower bound of Anonymeter's three risks; SDMetrics's score of overfitting.
Releases of strangers tell how each figure falls by luck. A tool gives alarm if its figure is beyond
what all but one in twenty of them reach, so that all have the same rate of false alarms. The folder
keeps everything: a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.audit.adult_people import People, people, population
from benchmarks.audit.generators import Generator, copies, private, smote, strangers
from benchmarks.audit.truth_table import file_name
from benchmarks.bench.peers import peers, run_peer
from quintain.audits.release import audit_release
from quintain.audits.results import ReleaseAudit
from quintain.data import Table
from quintain.measures.intervals import proportion
from quintain.sanitizers.synthetic.mst import Mst

NULL = "strangers"
FALSE_ALARMS = 0.05


def redrawn(share: float, people: People, rng: np.random.Generator) -> Table:
    """The original, of which this share of the cells is drawn anew from their column."""
    columns = {}
    for name, values in people.original.columns.items():
        anew = rng.random(len(values)) < share
        columns[name] = np.where(anew, rng.permutation(values), values)
    return Table(people.original.schema, columns)


def between(share: float, people: People, rng: np.random.Generator) -> Table:
    """Strangers, but a share of the records lies between two original records."""
    made = round(share * len(people.original))
    rest = strangers(people, rng).take(np.arange(len(people.original) - made))
    return smote(people, rng).take(np.arange(made)).concat(rest)


LEAKS: Mapping[str, Generator] = {
    "copies 1 %": partial(copies, 0.01),
    "copies 3 %": partial(copies, 0.03),
    "SMOTE 10 %": partial(between, 0.1),
    "cells redrawn 70 %": partial(redrawn, 0.7),
    "cells redrawn 60 %": partial(redrawn, 0.6),
    "MST 100": partial(private, Mst(epsilon=100)),
}

TOOLS: Mapping[str, Callable[[Any], float]] = {
    "quintain": lambda said: -said["p"],
    "Anonymeter": lambda said: max(low for _, low, _ in said["anonymeter"].values()),
    "SDMetrics": lambda said: -said["sdmetrics"]["dcr-overfitting"],
}
"""What each tool says of a release as one figure: the larger, the worse."""


def main() -> None:
    """Make the releases, let the tools judge them, and print the table."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--nulls", type=int, default=40)
    parser.add_argument("--rows", type=int, default=1_000)
    parser.add_argument("--folder", type=Path, default=Path("build/weak-leaks"))
    given = parser.parse_args()
    everybody = population()
    folders = []
    for seed in range(max(given.nulls, given.seeds)):
        kinds = [NULL] * (seed < given.nulls) + list(LEAKS) * (seed < given.seeds)
        folders.append(given.folder / f"seed{seed:03d}")
        judge(everybody, seed, given.rows, kinds, folders[-1])
    print("\n".join(lines(folders)))


def judge(everybody: Table, seed: int, rows: int, kinds: Sequence[str], folder: Path) -> None:
    """Write the people, the releases and what the tools say of them, unless it is there."""
    if (folder / "said.json").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    dealt = people(everybody, rows, rng=np.random.default_rng([seed, 5]))
    original, control = folder / "original.csv", folder / "control.csv"
    dealt.original.to_csv(original)
    dealt.control.to_csv(control)
    said: dict[str, Any] = {}
    makers = {NULL: strangers, **LEAKS}
    for name in kinds:
        release = folder / f"{file_name(name)}.csv"
        makers[name](dealt, np.random.default_rng([seed, 6, list(makers).index(name)])).to_csv(
            release
        )
        audit = audit_release(original, release, control)
        said[name] = {"p": least_p(audit), "verdict": audit.verdict}
    if peers() is not None:
        script = Path(__file__).with_name("peers.py")
        others = json.loads(run_peer(script, folder, "--rows", rows, *map(file_name, kinds)))
        said = {name: {**said[name], **others[file_name(name)]} for name in kinds}
    (folder / "said.json").write_text(json.dumps(said))


def least_p(audit: ReleaseAudit) -> float:
    """The smallest p-value of an audit: 1 is where its alarm begins."""
    assert audit.p is not None and audit.laid_bare is not None  # there is a control
    signs = [sign.p / sign.level for sign in audit.laid_bare.signs]
    return min(audit.p / audit.level, *signs)


def lines(folders: Sequence[Path]) -> Iterator[str]:
    """One line per leak: the share of releases in which each tool gives alarm."""
    said = [json.loads((folder / "said.json").read_text()) for folder in folders]
    yield f"| release | {' | '.join(TOOLS)} | quintain as shipped |"
    yield "|---" * (len(TOOLS) + 2) + "|"
    figures = {tool: partial(_figures, said, read) for tool, read in TOOLS.items()}
    limits = {tool: _limit(of(NULL)) for tool, of in figures.items()}
    for name in (NULL, *LEAKS):
        cells = [_power(of(name), limits[tool]) for tool, of in figures.items()]
        shipped = [one[name]["verdict"] != "nothing-found" for one in said if name in one]
        cells.append(str(proportion(sum(shipped), len(shipped), "lower")))
        yield f"| {name} | {' | '.join(cells)} |"


def _figures(said: Sequence[Any], read: Callable[[Any], float], name: str) -> list[float]:
    """The figure of a tool on each release of a kind; none if the tool did not run."""
    figures = []
    for one in said:
        try:
            figures.append(read(one[name]))
        except (KeyError, TypeError, ValueError):  # not made, not run, or an error of the tool
            continue
    return figures


def _limit(figures: Sequence[float]) -> float:
    """What at most one in twenty of the null releases exceeds."""
    return float(np.quantile(figures, 1 - FALSE_ALARMS, method="higher")) if figures else np.inf


def _power(figures: Sequence[float], limit: float) -> str:
    alarms = sum(figure > limit for figure in figures)
    return str(proportion(alarms, len(figures), "lower")) if figures else "not run"


if __name__ == "__main__":
    main()
