"""Bait: things of the host that attacks are after, made for the purpose."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Bait:
    """What attacks look for.

    Parameters
    ----------
    truth : a file of the host, with the secret in it.
    secret : a text that only the host knows; an attack that returns it has read it.
    bystander : a process of the host; its command and its environment have the secret.
    port, socket : where the host listens.
    token : a name that is used for nothing else.
    """

    truth: Path
    secret: str
    bystander: int
    port: int
    socket: str
    token: str

    @property
    def facts(self) -> dict[str, str | int]:
        """What an attack is told: everything but the secret."""
        return {
            "truth": str(self.truth),
            "bystander": self.bystander,
            "port": self.port,
            "socket": self.socket,
            "token": self.token,
        }


@contextmanager
def laid_out() -> Iterator[Bait]:
    """Lay out the bait, and remove it at the end."""
    secret, token = secrets.token_hex(16), f"quintain-{secrets.token_hex(8)}"
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="quintain-doctor-")))
        truth = folder / "seeds.json"
        truth.write_text(secret)
        stack.enter_context(_left_open(truth))
        bystander = stack.enter_context(_waiting(folder, secret))
        port = stack.enter_context(_listening(socket.AF_INET, ("127.0.0.1", 0)))
        stack.enter_context(_listening(socket.AF_UNIX, f"\0{token}"))
        yield Bait(truth, secret, bystander.pid, port.getsockname()[1], token, token)


@contextmanager
def _left_open(path: Path) -> Iterator[None]:
    """A file that every child would inherit if nobody closed it."""
    with path.open("rb") as file:
        os.set_inheritable(file.fileno(), True)
        yield


@contextmanager
def _waiting(folder: Path, secret: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-I", "-c", "input()", str(folder), secret]
    environment = {"QUINTAIN_SECRET": secret, "PATH": os.defpath}
    with subprocess.Popen(command, stdin=subprocess.PIPE, env=environment) as process:  # noqa: S603
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def _listening(family: int, address: tuple[str, int] | str) -> Iterator[socket.socket]:
    with socket.socket(family) as one:
        one.bind(address)
        one.listen()
        yield one


def kill_marked(token: str) -> int:
    """Kill every process that has a token in its command; returns how many there were."""
    killed = 0
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if token.encode() in path.read_bytes() and int(path.parent.name) != os.getpid():
                os.kill(int(path.parent.name), signal.SIGKILL)
                killed += 1
    return killed
