"""Record: plays all runs of a game as jobs, keeps what was seen in files, and reads it again.

Each run has its own coins, its own noise and its own release.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from quintain.audits.games.features import (
    FeatureExtractor,
    Features,
    encode_features,
    read_features,
    read_queries,
)
from quintain.audits.games.players import Players
from quintain.data import as_table
from quintain.data.arrays import Floats, Mask, Rows
from quintain.jobs.executor import Executor
from quintain.jobs.job import Job, run_live
from quintain.randomness.noise import Noise
from quintain.randomness.seeds import SeedTree
from quintain.releases import Release
from quintain.sanitizers import Sanitizer, sanitize


@dataclass(frozen=True, slots=True, eq=False)
class Game:
    """A sanitizer, the people in the game, and what is kept of every release.

    Parameters
    ----------
    seeds : where the coins and the noise of each run come from; run numbers are the path.
    """

    sanitizer: Sanitizer
    players: Players
    extractor: FeatureExtractor
    seeds: SeedTree

    def coins(self, run: int) -> Mask:
        """Who of the targets is in the data of a run: independent fair coins."""
        return self.seeds.rng("coins", run).integers(2, size=len(self.players)).astype(bool)

    def release(self, run: int) -> tuple[Release, int]:
        """Run the sanitizer; returns its release and how many records it got."""
        private = self.players.records.take(self.players.private_rows(self.coins(run)))
        noise = Noise(self.seeds.key("noise", run), test=True)
        rng = self.seeds.rng("sanitizer", run)
        return sanitize(self.sanitizer, private, rng=rng, noise=noise).release, len(private)

    def play(self, run: int, *, all_targets: bool) -> Features:
        """Run the sanitizer and look at its release, at all targets or only at the worst cases."""
        release, private = self.release(run)
        table, aligned = as_table(release.data), self.sanitizer.aligned
        return self.extractor.extract(table, private, aligned=aligned, all_targets=all_targets)


WATCHED = 12
"""In about this many runs all targets are looked at, and only those who stand out in the others."""
STAMPS = "done"


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """What was seen in all runs of a game; the large part stays in files until it is asked for.

    Parameters
    ----------
    root : the folder with one file per run.
    coins : runs x targets: who was in the data.
    evidence : runs x targets that stand out x kinds of evidence.
    whole : runs x statistics of the release.
    watched : the runs in which all targets were looked at.
    shared : for those runs, runs x targets x kinds.
    """

    root: Path
    coins: Mask
    evidence: Floats
    whole: Floats
    watched: Rows
    shared: Floats

    @property
    def runs(self) -> int:
        """How many runs there were."""
        return len(self.coins)

    def training(self) -> Mask:
        """The half of the runs that trains and chooses attacks; the rest gives the bounds."""
        return np.asarray(np.arange(self.runs) % 2 == 0)

    def queries(self, target: int, runs: Rows) -> Floats:
        """The answers to all queries about a target that stands out: runs x queries."""
        return np.stack([read_queries(self.root / _file(run), target) for run in runs.tolist()])


def is_watched(run: int, runs: int) -> bool:
    """Whether all targets are looked at in a run: in pairs of runs, one for each half."""
    every = max(1, runs // WATCHED)
    return run // 2 % every == 0


def play_runs(
    game: Game, root: Path, key: str, runs: int, *, executor: Executor, label: str
) -> Record:
    """Play the runs that are not in the folder, and read all of them.

    Parameters
    ----------
    key : a fingerprint of everything the runs depend on.
    """
    jobs = [
        Job(f"run {run}", "quintain.audits.games.record:play", (run, is_watched(run, runs)), key)
        for run in range(runs)
    ]
    run_live(root, jobs, partial(_play, game), stamps=STAMPS, executor=executor, label=label)
    return _read(game, root, runs)


def _play(game: Game, job: Job) -> dict[str, bytes]:
    run = job.args[0]
    assert isinstance(run, int)
    return {_file(run): encode_features(game.play(run, all_targets=bool(job.args[1])))}


def _file(run: int) -> str:
    return f"runs/{run:06d}.seen"


def _read(game: Game, root: Path, runs: int) -> Record:
    coins = np.stack([game.coins(run) for run in range(runs)])
    evidence, whole, shared = [], [], []
    for run in range(runs):
        seen = read_features((root / _file(run)).read_bytes())
        evidence.append(seen.evidence)
        whole.append(seen.whole)
        if len(seen.shared):
            shared.append(seen.shared)
    watched = np.flatnonzero([is_watched(run, runs) for run in range(runs)])
    return Record(
        root,
        coins,
        np.stack(evidence).astype(float),
        np.stack(whole).astype(float),
        watched,
        np.stack(shared).astype(float),
    )
