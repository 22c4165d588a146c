"""The face of the site, as a browser draws it: colours, tabs, podium, plots, small screens."""

import gzip
import re

import pytest

from quintain.figures.trade_off import Utility, trade_off
from quintain_host.web.static_files import static
from tests.figures import report_cases as cases
from tests.figures.browser import NEEDED
from tests.host.browser.shown_site import OPEN, OVER

pytestmark = NEEDED

PAGES = (
    "/",
    *(f"/contests/{OPEN}{page}" for page in ("", "/rules", "/standings", "/teams")),
    *(f"/contests/{OVER}{page}" for page in ("", "/standings", "/matrix", "/teams", "/news")),
)
HEAVIEST = 100_000
"""How many bytes a page may send with its files, as servers in front of a site compress them."""

BOXES = """() => [...document.querySelectorAll(".plot .name")].map((name) => {
  const { left, right, top, bottom } = name.getBoundingClientRect();
  return [name.textContent, left, right, top, bottom];
})"""


@pytest.fixture
def page(shown):
    """The window of somebody who only looks."""
    page = shown.page()
    page.set_viewport_size({"width": 1280, "height": 800})
    page.emulate_media(color_scheme="light")
    return page


def style(page, selector, name):
    """What the browser computes for the first element of a kind."""
    return page.locator(selector).first.evaluate(f"node => getComputedStyle(node).{name}")


@pytest.mark.parametrize("path", PAGES)
def test_nothing_scrolls_sideways_on_a_phone(page, path):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(path)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("red", f"/contests/{OPEN}/team"),
        ("red", f"/contests/{OPEN}/team/uploads"),
        ("olga", f"/organise/{OPEN}/teams"),
        ("olga", f"/organise/{OPEN}/teams/red"),
        ("olga", f"/organise/{OPEN}/log"),
    ],
)
def test_no_cell_of_a_list_lies_out_of_sight_on_a_phone(shown, name, path):
    page = shown.page(name)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(path)
    hidden = "lists => lists.map(one => one.scrollWidth - one.clientWidth)"
    beyond = page.locator(".scroll:has(> .as-cards)").evaluate_all(hidden)
    page.set_viewport_size({"width": 1280, "height": 800})
    assert beyond and max(beyond) <= 0


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_light(page, path):
    html = page.goto(path).body()
    files = re.findall(rb'(?:src|href)="(/static/[^"]+)"', html)
    bodies = [page.request.get(file.decode()).body() for file in files]
    assert sum(len(gzip.compress(body)) for body in [html, *bodies]) < HEAVIEST
    assert len(files) <= 5


@pytest.mark.parametrize(
    ("look", "colour"), [("light", "rgb(11, 93, 158)"), ("dark", "rgb(124, 184, 238)")]
)
def test_the_winners_stand_on_the_podium_and_in_the_headline(page, look, colour):
    page.emulate_media(color_scheme=look)
    page.goto(f"/contests/{OVER}/standings")
    assert style(page, ".podium .first .stand", "backgroundColor") == colour
    podium, first = (page.locator(part).bounding_box() for part in (".podium", ".podium .first"))
    middle = first["x"] + first["width"] / 2
    assert abs(middle - podium["x"] - podium["width"] / 2) < 2
    winners = page.locator(".podium .first bdi").all_inner_texts()
    headline = page.locator("h1").inner_text()
    assert winners and all(winner in headline for winner in winners)


def test_intervals_of_boards_are_drawn_as_wide_as_their_cells(page):
    page.goto(f"/contests/{OVER}/standings")
    bar, cell = (page.locator(part).first.bounding_box() for part in ("td .bar", "td.drawn"))
    assert bar["width"] > 300 and abs(bar["width"] - cell["width"]) < 20
    assert style(page, "td .bar .dot", "fill") == "rgb(11, 93, 158)"
    assert page.locator("td .bar .floor").count() > 0
    page.set_viewport_size({"width": 390, "height": 844})
    row = page.locator(".board tbody tr").first
    right = row.bounding_box()["x"] + row.bounding_box()["width"]
    for part in (".team", ".figure", ".drawn"):
        box = row.locator(part).first.bounding_box()
        assert box["width"] > 40 and box["x"] + box["width"] <= right + 1 <= 391


