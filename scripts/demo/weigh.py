"""Weigh the main pages of the demonstration: bytes, requests, first paint, barriers, complaints.

    python -m scripts.demo.weigh demo [WORD ...]

Words choose pages whose name has one of them. Nothing is in the cache of the browser, and the line
has 400 kbit/s and answers after 400 ms; so busy processors hardly change what the paint takes. The
bytes are those on the line, where the site compresses as servers in front of it do, and those of
all files as they are. Serious findings of axe-core are counted if ``scripts/axe.sh`` fetched it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from playwright.sync_api import BrowserContext, Page
from scripts.demo.pages import chosen, opened
from tests.host.browser.barriers import AXE

LINE = {
    "offline": False,
    "latency": 400,
    "downloadThroughput": 400_000 / 8,
    "uploadThroughput": 400_000 / 8,
}
_PAINT = """() => new Promise((done) => {
  const known = () => performance.getEntriesByName("first-contentful-paint")[0];
  if (known()) return done(known().startTime);
  new PerformanceObserver(() => known() && done(known().startTime))
    .observe({ type: "paint", buffered: true });
})"""
_BYTES = """() => {
  const files = performance.getEntriesByType("resource");
  const all = [...performance.getEntriesByType("navigation"), ...files];
  const sum = (key) => all.reduce((total, one) => total + one[key], 0);
  return [all.length, sum("encodedBodySize"), sum("decodedBodySize")];
}"""
_SERIOUS = """async () => {
  const result = await axe.run(document, { resultTypes: ["violations"] });
  return result.violations.filter((one) => ["serious", "critical"].includes(one.impact))
    .map((one) => one.id);
}"""


def main(demo: str, *words: str) -> None:
    """Weigh the pages one after the other."""
    sys.stdout.write("page                 requests   kB sent   kB plain   first paint s\n")
    with opened(Path(demo)) as windows:
        for name, (person, path) in chosen(words).items():
            sys.stdout.write(f"{name:<20} {_weighed(windows.of(person), path)}\n")
            sys.stdout.flush()


def _weighed(window: BrowserContext, path: str) -> str:
    page = window.new_page()
    complaints: list[str] = []
    page.on("console", lambda one: complaints.append(one.text) if one.type == "error" else None)
    page.on("pageerror", lambda one: complaints.append(str(one)))
    line = window.new_cdp_session(page)
    line.send("Network.enable")
    line.send("Network.setCacheDisabled", {"cacheDisabled": True})
    line.send("Network.emulateNetworkConditions", LINE)
    page.goto(path, wait_until="networkidle")
    paint = page.evaluate(_PAINT) / 1000
    requests, sent, plain = page.evaluate(_BYTES)
    wrong = [*_serious(page), *dict.fromkeys(complaints)]
    page.close()
    figures = f"{requests:8} {sent / 1000:9.1f} {plain / 1000:10.1f} {paint:15.2f}"
    return "   ".join([figures, *wrong])


def _serious(page: Page) -> list[str]:
    """The rules of axe-core that find something serious."""
    if not AXE.is_file():
        return []
    page.evaluate(AXE.read_text())
    return [f"axe: {rule}" for rule in page.evaluate(_SERIOUS)]


if __name__ == "__main__":
    main(*sys.argv[1:])
