"""False alarms: play honest contests with many seeds, and verify each of them.

    python -m benchmarks.live.honest [SEEDS [EDITION ...]]

Every contest is played in its quick version, revealed and replayed. A verifier who is given the
published roots and the checkpoint must find no problem. The table shows what it costs.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from quintain.contests import load
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.record import roots
from quintain.runs.play import play
from quintain.runs.verification.chain import KeptEvidence
from quintain.runs.verification.verify import verify

EDITIONS = ("tiny", "snake1", "amic", "darc", "hide-and-seek")


def main() -> None:
    """Print one row per edition, and every false alarm."""
    seeds = int(sys.argv[1]) if sys.argv[1:] else 20
    print("| edition | contests | false alarms | play, s | verify, s |\n|---|---:|---:|---:|---:|")
    for edition in sys.argv[2:] or EDITIONS:
        played, verified, alarms = 0.0, 0.0, []
        for seed in range(1, seeds + 1):
            with tempfile.TemporaryDirectory(prefix="quintain-bench-") as place:
                start = time.perf_counter()
                folder = play(load(edition, quick=True), Path(place) / "run", seed=seed)
                played += time.perf_counter() - start
                start = time.perf_counter()
                alarms += [f"{edition}, seed {seed}: {text}" for text in problems(folder)]
                verified += time.perf_counter() - start
        costs = f"{played / seeds:.1f} | {verified / seeds:.1f}"
        print(f"| {edition} | {seeds} | {len(alarms)} | {costs} |")
        print(*alarms, sep="\n", end="\n" if alarms else "", flush=True)


def problems(folder: Folder) -> tuple[str, ...]:
    """What a verifier finds who has kept every root, and the checkpoint."""
    checkpoint = folder.at(paths.CHECKPOINT).read_bytes()
    kept = KeptEvidence(tuple(roots(folder.state()).values()), {}, {paths.CHECKPOINT: checkpoint})
    return verify(folder, evidence=kept).problems


if __name__ == "__main__":
    main()
