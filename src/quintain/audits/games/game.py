"""Game: one run after the other, each with its own coins, its own noise and its own release."""

from __future__ import annotations

from dataclasses import dataclass

from quintain.audits.games.features import FeatureExtractor, Features
from quintain.audits.games.players import Players
from quintain.data import as_table
from quintain.data.arrays import Mask
from quintain.noise import Noise
from quintain.releases import Release
from quintain.sanitizers import Sanitizer, sanitize
from quintain.seeds import SeedTree


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
