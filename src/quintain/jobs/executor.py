"""Executor: where work runs: in this process, in others, or on a cluster. Results are the same."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from importlib import import_module
from ipaddress import ip_address
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any, TypeVar
from urllib.parse import urlsplit

from quintain.errors import MissingExtra, QuintainError
from quintain.registry import PLUGIN_FILES

T = TypeVar("T")
R = TypeVar("R")

_PATIENCE = 10.0
"""How many seconds a scheduler has for its first answer."""

_MOMENT = 0.2
"""How many seconds a worker rests after it has imported modules."""


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
    tls: tuple[Path, Path, Path] | None = None
    without_tls: bool = False

    def __post_init__(self) -> None:
        """Refuse a connection on which others could read truths or send code."""
        if self.cluster is None or self.without_tls or _is_local(self.cluster):
            return
        encrypted = self.cluster.startswith("tls://")
        if encrypted and self.tls is not None:
            return
        why = "no certificate is given" if encrypted else "is not encrypted"
        raise QuintainError(
            f"{self.cluster}: {why}. Workers see truths and keys, and a scheduler can run any code "
            "here, so both sides must prove who they are: use tls://HOST:PORT with --cluster-tls "
            "CA CERT KEY, or --cluster-without-tls in a network that only you can reach"
        )

    def warm(self, *modules: str) -> None:
        """Let the workers of this machine start and import modules, while this process goes on.

        Starting takes them seconds; :meth:`run` then has the same workers.
        """
        if self.cluster is None and self.workers > 1:
            Thread(target=self._import, args=(modules,), daemon=True).start()

    def _import(self, modules: Sequence[str]) -> None:
        from joblib import Parallel, delayed

        with suppress(BrokenExecutor):  # the one who needs the workers hears of it then
            Parallel(n_jobs=self.workers)(
                delayed(_import_all)(modules) for _ in range(self.workers)
            )

    def run(self, work: Callable[[T], R], items: Sequence[T]) -> Iterator[R]:
        """Do the work; yields results in the order in which they are ready."""
        if self.cluster is None and self.workers == 1:
            yield from map(work, items)
            return
        from joblib import Parallel, delayed, parallel_config

        call = _Call(work, os.environ.get(PLUGIN_FILES, ""))
        with ExitStack() as stack:
            if self.cluster is not None:
                stack.enter_context(_connect(self.cluster, self.tls))
                stack.enter_context(parallel_config(backend="dask"))
                pool = Parallel(return_as="generator_unordered")
            else:
                # joblib replaces a worker whose memory has grown; the user need not know.
                stack.enter_context(warnings.catch_warnings())
                warnings.filterwarnings("ignore", "A worker stopped", UserWarning)
                pool = Parallel(n_jobs=self.workers, return_as="generator_unordered")
            try:
                yield from pool(delayed(call)(item) for item in items)
            except BrokenExecutor:
                raise QuintainError(
                    "a worker process ended suddenly, most likely for lack of memory; use fewer "
                    "--workers, then run the command again"
                ) from None


SERIAL = Executor()
"""Does one item after the other, in this process."""


def _import_all(modules: Sequence[str]) -> None:
    for module in modules:
        import_module(module)
    sleep(_MOMENT)  # one worker must not take the turn of another one


class _Call:
    """A function with the plugins that it may need in the process that runs it."""

    def __init__(self, work: Callable[[Any], Any], plugins: str) -> None:
        self._work = work
        self._plugins = plugins

    def __call__(self, item: Any) -> Any:
        if self._plugins:
            os.environ[PLUGIN_FILES] = self._plugins
        return self._work(item)


def _is_local(address: str) -> bool:
    """Whether the messages to an address never leave this machine.

    >>> [_is_local(at) for at in ("tcp://127.0.0.1:8786", "localhost:8786", "tcp://[::1]:1")]
    [True, True, True]
    >>> [_is_local(at) for at in ("tcp://10.0.0.7:8786", "tcp://localhost.example.org:1", "host")]
    [False, False, False]
    """
    scheme, sign, rest = address.partition("://")
    host = urlsplit(f"//{rest if sign else scheme}").hostname or ""
    with suppress(ValueError):
        return ip_address(host).is_loopback
    return host == "localhost"


def _connect(address: str, tls: tuple[Path, Path, Path] | None) -> Any:
    """A client of a cluster, as a context."""
    try:
        import distributed
    except ImportError:
        raise MissingExtra("a Dask cluster", "distributed", "cluster") from None
    try:
        client: Any = distributed.Client
        security = None if tls is None else _security(distributed.Security, tls)
        return client(address, timeout=_PATIENCE, set_as_default=True, security=security)
    except OSError as problem:
        raise QuintainError(f"no Dask scheduler answers at {address}: {problem}") from None


def _security(make: Callable[..., Any], tls: tuple[Path, Path, Path]) -> Any:
    """The settings of a connection on which both sides show a certificate."""
    authority, certificate, key = (str(path) for path in tls)
    return make(
        tls_ca_file=authority,
        tls_client_cert=certificate,
        tls_client_key=key,
        require_encryption=True,
    )
