"""One thread: numerical libraries use one thread inside a block, even if many blocks overlap."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_lock = threading.Lock()
_state: dict[str, Any] = {"blocks": 0, "limits": None}


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit the libraries to one thread until the last overlapping block ends.

    The limit is one of the process. If every block set and reset it, the first block to end would
    lift it for blocks that still run.
    """
    from threadpoolctl import threadpool_limits

    with _lock:
        if _state["blocks"] == 0:
            _state["limits"] = threadpool_limits(1)
        _state["blocks"] += 1
    try:
        yield
    finally:
        with _lock:
            _state["blocks"] -= 1
            if _state["blocks"] == 0:
                _state["limits"].restore_original_limits()
