"""Picture: a page in large blocks of colour, and whether two pictures show the same.

A block is the mean colour of 16 by 16 pixels. Blocks say where areas are and which colours they
have, and hardly depend on how a browser draws the edge of a letter.
"""

import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np

BLOCK = 16
"""How many pixels of a page a block is wide and high."""

DIFFERENT = 16.0
"""By how much of 255 a block must differ to count as different."""

MOST = 0.015
"""How large a share of the blocks may differ on another machine."""

_START = b"\x89PNG\r\n\x1a\n"


def differing_share(kept: np.ndarray, seen: np.ndarray) -> float:
    """The share of blocks of one picture that have no like block at their place in the other.

    A block may move to a neighbouring place: fields of forms have other heights in other browsers.
    """
    height = max(len(kept), len(seen))
    kept, seen = _of_height(kept, height), _of_height(seen, height)
    if kept.shape != seen.shape:
        return 1.0
    apart = np.maximum(_distance(kept, seen), _distance(seen, kept))
    return float((apart > DIFFERENT).mean())


def _of_height(picture: np.ndarray, height: int) -> np.ndarray:
    """A picture with more rows of its last colour."""
    return np.pad(picture, ((0, height - len(picture)), (0, 0), (0, 0)), "edge")


def _distance(picture: np.ndarray, other: np.ndarray) -> np.ndarray:
    """How far each block is from the nearest colour around its place in the other picture."""
    rows, columns, _ = picture.shape
    around = np.pad(other.astype(float), ((1, 1), (1, 1), (0, 0)), "edge")
    places = [
        np.abs(picture - around[i : i + rows, j : j + columns]).max(2)
        for i in range(3)
        for j in range(3)
    ]
    return np.min(places, axis=0)


def write_picture(path: Path, picture: np.ndarray) -> None:
    """Store a picture as a PNG file, which people can look at."""
    rows, columns, _ = picture.shape
    lines = b"".join(b"\0" + row.tobytes() for row in picture.astype(np.uint8))
    size = struct.pack(">IIBBBBB", columns, rows, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", size), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    path.write_bytes(_START + b"".join(_chunk(*part) for part in parts))


def read_picture(path: Path) -> np.ndarray:
    """Read a picture that :func:`write_picture` stored."""
    content = path.read_bytes()
    assert content.startswith(_START)
    columns, rows = struct.unpack(">II", content[16:24])
    length = struct.unpack(">I", content[33:37])[0]
    lines = np.frombuffer(zlib.decompress(content[41 : 41 + length]), np.uint8)
    return lines.reshape(rows, 1 + 3 * columns)[:, 1:].reshape(rows, columns, 3)


def _chunk(kind: bytes, content: bytes) -> bytes:
    whole = kind + content
    return struct.pack(">I", len(content)) + whole + struct.pack(">I", zlib.crc32(whole))


def compare(pictures: dict[str, np.ndarray], kept: Callable[[str], Path]) -> dict[str, float]:
    """The pictures that differ from the kept ones, each with the share of blocks that differ."""
    shares = {
        name: differing_share(read_picture(kept(name)), seen) if kept(name).is_file() else 1.0
        for name, seen in pictures.items()
    }
    return {name: share for name, share in shares.items() if share > MOST}
