"""Box font: a font in which every letter is the same box, so that no machine draws text otherwise.

Machines have different fonts, and other fonts break lines at other places. With this font, a page
has the same layout everywhere, and a text is a grey bar as long as the text has letters.
"""

import base64
import struct
from functools import cache

_EM, _ADVANCE, _ASCENT, _DESCENT = 1000, 560, 900, 220
_SPACE, _BOX = 1, 2
_BOX_CORNERS = (60, 0, 500, 520)
_GAPS = ((0x09, 0x0D), (0x20, 0x20), (0xA0, 0xA0), (0x2000, 0x200F), (0x2028, 0x202F))
_LAST = 0x10FFFF


@cache
def font_address() -> str:
    """The font as an address with its data in it."""
    return "data:font/ttf;base64," + base64.b64encode(_font()).decode()


def _font() -> bytes:
    glyph = _glyph()
    tables = {
        b"OS/2": _os2(),
        b"cmap": _cmap(),
        b"glyf": glyph,
        b"head": _head(),
        b"hhea": struct.pack(
            ">IhhhHhhhhhh8xhH", 0x10000, _ASCENT, -_DESCENT, 0, _ADVANCE, 0, 0, 500, 1, 0, 0, 0, 3
        ),
        b"hmtx": struct.pack(">Hh", _ADVANCE, 0) * 2 + struct.pack(">Hh", _ADVANCE, 60),
        b"loca": struct.pack(">4I", 0, 0, 0, len(glyph)),
        b"maxp": struct.pack(">IH13H", 0x10000, 3, 4, 1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0),
        b"name": _name(),
        b"post": struct.pack(">IIhhIIIII", 0x30000, 0, -100, 50, 1, 0, 0, 0, 0),
    }
    place = 12 + 16 * len(tables)
    head = struct.pack(">IHHHH", 0x10000, len(tables), 128, 3, 16 * len(tables) - 128)
    body = b""
    for tag, content in tables.items():
        padded = content + bytes(-len(content) % 4)
        total = sum(struct.unpack(f">{len(padded) // 4}I", padded)) & 0xFFFFFFFF
        head += tag + struct.pack(">III", total, place + len(body), len(content))
        body += padded
    return head + body


def _glyph() -> bytes:
    left, bottom, right, top = _BOX_CORNERS
    corners = struct.pack(">hhhhh", 1, left, bottom, right, top) + struct.pack(">HH", 3, 0)
    across = struct.pack(">4h", left, 0, right - left, 0)
    up = struct.pack(">4h", bottom, top - bottom, 0, bottom - top)
    content = corners + bytes([1, 1, 1, 1]) + across + up
    return content + bytes(-len(content) % 4)


def _cmap() -> bytes:
    groups, after = [], 0
    for first, last in _GAPS:
        groups += [(after, first - 1, _BOX), (first, last, _SPACE)]
        after = last + 1
    groups.append((after, _LAST, _BOX))
    content = b"".join(struct.pack(">III", *group) for group in groups)
    table = struct.pack(">HHIII", 13, 0, 16 + len(content), 0, len(groups)) + content
    return struct.pack(">HHHHI", 0, 1, 3, 10, 12) + table


def _head() -> bytes:
    left, bottom, right, top = _BOX_CORNERS
    times = struct.pack(">QQ", 0, 0)
    first = struct.pack(">IIIIHH", 0x10000, 0x10000, 0, 0x5F0F3CF5, 0, _EM)
    return first + times + struct.pack(">hhhhHHhhh", left, bottom, right, top, 0, 8, 2, 1, 0)


def _os2() -> bytes:
    first = struct.pack(">HhHHH", 4, _ADVANCE, 400, 5, 0)
    scripts = struct.pack(">11h", 650, 600, 0, 75, 650, 600, 0, 350, 50, 300, 0)
    family = bytes(10) + struct.pack(">4I", 1, 0, 0, 0) + b"NONE"
    heights = struct.pack(
        ">HHHhhhHHIIhhHHH",
        0x40, 0x20, 0xFFFF, _ASCENT, -_DESCENT, 0, _ASCENT, _DESCENT, 1, 0, 520, 700, 0, 32, 0,
    )  # fmt: skip
    return first + scripts + family + heights


def _name() -> bytes:
    names = {1: "Box", 2: "Regular", 4: "Box", 6: "Box"}
    texts = {number: text.encode("utf-16-be") for number, text in names.items()}
    records, strings = b"", b""
    for number, text in texts.items():
        records += struct.pack(">6H", 3, 1, 0x409, number, len(text), len(strings))
        strings += text
    return struct.pack(">HHH", 0, len(names), 6 + len(records)) + records + strings
