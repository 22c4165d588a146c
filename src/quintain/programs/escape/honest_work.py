"""Honest work: what programs of teams do to compute; a sandbox that stops it is of no use.

These functions run inside the sandbox, so they import nothing of quintain. Each returns a number.
"""

import importlib.util
import multiprocessing
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import numpy as np


def multiply_matrices(given: dict[str, Any]) -> int:
    """Linear algebra by the library that numpy uses."""
    matrix = np.eye(200) * 2
    return round(float(np.linalg.det((matrix @ matrix)[:4, :4]))) // 256


def use_threads(given: dict[str, Any]) -> int:
    """Four threads that compute."""
    sums: list[float] = []
    work = [threading.Thread(target=lambda: sums.append(np.ones(1000).sum())) for _ in range(4)]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()
    return int(sum(sums)) // 4000


def use_processes(given: dict[str, Any]) -> int:
    """A pool of three processes."""
    with multiprocessing.get_context("fork").Pool(3) as pool:
        return sum(pool.map(abs, [-1, 0, 0]))


def run_command(given: dict[str, Any]) -> int:
    """Another interpreter, as a command."""
    command = [sys.executable, "-c", "print(1)"]
    return int(subprocess.run(command, capture_output=True, check=True).stdout)  # noqa: S603


def write_temporary_files(given: dict[str, Any]) -> int:
    """Temporary files and folders."""
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "array.npy", np.ones(1000))
        return int(np.load(Path(folder) / "array.npy").mean())


def fit_model(given: dict[str, Any]) -> int:
    """A model of scikit-learn, if it is installed."""
    if importlib.util.find_spec("sklearn") is None:
        return 1
    from sklearn.linear_model import LogisticRegression

    rows = np.arange(20.0)[:, None]
    return int(LogisticRegression().fit(rows, rows[:, 0] > 9).predict([[19.0]])[0])
