"""How fast and how good is PrivBayes? Prints a table for four values of epsilon, one thread.

    QUINTAIN_DATA=folder-with-snake_base.parquet python benchmarks/privbayes.py [--peers]

The task is that of SNAKE: about 9,735 people with 15 attributes in, 10,000 people out. Without the
real data the stand-in is used. Every run has a process of its own, so that the peak of its memory
is its own; loading the data and measuring the result are not in the CPU seconds. TVD is the mean
total variation distance of one- and two-way marginals from the private data.

``--peers`` installs DataSynthesizer in a temporary environment of its own and runs it at epsilon 1.
It is told the data as codes, all of them categories, and that each column has two parents.
"""

# The number of threads must be set before NumPy is loaded.
# ruff: noqa: E402

from __future__ import annotations

import os

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path
from typing import Any

import numpy as np

from quintain.data import Table
from quintain.data.sources.cps import FILE, SCHEMA, Cps
from quintain.measures.utility.marginals import Marginals
from quintain.noise import Noise
from quintain.samples.targets import Targets
from quintain.sanitizers import sanitize
from quintain.sanitizers.privbayes import PrivBayes

EPSILONS = (1.0, 10.0, 100.0, 1000.0)
ROWS = 10_000
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


def task() -> tuple[Table, str]:
    """Task 0: 100 households of five or more, half of them in, among 9,460 other people."""
    folder = os.environ.get("QUINTAIN_DATA")
    real = folder is not None and (Path(folder) / FILE[0]).is_file()
    rng = np.random.default_rng(0)
    population = Cps(real=real, duplicates="keep").data(rng)
    design = Targets(
        targets=100, unit="household", min_unit_size=5, members="half", background=9460
    )
    private = design.draw(population, rng=np.random.default_rng(0)).private
    assert isinstance(private, Table)
    return private, "real data" if real else "stand-in"


def peak(status: Path) -> float:
    """The most memory a process had, in MB.

    From Linux, not from ``getrusage``: what that says of a child includes the parent it was
    forked from.
    """
    lines = status.read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def distances(private: Table, release: Table) -> tuple[float, float]:
    """Mean distance of one- and of two-way marginals."""
    one = Marginals(ways=1).measure(private, release, None)["tv1"].value
    return one, Marginals(ways=2).measure(private, release, None)["tv2"].value


def run_one(file: str, epsilon: float, seeds: int) -> dict[str, Any]:
    """Figures for one epsilon: means over seeds."""
    held = np.load(file)
    schema = SCHEMA.select(list(held.files))
    private = Table(schema, {name: held[name] for name in held.files})
    sanitizer = PrivBayes(epsilon=epsilon, rows=ROWS)
    lines, memory = [], 0.0
    for seed in range(seeds):
        noise = Noise.for_test(seed)
        start = time.process_time()
        release = sanitize(sanitizer, private, rng=np.random.default_rng(seed), noise=noise)
        seconds = time.process_time() - start
        memory = memory or peak(Path("/proc/self/status"))  # before any measuring
        assert isinstance(release.data, Table)
        parents = float(np.mean([len(point.given) for point in release.focal_points]))
        lines.append([seconds, *distances(private, release.data), parents])
    return {"mean": np.mean(lines, axis=0).tolist(), "memory": memory}


def run_peer(private: Table, epsilon: float, folder: Path) -> str:
    """DataSynthesizer's line of the table, or why there is none."""
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
    parser.add_argument("--peers", action="store_true", help="run DataSynthesizer, too: minutes")
    parser.add_argument("--one", nargs=2, metavar=("FILE", "EPSILON"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(run_one(options.one[0], float(options.one[1]), options.seeds)))
        return
    private, kind = task()
    print(f"{len(private):,} people of the {kind} in, {ROWS:,} out, mean of {options.seeds} runs\n")
    print("| engine | epsilon | CPU s | peak RSS MB | TVD1 | TVD2 | mean parents |")
    print("|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "private.npz"
        np.savez(file, allow_pickle=False, **dict(private.columns))
        for epsilon in EPSILONS:
            command = [sys.executable, __file__, "--seeds", str(options.seeds)]
            done = subprocess.run(
                [*command, "--one", file, str(epsilon)], capture_output=True, text=True, check=True
            )
            found = json.loads(done.stdout)
            seconds, one, two, parents = found["mean"]
            quality = f"{one:.4f} | {two:.4f} | {parents:.2f} |"
            head = f"| privbayes-v1 | {epsilon:g} | {seconds:.2f} |"
            print(f"{head} {found['memory']:.0f} | {quality}", flush=True)
        if options.peers:
            print(run_peer(private, 1.0, Path(folder)), flush=True)


if __name__ == "__main__":
    main()
