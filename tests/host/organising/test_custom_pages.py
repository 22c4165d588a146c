"""Own pages and pictures of a contest: what organisers show, and what hostile files do."""

import io
import struct
import zipfile
import zlib

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from sqlalchemy import select

from quintain_host.database.contests import KEPT_CONTENTS, HostedEdition, Picture
from quintain_host.database.work import LogLine
from quintain_host.web.app import make_app
from quintain_host.web.security.csrf import PAGE
from tests.host.contest_on_site import account, edition
from tests.host.organising.organiser_browser import Browser

PLACE = "/organise/rounds/pages"
CONTEST = "/contests/rounds"


@pytest.fixture
def site(one_site):
    """A site with a draft of Olga."""
    account(one_site, "sam")
    edition(one_site, organiser="olga", visible=True)
    return one_site


@pytest.fixture
def app(site):
    return make_app(site)


@pytest.fixture
def olga(site, app):
    return Browser(site, "olga", app)


@pytest.fixture
def anybody(site, app):
    return Browser(site, "", app)


def picture(kind="PNG", size=(30, 20), **options):
    """The bytes of a picture."""
    encoded = io.BytesIO()
    Image.new("RGB", size, (200, 30, 30)).save(encoded, kind, **options)
    return encoded.getvalue()


def huge_png(side=60_000):
    """A few kilobytes that say they are a picture of billions of pixels."""

    def chunk(name, content):
        check = struct.pack(">I", zlib.crc32(name + content))
        return struct.pack(">I", len(content)) + name + content + check

    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    pixels = zlib.compress(bytes(100_000))
    start = b"\x89PNG\r\n\x1a\n"
    return start + chunk(b"IHDR", head) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def send(olga, name, content):
    return olga.post(f"{PLACE}/pictures", files={"file": (name, content)}, **{PAGE: PLACE})


def stored(site):
    with site.database.reading() as session:
        return {row.name: row for row in session.scalars(select(Picture))}


def logged(site):  # in the order in which it happened
    with site.database.reading() as session:
        return [line.action for line in session.scalars(select(LogLine).order_by(LogLine.number))]


@pytest.mark.slow
def test_a_page_is_written_read_changed_and_removed(site, olga, anybody):
    olga.sent(PLACE, title="Prizes & partners", text="**100 €** for the first\r\n\r\n<b>x</b>")
    shown = anybody.page(f"{CONTEST}/pages/prizes-partners")
    assert "<strong>100 €</strong>" in shown and "&lt;b&gt;x&lt;/b&gt;" in shown
    assert f'href="{CONTEST}/pages/prizes-partners"' in anybody.page(CONTEST)
    assert "100 €" in olga.page(f"{PLACE}/prizes-partners")  # the form has the text
    olga.sent(f"{PLACE}/prizes-partners", title="Prizes", text="200 €", position="3")
    assert "200 €" in anybody.page(f"{CONTEST}/pages/prizes-partners")
    olga.sent(f"{PLACE}/prizes-partners/remove")
    assert anybody.get(f"{CONTEST}/pages/prizes-partners").status_code == 404
    assert logged(site)[-3:] == ["page.add", "page.change", "page.remove"]


def test_many_pages_share_one_tab(olga, anybody):
    for title in ("One", "Two", "Three"):
        olga.sent(PLACE, title=title, text="x")
    assert f'href="{CONTEST}/pages/two"' in anybody.page(CONTEST)
    olga.sent(PLACE, title="賞", text="x")
    home, more = anybody.page(CONTEST), anybody.page(f"{CONTEST}/pages")
    assert f'href="{CONTEST}/pages/two"' not in home and ">More</a>" in home
    assert more.index(">One<") < more.index(">Two<") < more.index(f'href="{CONTEST}/pages/page"')


def test_pages_with_long_titles_share_one_tab(olga, anybody):
    for title in ("Prizes", "Questions and answers"):
        olga.sent(PLACE, title=title, text="x")
    home = anybody.page(CONTEST)
    assert f'href="{CONTEST}/pages/prizes"' not in home and ">More</a>" in home


