"""Covers: hide what the kernel says in /proc about the whole machine and not about a process.

Most of these files change with what any process does, so a program could read there what an
earlier one did. Each file is covered by a constant one, and each folder by an empty one. Links and
the folders of processes stay: in its own namespace a program sees only itself.
"""

from __future__ import annotations

import os
from pathlib import Path

BOOT_ID = "/proc/sys/kernel/random/boot_id"
_PROC = Path("/proc")


def constant_files() -> dict[str, str]:
    """What covers each file of /proc: its text by its name; most are empty."""
    names = [entry.name for entry in _entries() if entry.is_file()]
    return dict.fromkeys(names, "") | {
        name: text for name, text in _texts().items() if name in names
    }


def _texts() -> dict[str, str]:
    """Files that libraries read: they say how many processors the machine has, and no more.

    Processes that may use different ones share the files, so they cannot say which a program may.
    """
    processors = range(os.cpu_count() or 1)
    zeros = " ".join(["0"] * 10)
    counts = "".join(f"cpu{number} {zeros}\n" for number in processors)
    return {
        "cpuinfo": "".join(f"processor\t: {number}\n\n" for number in processors),
        "loadavg": "0.00 0.00 0.00 1/1 1\n",
        "meminfo": "MemTotal: 16777216 kB\nMemFree: 16777216 kB\nMemAvailable: 16777216 kB\n",
        "stat": f"cpu  {zeros}\n{counts}",
        "uptime": "1.00 1.00\n",
        "version": "Linux\n",
    }


def cover_options(folder: Path) -> list[str]:
    """Options of bubblewrap that cover /proc with the constant files of a folder."""
    options = []
    for entry in _entries():
        if entry.is_dir():
            options += ["--tmpfs", str(entry)]
        elif (folder / entry.name).is_file():
            options += ["--ro-bind", str(folder / entry.name), str(entry)]
    return options


def closing_options() -> list[str]:
    """Options that make the covers of folders read-only, after everything is in its place."""
    folders = [str(entry) for entry in _entries() if entry.is_dir()]
    return [text for folder in folders for text in ("--remount-ro", folder)]


def _entries() -> list[Path]:
    return sorted(
        entry for entry in _PROC.iterdir() if not entry.name.isdigit() and not entry.is_symlink()
    )
