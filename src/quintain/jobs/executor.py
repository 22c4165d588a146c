"""Executor: where work runs: in this process, in others, or on a cluster. Results are the same."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent import futures
from concurrent.futures import BrokenExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from threading import Thread
from time import perf_counter, sleep
from typing import Any, TypeVar

from quintain.errors import QuintainError
from quintain.jobs.cluster import TlsFiles, cluster_client, refuse_open_connection
from quintain.jobs.graph import AHEAD, Kind, Ready, nothing_more
from quintain.registry import load_same_files, loaded_files

T = TypeVar("T")
R = TypeVar("R")

_MOMENT = 0.2
"""How many seconds workers need to see what is there for them."""

_INSTANT = 0.001
"""How many seconds pass before one looks again whether a call has reached the workers."""

_MOST_GROWTH = 1024**3
"""How many bytes a worker may grow before joblib replaces it, which costs all its imports again.

The limit of joblib, 0.3 GB, is what PyTorch alone takes.
"""

_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1"
)
"""The environment of workers: there is one for each core, so a library needs no second thread."""


@dataclass(frozen=True, slots=True)
class Executor:
    """How many workers do the work, and where.

    Parameters
    ----------
    workers : processes on this machine; 1 works in this process.
    cluster : the address of a Dask scheduler ("tls://host:8786"). Its workers must see the edition
        folder under the same path. If a worker is lost, the others do its work.
    tls : the files that prove who we are: the certificate of the authority, our certificate and
        our key, all in PEM.
    without_tls : use a cluster on another machine although nothing protects the connection.
    """

    workers: int = 1
    cluster: str | None = None
    tls: TlsFiles | None = None
    without_tls: bool = False

    def __post_init__(self) -> None:
        """Refuse a connection on which others could read truths or send code."""
        if self.cluster is not None and not self.without_tls:
            refuse_open_connection(self.cluster, self.tls)

    def warm(self, *modules: str) -> None:
        """Let the workers of this machine start and import modules, while this process goes on.

        Starting takes them seconds; :meth:`run` then has the same workers.
        """
        if self.cluster is None and self.workers > 1:
            Thread(target=self._import, args=(modules,), daemon=True).start()

    def _import(self, modules: Sequence[str]) -> None:
        pool = _local_workers(self.workers)
        with suppress(BrokenExecutor, RuntimeError):  # stopped: who needs the workers hears of it
            wait([pool.submit(_import_all, modules) for _ in range(self.workers)])

    def run(
        self,
        work: Callable[[T], R],
        items: Iterable[T],
        *,
        then: Callable[[R], Iterable[T]] = nothing_more,
        kind: Kind[T] | None = None,
        shared: Path | None = None,
    ) -> Iterator[R]:
        """Do the work; yields results in the order in which they are ready.

        Parameters
        ----------
        then : the items that can start once there is a result; see :mod:`quintain.jobs.graph`.
        kind : what items are like, so that long ones start first and short ones go together.
        shared : the folder in which the work reads and writes; workers elsewhere must see it.
        """
        if self.cluster is None and self.workers == 1:
            waiting = deque(items)
            while waiting:
                result = work(waiting.popleft())
                waiting.extend(then(result))
                yield result
            return
        call = _Call(work, loaded_files())
        with self._pool(shared) as pool:
            try:
                yield from _run_graph(pool, call, items, then, kind)
            except BrokenExecutor:
                raise QuintainError(
                    "a worker process ended suddenly, most likely for lack of memory; use fewer "
                    "--workers, then run the command again"
                ) from None

    @contextmanager
    def _pool(self, shared: Path | None) -> Iterator[_Pool]:
        """The workers, which live on for later calls; after an error their work is stopped."""
        if self.cluster is not None:
            with cluster_client(self.cluster, self.tls, shared) as client:
                # Nothing that was made here is made once for two runs: jobs write files.
                yield _Pool(client.get_executor(pure=False), sum(client.ncores().values()))
            return
        executor = _local_workers(self.workers)
        pool = _Pool(executor, self.workers)
        try:
            yield pool
        except BaseException:
            pool.hand_over()
            executor.terminate(kill_workers=True)
            raise


def _local_workers(number: int) -> Any:
    """The worker processes of this machine, the same ones as long as nobody stops them."""
    from joblib.executor import get_memmapping_executor

    _ignore_replaced_workers()
    return get_memmapping_executor(number, env=_ONE_THREAD, initializer=_let_grow)


def _let_grow() -> None:
    """In a new worker: joblib has this limit in its code only."""
    from joblib.externals.loky import process_executor

    process_executor._MAX_MEMORY_LEAK_SIZE = _MOST_GROWTH


def _ignore_replaced_workers() -> None:
    """Let joblib replace a worker whose memory has grown without a warning.

    It warns in the thread that hands out all work: where warnings are errors, that thread would
    end, and nobody would ever answer.
    """
    warnings.filterwarnings("ignore", "A worker stopped", UserWarning)


class _Pool:
    """Workers that take calls, their number, and the calls that no worker has returned yet."""

    def __init__(self, executor: futures.Executor, workers: int) -> None:
        self.workers = workers
        self._executor = executor
        self._open: set[futures.Future[Any]] = set()

    def submit(self, work: Callable[..., R], *args: Any) -> futures.Future[R]:
        """Hand one call to a worker."""
        future = self._executor.submit(work, *args)
        self._open.add(future)
        return future

    def first_done(self) -> set[futures.Future[Any]]:
        """Wait for the next calls that are done."""
        _ignore_replaced_workers()
        done, self._open = wait(self._open, return_when=futures.FIRST_COMPLETED)
        return done

    def hand_over(self) -> None:
        """Wait a moment until every call has reached a worker: joblib cannot stop it on its way."""
        end = perf_counter() + _MOMENT
        while perf_counter() < end and not all(
            future.running() or future.done() for future in self._open
        ):
            sleep(_INSTANT)


def _run_graph(
    pool: _Pool,
    call: _Call,
    items: Iterable[T],
    then: Callable[[R], Iterable[T]],
    kind: Kind[T] | None,
) -> Iterator[R]:
    ready = Ready[T](pool.workers, kind=kind)
    ready.add(items)
    running: dict[futures.Future[list[tuple[Any, float]]], list[T]] = {}
    while ready or running:
        while ready and len(running) < AHEAD * pool.workers:
            batch = ready.take()
            running[pool.submit(call, batch)] = batch
        for future in pool.first_done():
            for item, (result, seconds) in zip(running.pop(future), future.result(), strict=True):
                ready.took(item, seconds)
                ready.add(then(result))
                yield result


SERIAL = Executor()
"""Does one item after the other, in this process."""


def _import_all(modules: Sequence[str]) -> None:
    for module in modules:
        import_module(module)
    sleep(_MOMENT)  # one worker must not take the turn of another one


class _Call:
    """A function with the plugins that it may need in the process that runs it."""

    def __init__(self, work: Callable[[Any], Any], plugins: Mapping[str, str]) -> None:
        self._work = work
        self._plugins = plugins

    def __call__(self, batch: Sequence[Any]) -> list[tuple[Any, float]]:
        """The results of a batch, each with the seconds that it took."""
        load_same_files(self._plugins)
        results = []
        for item in batch:
            start = perf_counter()
            results.append((self._work(item), perf_counter() - start))
        return results