@pytest.mark.slow
def test_faults_stand_beside_the_fields_and_the_text_stays(olga):
    answer = olga.post(PLACE, **{PAGE: PLACE}, title="x" * 41, text="my long text")
    assert answer.status_code == 422
    assert "title of 1 to 40 characters" in answer.text and "my long text" in answer.text
    answer = olga.post(PLACE, **{PAGE: PLACE}, title=" ", text=" ")
    assert "title of 1 to 40" in answer.text and "Write what the page says" in answer.text


def test_nobody_else_writes_pages(site, app):
    sam = Browser(site, "sam", app)
    assert sam.post(PLACE, title="x", text="y").status_code == 403
    assert sam.get(PLACE).status_code == 403
    assert send(sam, "a.png", picture()).status_code == 403
    assert stored(site) == {}


def test_pages_of_a_hidden_contest_are_hidden(site, olga, anybody):
    olga.sent(PLACE, title="Secret plan", text="x")
    assert send(olga, "a.png", picture()).status_code == 303
    with site.database.writing("rounds") as session:
        session.get_one(HostedEdition, "rounds").visible = False
    for place in ("/pages", "/pages/secret-plan", "/pictures/a.png"):
        assert anybody.get(CONTEST + place).status_code == 404


@pytest.mark.parametrize(
    ("kind", "name", "media"),
    [
        ("PNG", "a.png", "image/png"),
        ("JPEG", "a.jpg", "image/jpeg"),
        ("WEBP", "a.webp", "image/webp"),
    ],
)
def test_a_picture_is_served_as_what_it_is(olga, anybody, kind, name, media):
    assert send(olga, f"A.{kind}", picture(kind)).status_code == 303
    answer = anybody.get(f"{CONTEST}/pictures/{name}")
    assert answer.headers["content-type"] == media
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "sandbox" in answer.headers["content-security-policy"]
    assert Image.open(io.BytesIO(answer.content)).size == (30, 20)


def test_only_the_pixels_of_a_picture_are_kept(site, olga, anybody):
    exif = Image.Exif()
    exif[0x010E] = "taken at home"
    exif[0x0112] = 6  # it lies on its side
    content = picture("JPEG", exif=exif) + b"<script>alert(1)</script>"
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as writer:
        writer.writestr("x.html", "<script>alert(1)</script>")
    assert send(olga, "side.jpg", content).status_code == 303
    assert send(olga, "both.png", picture() + archive.getvalue()).status_code == 303
    side = anybody.get(f"{CONTEST}/pictures/side.jpg").content
    both = anybody.get(f"{CONTEST}/pictures/both.png").content
    assert b"taken" not in side and b"script" not in side + both
    assert Image.open(io.BytesIO(side)).size == (20, 30)
    assert not zipfile.is_zipfile(io.BytesIO(both))
    assert both.endswith(b"IEND\xaeB`\x82")


def test_a_text_inside_a_png_is_dropped(olga, anybody):
    note = PngInfo()
    note.add_text("Comment", "<script>alert(1)</script>")
    assert send(olga, "a.png", picture(pnginfo=note)).status_code == 303
    assert b"script" not in anybody.get(f"{CONTEST}/pictures/a.png").content


def test_a_large_picture_is_made_smaller(site, olga):
    assert send(olga, "wide.png", picture(size=(4000, 1000))).status_code == 303
    row = stored(site)["wide.png"]
    assert (row.width, row.height) == (1600, 400)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>", "save the picture as PNG"),
        ("a.png", b"<?xml version='1.0'?><svg onload='alert(1)'/>", "save the picture as PNG"),
        ("a.png", b"<html><script>alert(1)</script>", "send PNG, JPEG or WebP"),
        ("a.gif", b"GIF89a" + bytes(100), "send PNG, JPEG or WebP"),
        ("a.png", huge_png(), "pixels"),
        ("a.png", huge_png(7_000), "pixels"),
        ("a.png", picture(size=(400, 400))[:-60], "ends too early or is damaged"),
        ("a.jpg", picture("JPEG", size=(400, 400))[:700], "ends too early or is damaged"),
        ("a.png", b"", "send PNG, JPEG or WebP"),
        ("a.png", b"x" * (5 * 2**20 + 1), "make it smaller"),
    ],
)  # fmt: skip
def test_hostile_pictures_are_refused_beside_the_field(site, olga, name, content, sentence):
    answer = send(olga, name, content)
    assert answer.status_code == 422, answer.text
    assert sentence in answer.text and 'id="fault-file"' in answer.text
    assert stored(site) == {}


