"""The contest trips: what its releases hide, and a whole small rehearsal."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from benchmarks.goals.trips import play_track

from quintain.contests import load
from quintain.contests.edition import Track
from quintain.runs.folder.folder import Folder
from quintain.runs.play import play
from quintain.runs.verification.verify import verify

ONE_EACH = {
    "repeats": 1,
    "dataset": {"rows": 40, "days": 6, "points": 6, "width": 8, "height": 8},
    "sample": {"days": 3, "people": 12},
}


def _small(track: str, *entries: str) -> Track:
    chosen = load("trips", overrides={"dataset": {"days": 10}, "sample": {"days": 5}})
    whole = chosen.track_by_id(track)
    kept = [s for s in whole.sanitizer if s.use in entries]
    return whole.model_copy(update={"sanitizer": tuple(kept)})


def _strongest(track: Track, people: int = 50) -> dict[str, float]:
    attackers = {baseline.id for baseline in track.baseline}
    out: dict[str, float] = {}
    for entry, name, value in play_track(track, people, seed=3):
        if name in attackers:
            out[entry] = max(value, out.get(entry, 0.0))
    return out


def test_exchanged_trajectories_hide_names_and_no_places() -> None:
    named = _strongest(_small("identity", "identity", "trace-swap"))
    traced = _strongest(_small("trace", "identity", "trace-swap"))
    assert named["identity"] > 0.9 and named["trace-swap"] < 0.15
    assert traced["identity"] > 0.95 and traced["trace-swap"] > 0.95


def test_the_edition_is_one_short_file() -> None:
    text = Path("src/quintain/contests/editions/trips.toml").read_text()
    assert text.count("\n") <= 60
    assert [track.id for track in load("trips").track] == ["identity", "trace"]


@pytest.fixture(scope="module")
def rehearsal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("trips")
    whole = load("trips", overrides=ONE_EACH)
    few = tuple(
        track.model_copy(update={"sanitizer": track.sanitizer[:2], "baseline": track.baseline[1:3]})
        for track in whole.track
    )
    play(whole.model_copy(update={"track": few}), out, seed=5)
    return out


@pytest.mark.slow
def test_a_rehearsal_is_verified(rehearsal: Path) -> None:
    verify(Folder(rehearsal))


def test_its_report_has_maps_that_say_what_they_show(rehearsal: Path) -> None:
    page = (rehearsal / "results/report.html").read_text()
    assert page.count('<svg class="map"') == 2 * (3 + 4)
    assert "Original of identity" in page and "True places of one person" in page
    assert "cell with most has x" in page


def test_people_of_different_releases_differ(rehearsal: Path) -> None:
    import pyarrow.parquet as pq

    samples = [
        tuple(np.unique(pq.read_table(path)["person"].to_numpy()).tolist())
        for path in sorted(rehearsal.glob("secret/identity/tasks/*/private.parquet"))
    ]
    assert len(samples) == 2 and len(set(samples)) > 1
