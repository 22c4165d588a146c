"""Photograph the main pages of the demonstration, for people who look at them.

    python -m scripts.demo.screenshots demo build/screenshots [WORD ...]

The folder has what ``make demo`` made. Words choose pages whose name has one of them. Every page is
taken four times: at the width of a desk and of a phone, light and dark; ``sheet-*.png`` have all
pages of a look beside each other. The script says which pages scroll sideways, and what the browser
complains about.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page
from scripts.demo.pages import Windows, chosen, opened

WIDTHS = {"desk": (1280, 800), "phone": (390, 844)}
SCHEMES = ("light", "dark")
SHEET = {"desk": (5, 426, 900), "phone": (9, 195, 1000)}
"""Of a sheet: how many pages stand in a row, how wide they are, how much of each is shown."""


def main(demo: str, target: str, *words: str) -> None:
    """Take all pictures."""
    folder = Path(target)
    folder.mkdir(parents=True, exist_ok=True)
    pages = chosen(words)
    with opened(Path(demo)) as windows:
        for name, (person, path) in pages.items():
            for complaint in _photographed(windows, person, path, folder / name):
                sys.stdout.write(f"{name}: {complaint}\n")
    for size in WIDTHS:
        for scheme in SCHEMES:
            taken = [folder / f"{name}-{size}-{scheme}.png" for name in pages]
            _sheet(taken, *SHEET[size]).save(folder / f"sheet-{size}-{scheme}.png")


def _photographed(windows: Windows, person: str, path: str, target: Path) -> Iterator[str]:
    """Take the four pictures of a page; yields what is wrong with it."""
    page = windows.of(person).new_page()
    complaints: list[str] = []
    page.on("console", lambda one: complaints.append(one.text) if one.type == "error" else None)
    page.on("pageerror", lambda one: complaints.append(str(one)))
    for size, (width, height) in WIDTHS.items():
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme="light")
        answer = page.goto(path)
        if answer is None or answer.status != 200:
            yield f"status {answer and answer.status} at {path}"
        page.wait_for_load_state("networkidle")
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            page.screenshot(path=f"{target}-{size}-{scheme}.png", full_page=True)
        across = _width(page)
        if across > width:
            yield f"scrolls sideways at {width}: {across}"
    page.close()
    yield from dict.fromkeys(complaints)


def _width(page: Page) -> int:
    return int(page.evaluate("document.documentElement.scrollWidth"))


def _sheet(pictures: list[Path], columns: int, width: int, height: int) -> Image.Image:
    """The beginnings of pictures beside each other."""
    rows = -(-len(pictures) // columns)
    sheet = Image.new("RGB", (columns * (width + 8), rows * (height + 8)), "grey")
    for place, path in enumerate(pictures):
        with Image.open(path) as picture:
            scale = width / picture.width
            size = (width, round(picture.height * scale))
            small = picture.convert("RGB").resize(size, Image.Resampling.BOX)
        row, column = divmod(place, columns)
        cut = small.crop((0, 0, width, min(height, small.height)))
        sheet.paste(cut, (column * (width + 8), row * (height + 8)))
    return sheet


if __name__ == "__main__":
    main(*sys.argv[1:])
