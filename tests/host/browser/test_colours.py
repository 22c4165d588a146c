"""Heat maps have their colours: the browser says what it really draws, in light and in dark.

A style sheet that a page does not load leaves cells white and legends black, and no test of the
text of a page sees that.
"""

import itertools
import re
from pathlib import Path

import pytest
from benchmarks.tournament.page import tournament_page
from benchmarks.tournament.results import TournamentResults

from quintain.runs.report import report_bytes
from tests.figures import report_cases as cases
from tests.figures.browser import NEEDED
from tests.host.browser.shown_site import OVER

pytestmark = NEEDED

KEPT_RESULTS = Path(__file__).resolve().parents[3] / "docs" / "tournament.json"
PAGES = ("matrix", "report", "tournament", "report-of-hand")
LOOKS = ("light", "dark")
LEAST = 4.5
"""The contrast that WCAG 2 asks for at level AA."""

READ = """() => {
  const root = getComputedStyle(document.documentElement);
  const probe = document.body.appendChild(document.createElement("i"));
  const named = (name) => {
    probe.style.backgroundColor = root.getPropertyValue(`--${name}`);
    return getComputedStyle(probe).backgroundColor;
  };
  const steps = [0, 1, 2, 3, 4, 5].map((i) => `leak-${i}`)
    .concat([1, 2, 3, 4, 5].map((i) => `under-${i}`));
  const texts = (cell) => {
    const inner = [cell, ...cell.querySelectorAll(".span")];
    return inner.filter((e) => e.textContent.trim()).map((e) => {
      const style = getComputedStyle(e);
      return [style.color, Number(style.opacity)];
    });
  };
  const result = {
    card: named("card"),
    scale: Object.fromEntries(steps.map((step) => [step, named(step)])),
    cells: [...document.querySelectorAll(".heat td")].map((cell) => ({
      css: cell.className,
      paper: getComputedStyle(cell).backgroundColor,
      picture: getComputedStyle(cell).backgroundImage,
      texts: texts(cell),
      corner: getComputedStyle(cell, "::after").borderTopColor,
      cornerWidth: getComputedStyle(cell, "::after").borderTopWidth,
    })),
    legends: [...document.querySelectorAll("svg.legend")].map((legend) =>
      [...legend.querySelectorAll("rect")].map((box) => [
        box.parentNode.getAttribute("class"), getComputedStyle(box).fill])),
    signs: [...document.querySelectorAll(".sign")].map((sign) => {
      const style = getComputedStyle(sign);
      return [sign.className, style.backgroundColor, style.backgroundImage, sign.offsetWidth];
    }),
  };
  probe.remove();
  return result;
}"""


def channels(colour):
    """Red, green, blue of a colour as browsers write it."""
    return tuple(float(part) for part in re.findall(r"[\d.]+", colour)[:3])


def luminance(colour):
    """The relative luminance of WCAG 2."""
    parts = [part / 255 for part in colour]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(text, opacity, paper):
    """The contrast of a text that lets some of its paper through."""
    ink = [opacity * a + (1 - opacity) * b for a, b in zip(text, paper, strict=True)]
    low, high = sorted((luminance(ink), luminance(paper)))
    return (high + 0.05) / (low + 0.05)


@pytest.fixture(scope="module")
def addresses(shown, tmp_path_factory):
    """The address of every page that has a heat map, by name."""
    folder = tmp_path_factory.mktemp("pages")
    results = {"t0": cases.awkward(), "t1": cases.matrix(8, 6)}
    by_hand = report_bytes(cases.edition(2), results, cases.FACTS)
    every = TournamentResults.read(KEPT_RESULTS)
    first = dict(itertools.islice(every.arenas.items(), 1))
    files = {
        "report-of-hand": by_hand,
        "tournament": tournament_page(every.model_copy(update={"arenas": first})),
    }
    for name, content in files.items():
        (folder / f"{name}.html").write_bytes(content)
    return {
        "matrix": f"/contests/{OVER}/matrix",
        "report": f"/contests/{OVER}/files/report.html",
        **{name: (folder / f"{name}.html").as_uri() for name in files},
    }


@pytest.fixture(scope="module", params=[f"{page} {look}" for page in PAGES for look in LOOKS])
def seen(request, shown, addresses):
    """What the browser draws on a page with a heat map."""
    name, look = request.param.split()
    page = shown.page()
    page.emulate_media(color_scheme=look)
    page.goto(addresses[name])
    return page.evaluate(READ)


@pytest.mark.slow
def test_every_cell_has_the_colour_of_its_step(seen):
    steps = {cell["css"].split()[0]: cell["paper"] for cell in seen["cells"]}
    measured = {step: colour for step, colour in steps.items() if step in seen["scale"]}
    assert len(measured) > 1
    assert measured == {step: seen["scale"][step] for step in measured}
    assert len(set(seen["scale"].values())) == len(seen["scale"])
    assert seen["card"] not in seen["scale"].values()


def test_every_cell_can_be_read(seen):
    faint = [
        (cell["css"], text, cell["paper"])
        for cell in seen["cells"]
        for text, opacity in cell["texts"]
        if contrast(channels(text), opacity, channels(cell["paper"])) < LEAST
    ]
    assert faint == []


def test_the_boxes_of_the_legend_have_the_colours_of_the_cells(seen):
    assert seen["legends"]
    for boxes in seen["legends"]:
        assert len(boxes) >= 6
        assert [fill for _, fill in boxes] == [seen["scale"][step] for step, _ in boxes]
        assert len({fill for _, fill in boxes}) == len(boxes)


def test_luck_and_missing_attacks_have_their_signs(seen):
    for css, paper, picture, width in seen["signs"]:
        assert width > 10 and paper != seen["card"]
        assert ("gradient" in picture) == ("missing" in css)
    for cell in seen["cells"]:
        assert ("gradient" in cell["picture"]) == ("missing" in cell["css"])
        assert (cell["cornerWidth"] != "0px") == ("luck" in cell["css"].split())


def test_a_page_without_its_style_sheet_would_be_seen(shown):
    page = shown.page()
    page.route("**/style.css*", lambda route: route.fulfill(body="", content_type="text/css"))
    page.goto(f"/contests/{OVER}/matrix")
    seen = page.evaluate(READ)
    page.unroute("**/style.css*")
    assert len({cell["paper"] for cell in seen["cells"]}) == 1
    assert {fill for boxes in seen["legends"] for _, fill in boxes} == {"rgb(0, 0, 0)"}
