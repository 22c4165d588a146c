"""Attacks on files: read what is secret, write what others read, leave something behind."""

import os
import resource
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

_DEVICES = ("kvm", "mem", "kmsg", "fuse", "net/tun", "vsock", "vhost-net", "loop-control", "vda")
_SWITCHES = (
    "sysrq-trigger",
    "sys/kernel/core_pattern",
    "sys/kernel/hostname",
    "sys/vm/drop_caches",
)


def read_truth(given: dict[str, Any]) -> str:
    """Read a file of the host by its path, also through the root folders of other processes."""
    roots = ["", *(f"/proc/{number}/root" for number in _processes())]
    texts = []
    for root in roots:
        with suppress(OSError):
            texts.append(Path(f"{root}{given['truth']}").read_text())
    return " ".join(texts)


def read_commands(given: dict[str, Any]) -> str:
    """Find the folder of the contest in the command lines of other processes."""
    return _everywhere("cmdline")


def read_environments(given: dict[str, Any]) -> str:
    """Read secrets in the environments of this process and of others."""
    return " ".join([*os.environ.values(), _everywhere("environ")])


def _everywhere(name: str) -> str:
    texts = []
    for number in _processes():
        with suppress(OSError):
            texts.append(Path(f"/proc/{number}/{name}").read_text(errors="replace"))
    return " ".join(texts)


def _processes() -> Iterator[str]:
    with suppress(OSError):
        yield from ["self", *(path.name for path in Path("/proc").iterdir() if path.name.isdigit())]


def use_descriptors(given: dict[str, Any]) -> str:
    """Read from open files that the host forgot to close."""
    texts = []
    for number in range(3, 256):
        with suppress(OSError):
            if stat.S_ISREG(os.fstat(number).st_mode):
                texts.append(os.pread(number, 1000, 0).decode(errors="replace"))
    return " ".join(texts)


def write_runtime(given: dict[str, Any]) -> str:
    """Write into folders that later programs or the host's own commands read."""
    folders = ["/", "/etc", "/usr/bin", "/usr/lib", sys.prefix, str(Path(os.__file__).parent)]
    folders += [path for path in sys.path if path.endswith("site-packages")]
    written = []
    for folder in folders:
        file = Path(folder, f"quintain-escape-{os.getpid()}")
        with suppress(OSError):
            file.touch()
            file.unlink()
            written.append(folder)
    return ", ".join(written)


def write_contest(given: dict[str, Any]) -> str:
    """Drop a file beside the truth, where the host would publish or commit to it."""
    file = Path(given["truth"]).with_name("dropped")
    with suppress(OSError):
        file.touch()
        file.unlink()
        return str(file)
    return ""


def leave_notes(given: dict[str, Any]) -> str:
    """Leave a note for the next program in every place that can be written."""
    for place in _places():
        with suppress(OSError):
            Path(place, given["token"]).write_text("note")
    return ""


def find_notes(given: dict[str, Any]) -> str:
    """Find the notes that an earlier program left."""
    # In a folder that this user may not search, Path.exists raises an error; this does not.
    return ", ".join(p for p in _places() if os.access(Path(p, given["token"]), os.F_OK))


def remove_notes(given: dict[str, Any]) -> str:
    """Remove the notes again."""
    for place in _places():
        with suppress(OSError):
            Path(place, given["token"]).unlink()
    return ""


def _places() -> list[str]:
    return ["/tmp", "/var/tmp", "/dev/shm", "/run", "/home", "/root", tempfile.gettempdir()]  # noqa: S108


def link_answers(given: dict[str, Any]) -> str:
    """Put links to a file of the host where the host could write the answer."""
    linked = 0
    for name in ("output.json", "error.json", "part0", "traceback.txt", "program/answer"):
        for link in (os.symlink, os.link):
            with suppress(OSError):
                link(given["truth"], f"{link.__name__}-{name}".replace("/", "-"))
                linked += link is os.link
            with suppress(OSError):
                link(given["truth"], name)
    return f"{linked} hard links to a file of the host" if linked else ""


def open_devices(given: dict[str, Any]) -> str:
    """Open devices of the host, make one, and look into its hardware."""
    opened = []
    for name in _DEVICES:
        with suppress(OSError):
            os.close(os.open(f"/dev/{name}", os.O_RDONLY | os.O_NONBLOCK))
            opened.append(f"/dev/{name}")
    with suppress(OSError):
        os.mknod("device", 0o600 | stat.S_IFCHR, os.makedev(1, 1))
        Path("device").unlink()
        opened.append("a new device")
    if Path("/sys").is_dir() and any(Path("/sys").iterdir()):
        opened.append("/sys")
    return ", ".join(opened)


def open_switches(given: dict[str, Any]) -> str:
    """Open the kernel's switches for writing: restart, core dumps, host name."""
    opened = []
    for name in _SWITCHES:
        with suppress(OSError):
            os.close(os.open(f"/proc/{name}", os.O_WRONLY))
            opened.append(name)
    return ", ".join(opened)


def gain_rights(given: dict[str, Any]) -> str:
    """Run a program that has more rights than its user."""
    status = Path("/proc/self/status").read_text()
    lines = [line for line in status.splitlines() if line.startswith(("CapEff", "CapBnd"))]
    rights = [line.split(":")[0] for line in lines if int(line.split()[1], 16)]
    if "NoNewPrivs:\t0" in status:
        rights.append("programs with more rights")
    return ", ".join(rights)


def dump_core(given: dict[str, Any]) -> str:
    """Allow core dumps again, which would put memory into a file of the host."""
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (1 << 20, 1 << 20))
        return "core dumps of a megabyte"
    return ""
