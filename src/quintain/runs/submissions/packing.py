"""Packing: zip files whose bytes depend on their contents only, not on time or machine."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping


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
