"""A free port for the demonstration; or, given an address, wait until a site answers there."""

from __future__ import annotations

import socket
import sys
import time
from urllib.error import URLError
from urllib.request import urlopen

FIRST = 8000
_PATIENCE = 30.0


def free_port() -> int:
    """The first port from 8000 on that nobody uses."""
    for port in range(FIRST, FIRST + 100):
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) != 0:
                return port
    raise SystemExit("no free port between 8000 and 8099")


def await_site(url: str) -> None:
    """Wait until the site answers."""
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            with urlopen(url) as answer:  # noqa: S310 -- our own address
                answer.read()
            return
        except (URLError, OSError):
            if time.monotonic() > end:
                raise SystemExit(f"no site answers at {url}") from None
            time.sleep(0.2)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        await_site(sys.argv[1])
    else:
        sys.stdout.write(f"{free_port()}\n")
