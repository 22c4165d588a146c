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


def barriers(page, path):
    """What is wrong with a page: serious findings of axe, and scrolling sideways."""
    wrong = []
    for look, ((width, height), scheme, rules) in LOOKS.items():
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme)
        page.goto(path)
        page.evaluate(AXE.read_text())
        for impact, rule, places in page.evaluate(_RUN, rules):
            if impact in ("serious", "critical"):
                wrong.append(f"{path} ({look}): {rule}: {places[:3]}")
        across = page.evaluate("document.documentElement.scrollWidth")
        if across > width:
            wrong.append(f"{path} ({look}): scrolls sideways, {across} of {width}")
    return wrong
