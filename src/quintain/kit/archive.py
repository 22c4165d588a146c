"""Zip files that are the same bytes whenever and wherever they are made."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

from quintain.runs.folder import Folder


def zip_bytes(files: Mapping[str, bytes]) -> bytes:
    """A zip of files by path, in order of path, without dates."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, files[name])
    return out.getvalue()


def archive_bytes(folder: Folder) -> bytes:
    """Everything in a folder, secrets too: publish it after the contest, so that all can verify."""
    return zip_bytes(
        {
            path.relative_to(folder.root).as_posix(): path.read_bytes()
            for path in sorted(folder.root.rglob("*"))
            if path.is_file() and not _hidden(path.relative_to(folder.root).parts)
        }
    )


def _hidden(parts: tuple[str, ...]) -> bool:
    return any(part.startswith(".") for part in parts)
