"""Workers: pieces of a benchmark that need each other in nothing, in several processes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any


def in_workers(
    action: Callable[..., None], pieces: Sequence[tuple[Any, ...]], workers: int
) -> None:
    """Do something with every piece, whose parts are its arguments; raise the first fault."""
    if workers == 1:
        for piece in pieces:
            action(*piece)
        return
    with ProcessPoolExecutor(workers) as pool:
        for done in [pool.submit(action, *piece) for piece in pieces]:
            done.result()
