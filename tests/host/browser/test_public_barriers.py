"""Everybody can use the public pages: no serious finding of axe, nothing scrolls sideways."""

import re

import pytest

from tests.figures.browser import NEEDED
from tests.host.browser.barriers import barriers, needs_axe

pytestmark = [*NEEDED, needs_axe]

PAGES = ("", "/rules", "/standings", "/matrix", "/teams", "/news", "/trust", "/checkpoints")


@pytest.fixture(scope="module")
def reader(shown):
    """Somebody who reads the pages of a contest that is over."""
    return shown.person()


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", ["/", "/audit-log", *(f"/contests/spring{page}" for page in PAGES), "/nowhere"]
)
def test_no_barrier(reader, path):
    assert barriers(reader.page, path, 404 if path == "/nowhere" else 200) == []


@pytest.mark.slow
def test_a_barrier_would_be_seen(reader):
    reader.page.route(
        "**/nowhere", lambda route: route.fulfill(body="<img src=x>", content_type="text/html")
    )
    assert len(barriers(reader.page, "/nowhere")) > 0
    reader.page.unroute("**/nowhere")


@pytest.mark.slow
def test_the_policy_of_the_site_allows_everything_that_its_pages_do(reader):
    reader.complaints.clear()
    for page in PAGES:
        reader.go(f"/contests/spring{page}")
    reader.go("/contests/spring/files/report.html")
    assert reader.complaints == []


@pytest.mark.slow
def test_pages_can_be_read_without_javascript(shown, chromium):
    window = chromium.new_context(base_url=shown.url, java_script_enabled=False)
    page = window.new_page()
    for path in ("", "/matrix", "/trust"):
        page.goto(f"/contests/spring{path}")
        assert page.locator("h1").is_visible()
    page.goto("/contests/spring/matrix")
    assert page.locator("table.heat").is_visible()
    title = page.locator(".heat td.luck").first.get_attribute("title")
    assert re.fullmatch(r"[0-9.]+ \([0-9.]+ to [0-9.]+\)", title)
    window.close()
