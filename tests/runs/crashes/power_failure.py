"""A disk that loses power: it notes what is synced, and builds what may be left afterwards."""

import os
import stat
from pathlib import Path

LOST, EMPTY, HALF = "lost", "empty", "half"
"""What becomes of a file that was not synced: its name is lost, or a part of its content is."""


class Disk:
    """What has reached the disk of a folder.

    A sync of a file saves its content, and a sync of a folder saves its names. Both belong to the
    inode, so a file that is renamed keeps its content but needs its folder synced again.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._contents: dict[int, bytes] = {}
        self._names: dict[int, dict[str, int]] = {}
        self._kept: list[int] = []  # an inode that is open is not given to another file
        for place, _, files in os.walk(root):
            self._save(Path(place))
            for name in files:
                self._save(Path(place, name))

    def fsync(self, descriptor: int) -> None:
        """Save what a descriptor is about; to be called instead of ``os.fsync``."""
        self._save(Path(f"/proc/self/fd/{descriptor}"))

    def _save(self, path: Path) -> None:
        status = path.stat()
        if status.st_ino not in {*self._contents, *self._names}:
            self._kept.append(os.open(path, os.O_RDONLY))
        if stat.S_ISDIR(status.st_mode):
            names = {entry.name: entry.inode() for entry in os.scandir(path)}
            self._names[status.st_ino] = names
        else:
            self._contents[status.st_ino] = path.read_bytes()

    def close(self) -> None:
        """Let go of the files."""
        for descriptor in self._kept:
            os.close(descriptor)

    def after_failure(self, out: Path, unsynced: str) -> Path:
        """Build the folder as a power failure may leave it now."""
        self._build(self.root, out, unsynced)
        return out

    def _build(self, path: Path, out: Path, unsynced: str) -> None:
        out.mkdir()
        synced = self._names.get(path.stat().st_ino, {})
        for entry in os.scandir(path):
            if synced.get(entry.name) != entry.inode() and unsynced == LOST:
                continue
            target = out / entry.name
            if entry.is_dir():
                self._build(Path(entry.path), target, unsynced)
            else:
                target.write_bytes(self._content(Path(entry.path), entry.inode(), unsynced))

    def _content(self, path: Path, inode: int, unsynced: str) -> bytes:
        """What a file has: what was synced, and of the rest nothing or the first half."""
        synced, content = self._contents.get(inode, b""), path.read_bytes()
        if unsynced == HALF and content.startswith(synced):
            return content[: (len(synced) + len(content)) // 2]
        return synced