def test_no_file_is_a_fault_too(olga):
    answer = olga.post(f"{PLACE}/pictures", files={"file": ("", b"")}, **{PAGE: PLACE})
    assert answer.status_code == 422 and "Choose a picture" in answer.text


def test_a_text_shows_pictures_of_the_contest_alone(olga, anybody):
    assert send(olga, "plan.png", picture()).status_code == 303
    text = (
        "![the plan](plan.png) [large](plan.png) ![x](other.png) ![y](https://evil.example/a.png)"
    )
    olga.sent(PLACE, title="Plan", text=text)
    shown = anybody.page(f"{CONTEST}/pages/plan")
    assert shown.count("<img ") == 1
    assert '<img src="/contests/rounds/pictures/plan.png?' in shown and 'alt="the plan"' in shown
    assert 'href="/contests/rounds/pictures/plan.png?' in shown
    assert "x (other.png)" in shown and "y (https://evil.example/a.png)" in shown


def test_a_logo_stands_in_the_header_until_it_is_removed(site, olga, anybody):
    assert 'class="logo"' not in anybody.page(CONTEST)
    assert send(olga, "logo.png", picture()).status_code == 303
    olga.sent(f"{PLACE}/logo", picture="logo.png")
    assert 'class="logo"' in anybody.page(f"{CONTEST}/news")
    assert 'class="large-logo"' in anybody.page(CONTEST)
    olga.sent(f"{PLACE}/logo")
    assert 'class="logo"' not in anybody.page(CONTEST)
    olga.sent(f"{PLACE}/logo", picture="logo.png")
    olga.sent(f"{PLACE}/pictures/logo.png/remove")
    assert 'class="logo"' not in anybody.page(CONTEST) and stored(site) == {}
    assert olga.post(f"{PLACE}/logo", picture="logo.png").status_code == 404
    assert {"picture.add", "picture.remove", "edition.logo"} <= set(logged(site))


def test_programs_do_the_same(olga, anybody):
    place = "/editions/rounds/organise"
    answer = olga.api("POST", f"{place}/pages", json={"title": "Data", "text": "x"})
    assert answer.json() == {"page": "data"}
    answer = olga.api("PUT", f"{place}/pictures/Plan.PNG", files={"file": ("x", picture())})
    assert answer.json()["name"] == "plan.png" and answer.json()["width"] == 30
    assert olga.api("PUT", f"{place}/logo", json={"picture": "plan.png"}).json()["done"]
    assert anybody.api("GET", "/editions/rounds/pages").json() == [
        {"name": "data", "title": "Data"}
    ]
    assert anybody.api("GET", "/editions/rounds/pages/data").json()["text"] == "x"
    answer = olga.api("PUT", f"{place}/pages/data", json={"title": "Data", "text": ""})
    assert answer.status_code == 422 and "write what the page says" in answer.json()["detail"]
    assert olga.api("DELETE", f"{place}/pages/data").json()["done"]
    assert olga.api("DELETE", f"{place}/pictures/plan.png").json()["done"]


def test_the_content_of_a_picture_is_kept(site, olga):
    assert send(olga, "a.png", picture()).status_code == 303
    with site.database.reading() as session:
        assert stored(site)["a.png"].digest in set(session.scalars(KEPT_CONTENTS))


def test_organisers_appear_under_the_name_that_they_choose(site, olga, anybody):
    home = anybody.page(CONTEST)
    assert "Run by" not in home and "Olga" not in home
    place, settings = "/organise/rounds/settings", {"registration": "approval", "call": "Come."}
    olga.sent(place, organisers="  Privacy Lab, <X>  University", **settings)
    assert "Run by Privacy Lab, &lt;X&gt; University." in olga.page(CONTEST)
    answer = olga.post(place, organisers="x" * 201, **settings, **{PAGE: place})
    assert answer.status_code == 422 and 'id="fault-organisers"' in answer.text
