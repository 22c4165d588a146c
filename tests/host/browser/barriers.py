"""Barriers: what axe-core finds wrong with a page, and whether the page scrolls sideways."""

from pathlib import Path

import pytest

AXE = Path(__file__).resolve().parents[3] / "build" / "axe" / "axe.min.js"

needs_axe = pytest.mark.skipif(not AXE.is_file(), reason="no axe-core: run scripts/axe.sh")

LOOKS = {
    "desk": ((1280, 800), "light", None),
    "phone": ((390, 844), "dark", ["color-contrast", "scrollable-region-focusable"]),
}
"""Every page is looked at on a light desk, and again on a dark phone by the rules that differ."""

_RUN = """async (rules) => {
  const only = rules ? { runOnly: { type: "rule", values: rules } } : {};
  const result = await axe.run(document, { resultTypes: ["violations"], ...only });
  return result.violations.map((one) => [one.impact, one.id, one.nodes.map((n) => n.html)]);
}"""


def barriers(page, path, status=200):
    """What is wrong with a page: its status, serious findings of axe, scrolling sideways."""
    page.emulate_media(color_scheme="light")
    answer = page.goto(path)
    if answer.status != status:
        return [f"{path}: status {answer.status}"]
    page.evaluate(AXE.read_text())
    return [f"{path} ({look}): {wrong}" for look in LOOKS for wrong in _seen(page, *LOOKS[look])]


def _seen(page, size, scheme, rules):
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.emulate_media(color_scheme=scheme)
    for impact, rule, places in page.evaluate(_RUN, rules):
        if impact in ("serious", "critical"):
            yield f"{rule}: {places[:3]}"
    across = page.evaluate("document.documentElement.scrollWidth")
    if across > size[0]:
        yield f"scrolls sideways, {across} of {size[0]}"
