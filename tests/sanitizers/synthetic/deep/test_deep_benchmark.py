"""The benchmark of deep generators: a tiny run, kept, read again, and shown."""

import time
from functools import partial

import pytest
from benchmarks.bench.pool import kept_runs, play_all
from benchmarks.models import diffusion
from benchmarks.synthesizers.deep_generators import ATTACKS, PLAIN, Run, plan, play, rows


@pytest.mark.slow
def test_tiny_runs_are_kept_and_not_played_again(tmp_path, monkeypatch):
    monkeypatch.delenv("QUINTAIN_DATA", raising=False)
    runs = [
        Run("adult", "tabddpm", "cpu", 0, small=True),
        Run("adult", "copy", "plain", 0, small=True),
    ]
    work = {run.name: partial(play, run) for run in runs}
    play_all(work, tmp_path, jobs=1, gpu_jobs=1, end=time.time() + 600)
    lines = kept_runs(tmp_path)
    assert {line["generator"] for line in lines} == {"tabddpm", "copy"}
    written = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    play_all(work, tmp_path, jobs=1, gpu_jobs=1, end=time.time() + 600)
    assert written == {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    (copy,) = (line for line in lines if line["generator"] == "copy")
    assert copy["marginals1"] == 0 and copy["density-ratio"]["AUC"] > 0.8
    table = list(rows(lines))
    assert sum("| tabddpm |" in row for row in table) == 1 + len(ATTACKS)


def test_without_a_gpu_every_seed_is_played_on_cores():
    runs = plan(2, gpu=False, cpu=True, small=False)
    assert {run.device for run in runs} == {"cpu", "plain"}
    assert len(runs) == len(set(runs)) == 2 * 2 * (4 + len(PLAIN))
    with_gpu = plan(2, gpu=True, cpu=True, small=False)
    assert sum(run.device == "cpu" for run in with_gpu) == 8


@pytest.mark.slow
def test_a_tiny_diffusion_model_is_attacked_from_both_sides(monkeypatch):
    monkeypatch.delenv("QUINTAIN_DATA", raising=False)
    diffusion.population.cache_clear()
    line = diffusion.play(0, 2, small=True)
    attacks = [*diffusion.BLACK, "diffusion-loss"]
    attacks += [f"diffusion-shadows, {scoring}" for scoring in diffusion.SCORINGS]
    assert set(attacks) <= set(line)
    head, _, *shown = diffusion.rows([line])
    assert len(shown) == len(attacks) and head.startswith("| attack, 1 models |")
