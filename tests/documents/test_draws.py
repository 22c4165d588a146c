"""Figures of pages that rest on kept draws: at least twenty, and the page has their means."""

import json
from pathlib import Path

import numpy as np
import pytest
from benchmarks.bench.means import mean_and_error

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/contests/hide-and-seek.md").read_text()
DRAWS = json.loads((ROOT / "docs/draws/averages.json").read_text())
STAYS = {"20": "simulated, 20 features", "70": "simulated, 70 features", "real": "PhysioNet"}


def drawn(data: str, seeker: str) -> list[float]:
    return [DRAWS[f"{data}/400/shrinkage 0.3/{seed}"][seeker] for seed in range(20)]


@pytest.mark.parametrize(("data", "words"), STAYS.items())
def test_the_page_has_the_means_of_twenty_draws(data, words):
    figures = [drawn(data, seeker) for seeker in ("averages", "learned moments")]
    cells = [mean_and_error(values).replace("0.", ".") for values in figures]
    assert f"| {words} | {' | '.join(cells)} |" in PAGE


@pytest.mark.parametrize("data", STAYS)
def test_learned_moments_find_more_than_averages_and_both_more_than_chance(data):
    gain = np.array(drawn(data, "learned moments")) - np.array(drawn(data, "averages"))
    assert gain.mean() > 2 * gain.std(ddof=1) / np.sqrt(len(gain))
    assert np.mean(drawn(data, "averages")) > 0.55
