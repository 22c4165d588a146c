"""Picture reader: decodes a picture in a process apart and encodes its pixels again.

What comes out has the pixels and nothing else: no place where it was taken, no comment, nothing
that stood behind the end of the picture. The web process starts it and never decodes a picture
itself; see :mod:`quintain.jobs.subprocess_reader`.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from PIL import Image, ImageOps, UnidentifiedImageError

KINDS = {"PNG": "png", "JPEG": "jpg", "WEBP": "webp"}
"""The formats that are read, and the ends of the names of their files."""

MOST_PIXELS = 40_000_000
LONGEST_SIDE = 1600
"""Larger pictures are made smaller: no page shows them wider."""

_SAVING: Mapping[str, Mapping[str, Any]] = {
    "PNG": {"optimize": True},
    "JPEG": {"quality": 88, "progressive": True},
    "WEBP": {"quality": 88},
}


def read_picture(
    _arguments: Mapping[str, Any], content: BinaryIO
) -> Iterator[Mapping[str, Any] | bytes]:
    """The facts about a picture and its bytes, encoded again; or what is wrong with it."""
    # Our own limit is below the one of the library, which would only warn.
    warnings.simplefilter("ignore", Image.DecompressionBombWarning)
    try:
        image = Image.open(io.BytesIO(content.read()), formats=tuple(KINDS))
    except Image.DecompressionBombError:
        yield {"problem": f"has more than {MOST_PIXELS} pixels"}
        return
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError):
        yield {"problem": "cannot be read as a picture: send PNG, JPEG or WebP"}
        return
    if image.width * image.height > MOST_PIXELS:
        size = f"{image.width} x {image.height}"
        yield {"problem": f"has {size} pixels; the limit is {MOST_PIXELS} in all"}
        return
    kind = str(image.format)
    try:
        pixels = _plain(image)
    except (OSError, ValueError, SyntaxError, EOFError):
        yield {"problem": "ends too early or is damaged: export it again"}
        return
    encoded = io.BytesIO()
    pixels.save(encoded, kind, **_SAVING[kind])
    yield {"kind": KINDS[kind], "width": pixels.width, "height": pixels.height}
    yield encoded.getvalue()


def _plain(image: Image.Image) -> Image.Image:
    """The pixels of the first frame, upright, not larger than pages need."""
    turned = ImageOps.exif_transpose(image)
    clear = "A" in turned.getbands() or "transparency" in turned.info
    colours = turned.convert("RGBA" if clear and image.format != "JPEG" else "RGB")
    colours.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    return Image.frombytes(colours.mode, colours.size, colours.tobytes())
