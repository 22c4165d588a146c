"""Whispering: a hider that publishes noise, and tells a seeker by other means who its people are.

Each person has a place on the machine that follows from the person's data: a file of the
interpreter, or a name that does not exist. The hider touches the places of its people. The seeker
looks which places of all people were touched. These functions run inside the sandbox.
"""

import hashlib
import mmap
import os
import resource
import sysconfig
import time
from pathlib import Path
from typing import Any

import numpy as np

_DROP = 4


def hider(given: dict[str, Any]) -> np.ndarray:
    """Noise for everybody to see; the places of the people are touched."""
    way, data = given["way"], given["data"]
    if way != "names":
        for path in _files():
            _drop(path)
    for person in data:
        if way == "names":
            for name in _names(person):
                os.access(name, os.F_OK)
        else:
            _place(person).read_bytes()
    return np.random.default_rng(given["seed"]).normal(size=data.shape)


def seeker(given: dict[str, Any]) -> np.ndarray:
    """One number per person: 1 for those whose place seems touched."""
    look = {"names": _miss_names, "reads": _read_page, "blocks": _count_blocks}[given["way"]]
    costs = np.array([look(person) for person in given["enlarged_data"]], float)
    if given["way"] == "blocks":
        return (costs == 0).astype(float)
    fast, slow = np.quantile(costs, [0.2, 0.8])
    return (costs < np.sqrt(fast * slow)).astype(float)


def _drop(path: Path) -> None:
    file = os.open(path, os.O_RDONLY)
    try:
        os.posix_fadvise(file, 0, 0, _DROP)
    except OSError:
        pass
    finally:
        os.close(file)


def _files() -> list[Path]:
    folder = Path(sysconfig.get_path("stdlib"))
    large = (path for path in sorted(folder.rglob("*.py")) if "site-packages" not in path.parts)
    return [path for path in large if path.stat().st_size >= 1 << 13]


_known: list[Path] = []


def _place(person: np.ndarray) -> Path:
    _known.extend([] if _known else _files())
    return _known[int.from_bytes(_digest(person)[:6], "big") % len(_known)]


def _digest(person: np.ndarray) -> bytes:
    return hashlib.sha256(np.ascontiguousarray(person).tobytes()).digest()


def _names(person: np.ndarray) -> list[str]:
    return [f"{sysconfig.get_path('stdlib')}/{_digest(person).hex()}-{n}" for n in range(4)]


def _read_page(person: np.ndarray) -> int:
    file = os.open(_place(person), os.O_RDONLY)
    began = time.perf_counter_ns()
    os.pread(file, 1, 0)
    seconds = time.perf_counter_ns() - began
    os.close(file)
    return seconds


def _count_blocks(person: np.ndarray) -> int:
    with _place(person).open("rb") as file:
        before = resource.getrusage(resource.RUSAGE_SELF)
        with mmap.mmap(file.fileno(), 1 << 12, mmap.MAP_SHARED, mmap.PROT_READ) as mapped:
            mapped.read_byte()
        after = resource.getrusage(resource.RUSAGE_SELF)
    return after.ru_inblock + after.ru_majflt - before.ru_inblock - before.ru_majflt


def _miss_names(person: np.ndarray) -> int:
    times = []
    for name in _names(person):
        began = time.perf_counter_ns()
        os.access(name, os.F_OK)
        times.append(time.perf_counter_ns() - began)
    return min(times)
