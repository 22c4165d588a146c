"""Own pages, pictures and a logo, as a browser shows them at both widths and in both looks."""

import io

import pytest
from PIL import Image, ImageDraw

from quintain_host.organising.custom_pages import add_page
from quintain_host.organising.pictures import add_picture, choose_logo
from tests.figures.browser import NEEDED
from tests.host import contest_on_site as contest

pytestmark = NEEDED

TEXT = """The best **three teams** present at the workshop.

![Three cups on a table](cups.png)

| place | prize |
|---|---|
| 1 | a ticket |
"""


def drawn(size):
    """A picture with a circle."""
    image = Image.new("RGBA", size, (0, 0, 0, 0))
    ImageDraw.Draw(image).ellipse((4, 4, size[0] - 4, size[1] - 4), fill=(30, 110, 190, 255))
    encoded = io.BytesIO()
    image.save(encoded, "PNG")
    encoded.seek(0)
    return encoded


@pytest.fixture(scope="module")
def window(new_stage):
    """The window of the organiser of a contest with pages and pictures."""
    stage = new_stage(lanes=())
    site = stage.site
    edition = contest.edition(site, organiser="olga", visible=True)
    olga = contest.visitor(site, "olga")
    add_picture(site, olga, edition, "cups.png", drawn((2400, 900)))
    add_picture(site, olga, edition, "logo.png", drawn((200, 200)))
    choose_logo(site, olga, edition, "logo.png")
    for title in ("Prizes", "Questions and answers", "Data sheet"):
        add_page(site, olga, edition, title, TEXT)
    page = stage.person("Olga").page
    secret = contest.cookie(site, contest.account_of(site, "olga"))
    page.context.add_cookies([{"name": "quintain", "value": secret, "url": site.settings.url}])
    return page


PATHS = ("/contests/rounds", "/contests/rounds/pages/prizes", "/organise/rounds/pages")


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("look", ["light", "dark"])
def test_pages_and_pictures_fit_and_load(window, path, look):
    for width in (1280, 390):
        window.set_viewport_size({"width": width, "height": 800})
        window.emulate_media(color_scheme=look)
        window.goto(path)
        assert window.evaluate("document.documentElement.scrollWidth") <= width
        for picture in window.locator("img").all():
            picture.scroll_into_view_if_needed()
            picture.evaluate("node => node.complete || new Promise(done => node.onload = done)")
            assert picture.evaluate("node => node.naturalWidth") > 0
            assert picture.bounding_box()["width"] <= width
