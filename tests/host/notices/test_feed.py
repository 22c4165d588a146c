"""The feed of a contest: readers get XML that says what people wrote, and nothing acts in it."""

from contextlib import suppress
from xml.etree import ElementTree

import pytest

from quintain.errors import QuintainError
from quintain_host.notices.questions import answer, ask
from quintain_host.organising.settings import change_settings, publish_news
from tests.host import contest_on_site as contest
from tests.host import played
from tests.host.security.people import browser

ATOM = "{http://www.w3.org/2005/Atom}"
HOSTILE = (
    "<script>alert(1)</script>",
    "]]></content></entry><entry><title>false",
    "<!DOCTYPE x [<!ENTITY y SYSTEM 'file:///etc/passwd'>]>&y;",
    "&lt;img src=x onerror=alert(1)&gt; &#0; &nbsp;",
    "<?xml-stylesheet href='https://evil.example/x.xsl'?>",
    "[link](javascript:alert(1)) ![x](https://evil.example/p.png)",
    'a" href="https://evil.example',
    "turned \u202e around",
    "no letters of XML: \ufffe \uffff \x0b \x00",
    "名前の長いチーム " * 9,
)


@pytest.fixture(scope="module")
def shown(new_site, tmp_path_factory):
    """A feed with everything hostile that the site takes, and the titles that it took."""
    site = new_site(tmp_path_factory.mktemp("site"))
    edition = played.running(site)
    olga, red = contest.visitor(site, "olga"), contest.visitor(site, "red")
    taken = []
    for text in HOSTILE:
        with suppress(QuintainError):
            publish_news(site, olga, edition, text, text)
            taken.append(text)
        with suppress(QuintainError):
            answer(site, olga, edition, ask(site, red, edition, text), text, to_all=True)
    with suppress(QuintainError):
        change_settings(site, olga, edition, call="".join(HOSTILE))
    answered = browser(site).get(f"/contests/{edition}/feed.atom")
    yield answered, taken, site.settings.url
    site.close()


@pytest.mark.slow
def test_a_feed_reader_gets_xml_without_entities(shown):
    answered, taken, _ = shown
    assert answered.headers["content-type"].startswith("application/atom+xml")
    assert answered.headers["x-content-type-options"] == "nosniff"
    assert "<!" not in answered.text and answered.text.count("<?") == 1
    feed = ElementTree.fromstring(answered.content)
    titles = [entry.findtext(f"{ATOM}title") for entry in feed.iter(f"{ATOM}entry")]
    assert len(taken) > 5 and {text.strip() for text in taken} <= set(titles)


def test_nothing_in_it_is_markup_or_leads_elsewhere(shown):
    answered, _, url = shown
    feed = ElementTree.fromstring(answered.content)
    for words in (*feed.iter(f"{ATOM}title"), *feed.iter(f"{ATOM}content")):
        assert words.get("type", "text") == "text" and list(words) == []
    places = [link.get("href") for link in feed.iter(f"{ATOM}link")]
    assert places and all(place.startswith(f"{url}/contests/") for place in places)
    assert {one.tag.removeprefix(ATOM) for one in feed.iter()} <= {
        *("feed", "id", "title", "subtitle", "author", "name", "link", "updated"),
        *("entry", "published", "content"),
    }
