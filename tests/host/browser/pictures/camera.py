"""Camera: takes pictures of pages, the same on every machine."""

from collections.abc import Iterator

import numpy as np
from playwright.sync_api import Browser, BrowserContext, Page

from tests.host.browser.pictures.box_font import font_address
from tests.host.browser.pictures.picture import BLOCK
from tests.host.browser.shown_site import DRAFT, OPEN, OVER, ShownSite

PAGES = {
    "home": ("", "/"),
    "contest": ("", f"/contests/{OPEN}"),
    "rules": ("", f"/contests/{OPEN}/rules"),
    "standings": ("", f"/contests/{OVER}/standings"),
    "matrix": ("", f"/contests/{OVER}/matrix"),
    "report": ("", f"/contests/{OVER}/files/report.html"),
    "team": ("red", f"/contests/{OPEN}/team"),
    "submit": ("red", f"/contests/{OPEN}/team/submit"),
    "steps": ("olga", f"/organise/{OPEN}/steps"),
    "draft": ("olga", f"/organise/{DRAFT}/draft"),
}
"""The ten main pages: who looks, and at which address."""

WIDTHS = {"wide": 1280, "narrow": 390}
SCHEMES = ("light", "dark")
TALLEST = 2400
"""How many pixels of a long page are on its picture."""

_SCALE = 4
"""A picture is taken that much smaller than the page, which is faster."""

_STYLE = """
@font-face {{ font-family: Box; src: url({font}); }}
*, *::before, *::after {{
  font-family: Box !important; font-synthesis: none !important; caret-color: transparent !important;
  animation: none !important; transition: none !important;
}}
"""

_BLOCKS = """async ([data, size]) => {
  const answer = await fetch("data:image/png;base64," + data);
  const image = await createImageBitmap(await answer.blob());
  const [columns, rows] = [image.width, image.height].map((side) => Math.floor(side / size));
  const canvas = new OffscreenCanvas(image.width, image.height);
  const brush = canvas.getContext("2d");
  brush.drawImage(image, 0, 0);
  const pixels = brush.getImageData(0, 0, image.width, image.height).data;
  const sums = new Array(3 * rows * columns).fill(0);
  for (let y = 0; y < rows * size; y++)
    for (let x = 0; x < columns * size; x++) {
      const block = 3 * (Math.floor(y / size) * columns + Math.floor(x / size));
      const pixel = 4 * (y * image.width + x);
      for (let i = 0; i < 3; i++) sums[block + i] += pixels[pixel + i];
    }
  return [rows, columns, sums.map((sum) => Math.round(sum / (size * size)))];
}"""


class Camera:
    """Windows of the people who look at the main pages; time stands still in them."""

    def __init__(self, shown: ShownSite, browser: Browser) -> None:
        self._shown, self._browser = shown, browser
        self._windows: dict[str, BrowserContext] = {}
        self._laboratory = browser.new_page()

    def open(self, name: str) -> Page:
        """Open one of the main pages."""
        person, address = PAGES[name]
        if person not in self._windows:
            window = self._browser.new_context(base_url=self._shown.url, bypass_csp=True)
            window.add_cookies(self._shown.page(person).context.cookies())
            window.clock.set_fixed_time(self._shown.now)
            self._windows[person] = window
        page = self._windows[person].new_page()
        page.goto(address)
        page.add_style_tag(content=_STYLE.format(font=font_address()))
        page.evaluate("document.fonts.load('16px Box')")
        return page

    def pictures(self, name: str) -> Iterator[tuple[str, np.ndarray]]:
        """A page in all widths and schemes, each picture with its name."""
        page = self.open(name)
        for width in WIDTHS:
            for scheme in SCHEMES:
                yield f"{name}-{width}-{scheme}", self.take(page, width, scheme)
        page.close()

    def take(self, page: Page, width: str, scheme: str) -> np.ndarray:
        """A picture of a page as it is now, in a window of this width."""
        page.set_viewport_size({"width": WIDTHS[width], "height": 800})
        page.emulate_media(color_scheme=scheme)
        height = page.evaluate("document.documentElement.scrollHeight")
        clip = {"x": 0, "y": 0, "width": WIDTHS[width], "height": min(height, TALLEST)}
        session = page.context.new_cdp_session(page)
        settings = {"clip": clip | {"scale": 1 / _SCALE}, "captureBeyondViewport": True}
        shot = session.send("Page.captureScreenshot", settings)
        session.detach()
        rows, columns, blocks = self._laboratory.evaluate(_BLOCKS, [shot["data"], BLOCK // _SCALE])
        return np.array(blocks, np.uint8).reshape(rows, columns, 3)

    def close(self) -> None:
        """Close all windows."""
        for window in self._windows.values():
            window.close()
        self._laboratory.close()
