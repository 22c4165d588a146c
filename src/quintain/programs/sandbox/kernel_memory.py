"""Kernel memory: what the kernel keeps for a program and counts in none of its processes.

That is data on its way through local sockets, temporary files that are memory, and their names.
The exact size is not known to others, so this is the most that it can be.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

_SOCKET = 1 << 18
_NAME = 1 << 11
"""The most that a socket keeps by default, and that a file needs without its content, in bytes."""


def socket_bytes(processes: Iterable[int]) -> int:
    """The most that the open sockets of processes can keep."""
    sockets = 0
    for process in processes:
        with suppress(OSError):
            for entry in os.scandir(f"/proc/{process}/fd"):
                with suppress(OSError):
                    sockets += os.readlink(entry.path).startswith("socket:")  # noqa: PTH115 -- fast
    return sockets * max(_SOCKET, _default_buffer())


def _default_buffer() -> int:
    with suppress(OSError, ValueError):
        return int(Path("/proc/sys/net/core/wmem_default").read_text()) + (1 << 16)
    return 0


def scratch_used(processes: Iterable[int], sizes: Mapping[str, int]) -> int:
    """What temporary files use; ``sizes`` has the folders that are memory, with their size.

    All processes of a sandbox see the same folders. A process that is about to enter the sandbox
    still sees those of the host, which have another size.
    """
    for process in processes:
        used = 0
        for folder, size in sizes.items():
            with suppress(OSError):
                seen = os.statvfs(f"/proc/{process}/root{folder}")
                if seen.f_blocks * seen.f_frsize == size:
                    used += (seen.f_blocks - seen.f_bfree) * seen.f_frsize
                    used += (seen.f_files - seen.f_ffree) * _NAME
        if used:
            return used
    return 0
