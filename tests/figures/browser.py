"""A headless browser, for the tests of pages: what it draws, asks for and complains about."""

from __future__ import annotations

import html
import re
import shutil
import subprocess
from pathlib import Path

import pytest

# The shell without windows starts faster and draws the same.
_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser")
CHROMIUM = next(filter(None, map(shutil.which, _NAMES)), None)
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--enable-logging=stderr",
    "--v=0",
]
DARK, LIGHT = "--blink-settings=preferredColorScheme=0", "--blink-settings=preferredColorScheme=1"
NEEDED = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium or chromium-browser on PATH"),
]
_FRAME = """<!DOCTYPE html><iframe id="f" width="{width}" height="900" srcdoc="{page}"></iframe>
<p id="w"></p><script>f.onload = () => {{
const root = f.contentDocument.documentElement;
w.textContent = "sizes " + [root.scrollWidth, root.clientWidth, root.scrollHeight].join(" ");
}}</script>"""


def browse(page: Path, folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """Open a page; ``folder`` is for the browser's own files."""
    command = [str(CHROMIUM), *FLAGS, f"--user-data-dir={folder / 'profile'}", *more, page.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)


def overflow(page: str, folder: Path, width: int) -> int:
    """How many pixels a page is wider than a window of this width, with all its parts open."""
    wanted, given, _ = _sizes(page.replace("<details", "<details open"), folder, width)
    return wanted - given


def height(page: str, folder: Path, width: int) -> int:
    """How many pixels high a page is in a window of this width, as it opens."""
    return _sizes(page, folder, width)[2]


def _sizes(page: str, folder: Path, width: int) -> tuple[int, int, int]:
    """The width of a page, that of its window, and the height of the page."""
    frame = folder / f"frame{width}.html"
    text = _FRAME.format(width=width + 4, page=html.escape(page))
    frame.write_text(text, "utf-8", "surrogatepass")
    done = browse(frame, folder, "--virtual-time-budget=4000", "--dump-dom")
    found = re.search(r"sizes (\d+) (\d+) (\d+)", done.stdout)
    assert found is not None
    return int(found[1]), int(found[2]), int(found[3])


def printed_pages(page: Path, folder: Path) -> int:
    """How many sheets a page takes on paper."""
    target = folder / "printed.pdf"
    browse(page, folder, "--no-pdf-header-footer", f"--print-to-pdf={target}")
    return len(re.findall(rb"/Type\s*/Page\b", target.read_bytes()))
