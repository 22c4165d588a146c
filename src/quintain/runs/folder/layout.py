"""Layout: where an edition folder is, and what its layout tells without reading any rules.

Commands that only show a stored file need no more, and start at once.
"""

from __future__ import annotations

import json
from pathlib import Path

from quintain.errors import FolderError
from quintain.runs.folder import paths


class FolderLayout:
    """A folder with the layout of an edition; raises if it is none."""

    def __init__(self, root: Path | str) -> None:
        self.root = Path(root)
        if not self.root.is_dir():
            raise FolderError(f"the folder {self.root} does not exist")
        if not self.at(paths.EDITION).is_file() and not self.prepared:
            raise FolderError(f"{self.root} is not an edition folder: it has no {paths.EDITION}")

    def at(self, path: str) -> Path:
        """The place of a path of the layout on this machine."""
        return self.root / path

    @property
    def prepared(self) -> bool:
        """Whether the rules are fixed and the samples drawn."""
        return self.at(paths.RULES).is_file()

    def require_prepared(self) -> None:
        """Refuse a folder that is not prepared, and say how to prepare it."""
        if not self.prepared:
            raise FolderError(f"{self.root} is not prepared yet: run quintain prepare {self.root}")

    def track_ids(self) -> list[str]:
        """The tracks in the order of the fixed rules."""
        try:
            return [str(t["id"]) for t in json.loads(self.at(paths.RULES).read_bytes())["track"]]
        except (ValueError, KeyError, TypeError) as problem:
            raise FolderError(f"{self.at(paths.RULES)}: damaged: {problem}") from None
