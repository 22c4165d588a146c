"""How fast and how good PrivBayes is, for four values of epsilon, in one thread.

    QUINTAIN_DATA=folder-with-the-table python -m benchmarks.synthesizers.privbayes [--peers]

The task is that of SNAKE: about 9,735 people with 15 attributes in, 10,000 people out. Without the
real data the benchmark uses the stand-in. Every run is its own process, so that its peak memory is
its own. The CPU seconds do not include loading the data and measuring the result. TVD1 and TVD2 are
the mean total variation distances of one- and two-way marginals from the private data.

``--peers`` installs DataSynthesizer in a temporary environment and runs it at epsilon 1. It
receives the data as codes, all of them categories, and the setting that each column has two
parents.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import tempfile
import venv
from pathlib import Path

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.bench.machine import peak, people, run_alone
from benchmarks.bench.snake_task import (
    EPSILONS,
    ROWS,
    distances,
    keep,
    load,
    measure,
    private_table,
    source,
)
from quintain.data import Table
from quintain.sanitizers.synthetic.privbayes import PrivBayes

PEER = "DataSynthesizer==0.1.13"
PEER_SECONDS = 600
PEER_SCRIPT = """
import sys
from DataSynthesizer.DataDescriber import DataDescriber
from DataSynthesizer.DataGenerator import DataGenerator
names = open("private.csv").readline().strip().split(",")
describer = DataDescriber(category_threshold=1000)
describer.describe_dataset_in_correlated_attribute_mode(
    dataset_file="private.csv", epsilon=float(sys.argv[1]), k=2,
    attribute_to_is_categorical=dict.fromkeys(names, True),
    attribute_to_is_candidate_key=dict.fromkeys(names, False))
describer.save_dataset_description_to_file("description.json")
generator = DataGenerator()
generator.generate_dataset_in_correlated_attribute_mode(int(sys.argv[2]), "description.json")
generator.save_synthetic_data("synthetic.csv")
import pathlib
pathlib.Path("status").write_text(pathlib.Path("/proc/self/status").read_text())
"""


def run_one(file: Path, epsilon: float, seeds: int) -> str:
    """The cells of one line of the table: means over seeds."""
    figures, traces = measure(PrivBayes(epsilon=epsilon, rows=ROWS), load(file), seeds)
    parents = np.mean([len(point.given) for trace in traces for point in trace.focal_points])
    quality = f"{figures.one_way:.4f} | {figures.two_way:.4f} | {parents:.2f}"
    return f"{figures.seconds:.2f} | {figures.memory:.0f} | {quality}"


def run_peer(private: Table, epsilon: float, folder: Path) -> str:
    """DataSynthesizer's line of the table, or the reason why there is none."""
    names = list(private.schema.names)
    codes = private.codes()
    text = "\n".join([",".join(names), *(",".join(map(str, row)) for row in codes.tolist())])
    (folder / "private.csv").write_text(text + "\n")
    (folder / "peer.py").write_text(PEER_SCRIPT)
    venv.create(folder / "venv", with_pip=True)
    python = str(folder / "venv/bin/python")
    try:
        subprocess.run([python, "-m", "pip", "install", "-q", PEER], check=True, timeout=300)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [python, "peer.py", str(epsilon), str(ROWS)]
        subprocess.run(
            command, cwd=folder, check=True, timeout=PEER_SECONDS, stdout=subprocess.DEVNULL
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    except (subprocess.SubprocessError, OSError) as error:
        return f"| {PEER} | {epsilon:g} | not measured: {error} | | | | |"
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    drawn = np.genfromtxt(folder / "synthetic.csv", delimiter=",", skip_header=1, dtype=int)
    release = Table(private.schema, dict(zip(names, drawn.T, strict=True)))
    one, two = distances(private, release)
    memory = peak(folder / "status")
    return f"| {PEER} | {epsilon:g} | {seconds:.2f} | {memory:.0f} | {one:.4f} | {two:.4f} | 2 |"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--peers", action="store_true", help="also run DataSynthesizer: minutes")
    parser.add_argument("--one", nargs=2, metavar=("FILE", "EPSILON"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        file, epsilon = options.one
        print(run_one(Path(file), float(epsilon), options.seeds))
        return
    private, kind = private_table(), people(source().real)
    print(f"{len(private):,} people of the {kind} in, {ROWS:,} out, mean of {options.seeds} runs\n")
    print("| engine | epsilon | CPU s | peak RSS MB | TVD1 | TVD2 | mean parents |")
    print("|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        file = keep(private, Path(folder))
        for epsilon in EPSILONS:
            cells = run_alone(__file__, "--seeds", options.seeds, "--one", file, epsilon)
            print(f"| privbayes-v1 | {epsilon:g} | {cells} |", flush=True)
        if options.peers:
            print(run_peer(private, 1.0, Path(folder)), flush=True)


if __name__ == "__main__":
    main()
