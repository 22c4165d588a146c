"""Cluster: the machines of a Dask scheduler, and what must be true before they do any work."""

from __future__ import annotations

import logging
import platform
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from importlib.metadata import entry_points, version
from ipaddress import ip_address
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any
from urllib.parse import urlsplit

from quintain.errors import MissingExtra, QuintainError
from quintain.registry import GROUP

TlsFiles = tuple[Path, Path, Path]
"""The certificate of the authority, our certificate and our key, all in PEM."""

_PATIENCE = 10.0
"""How many seconds a scheduler has for its first answer."""

_LOGGERS = ("distributed", "distributed.client", "distributed.core", "distributed.utils")
"""What tells of a lost connection in this process."""

_OTHER_VERSIONS = "Mismatched versions found"
"""How Dask begins a warning of its own, which is a table."""

_SAME_EVERYWHERE = ("numpy", "scipy", "pyarrow")
"""Libraries whose other versions may compute other last digits."""


def refuse_open_connection(address: str, tls: TlsFiles | None) -> None:
    """Refuse a connection on which others could read truths or send code."""
    encrypted = address.startswith("tls://")
    if _is_local(address) or (encrypted and tls is not None):
        return
    why = "no certificate is given" if encrypted else "is not encrypted"
    raise QuintainError(
        f"{address}: {why}. Workers see truths and keys, and a scheduler can run any code here, so "
        "both sides must prove who they are: use tls://HOST:PORT with --cluster-tls CA CERT KEY, "
        "or --cluster-without-tls in a network that only you can reach"
    )


@contextmanager
def cluster_client(address: str, tls: TlsFiles | None, shared: Path | None) -> Iterator[Any]:
    """A client of a cluster whose workers can do our work; a loss of the scheduler is a sentence.

    Parameters
    ----------
    shared : the folder that every worker must see under the same path.
    """
    try:
        import distributed
    except ImportError:
        raise MissingExtra("a Dask cluster", "distributed", "cluster") from None
    security = None if tls is None else _security(distributed.Security, tls)
    with _quiet():
        try:
            make: Any = distributed.Client
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", _OTHER_VERSIONS)  # we say it in a sentence
                client = make(address, timeout=_PATIENCE, set_as_default=True, security=security)
        except OSError as problem:
            raise QuintainError(f"no Dask scheduler answers at {address}: {problem}") from None
        try:
            _wait_for_workers(client, address)
            _check_versions(client)
            if shared is not None:
                _check_folder(client, shared)
            yield client
        except CancelledError:
            raise QuintainError(
                f"the scheduler at {address} is gone, and with it the work that was under way; "
                "start it and its workers, then run the command again: it continues where it "
                "stopped"
            ) from None
        finally:
            with suppress(OSError):  # a scheduler that is gone need not be told
                client.close(timeout=_PATIENCE)


@contextmanager
def _quiet() -> Iterator[None]:
    """Say nothing of a lost connection in pages: the caller gets one sentence."""
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _wait_for_workers(client: Any, address: str) -> None:
    try:
        client.wait_for_workers(1, timeout=_PATIENCE)
    except TimeoutError:
        raise QuintainError(
            f"the scheduler at {address} has no workers: start one with `dask worker {address}`"
        ) from None


def _check_versions(client: Any) -> None:
    """Every worker must compute as this process does."""
    try:
        workers = client.run(worker_versions)
    except ImportError as problem:
        raise QuintainError(
            f"a worker of the cluster cannot do the work ({problem}): install the same quintain on "
            "all machines"
        ) from None
    here = worker_versions()
    faults = [
        f"{worker} has {name} {there.get(name, 'not at all')}, this machine has {found}"
        for worker, there in sorted(workers.items())
        for name, found in here.items()
        if there.get(name) != found
    ]
    if faults:
        raise QuintainError(
            f"workers of the cluster would compute something else: {'; '.join(faults)}. Install "
            "the same versions on all machines"
        )


def worker_versions() -> dict[str, str]:
    """The versions that decide what a machine computes, those of installed plugins too."""
    from quintain import __version__

    python = ".".join(platform.python_version_tuple()[:2])
    plugins = [entry.dist for entry in entry_points(group=GROUP) if entry.dist is not None]
    return {
        **{plugin.name: plugin.version for plugin in plugins},
        "quintain": __version__,
        "Python": python,
        **{name: version(name) for name in _SAME_EVERYWHERE},
    }


def _check_folder(client: Any, shared: Path) -> None:
    """Every worker must see what this process writes into the folder."""
    with NamedTemporaryFile(dir=shared, prefix=".do-workers-see-this-") as token:
        token.write(token.name.encode())
        token.flush()
        seen = client.run(sees_token, token.name)
    blind = ", ".join(sorted({host for host, sees in seen.values() if not sees}))
    if blind:
        raise QuintainError(
            f"workers of the cluster on {blind} do not see the folder {shared}; share it with them "
            "under the same path"
        )


def sees_token(path: str) -> tuple[str, bool]:
    """The name of a worker's machine, and whether the worker reads there what we wrote."""
    try:
        content = Path(path).read_bytes()
    except OSError:
        content = b""
    return platform.node(), content == path.encode()


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


def _security(make: Callable[..., Any], tls: TlsFiles) -> Any:
    """The settings of a connection on which both sides show a certificate."""
    authority, certificate, key = (str(path) for path in tls)
    return make(
        tls_ca_file=authority,
        tls_client_cert=certificate,
        tls_client_key=key,
        require_encryption=True,
    )
