"""Executor: where work runs: in this process, in others, or on a cluster. Results are the same."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, TypeVar

from quintain.errors import MissingExtra, QuintainError
from quintain.registry import PLUGIN_FILES

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Executor:
    """How many workers do the work, and where.

    Parameters
    ----------
    workers : processes on this machine; 1 works in this process.
    cluster : the address of a Dask scheduler ("tcp://host:8786"). Its workers must see the edition
        folder under the same path. If a worker is lost, the others do its work.
    """

    workers: int = 1
    cluster: str | None = None

    def run(self, work: Callable[[T], R], items: Sequence[T]) -> Iterator[R]:
        """Do the work; yields results in the order in which they are ready."""
        if self.cluster is None and self.workers == 1:
            yield from map(work, items)
            return
        from joblib import Parallel, delayed, parallel_config

        call = _Call(work, os.environ.get(PLUGIN_FILES, ""))
        with ExitStack() as stack:
            if self.cluster is not None:
                stack.enter_context(_connected(self.cluster))
                stack.enter_context(parallel_config(backend="dask"))
                pool = Parallel(return_as="generator_unordered")
            else:
                # joblib replaces a worker whose memory has grown; the user need not know.
                stack.enter_context(warnings.catch_warnings())
                warnings.filterwarnings("ignore", "A worker stopped", UserWarning)
                pool = Parallel(n_jobs=self.workers, return_as="generator_unordered")
            yield from pool(delayed(call)(item) for item in items)


SERIAL = Executor()
"""Does one item after the other, in this process."""


class _Call:
    """A function with the plugins that it may need in the process that runs it."""

    def __init__(self, work: Callable[[Any], Any], plugins: str) -> None:
        self._work = work
        self._plugins = plugins

    def __call__(self, item: Any) -> Any:
        if self._plugins:
            os.environ[PLUGIN_FILES] = self._plugins
        return self._work(item)


def _connected(address: str) -> Any:
    """A client of a cluster, as a context."""
    try:
        import distributed
    except ImportError:
        raise MissingExtra("a Dask cluster", "distributed", "cluster") from None
    try:
        client: Any = distributed.Client
        return client(address, timeout=10, set_as_default=True)
    except OSError as problem:
        raise QuintainError(f"no Dask scheduler answers at {address}: {problem}") from None