def test_the_phase_that_is_open_stands_out_in_the_line_of_dates(page):
    page.goto(f"/contests/{OPEN}")
    assert style(page, ".timeline .open h3", "color") == "rgb(11, 93, 158)"
    across = [box.bounding_box() for box in page.locator(".timeline li").all()]
    assert len({round(box["y"]) for box in across}) == 1
    page.set_viewport_size({"width": 390, "height": 844})
    down = [box.bounding_box() for box in page.locator(".timeline li").all()]
    assert len({round(box["x"]) for box in down}) == 1


def test_the_time_that_is_left_is_there_without_scripts(shown, chromium):
    window = chromium.new_context(base_url=shown.url, java_script_enabled=False)
    page = window.new_page()
    page.goto(f"/contests/{OPEN}")
    assert re.fullmatch(
        r"Closes in \d+ days? and \d+ hours?", page.locator(".big").first.inner_text()
    )
    share = page.locator(".ring-clock .left").get_attribute("stroke-dasharray").split()
    assert sum(map(int, share)) == 100 and 0 < int(share[0]) < 100
    window.close()


def test_whoever_lives_elsewhere_reads_the_local_time_beside_utc(shown, chromium):
    window = chromium.new_context(base_url=shown.url, timezone_id="Asia/Tokyo")
    page = window.new_page()
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"/contests/{OPEN}")
    time = page.locator(".timeline time").first
    assert re.search(r"00:00 UTC \(.*09:00.*\)$", time.inner_text())
    seen = page.locator(".local:visible")
    assert seen.count() > 0
    for local in seen.all():
        assert re.fullmatch(r"\(.*09:00.*\)", local.inner_text())
        assert local.evaluate("one => one.getClientRects().length") == 1
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    window.close()


def test_times_stand_alone_where_the_local_time_is_utc(page):
    page.goto(f"/contests/{OPEN}")
    assert page.locator(".timeline time").count() > 0 and page.locator(".local").count() == 0


@pytest.mark.parametrize("path", [f"/contests/{OPEN}", f"/organise/{OPEN}/steps"])
def test_there_is_one_row_of_tabs(shown, path):
    page = shown.page("olga")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(path)
    tabs = page.locator(".tabs a")
    assert page.locator("nav").count() == 2  # that of the site, and the tabs
    assert len({round(tab.bounding_box()["y"]) for tab in tabs.all()}) == 1
    assert page.locator(".tabs [aria-current=page]").count() == 1


@pytest.mark.parametrize("name", ["settings", "log"])
def test_a_phone_shows_the_open_tab(shown, name):
    page = shown.page("olga")
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"/organise/{OPEN}/{name}")
    box = page.locator(".tabs [aria-current=page]").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    page.set_viewport_size({"width": 1280, "height": 800})


def overlaps(boxes):
    """The pairs of names whose boxes meet."""
    return [
        (box[0], other[0])
        for i, box in enumerate(boxes)
        for other in boxes[:i]
        if box[1] < other[2] and other[1] < box[2] and box[3] < other[4] and other[3] < box[4]
    ]


@pytest.mark.parametrize("entries", [8, 30, 200])
def test_no_two_names_meet_in_a_plot(page, entries):
    matrix = cases.first_matrix(cases.matrix(entries, 6))
    plot = trade_off(matrix, Utility("two_way", "lower", "Distance.", ()), "plot")
    html = f'<!doctype html><title>Plot</title><link rel="stylesheet" href="{static("style.css")}">'
    body = f'{html}<div class="figures"><figure>{plot.drawn}</figure></div>'
    page.route("**/plot", lambda route: route.fulfill(body=body, content_type="text/html"))
    page.goto("/plot")
    page.unroute("**/plot")
    boxes = page.evaluate(BOXES)
    assert len(boxes) == plot.labelled - len(plot.nameless) > 5
    assert overlaps(boxes) == []


def test_the_plot_of_a_contest_is_on_its_page(page):
    page.goto(f"/contests/{OVER}/standings")
    assert page.locator(".figures .plot").count() > 0
    assert overlaps(page.evaluate(BOXES)) == []
    assert style(page, ".plot .dot", "fill") in ("rgb(11, 93, 158)", "rgb(255, 255, 255)")
