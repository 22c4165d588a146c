"""Luck: what the strongest of many attacks reaches on a release that says nothing about anybody.

Every attack plays on releases of strangers. Then who is a member is drawn anew, many times: for
each draw, the largest mean over the releases of all attacks. Attacks that resemble each other count
together in that way, as they do in the table.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import numpy as np

from benchmarks.bench.generated import MEASURES
from benchmarks.standing.cells import STRANGERS
from quintain.kernels.ranks import average_ranks
from quintain.measures.privacy.roc_curve import named_members

DRAWS, LEVEL = 400, 0.95


def luck(lines: Iterable[dict[str, Any]], *, rng: np.random.Generator) -> dict[str, float]:
    """For every measure, what the strongest attack exceeds in 5 of 100 tables without any leak."""
    scores: dict[str, dict[int, Any]] = defaultdict(dict)
    for line in lines:
        if line["generator"] == STRANGERS and "scores" in line and not line["blind"]:
            scores[line["attack"]][line["seed"]] = np.array(line["scores"])
    seeds = sorted({seed for score in scores.values() for seed in score})
    players = [score for score in scores.values() if len(score) == len(seeds)]
    if not players:
        return {name: float("nan") for name in MEASURES}
    ranks = [{seed: average_ranks(player[seed]) for seed in seeds} for player in players]
    people = len(players[0][seeds[0]])
    strongest = np.zeros((DRAWS, len(MEASURES)))
    for draw in range(DRAWS):
        members = {seed: rng.permutation(np.arange(people) < people // 2) for seed in seeds}
        figures = [
            np.mean([_figures(player[s], ranked[s], members[s]) for s in seeds], axis=0)
            for player, ranked in zip(players, ranks, strict=True)
        ]
        strongest[draw] = np.max(figures, axis=0)
    levels = np.quantile(strongest, LEVEL, axis=0)
    return dict(zip(MEASURES, levels.tolist(), strict=True))


def _figures(scores: Any, ranks: Any, members: Any) -> list[float]:
    """What :data:`MEASURES` measure, without intervals."""
    inside, outside = int(members.sum()), int((~members).sum())
    area = (ranks[members].sum() - inside * (inside + 1) / 2) / (inside * outside)
    return [area, *(named_members(members, scores, fpr) / inside for fpr in (0.01, 0.1))]
