"""Pool: runs in processes that share a GPU; a finished run is a JSON file, and is not repeated."""

from __future__ import annotations

import json
import multiprocessing
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

Work = Mapping[str, Callable[[], dict[str, Any]]]
"""What to play, by the name of its file without the ending."""

_gpu: Any = None
"""How many runs may use the GPU at once; each worker gets it from its parent."""


@contextmanager
def on_gpu(needed: bool) -> Iterator[None]:
    """Wait until the GPU is free for one more run, if it is needed."""
    if not needed or _gpu is None:
        yield
        return
    with _gpu:
        yield


def play_all(work: Work, folder: Path, *, jobs: int, gpu_jobs: int, end: float) -> None:
    """Play what is missing; start nothing after the time ``end``."""
    folder.mkdir(parents=True, exist_ok=True)
    missing = [
        (folder / f"{name}.json", action, end)
        for name, action in work.items()
        if not (folder / f"{name}.json").exists()
    ]
    in_pool([partial(_play_and_keep, *job) for job in missing], jobs=jobs, gpu_jobs=gpu_jobs)


def in_pool(actions: Sequence[Callable[[], str]], *, jobs: int, gpu_jobs: int) -> None:
    """Do everything in processes, in this order, and print what each action says."""
    if jobs == 1:
        for action in actions:
            print(action(), flush=True)
        return
    context = multiprocessing.get_context("spawn")  # a fork cannot use CUDA
    with context.Pool(jobs, _start, (context.Semaphore(gpu_jobs),), maxtasksperchild=8) as pool:
        for said in pool.imap_unordered(_do, actions):
            print(said, flush=True)


def kept_runs(folder: Path) -> list[dict[str, Any]]:
    """The finished runs."""
    return [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]


def _start(semaphore: Any) -> None:
    global _gpu
    _gpu = semaphore


def _do(action: Callable[[], str]) -> str:
    return action()


def _play_and_keep(path: Path, action: Callable[[], dict[str, Any]], end: float) -> str:
    if time.time() > end:
        return f"{path.stem}: no time left"
    began = time.perf_counter()
    line = action()
    half = path.with_suffix(".half")
    half.write_text(json.dumps(line))
    half.rename(path)
    return f"{path.stem}: {time.perf_counter() - began:.0f} s"
