"""Everybody can use the public pages: no serious finding of axe, nothing scrolls sideways."""

import socket

import pytest

from tests.figures.browser import NEEDED
from tests.host import played
from tests.host.browser.barriers import barriers, needs_axe
from tests.host.browser.stage import Stage

pytestmark = [*NEEDED, needs_axe]

PAGES = ("", "/rules", "/standings", "/matrix", "/teams", "/news", "/trust")


@pytest.fixture(scope="module")
def reader(new_site, chromium, tmp_path_factory):
    """Somebody who reads the pages of a contest that is over."""
    door = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{door.getsockname()[1]}"
    site = new_site(tmp_path_factory.mktemp("site"), "sqlite", url=url)
    edition = played.running(site)
    played.attacking(site, edition)
    played.revealed(site, edition)
    stage = Stage(site, door, chromium, lanes=())
    yield stage.person("Reader")
    stage.close()


@pytest.mark.parametrize("path", ["/", *(f"/contests/rounds{page}" for page in PAGES), "/nowhere"])
def test_no_barrier(reader, path):
    assert barriers(reader.page, path, 404 if path == "/nowhere" else 200) == []


def test_a_barrier_would_be_seen(reader):
    reader.page.route(
        "**/nowhere", lambda route: route.fulfill(body="<img src=x>", content_type="text/html")
    )
    assert len(barriers(reader.page, "/nowhere")) > 0
    reader.page.unroute("**/nowhere")


def test_the_policy_of_the_site_allows_everything_that_its_pages_do(reader):
    reader.complaints.clear()
    for page in PAGES:
        reader.go(f"/contests/rounds{page}")
    reader.go("/contests/rounds/files/report.html")
    assert reader.complaints == []


def test_the_matrix_can_be_pointed_at(reader):
    reader.complaints.clear()
    reader.page.set_viewport_size({"width": 1280, "height": 800})
    reader.go("/contests/rounds/matrix")
    reader.page.get_by_text("Point and zoom").click()
    chart = reader.page.locator(".chart svg")
    chart.wait_for()
    box = chart.bounding_box()
    reader.page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + 40)
    reader.page.get_by_text("hit rate").first.wait_for()
    assert reader.complaints == []


def test_pages_can_be_read_without_javascript(reader):
    window = reader.page.context.browser.new_context(
        base_url=reader.page.url.partition("/contests")[0], java_script_enabled=False
    )
    page = window.new_page()
    for path in ("", "/matrix", "/trust"):
        page.goto(f"/contests/rounds{path}")
        assert page.locator("h1").is_visible()
    page.goto("/contests/rounds/matrix")
    assert page.locator("table.heat").is_visible()
    assert not page.locator("details.zoom").is_visible()
    window.close()
